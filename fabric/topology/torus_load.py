"""What uniform all-to-all puts on the links of a torus, dimension by dimension in pairs of endpoints.

Packets go through the dimensions in order. In one of them they have the coordinates of their target in those before and
of their source in those after, so what enters and leaves a ring at each place is a sum over whole dimensions.
"""

from __future__ import annotations

import numpy as np

from fabric.model.network import FloatArray

PAIR = 2
"""Routers of a ring that have one neighbour instead of two."""


def on_axis(grid: FloatArray, axis: int) -> float:
    """Load of the fullest link of a dimension, were there one between neighbours, by the endpoints on a grid."""
    size = grid.shape[axis]
    here = grid.sum(axis=tuple(range(axis))).reshape(size, -1)
    there = grid.sum(axis=tuple(range(axis + 1, grid.ndim))).reshape(-1, size).T
    return max(_one_way(here, there), _one_way(here[::-1], there[::-1]))


def _one_way(here: FloatArray, there: FloatArray) -> float:
    """Largest load of a link from each router of a ring to the next.

    `here` (size, n_after) sends and `there` (size, n_before) receives at each place; half goes either way where both
    are equally long.
    """
    size = len(here)
    load = np.zeros((size, there.shape[1], here.shape[1]))
    for steps in range(1, size // 2 + 1):
        sent = np.roll(there, -steps, axis=0)[:, :, None] * here[:, None, :]
        twice = np.concatenate([np.zeros_like(sent[:1]), np.cumsum(np.concatenate([sent, sent]), axis=0)])
        passing = twice[size + 1 :] - twice[size + 1 - steps : 2 * size + 1 - steps]
        load += passing / 2 if steps == size - steps and size > PAIR else passing
    return float(load.max(initial=0.0))
