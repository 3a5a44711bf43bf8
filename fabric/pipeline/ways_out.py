"""The nearest value of a key with which a request holds that does not: exact, and found by counting alone."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from fabric.catalog.load import Catalog
from fabric.floorplan.repeat import repeat
from fabric.io.request_file import LoadedRequest
from fabric.model.floorplan import FloorPlan
from fabric.model.request import PARAMETERS, SwitchChoice
from fabric.pipeline.choosing import possible
from fabric.pipeline.keys import UNLIMITED, altered, of_racks, resized, spelled, step_nodes, value_at, with_wider_trays
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.size import TREES, TWO_TIERS, resolve

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

SIZES = "fabric.parameters.sizes"
"""Key of the rings of a torus."""

STEPPED = ("fabric.unit_nodes", "fabric.rails_per_leaf", "fabric.min_spines", "placement.max_switches_per_rack")
"""Keys of a whole number any other of which may hold; so are fixed parameters."""


class Tried(NamedTuple):
    """A value in words, and what it makes of the request and the catalog."""

    value: str
    asked: LoadedRequest
    catalog: Catalog


@dataclass(frozen=True, slots=True)
class Way:
    """Words with a place for a value, and the values that counting leaves."""

    words: str
    values: tuple[Tried, ...]


@dataclass(frozen=True, slots=True)
class WaysOut:
    """A request that counting rules out."""

    asked: LoadedRequest
    catalog: Catalog

    def of(self, key: str) -> Way | None:
        """The nearest value of a key that counting leaves; None where there is none."""
        if key in COUNTED:
            return self._most(key)
        if key == "planning.node_kw":
            return self._most_kw()
        if key == "fabric.oversubscription":
            return self._ratio("by count {} is the least that does")
        if key == SIZES:
            return self._larger_grid()
        if key in STEPPED or key.startswith("fabric.parameters."):
            return self._nearest(key)
        plan = self.asked.floor_plan
        return None if plan is None else self._of_plan(plan, key)

    def _of_plan(self, plan: FloorPlan, key: str) -> Way | None:
        """As `of` for a key of the floor plan."""
        if key in {"floorplan.racks", "floorplan.rows"}:
            return self._racks(plan)
        if key.startswith("floorplan.") and key.endswith(".power_kw"):
            powered = partial(of_racks, self.asked, "power_kw")
            return self._least("by count {} kW a rack are the least that do", RACK_KW, lambda kw: powered(float(kw)))
        if key == "floorplan.trays":
            words = "by count trays {} times as wide are the least that do"
            return self._least(words, TIMES_AS_WIDE, partial(with_wider_trays, self.asked))
        return None

    def of_ports(self, but: Container[str]) -> Iterator[Way]:
        """Ways out of too few ports, those under keys in `but` left out."""
        ways = (
            None if "fabric.oversubscription" in but else self._ratio("fabric.oversubscription {}"),
            self._wiring(),
            self._planes(),
            self._radix(),
            self._tiers(),
            self._family(),
        )
        yield from (way for way in ways if way is not None)

    def _holds(self, asked: LoadedRequest) -> bool:
        return possible(asked, self.catalog)

    def _least(self, words: str, values: Sequence[T], change: Callable[[T], LoadedRequest]) -> Way | None:
        """The first of ordered values that holds, as all after it do."""
        found = first(values, lambda value: self._holds(change(value)))
        return None if found is None else self._way(words, (f"{found:g}", change(found)))

    def _way(self, words: str, *values: tuple[str, LoadedRequest]) -> Way:
        return Way(words, tuple(Tried(value, asked, self.catalog) for value, asked in values))

    def _most(self, key: str) -> Way | None:
        """The largest number below the one asked that holds."""
        words = "by count at most {} nodes do" if key == "accelerators" else "by count at most {} do"
        return self._least(words, *self.smaller(key))

    def smaller(self, key: str) -> tuple[Sequence[int], Callable[[int], LoadedRequest]]:
        """The numbers below that of a counted key, the largest first, and the request with one.

        Accelerators are asked in nodes.
        """
        request = self.asked.request
        step = 1 if key == "units" else step_nodes(request, self.catalog)
        if key == "accelerators":
            top = resolve(request, self.catalog).nodes
            return range(top - step, 0, -step), partial(resized, self.asked)
        return range(_whole(value_at(request, key)) - step, -1, -step), partial(altered, self.asked, key)

    def _most_kw(self) -> Way | None:
        """The largest power of a node below the one planned that holds, in tenths of a kilowatt."""
        planned_kw = self.asked.request.planning.node_kw or 0.0
        powers = [tenths / 10 for tenths in range(math.ceil(10 * planned_kw) - 1, 0, -1)]
        return self._least("by count at most {} kW do", powers, partial(altered, self.asked, "planning.node_kw"))

    def _nearest(self, key: str) -> Way | None:
        """The nearest whole numbers on both sides that hold."""
        value = _whole(value_at(self.asked.request, key))
        sides = (range(value - 1, max(0, value - STEPS_COUNT), -1), range(value + 1, value + STEPS_COUNT))
        tried = ([(str(number), altered(self.asked, key, number)) for number in side] for side in sides)
        near = [next((each for each in side if self._holds(each[1])), None) for side in tried]
        return self._way("by count the nearest that does is {}", *(each for each in near if each is not None))

    def _larger_grid(self) -> Way | None:
        """The first grid that holds where the shortest ring grows by one, again and again."""
        sizes = [int(size) for size in self.asked.request.fabric.parameters["sizes"]]
        for _ in range(STEPS_COUNT):
            shortest = min(range(len(sizes)), key=lambda axis: (sizes[axis], -axis))
            sizes = [size + (axis == shortest) for axis, size in enumerate(sizes)]
            grid = altered(self.asked, SIZES, sizes)
            if self._holds(grid):
                return self._way("by count [{}] does", (spelled(sizes), grid))
        return None

    def _racks(self, plan: FloorPlan) -> Way | None:
        """The fewest racks like those of the plan, taken in their order again and again, one hall behind the other."""
        racks_count = len(plan.all_racks)
        most = GROWTH * racks_count + STEPS_COUNT
        hall = repeat(plan, -(-most // racks_count))

        def with_racks(count: int) -> LoadedRequest:
            wider = hall.model_copy(update={"racks": hall.racks[:count]})
            return replace(self.asked, floor_plan=wider)

        words = "by count {} racks like these are the fewest that do"
        return self._least(words, range(racks_count + 1, most), with_racks)

    def _ratio(self, words: str) -> Way | None:
        """The least oversubscription above the one asked that holds, said so that it does."""
        asked = self.asked.request.fabric.oversubscription
        models = {(pair.leaf_ports, pair.fewest_uplinks_per_port * asked) for pair in self._pairs()}
        ratios = np.unique(np.concatenate([_ratios(ports, down_over_up) for ports, down_over_up in sorted(models)]))
        exact = ratios[(ratios > asked) & (ratios < UNLIMITED)].tolist()
        above = [math.ceil(ratio * THOUSAND - 1e-6) / THOUSAND for ratio in exact]
        return self._least(words, above, partial(altered, self.asked, "fabric.oversubscription"))

    def _wiring(self) -> Way | None:
        """All ports of a node on one router, where each rail has one of its own."""
        fabric = self.asked.request.fabric
        if fabric.family in {*TREES, "auto"} or fabric.wiring == "rack":
            return None
        gathered = altered(self.asked, "fabric.wiring", "rack")
        return self._way("fabric.wiring {}", ("rack", gathered)) if self._holds(gathered) else None

    def _planes(self) -> Way | None:
        """The fewest planes among which the ports of a node can be dealt so that they hold."""
        size = resolve(self.asked.request, self.catalog)
        for planes in range(size.planes + 1, PLANES_COUNT + 1):
            ports, rest = divmod(size.node_ports * size.planes, planes)
            dealt = altered(altered(self.asked, "fabric.planes", planes), "fabric.node_ports", ports)
            if not rest and self._holds(dealt):
                return self._way("{}", (f"fabric.planes {planes} with fabric.node_ports {ports}", dealt))
        return None

    def _tiers(self) -> Way | None:
        """A third tier, where trees of two were asked."""
        fabric = self.asked.request.fabric
        if fabric.family not in TREES or fabric.tiers != TWO_TIERS:
            return None
        taller = altered(self.asked, "fabric.tiers", 3)
        return self._way("fabric.tiers {}", ("3", taller)) if self._holds(taller) else None

    def _family(self) -> Way | None:
        """The first other family that holds, where the request names one."""
        named = self.asked.request.fabric.family
        others = (family for family in PARAMETERS if named not in {"auto", family})
        tried = ((family, altered(self.asked, "fabric.family", family)) for family in others)
        found = next((each for each in tried if self._holds(each[1])), None)
        return None if found is None else self._way("fabric.family {}", found)

    def _radix(self) -> Way | None:
        """The fewest ports of a switch that would do for leaves and spines, and which switches have them, if any does.

        Ports are added to the largest leaf allowed, cage by cage.
        """
        pair = max(self._pairs(), key=lambda pair: (pair.most_down_ports * pair.spine_ports, pair.leaf_key))
        choice = SwitchChoice(leaf=(pair.leaf_key,), spine=(pair.leaf_key,))
        asked, now = altered(self.asked, "fabric.switches", choice), pair.leaf.cages.count

        def larger(cages_count: int) -> Catalog:
            ports = {rate: count // now * cages_count for rate, count in pair.leaf.ports_by_speed_gbps.items()}
            cages = pair.leaf.cages.model_copy(update={"count": cages_count})
            update = {"cages": cages, "ports_by_speed_gbps": ports, "max_logical_ports": None, "tier_only": None}
            switches = {**self.catalog.switches, pair.leaf_key: pair.leaf.model_copy(update=update)}
            return replace(self.catalog, switches=switches)

        cages_count = first(range(now + 1, GROWTH * now), lambda count: possible(asked, larger(count)))
        if cages_count is None:
            return None
        rate_gbps = resolve(self.asked.request, self.catalog).node_port_gbps
        ports = f"switches of {cages_count * pair.downs_per_cage} ports of {rate_gbps}G"
        return Way(
            "{}",
            (
                Tried(
                    f"{ports}, {self._sold(cages_count * pair.downs_per_cage, rate_gbps)}", asked, larger(cages_count)
                ),
            ),
        )

    def _sold(self, ports_count: int, rate_gbps: int) -> str:
        """Which switches of the catalog have so many ports and hold the request, the one with the fewest ports."""
        layer = self.asked.request.fabric.part_layer
        large = sorted(
            (part.usable_ports(rate_gbps), key)
            for key, part in self.catalog.switches.items()
            if part.link_layer == layer and part.allowed_for_design and part.usable_ports(rate_gbps) >= ports_count
        )
        for ports, key in large:
            if self._holds(altered(self.asked, "fabric.switches", SwitchChoice(leaf=(key,), spine=(key,)))):
                return f"as {key} has with {ports}"
        return "which no switch of the catalog has"

    def _pairs(self) -> list[Pair]:
        size = resolve(self.asked.request, self.catalog)
        return [pair for rates in leaf_pairs(self.asked.request, size, self.catalog) for pair in rates]


def first(values: Sequence[T], holds: Callable[[T], bool]) -> T | None:
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
