"""Shortest ways through a network, layer by layer towards each target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fabric.flow.merged import merged
from fabric.model.network import FloatArray, IntArray, Network
from fabric.model.paths import Paths, Routes

TARGETS_AT_ONCE = 256
"""Targets of one pass: memory grows with states times this."""

_DENSE = 0.2
"""Share of filled cells above which a block of steps is kept and multiplied as a full matrix."""

_SPARSE = 0.0125
"""Share of filled cells below which sums over targets are taken step by step: full products pass 80 times as many."""

_KEPT = 2**16
"""States times targets up to which stages are kept."""

_Matrix: TypeAlias = FloatArray | csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Steps between two sets of states, as a matrix of rates.

    Attributes:
        rows: states before the steps.
        cols: states after them.
        gbps: (n_rows, n_cols) rates [Gb/s].
        row: (n_steps,) row of each step.
        col: (n_steps,) its column.
        arc: (n_steps,) its arc.
    """

    rows: IntArray
    cols: IntArray
    gbps: _Matrix
    row: IntArray
    col: IntArray
    arc: IntArray

    def pair_sums(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """(n_steps,) sum over targets of the products of `before` (n_rows, n_targets) and `after` (n_cols, …)."""
        if self.row.size < _SPARSE * self.rows.size * self.cols.size:
            return np.asarray(np.einsum("ij,ij->i", before[self.row], after[self.col]), dtype=np.float64)
        return np.asarray((before @ after.T)[self.row, self.col], dtype=np.float64)


@lru_cache(maxsize=16)
def blocks_of(network: Network, paths: Paths) -> tuple[Block, ...]:
    """The steps of `paths`, by the distance of their states from the start, so that each block is small and full.

    Kept for as many networks as a design has planes: phases, workloads and trials load the same one.
    """
    found = []
    arc_gbps = np.concatenate([network.pipes.gbps, network.pipes.gbps])
    height = _heights(paths)
    pair = height[paths.step_from] * (height.max(initial=0) + 1) + height[paths.step_to]
    for each in np.unique(pair):
        steps = np.flatnonzero(pair == each)
        rows, row = np.unique(paths.step_from[steps], return_inverse=True)
        cols, col = np.unique(paths.step_to[steps], return_inverse=True)
        arc = paths.step_arc[steps]
        sparse = csr_array((arc_gbps[arc], (row, col)), shape=(rows.size, cols.size))
        is_full = steps.size > _DENSE * rows.size * cols.size
        gbps: _Matrix = np.asarray(sparse.toarray(), dtype=np.float64) if is_full else sparse
        found.append(Block(rows, cols, gbps, row.astype(np.int64), col.astype(np.int64), arc))
    return tuple(found)


def _heights(paths: Paths) -> IntArray:
    """(n_states,) fewest steps from any start to each state."""
    height = np.full(paths.state_switch.size, -1, dtype=np.int64)
    height[paths.start] = 0
    for steps in range(1, paths.state_switch.size + 1):
        ahead = paths.step_to[height[paths.step_from] == steps - 1]
        ahead = ahead[height[ahead] < 0]
        if not ahead.size:
            break
        height[ahead] = steps
    return height


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Steps left from every state to some targets.

    Attributes:
        targets: (n_targets,) leaves or routers.
        steps: (n_states, n_targets) fewest steps to each; −1 where there is no way.
    """

    targets: IntArray
    steps: NDArray[np.int16]


def layers(paths: Paths, blocks: tuple[Block, ...], targets: IntArray) -> Iterator[Layers]:
    """Steps left to the targets, `TARGETS_AT_ONCE` at a time."""
    for first in range(0, targets.size, TARGETS_AT_ONCE):
        here = targets[first : first + TARGETS_AT_ONCE]
        yield Layers(here, _steps(paths, blocks, here.tobytes()))


@lru_cache(maxsize=8)
def _steps(paths: Paths, blocks: tuple[Block, ...], targets: bytes) -> NDArray[np.int16]:
    """(n_states, n_targets) steps left to the targets, numbers as bytes; kept as the blocks are."""
    wanted = np.frombuffer(targets, dtype=np.int64)
    steps = np.where(paths.state_switch[:, None] == wanted, 0, -1).astype(np.int16)
    for count in range(1, paths.state_switch.size + 1):
        new = np.zeros(steps.shape, dtype=np.bool_)
        for block in blocks:
            ahead = steps[block.cols] == count - 1
            if ahead.any() and (steps[block.rows] < 0).any():
                new[block.rows] |= np.asarray(block.gbps @ ahead.astype(np.float64)) > 0
        new &= steps < 0
        if not new.any():
            break
        steps[new] = count
    steps.flags.writeable = False
    return steps


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The states that are some steps away from targets, and where they may step.

    Attributes:
        usable: (n_states, n_targets) rate of all steps that begin a shortest way [Gb/s]; infinite in other states.
        steps: blocks that lead from them, each with whether its states after are a step nearer, (n_cols, n_targets).
    """

    usable: FloatArray
    steps: tuple[tuple[Block, FloatArray], ...]


def stages(paths: Paths, blocks: tuple[Block, ...], layer: Layers) -> Iterable[Stage]:
    """The stages of a layer, farthest first; kept for small planes, where making them takes as long as using them."""
    if layer.steps.size <= _KEPT:
        return _kept_stages(paths, blocks, layer.targets.tobytes())
    return _stages(paths, blocks, layer.steps)


@lru_cache(maxsize=8)
def _kept_stages(paths: Paths, blocks: tuple[Block, ...], targets: bytes) -> tuple[Stage, ...]:
    return tuple(_stages(paths, blocks, _steps(paths, blocks, targets)))


def _stages(paths: Paths, blocks: tuple[Block, ...], steps: NDArray[np.int16]) -> Iterator[Stage]:
    for count in range(int(steps[paths.start].max(initial=0)), 0, -1):
        going = steps == count
        left = [block for block in blocks if going[block.rows].any()]
        nearer = [(steps[block.cols] == count - 1).astype(np.float64) for block in left]
        usable = np.zeros(steps.shape)
        for block, after in zip(left, nearer, strict=True):
            usable[block.rows] += block.gbps @ after
        yield Stage(np.where(going, usable, np.inf), tuple(zip(left, nearer, strict=True)))


def distances(network: Network, routes: Routes) -> IntArray:
    """(n_used, n_used) fewest hops between the leaves or routers that have endpoints; −1 without a way."""
    used = np.unique(network.endpoint_switch)
    found = np.full((used.size, used.size), -1, dtype=np.int64)
    for paths in routes:
        for layer in layers(paths, blocks_of(network, paths), used):
            column = np.searchsorted(used, layer.targets)
            steps = layer.steps[paths.start[used]]
            found[:, column] = np.where(found[:, column] < 0, steps, found[:, column])
    return found


def fewest_hops(network: Network) -> IntArray:
    """(n_used, n_used) fewest links between the leaves or routers that have endpoints, on any ways; −1 without one."""
    plane = merged(network)
    arc = np.arange(plane.arc_from.size)
    free = Paths(
        state_switch=np.arange(plane.switch_count),
        start=np.arange(plane.edge_count),
        step_from=plane.arc_from,
        step_to=plane.arc_to,
        step_arc=arc,
        step_lane=np.zeros_like(arc),
    )
    return distances(plane, (free,))
