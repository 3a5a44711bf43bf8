"""Which links a switch may take towards a leaf or router when it knows nothing of a packet but where it goes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fabric.model.network import BoolArray, IntArray, Network
from fabric.model.paths import Paths, Routes

_TARGETS_AT_ONCE = 64
"""Targets of one pass: memory grows with steps times this."""


def next_arcs(network: Network, routes: Routes, targets: IntArray) -> Iterator[tuple[int, BoolArray]]:
    """Every target with the arcs (n_arcs,) that begin a shortest way to it from where they begin.

    A table does not know a packet's state. So a switch takes the steps of the most bound of those states from which
    the way is shortest: packets in a freer state may take them as well. Of these, steps into a switch whose own table
    goes on as the way does come before all others, which a damaged fabric may be left with; a way gets shorter with
    every hop in any case, so that no table sends in a circle. States of `climb` are ever more bound as they are
    numbered.

    Args:
        network: the plane.
        routes: how it is routed; a switch without a way on the first paths takes the next.
        targets: (n_targets,) leaves or routers.
    """
    for first in range(0, targets.size, _TARGETS_AT_ONCE):
        here = targets[first : first + _TARGETS_AT_ONCE]
        usable = np.zeros((network.arc_from.size, here.size), dtype=np.bool_)
        served = np.zeros((network.switch_count, here.size), dtype=np.bool_)
        for paths in routes:
            steps, begins = _shortest(paths, here, network.switch_count)
            begins &= ~served[paths.state_switch[paths.step_from]]
            at, target = np.nonzero(begins)
            usable[paths.step_arc[at], target] = True
            np.logical_or.at(served, paths.state_switch, steps >= 0)
        yield from zip(here.tolist(), usable.T, strict=True)


def _shortest(paths: Paths, targets: IntArray, switches: int) -> tuple[NDArray[np.int16], BoolArray]:
    """Steps left (n_states, n_targets) and which steps (n_steps, n_targets) a table takes."""
    steps = _steps_left(paths, targets)
    far = np.where(steps < 0, np.iinfo(np.int16).max, steps)
    least = np.full((switches, targets.size), np.iinfo(np.int16).max, dtype=np.int16)
    np.minimum.at(least, paths.state_switch, far)
    is_least = (steps >= 0) & (steps == least[paths.state_switch])
    number = np.arange(steps.shape[0])[:, None]
    last = np.full(least.shape, -1, dtype=np.int64)
    np.maximum.at(last, paths.state_switch, np.where(is_least, number, -1))
    bound = is_least & (number == last[paths.state_switch])
    nearer = steps[paths.step_to]
    begins = bound[paths.step_from] & (nearer >= 0) & (nearer == steps[paths.step_from] - 1)
    agreed = begins & (nearer == least[paths.state_switch[paths.step_to]])
    has_agreed = np.zeros(steps.shape, dtype=np.bool_)
    np.logical_or.at(has_agreed, paths.step_from, agreed)
    return steps, np.where(has_agreed[paths.step_from], agreed, begins)


def _steps_left(paths: Paths, targets: IntArray) -> NDArray[np.int16]:
    """(n_states, n_targets) fewest steps from each state to each target; −1 where there is no way."""
    states = paths.state_switch.size
    onward = csr_array((np.ones(paths.step_to.size), (paths.step_from, paths.step_to)), shape=(states, states))
    steps = np.where(paths.state_switch[:, None] == targets, 0, -1).astype(np.int16)
    for count in range(1, states + 1):
        new = (np.asarray(onward @ (steps == count - 1).astype(np.float64)) > 0) & (steps < 0)
        if not new.any():
            break
        steps[new] = count
    return steps
