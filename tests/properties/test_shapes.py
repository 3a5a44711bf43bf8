"""The shapes of a fat-tree against every unit, spine count and number of uplinks there is.

The list that `shapes` gives is short. It is complete if, whatever switches and links cost, its cheapest entry costs
what the cheapest of all possibilities costs. The oracle below knows nothing of trunks or of balanced units: it tries
them all, on switches small enough for that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.catalog.load import Catalog, load
from fabric.catalog.parts import Cages
from fabric.errors import InfeasibleError
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.model.tree_shape import FatTreeShape
from fabric.topology.fat_tree import listings, shapes
from fabric.topology.size import resolve

EXAMPLES = 400
"""Cases of a property; derandomised, so that every run tries the same."""

NODE_GBPS = 400
PORTS_PER_CAGE = 2


@dataclass(frozen=True)
class Case:
    """A small request and the switch that serves it."""

    nodes: int
    ports: int
    cages: int
    wiring: str
    rails_per_leaf: int
    uplink_gbps: int
    oversubscription: float
    min_spines: int
    uneven: bool
    whole_units: bool = True
    devices: int = 0
    device_ports: int = 1

    @property
    def attached_ports(self) -> int:
        """Ports of all attached devices."""
        return self.devices * self.device_ports

    @property
    def ports_per_leaf(self) -> int:
        """Ports of one node on one of its leaves."""
        return {"rail": self.rails_per_leaf, "rack": self.ports, "dual_homed": self.ports // 2}[self.wiring]

    @property
    def leaves_per_unit(self) -> int:
        """Leaves that serve a unit."""
        return self.ports // self.ports_per_leaf

    @property
    def ups_per_cage(self) -> int:
        """Uplinks of one cage."""
        return PORTS_PER_CAGE * NODE_GBPS // self.uplink_gbps

    def request(self) -> Request:
        """The request of this case."""
        attached = ({"role": "storage", "count": self.devices, "ports": self.device_ports, "gbps": NODE_GBPS},)
        return Request.model_validate(
            {
                "name": "case",
                "accelerator": "hgx-h100",
                "nodes": self.nodes,
                "attached": attached if self.devices else (),
                "fabric": {
                    "family": "fat_tree",
                    "link_layer": "roce",
                    "switches": ("small",),
                    "node_ports": self.ports,
                    "wiring": self.wiring,
                    "rails_per_leaf": self.rails_per_leaf,
                    "uplink_port_gbps": self.uplink_gbps,
                    "oversubscription": self.oversubscription,
                    "min_spines": self.min_spines,
                    "uneven_trunks": self.uneven,
                    "whole_units": self.whole_units,
                },
            }
        )


@dataclass(frozen=True)
class Price:
    """What a leaf, a spine and a leaf-spine link cost."""

    leaf: int
    spine: int
    link: int

    def of(self, leaves: int, spines: int, links: int) -> int:
        """Cost of so many of each."""
        return self.leaf * leaves + self.spine * spines + self.link * links


@cache
def small_catalog(cages: int) -> Catalog:
    """The shipped catalog with one more switch: `cages` cages of 2 x 400G or 1 x 800G."""
    shipped = load()
    small = shipped.switches["chaoqing-n9500-64oc"].model_copy(
        update={"cages": Cages(count=cages, form_factor="osfp"), "ports_by_speed_gbps": {400: 2 * cages, 800: cages}}
    )
    return replace(shipped, switches={**shipped.switches, "small": small})


def found(case: Case) -> tuple[FatTreeShape, ...]:
    """What the topology room offers; nothing where it says that nothing fits."""
    catalog, request = small_catalog(case.cages), case.request()
    try:
        return shapes(request, resolve(request, catalog), catalog)
    except InfeasibleError:
        return ()


def possible(case: Case) -> Iterator[tuple[int, int, int]]:
    """Leaves, spines and leaf-spine links of every fabric that the contract allows."""
    endpoints = case.nodes * case.ports + case.attached_ports
    if endpoints <= PORTS_PER_CAGE * case.cages and case.device_ports == 1:
        yield 1, 0, 0
    for unit in range(1, case.nodes + 1):
        fewest = math.ceil(case.nodes / unit)
        for units in range(fewest, fewest + case.attached_ports + 1):
            for extra in range(case.attached_ports + 1):
                if seats(case, unit, units, extra):
                    yield from of_unit(case, unit, units, extra)


def seats(case: Case, unit: int, units: int, extra: int) -> bool:
    """Whether attached devices find a port on as many different leaves as each has ports."""
    free = []
    for index in range(units):
        nodes = min(max(case.nodes - index * unit, 0), unit)
        free += [(unit - nodes) * case.ports_per_leaf + extra] * case.leaves_per_unit
    for _ in range(case.devices):
        free.sort(reverse=True)
        if len(free) < case.device_ports or free[case.device_ports - 1] == 0:
            return False
        free[: case.device_ports] = [left - 1 for left in free[: case.device_ports]]
    return True


def of_unit(case: Case, unit: int, units: int, extra: int) -> Iterator[tuple[int, int, int]]:
    """Every spine count and number of uplinks for leaves of one unit size."""
    down = unit * case.ports_per_leaf + extra
    room = (case.cages - math.ceil(down / PORTS_PER_CAGE)) * case.ups_per_cage
    leaves = units * case.leaves_per_unit
    rest = down if case.whole_units else (case.nodes - (units - 1) * unit) * case.ports_per_leaf
    for spines in range(case.min_spines, room + 1):
        choices = [count for count in range(spines, room + 1) if case.uneven or count % spines == 0]
        for uplinks, last in product(choices, choices):
            links = (units - 1) * case.leaves_per_unit * uplinks + case.leaves_per_unit * last
            if (
                enough(case, down, uplinks)
                and enough(case, rest, last)
                and (uplinks >= last if units > 1 and not case.whole_units else uplinks == last)
                and links <= spines * case.cages * case.ups_per_cage
            ):
                yield leaves, spines, links


def enough(case: Case, down: int, uplinks: int) -> bool:
    """Whether so many uplinks keep the oversubscription asked."""
    return down * NODE_GBPS <= uplinks * case.uplink_gbps * case.oversubscription + 1e-6


PARAMETERS: list[dict[str, int]] = [{}, {}, {"spines": 4}, {"trunk": 2}, {"leaves": 4}]

cases = st.builds(
    Case,
    nodes=st.integers(1, 14),
    ports=st.sampled_from([2, 4]),
    cages=st.integers(2, 9),
    wiring=st.sampled_from(["rail", "rack", "dual_homed"]),
    rails_per_leaf=st.sampled_from([1, 2]),
    uplink_gbps=st.sampled_from([400, 800]),
    oversubscription=st.sampled_from([0.5, 0.75, 1.0, 1.5, 2.0, 3.0]),
    min_spines=st.integers(1, 4),
    uneven=st.booleans(),
)
prices = st.builds(Price, leaf=st.integers(1, 30), spine=st.integers(1, 30), link=st.integers(0, 9))


def check(case: Case, price: Price) -> None:
    """The cheapest shape offered costs what the cheapest possibility costs."""
    offered = [price.of(shape.leaves_total, shape.spines_total, shape.uplinks_total) for shape in found(case)]
    best = min((price.of(*counts) for counts in possible(case)), default=None)
    assert min(offered, default=None) == best


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
@given(case=cases, price=prices)
def test_cheapest_shape_is_offered(case, price):
    """Whatever leaves, spines and links cost, no fabric is cheaper than the best shape offered."""
    check(case, price)


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
@given(case=cases, price=prices, devices=st.integers(1, 4), device_ports=st.integers(1, 2))
def test_cheapest_shape_is_offered_with_attached_endpoints(case, price, devices, device_ports):
    """Attached endpoints take free ports, one more port of each leaf or one more unit, whichever is cheapest."""
    check(replace(case, devices=devices, device_ports=device_ports), price)


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
@given(case=cases, price=prices)
def test_cheapest_shape_is_offered_with_an_incomplete_last_unit(case, price):
    """Where the last unit may lack uplinks, every unit size counts, and none is cheaper."""
    check(replace(case, whole_units=False), price)


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
@given(
    case=cases,
    whole=st.booleans(),
    devices=st.integers(0, 3),
    more=st.integers(0, 9),
    fixed=st.sampled_from(PARAMETERS),
)
def test_outlines_bound_what_follows(case, whole, devices, more, fixed):
    """No shape has fewer leaves, spines or links than an outline before it in its listing, nor other models."""
    catalog, request = small_catalog(case.cages), replace(case, whole_units=whole, devices=devices).request()
    fabric = request.fabric.model_copy(update={"parameters": fixed})
    request = request.model_copy(update={"fabric": fabric, "growth_nodes": case.nodes + more})
    with suppress(InfeasibleError):
        for listing in listings(request, resolve(request, catalog), catalog):
            least: list[Outline] = []
            for item in listing:
                least += [item] if isinstance(item, Outline) else []
                assert all(counts(item) >= counts(outline) for outline in least)


def counts(item: FatTreeShape | Outline) -> Counter[str]:
    """Switches and links of a shape, or the fewest of an outline."""
    switches = Counter({f"leaf {item.leaf_part}": item.leaves_total, f"spine {item.spine_part}": item.spines_total})
    return switches + Counter(links=item.uplinks_total)


def test_cases_are_not_vacuous():
    """The strategies reach fabrics of one switch, of two tiers and of no shape at all."""
    base = Case(8, 4, 4, "rail", 1, 400, 1.0, 2, uneven=False)
    assert {shape.spines for shape in found(replace(base, nodes=2))} > {0}
    assert found(replace(base, nodes=8, cages=8))
    assert found(replace(base, nodes=14, cages=2)) == ()
