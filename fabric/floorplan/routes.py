"""Lengths and courses of the ways between racks."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from fabric.floorplan.faults import refuse
from fabric.floorplan.trays import Floats, Ints, TraySystem, ladders, tray_graph
from fabric.model.floorplan import FloorPlan, Rack, Slack
from fabric.units import RACK_UNIT_M

COPPER_CLASS = frozenset({"dac", "acc", "aec"})
"""Media that take the copper slack; aoc, mmf and smf are glass and take the fibre slack."""


class Routes:
    """Ways between ports on one floor plan. Racks are indices into `racks`; heights count rack units.

    A height is the middle of a device: `Position.mid_u`, 1.0 for a device of one unit at the bottom.
    """

    def __init__(self, plan: FloorPlan) -> None:
        """Measure `plan` once.

        Raises:
            InputError: one fault per impossible piece of geometry.
        """
        refuse(plan)
        self.plan = plan
        self.racks = plan.all_racks
        self.index = {rack.name: i for i, rack in enumerate(self.racks)}
        self._trays: TraySystem = tray_graph(plan, self.racks) if plan.trays.nodes else ladders(plan, self.racks)

    def lengths_m(
        self, a_rack: npt.ArrayLike, a_mid_u: npt.ArrayLike, b_rack: npt.ArrayLike, b_mid_u: npt.ArrayLike
    ) -> Floats:
        """Length of each way without slack [m]; the arguments broadcast against each other.

        length = |z_a − h_a| + reach_a + tray + reach_b + |z_b − h_b| between racks, |h_a − h_b| within one rack,
        with h the height of a device's middle, z the height of its drop.
        """
        a_mid_u, b_mid_u = np.asarray(a_mid_u), np.asarray(b_mid_u)
        return self.shortest_m(a_rack, (a_mid_u, a_mid_u), b_rack, (b_mid_u, b_mid_u))

    def shortest_m(
        self,
        a_rack: npt.ArrayLike,
        a_range_u: tuple[npt.ArrayLike, npt.ArrayLike],
        b_rack: npt.ArrayLike,
        b_range_u: tuple[npt.ArrayLike, npt.ArrayLike],
    ) -> Floats:
        """Least length without slack [m] while each end may be anywhere in its (lowest, highest) middle [U].

        Never more than `lengths_m` of any pair of heights in the ranges: the minimum is taken end by end.
        """
        a, b = np.asarray(a_rack, dtype=np.int64), np.asarray(b_rack, dtype=np.int64)
        a_low, a_high = (_height_m(u) for u in a_range_u)
        b_low, b_high = (_height_m(u) for u in b_range_u)
        length_m = self._between_m(a, (a_low, a_high), b, (b_low, b_high))
        inside = np.flatnonzero(np.broadcast_to(a == b, length_m.shape))
        a_low, a_high, b_low, b_high = (
            np.broadcast_to(height_m, length_m.shape).flat[inside] for height_m in (a_low, a_high, b_low, b_high)
        )
        length_m.flat[inside] = np.maximum(0.0, np.maximum(a_low - b_high, b_low - a_high))
        return length_m

    def _between_m(self, a: Ints, a_m: tuple[Floats, Floats], b: Ints, b_m: tuple[Floats, Floats]) -> Floats:
        """Least way over the trays [m], over all pairs of drops."""
        trays = self._trays
        ends = [
            [
                (trays.drop_station[rack, k], trays.drop_reach_m[rack, k] + _climb_m(trays.drop_z_m[rack, k], at))
                for k in range(trays.drop_station.shape[1])
            ]
            for rack, at in ((a, a_m), (b, b_m))
        ]
        ways = (
            climb_a + _between_m(trays, station_a, station_b) + climb_b
            for station_a, climb_a in ends[0]
            for station_b, climb_b in ends[1]
        )
        return np.array(functools.reduce(np.minimum, ways))

    def slack_m(self, medium: str) -> float:
        """Slack of both ends together [m] of a cable of `medium`."""
        slack = self.plan.slack_per_end_m
        return 2 * (slack.copper if medium in COPPER_CLASS else slack.fibre)

    def course(self, a: int, b: int) -> str:
        """Places a cable passes from rack `a` to rack `b`: "A01 > row A > A07"; within one rack its name alone."""
        if a == b:
            return self.racks[a].name
        return " > ".join((self.racks[a].name, *self.places(a, b), self.racks[b].name))

    def places(self, a: int, b: int) -> tuple[str, ...]:
        """Names of the ladders or tray nodes that a cable passes from rack `a` to another rack `b`."""
        return self._trays.places(a, b)

    def bundle(self, a: int, b: int) -> str:
        """Name of the bundle of all cables between two racks, the same from both sides."""
        return "+".join(sorted({self.racks[a].name, self.racks[b].name}))


def _between_m(trays: TraySystem, a: Ints, b: Ints) -> Floats:
    """Way between stations; where the same few stand for many ends, every two of them are measured once."""
    (a_once, a_at), (b_once, b_at) = (np.unique(station, return_inverse=True) for station in (a, b))
    if len(a_once) * len(b_once) >= np.broadcast(a, b).size:
        return trays.between_m(a, b)
    way_m = trays.between_m(a_once[:, None], b_once)
    return way_m[a_at.reshape(a.shape), b_at.reshape(b.shape)]


def _height_m(mid_u: npt.ArrayLike) -> Floats:
    """Height above the floor [m] of a middle given in rack units."""
    return (np.asarray(mid_u, dtype=np.float64) - 0.5) * RACK_UNIT_M


def _climb_m(z_m: Floats, at_m: tuple[Floats, Floats]) -> Floats:
    """Least vertical way [m] from a height in the range `at_m` to `z_m`."""
    low_m, high_m = at_m
    return np.maximum(0.0, np.maximum(z_m - high_m, low_m - z_m))


def in_one_rack(slack: Slack) -> Routes:
    """A floor plan of a single rack, for those who ask for slack alone."""
    return Routes(FloorPlan(racks=(Rack(name="R", x_m=0.0, y_m=0.0),), slack_per_end_m=slack))
