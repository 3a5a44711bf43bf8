"""The nearest value of a key with which a request holds that does not: exact, and found by counting alone."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from fabric.catalog.load import Catalog
from fabric.io.request_file import LoadedRequest
from fabric.model.floorplan import FloorPlan
from fabric.model.request import SwitchChoice
from fabric.pipeline.choosing import possible
from fabric.pipeline.keys import UNLIMITED, altered, of_racks, resized, step_nodes, value_at, with_wider_trays
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.size import resolve

T = TypeVar("T")

STEPS_COUNT = 64
"""Whole numbers on either side of a value that are tried in its place."""

GROWTH = 8
"""Times as many racks, or cages of a switch, that are tried at most."""

PLANES_COUNT = 8
"""Most planes that the ports of a node are dealt to."""

RACK_KW = range(1, 251)
"""Powers of a rack that are tried in the place of a smaller one [kW]."""

TIMES_AS_WIDE = tuple(tenths / 10 for tenths in range(11, 10 * GROWTH + 1))
"""Wider trays that are tried in the place of those asked for."""

THOUSAND = 1000
"""A ratio is said in thousandths, rounded up."""

COUNTED = ("nodes", "accelerators", "units", "spare_nodes", "growth_nodes")
"""Keys that ask less the smaller they are."""

STEPPED = ("fabric.unit_nodes", "fabric.rails_per_leaf", "fabric.min_spines", "placement.max_switches_per_rack")
"""Keys of a whole number any other of which may hold; so are fixed parameters."""


@dataclass(frozen=True, slots=True)
class WaysOut:
    """A request that counting rules out."""

    asked: LoadedRequest
    catalog: Catalog

    def of(self, key: str) -> str | None:
        """The nearest value of a key that holds, in words; None where none was found."""
        if key in COUNTED:
            return self._most(key)
        if key == "fabric.oversubscription":
            return self._ratio("by count {} is the least that does")
        if key in STEPPED or key.startswith("fabric.parameters."):
            return self._nearest(key)
        plan = self.asked.floor_plan
        return None if plan is None else self._of_plan(plan, key)

    def _of_plan(self, plan: FloorPlan, key: str) -> str | None:
        """As `of` for a key of the floor plan."""
        if key in {"floorplan.racks", "floorplan.rows"}:
            return self._racks(plan)
        if key.startswith("floorplan.") and key.endswith(".power_kw"):
            kilowatts = _first(RACK_KW, lambda kw: self._holds(of_racks(self.asked, "power_kw", float(kw))))
            return None if kilowatts is None else f"by count {kilowatts} kW a rack are the least that do"
        if key == "floorplan.trays":
            times = _first(TIMES_AS_WIDE, lambda times: self._holds(with_wider_trays(self.asked, times)))
            return None if times is None else f"by count trays {times:g} times as wide are the least that do"
        return None

    def of_ports(self, but: Container[str]) -> Iterator[str]:
        """Ways out of too few ports, those under keys in `but` left out."""
        ways = (
            None if "fabric.oversubscription" in but else self._ratio("fabric.oversubscription {}"),
            self._planes(),
            self._radix(),
        )
        yield from (way for way in ways if way is not None)

    def _holds(self, asked: LoadedRequest) -> bool:
        return possible(asked, self.catalog)

    def _most(self, key: str) -> str | None:
        """The largest number below the one asked that holds."""
        request = self.asked.request
        step = 1 if key == "units" else step_nodes(request, self.catalog)
        if key == "accelerators":
            top = resolve(request, self.catalog).nodes
            most = _first(range(top - step, 0, -step), lambda nodes: self._holds(resized(self.asked, nodes)))
            return None if most is None else f"by count at most {most} nodes do"
        top = _whole(value_at(request, key))
        most = _first(range(top - step, -1, -step), lambda number: self._holds(altered(self.asked, key, number)))
        return None if most is None else f"by count at most {most} do"

    def _nearest(self, key: str) -> str | None:
        """The nearest whole numbers on both sides that hold."""
        value = _whole(value_at(self.asked.request, key))
        sides = (range(value - 1, max(0, value - STEPS_COUNT), -1), range(value + 1, value + STEPS_COUNT))
        near = [
            next((str(number) for number in side if self._holds(altered(self.asked, key, number))), None)
            for side in sides
        ]
        held = [number for number in near if number is not None]
        return f"by count the nearest that does is {' or '.join(held)}" if held else None

    def _racks(self, plan: FloorPlan) -> str | None:
        """The fewest racks like those of the plan, taken in their order again and again."""
        racks = plan.all_racks

        def holds(count: int) -> bool:
            more = (racks[number % len(racks)] for number in range(len(racks), count))
            wider = plan.model_copy(update={"racks": (*racks, *more), "rows": ()})
            return self._holds(replace(self.asked, floor_plan=wider))

        fewest = _first(range(len(racks) + 1, GROWTH * len(racks) + STEPS_COUNT), holds)
        return None if fewest is None else f"by count {fewest} racks like these are the fewest that do"

    def _ratio(self, words: str) -> str | None:
        """The least oversubscription above the one asked that holds, said so that it does."""
        asked = self.asked.request.fabric.oversubscription
        models = {(pair.leaf_ports, pair.fewest_uplinks_per_port * asked) for pair in self._pairs()}
        ratios = np.unique(np.concatenate([_ratios(ports, down_over_up) for ports, down_over_up in sorted(models)]))
        above = ratios[(ratios > asked) & (ratios < UNLIMITED)].tolist()
        least = _first(above, lambda ratio: self._holds(altered(self.asked, "fabric.oversubscription", ratio)))
        return None if least is None else words.format(f"{math.ceil(least * THOUSAND - 1e-6) / THOUSAND:g}")

    def _planes(self) -> str | None:
        """The fewest planes among which the ports of a node can be dealt so that they hold."""
        size = resolve(self.asked.request, self.catalog)
        for planes in range(size.planes + 1, PLANES_COUNT + 1):
            ports, rest = divmod(size.node_ports * size.planes, planes)
            dealt = altered(altered(self.asked, "fabric.planes", planes), "fabric.node_ports", ports)
            if not rest and self._holds(dealt):
                return f"{planes} planes of {ports} ports a node"
        return None

    def _radix(self) -> str | None:
        """The fewest ports that a switch like the largest leaf allowed would need."""
        pair = max(self._pairs(), key=lambda pair: (pair.most_down_ports * pair.spine_ports, pair.leaf_key))
        choice = SwitchChoice(leaf=(pair.leaf_key,), spine=(pair.leaf_key,))
        asked, now = altered(self.asked, "fabric.switches", choice), pair.leaf.cages.count

        def holds(cages_count: int) -> bool:
            ports = {rate: count // now * cages_count for rate, count in pair.leaf.ports_by_speed_gbps.items()}
            cages = pair.leaf.cages.model_copy(update={"count": cages_count})
            update = {"cages": cages, "ports_by_speed_gbps": ports, "max_logical_ports": None, "tier_only": None}
            switches = {**self.catalog.switches, pair.leaf_key: pair.leaf.model_copy(update=update)}
            return possible(asked, replace(self.catalog, switches=switches))

        cages_count = _first(range(now + 1, GROWTH * now), holds)
        return (
            None
            if cages_count is None
            else f"a switch like {pair.leaf_key} with {cages_count * pair.downs_per_cage} ports"
        )

    def _pairs(self) -> list[Pair]:
        size = resolve(self.asked.request, self.catalog)
        return [pair for rates in leaf_pairs(self.asked.request, size, self.catalog) for pair in rates]


def _first(values: Sequence[T], holds: Callable[[T], bool]) -> T | None:
    """The first of ordered values that holds, as all after it do."""
    index = bisect_left(values, True, key=holds)  # noqa: FBT003 -- the value looked for
    return values[index] if index < len(values) else None


def _ratios(ports_count: int, down_over_up: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(n,) every ratio of the rate down to the rate up that whole ports of a leaf give, for one port each way."""
    ports = np.arange(1, ports_count + 1)
    return np.unique(np.divide.outer(ports * down_over_up, ports))


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no whole number")
    return value
