"""Exchanged ends of global links: as cheap as any exchange, the same links by router and group, ports in order."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest

from fabric.floorplan.routes import Routes
from fabric.layout.global_ends import ends_exchanged
from fabric.layout.lots import Lots
from fabric.model.floorplan import FloorPlan, Row
from fabric.model.placement import Placement, Position
from fabric.model.topology import Device, Link, Port, Topology

ROUTERS = 3
HALL = Routes(FloorPlan(rows=(Row(name="A", racks=20), Row(name="B", racks=20, y_m=4))))


def cents(length_m: np.ndarray) -> np.ndarray:
    """Optics by whole metres."""
    return (50_000 + 300 * np.ceil(length_m)).astype(np.int64)


def dragonfly(chance: np.random.Generator, groups: int, links: int) -> Topology:
    """Groups of routers; between every two groups so many links at random routers, ports in order of the far ones."""
    devices = [Device(f"r-{g}-{i}", "router", "r", plane=0, group=g) for g in range(groups) for i in range(ROUTERS)]
    pairs = []
    for g, o in itertools.combinations(range(groups), 2):
        ends = chance.integers(0, ROUTERS, (links, 2))
        pairs += [(f"r-{g}-{i}", f"r-{o}-{j}") for i, j in ends]
    used: Counter[str] = Counter()
    made = []
    for a, b in sorted(pairs):
        ports = []
        for name in (a, b):
            used[name] += 1
            ports.append(Port(name, str(used[name]), f"1/{used[name]}"))
        made.append(Link(f"{a}.{ports[0].port}", "global", *ports, 400, plane=0))
    made.append(Link("local", "local", Port("r-0-0", "90", "90"), Port("r-0-1", "90", "90"), 400, plane=0))
    return Topology("dragonfly", {}, tuple(devices), tuple(sorted(made, key=lambda link: link.name)))


def random_places(chance: np.random.Generator, topology: Topology) -> Placement:
    """Every router in a rack of its own."""
    racks = chance.permutation(len(HALL.racks))
    return Placement(
        tuple(
            Position(device.name, HALL.racks[rack].name, int(chance.integers(1, 40)), 1)
            for device, rack in zip(topology.devices, racks, strict=False)
        )
    )


def lots(topology: Topology) -> tuple[Lots, ...]:
    """Every link by itself."""
    kinds = defaultdict(list)
    for number, link in enumerate(topology.links):
        kinds[link.kind].append(number)
    return tuple(
        Lots(kind, np.array(at)[:, None], lambda route_m: cents(route_m[..., 0])) for kind, at in kinds.items()
    )


def price(placement: Placement, a: str, b: str) -> int:
    """Price of a link between two routers."""
    one, other = placement.of[a], placement.of[b]
    ends = (HALL.index[one.rack], one.mid_u), (HALL.index[other.rack], other.mid_u)
    return int(cents(HALL.lengths_m(*ends[0], *ends[1])))


def by_groups(topology: Topology) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Ends of the global links of every two groups."""
    found = defaultdict(list)
    for link in topology.of_kind("global"):
        found[link.a.device[:3], link.b.device[:3]].append((link.a.device, link.b.device))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_every_two_groups_are_joined_as_cheaply_as_by_any_exchange(seed: int) -> None:
    """All orders of the far ends are tried, within the fewest and the most parallel links that there were."""
    chance = np.random.default_rng(seed)
    topology = dragonfly(chance, groups=3, links=int(chance.integers(2, 7)))
    placement = random_places(chance, topology)
    found = by_groups(ends_exchanged(topology, placement, HALL, lots(topology)))
    for groups, ends in by_groups(topology).items():
        near, far = zip(*ends, strict=True)
        of = Counter(ends)
        fewest = min(of[a, b] for a, b in itertools.product(set(near), set(far)))
        options = set()
        for order in itertools.permutations(far):
            new = Counter(zip(near, order, strict=True))
            each = [new[a, b] for a, b in itertools.product(set(near), set(far))]
            if max(each) <= max(of.values()) and min(each) >= fewest:
                options.add(sum(price(placement, a, b) for a, b in zip(near, order, strict=True)))
        assert sum(price(placement, a, b) for a, b in found[groups]) == min(options)


@pytest.mark.parametrize("seed", range(6))
def test_routers_keep_their_ports_and_their_links_to_each_group(seed: int) -> None:
    """Only who is at the far end changes; ports follow the order of the far routers, other links stay."""
    chance = np.random.default_rng(seed)
    topology = dragonfly(chance, groups=4, links=5)
    placement = random_places(chance, topology)
    found = ends_exchanged(topology, placement, HALL, lots(topology))
    assert found != topology
    assert found.devices == topology.devices
    assert found.of_kind("local") == topology.of_kind("local")
    assert [link.name for link in found.links] == [link.name for link in topology.links]
    for end in ("a", "b"):
        assert {getattr(link, end) for link in found.links} == {getattr(link, end) for link in topology.links}
    assert counts(found) == counts(topology)
    ports = defaultdict(list)
    for link in found.of_kind("global"):
        for here, there in ((link.a, link.b), (link.b, link.a)):
            ports[here.device].append((int(here.cage), there.device))
    for here in ports.values():
        order = [far for _, far in sorted(here)]
        assert order == sorted(order)


def counts(topology: Topology) -> Counter[tuple[str, str]]:
    """Links of every router to every group."""
    ends = [(link.a.device, link.b.device) for link in topology.of_kind("global")]
    return Counter(pair for a, b in ends for pair in ((a, b[:3]), (b, a[:3])))


def test_a_second_exchange_changes_nothing() -> None:
    """Between the same places nothing is left to gain."""
    chance = np.random.default_rng(1)
    topology = dragonfly(chance, groups=4, links=6)
    placement = random_places(chance, topology)
    once = ends_exchanged(topology, placement, HALL, lots(topology))
    assert ends_exchanged(once, placement, HALL, lots(once)) is once


def test_other_fabrics_stay_as_they_are() -> None:
    """Nothing is exchanged where no link is global."""
    topology = dragonfly(np.random.default_rng(1), groups=1, links=0)
    placement = random_places(np.random.default_rng(1), topology)
    assert ends_exchanged(topology, placement, HALL, lots(topology)) is topology
