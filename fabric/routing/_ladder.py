"""Ladders: hops in an order that no packet may leave, so that what waits for buffers waits upwards only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.model.network import BoolArray, IntArray, Network
from fabric.model.paths import Paths


@dataclass(frozen=True, slots=True, eq=False)
class Rung:
    """Arcs that may be taken at one height, and the lane used there.

    Attributes:
        arcs: (n_arcs,) which arcs of the network belong to it.
        lane: lane of every hop on this rung.
        repeats: whether one hop on it may follow another.
    """

    arcs: BoolArray
    lane: int
    repeats: bool = False


def climb(network: Network, rungs: Sequence[Rung]) -> Paths:
    """Every way up a ladder from every leaf or router.

    A state is a switch and the rung of the last hop; from there a packet may take each arc at the lowest rung above
    (or, if it repeats, at the same) that has it. Only states that can be reached are kept.

    Args:
        network: the plane.
        rungs: the ladder from the bottom up.
    """
    count = network.switch_count
    origin, target = network.arc_from, network.arc_to
    found: list[tuple[IntArray, IntArray, IntArray, IntArray]] = [(np.zeros(0, dtype=np.int64),) * 4]
    reached = np.zeros((len(rungs) + 1, count), dtype=np.bool_)
    reached[0, : network.edge_count] = True
    # Heights only grow, and a rung that repeats is worked off by sweeps: each height is complete when it is left.
    for height in range(len(rungs) + 1):
        while True:
            before = int(reached[height].sum())
            taken = list(_steps(rungs, height))
            for upper, arcs in taken:
                reached[upper, target[arcs[reached[height, origin[arcs]]]]] = True
            if int(reached[height].sum()) == before:
                break
        for upper, arcs in taken:
            used = arcs[reached[height, origin[arcs]]]
            lane = np.full(used.size, rungs[upper - 1].lane, dtype=np.int64)
            found.append((height * count + origin[used], upper * count + target[used], used, lane))
    before_step, after_step, arc, lane = (np.concatenate(column) for column in zip(*found, strict=True))
    number = np.cumsum(reached.ravel()) - 1
    return Paths(
        state_switch=np.flatnonzero(reached.ravel()) % count,
        start=number[: network.edge_count],
        step_from=number[before_step],
        step_to=number[after_step],
        step_arc=arc,
        step_lane=lane,
    )


def _steps(rungs: Sequence[Rung], height: int) -> Iterator[tuple[int, IntArray]]:
    """Heights that one hop from `height` can end at, each with the arcs that lead there and to no lower one."""
    lowest = height - 1 if height and rungs[height - 1].repeats else height
    left = np.ones(rungs[0].arcs.size, dtype=np.bool_) if rungs else np.zeros(0, dtype=np.bool_)
    for index in range(lowest, len(rungs)):
        arcs = np.flatnonzero(left & rungs[index].arcs)
        left &= ~rungs[index].arcs
        if arcs.size:
            yield index + 1, arcs
