"""Whole designs on small floor plans against every place that their switches could take, each cabled in full.

Nodes stay where the design put them, as its proof says; switches may take any free unit that racks and policy allow.
Parts are those of the shipped catalog for one switch, at random prices, so that every medium wins somewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, islice, permutations
from math import perm
from pathlib import Path

import numpy as np
import pytest

from fabric.catalog.load import Catalog, load
from fabric.catalog.parts import CablePart
from fabric.errors import InfeasibleError, LimitReachedError
from fabric.floorplan.routes import Routes
from fabric.io import request_file
from fabric.layout import sites
from fabric.layout.cable import cable
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement, Position
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.pipeline.choosing import choose

SWITCH = "nvidia-qm9700"
"""One unit high, with two ports of 400G in each cage."""

SHARDS = range(6)
PER_SHARD = 10

MOST_WAYS = 900
"""Most ways to place the switches of a plan that is worth the time."""


@pytest.fixture(scope="module")
def parts() -> Catalog:
    """What links this switch to itself and to nodes, and nothing else."""
    shipped = load()
    cables = {
        key: part
        for key, part in shipped.cables.items()
        if key.startswith(("MCA4J80", "MCA7J60", "MCP4Y10", "MCP7Y00", "MFP7E")) and part.length_m <= 30
    }
    modules = {key: part for key, part in shipped.transceivers.items() if key.startswith(("MMA4Z00", "MMS4X00"))}
    return replace(shipped, cables=cables, transceivers=modules)


def repriced(parts: Catalog, rng: np.random.Generator) -> Catalog:
    """The same parts at prices of whole dollars, by class and length as in shops or any; copper as sold or a tenth."""
    least = {medium: float(rng.integers(20, 300)) for medium in ("dac", "acc", "mmf", "smf")}
    usd_per_m = {medium: float(rng.integers(1, 30)) for medium in least}
    is_any = rng.random() < 0.4
    shorter = rng.choice([1.0, 10.0])

    def cable_usd(part: CablePart) -> float:
        listed = least[part.medium] * len(part.tails) + usd_per_m[part.medium] * part.length_m
        return float(rng.integers(20, 500)) if is_any else listed

    def length_m(part: CablePart) -> float:
        return float(part.length_m / shorter) if part.medium in ("dac", "acc") else part.length_m

    return replace(
        parts,
        cables={
            key: part.model_copy(update={"price_usd": cable_usd(part), "length_m": length_m(part)})
            for key, part in parts.cables.items()
        },
        transceivers={
            key: part.model_copy(update={"price_usd": float(rng.integers(50, 900))})
            for key, part in parts.transceivers.items()
        },
    )


def random_request(rng: np.random.Generator) -> dict[str, object]:
    """A few nodes of two units under two to four leaves, with two or three spines."""
    ports = int(rng.integers(1, 3))
    units, unit_nodes = int(rng.integers(1, 3)) + (ports == 1), int(rng.choice([2, 2, 3, 4]))
    near, far = ["dac", "acc", "mmf", "smf"], ["mmf", "smf"]
    return {
        "name": "small",
        "accelerator": str(rng.choice(["hgx-h100", "dgx-h100"])),
        "nodes": max(2, units * unit_nodes - int(rng.random() < 0.2)),
        "fabric": {
            "link_layer": "infiniband",
            "switches": [SWITCH],
            "node_ports": ports,
            "node_port_gbps": 400,
            "wiring": "rail",
            "rails_per_leaf": 1,
            "unit_nodes": unit_nodes,
            "parameters": {"spines": int(rng.integers(2, 4)), "trunk": int(rng.choice([1, 2, 2, 3]))},
            "oversubscription": float(rng.integers(1, 4)),
            "media": {kind: near if rng.random() < 0.6 else far for kind in ("node_leaf", "leaf_spine")},
        },
        "placement": {
            "leaf": str(rng.choice(["free", "free", "own_rack", "network_rack"])),
            **({"max_switches_per_rack": int(rng.integers(1, 4))} if rng.random() < 0.3 else {}),
        },
        "planning": {"node_units": 2, "node_kw": 1.0, "nodes_per_rack": int(rng.integers(1, 4))},
    }


def random_plan(rng: np.random.Generator, *, may_keep: bool) -> dict[str, object]:
    """Three or four racks in two rows, so low that few units stay free; some units are blocked or kept for a role."""
    racks: list[dict[str, object]] = []
    for number in range(int(rng.integers(3, 5))):
        use = str(rng.choice(["any", "any", "network", "node"]))
        units = int(rng.integers(2, 4) if use == "network" else rng.integers(5, 9))
        rack: dict[str, object] = {"name": f"R{number}", "use": use, "units": units}
        rack |= {"x_m": float(rng.integers(0, 12)) + 0.1 * number, "y_m": 2.5 * float(rng.integers(0, 2))}
        if use != "node" and rng.random() < 0.3:
            rack["blocked_u"] = [[units - 1, units - 1]]
        elif use != "node" and may_keep and rng.random() < 0.4:
            role = str(rng.choice(["leaf", "spine"]))
            rack["place"] = [{"u": u, "role": role} for u in range(units - 1, units + 1)]
        racks.append(rack)
    return {"racks": racks, "trays": {"height_m": 1.0}, "slack_per_end_m": {"copper": 0.0, "fibre": 0.1}}


@dataclass(frozen=True)
class Made:
    """A design: its value and bound [cents] with the switches in both, its topology and where it stands."""

    request: Request
    catalog: Catalog
    plan: FloorPlan
    topology: Topology
    placement: Placement
    value: int
    bound: int

    def price_cents(self, part: str) -> int:
        """Price of a piece [cents]."""
        found = self.catalog.cables.get(part) or self.catalog.transceivers.get(part) or self.catalog.switches[part]
        return round(100 * found.price_usd)


def designed(rng: np.random.Generator, parts: Catalog, folder: Path) -> Made | None:
    """A random design, None where the racks are too small for its nodes and switches or a cable too short."""
    request = random_request(rng)
    plan = random_plan(rng, may_keep="max_switches_per_rack" not in request["placement"])
    try:
        return made_of(request, plan, repriced(parts, rng), folder)
    except (InfeasibleError, LimitReachedError):
        return None


def made_of(request: dict[str, object], plan: dict[str, object], catalog: Catalog, folder: Path) -> Made:
    """The design of a request on a floor plan, by way of their files."""
    (folder / "request.yaml").write_text(json.dumps(request), encoding="utf-8")
    (folder / "floorplan.yaml").write_text(json.dumps(plan), encoding="utf-8")
    loaded = request_file.load(folder, catalog)
    outcome = choose(loaded, catalog).outcome
    layout = outcome.result.layout
    places = layout.floor_plan, layout.topology, layout.placement
    return Made(loaded.request, catalog, *places, outcome.value[0], outcome.bound[0])


def free_units(made: Made, role: str) -> set[tuple[str, int]]:
    """Racks and units that switches of a role may take beside the nodes."""
    policy = made.request.placement
    uses = {"free": ("any", "network"), "own_rack": ("any",), "network_rack": ("network",)}
    most = None if policy.max_switches_per_rack == "auto" else policy.max_switches_per_rack
    found: set[tuple[str, int]] = set()
    for rack in made.plan.all_racks:
        if rack.use not in uses[policy.leaf if role == "leaf" else "free"]:
            continue
        nodes = [made.placement.of[device.name] for device in made.topology.with_role("node")]
        taken = {place.u + i for place in nodes if place.rack == rack.name for i in range(place.units)}
        taken |= {u for low, high in rack.blocked_u for u in range(low, high + 1)}
        kept = [place.u for place in rack.place if place.role == role]
        closed = {place.u for place in rack.place}
        units = kept or [u for u in range(rack.units, 0, -1) if u not in closed]
        found |= {(rack.name, u) for u in [u for u in units if u not in taken][:most]}
    return found


def units_of(made: Made) -> dict[str, set[tuple[str, int]]]:
    """Units that each switch may take."""
    free = {role: free_units(made, role) for role in ("leaf", "spine")}
    found = {device.name: free[device.role] for device in made.topology.devices if device.is_switch}
    if made.request.placement.leaf == "own_rack":
        for leaf in made.topology.with_role("leaf"):
            nodes = {link.a.device for link in made.topology.links if link.b.device == leaf.name}
            racks = {made.placement.of[node].rack for node in nodes}
            found[leaf.name] = {unit for unit in free["leaf"] if unit[0] in racks}
    return found


def ways_count(made: Made) -> int:
    """Ways to deal all units out to the switches, allowed or not."""
    open_to = units_of(made)
    return perm(len(set().union(*open_to.values())), len(open_to))


def arrangements(made: Made) -> list[Placement]:
    """Every way to place the switches, one of each that give all links the same routes."""
    open_to = units_of(made)
    ways = [
        chosen
        for chosen in permutations(sorted(set().union(*open_to.values())), len(open_to))
        if all(unit in units for unit, units in zip(chosen, open_to.values(), strict=True))
    ]
    routes = Routes(made.plan)
    at = {name: ((np.array(routes.index[p.rack]), np.array(p.mid_u))) for name, p in made.placement.of.items()}
    for number, name in enumerate(open_to):
        at[name] = np.array([(routes.index[way[number][0]], way[number][1]) for way in ways]).T
    ends = [(at[link.a.device], at[link.b.device]) for link in made.topology.links]
    route_m = np.array([np.broadcast_to(routes.lengths_m(*a, *b), len(ways)) for a, b in ends])
    _, first = np.unique(np.round(route_m, 6), axis=1, return_index=True)
    return [
        Placement(
            tuple(
                Position(name, *ways[way][list(open_to).index(name)], 1) if name in open_to else place
                for name, place in made.placement.of.items()
            )
        )
        for way in first
    ]


def side_by_side(made: Made, placements: list[Placement]) -> list[int]:
    """What each arrangement costs [cents]: a copy of the topology for each, cabled together.

    Raises:
        InfeasibleError: where no cable reaches in one of them.
    """
    devices, links, positions = [], [], []
    for number, placement in enumerate(placements):
        prefix = f"{number:05d}/"
        devices += [replace(device, name=prefix + device.name) for device in made.topology.devices]
        positions += [replace(position, device=prefix + position.device) for position in placement.positions]
        for link in made.topology.links:
            a, b = (replace(port, device=prefix + port.device) for port in (link.a, link.b))
            links.append(replace(link, name=prefix + link.name, a=a, b=b))
    topology = replace(made.topology, devices=tuple(devices), links=tuple(links))
    cabling = cable(topology, Placement(tuple(positions)), Routes(made.plan), made.request, made.catalog)
    switches = [device.part for device in made.topology.devices if device.is_switch]
    cents = [sum(made.price_cents(part) for part in switches)] * len(placements)
    for each in cabling.cables:
        cents[int(each.name.removeprefix("c-").partition("/")[0])] += made.price_cents(each.part)
    for each in cabling.pluggables:
        cents[int(each.device.partition("/")[0])] += made.price_cents(each.part)
    return cents


def within_reach(made: Made, placements: list[Placement]) -> list[int]:
    """What the arrangements cost that cables reach [cents]."""
    try:
        return side_by_side(made, placements)
    except InfeasibleError:
        if len(placements) == 1:
            return []
        half = len(placements) // 2
        return within_reach(made, placements[:half]) + within_reach(made, placements[half:])


def designs(parts: Catalog, folder: Path, shard: int) -> Iterator[Made]:
    """Random designs whose switches can stand in a few hundred ways that differ."""
    for seed in count():
        made = designed(np.random.default_rng([shard, seed]), parts, folder)
        if made is not None and ways_count(made) <= MOST_WAYS:
            yield made


@pytest.mark.parametrize("shard", SHARDS)
def test_no_place_is_cheaper_than_the_bound_or_than_an_optimum(parts, tmp_path, monkeypatch, shard):
    """Bound and value bracket the least of all arrangements, and they meet in it where the status is optimal."""
    if shard % 2:
        monkeypatch.setattr(sites, "FEW_SLOTS_COUNT", 0)  # sites of several units, as in large halls
    proved = 0
    for made in islice(designs(parts, tmp_path, shard), PER_SHARD):
        assert within_reach(made, [made.placement]) == [made.value]
        least = min(within_reach(made, arrangements(made)))
        assert made.bound <= least <= made.value
        proved += made.bound == made.value
    assert proved >= 1


@pytest.mark.xfail(reason="slots are cut rack by rack: places kept for leaves use up the switches a rack may have")
def test_spines_may_stand_beside_places_kept_for_leaves(parts, tmp_path):
    """N0 and N1 keep two places for leaves each and may hold two switches: leaves fill N0, and spines fit into N1.

    The search gives both racks to leaves alone, sends the spines to N9, 17 m away, and calls that optimal.
    """
    kept = [{"u": u, "role": "leaf"} for u in (3, 4)]
    racks = [{"name": f"R{i}", "x_m": 0.6 * i, "y_m": 0.0, "units": 8, "use": "node"} for i in range(2)]
    racks += [
        {"name": f"N{i}", "x_m": 1.2 + 0.6 * i, "y_m": 0.0, "units": 4, "use": "network", "place": kept}
        for i in range(2)
    ]
    racks += [{"name": "N9", "x_m": 20.0, "y_m": 0.0, "units": 4, "use": "network"}]
    fabric = {"link_layer": "infiniband", "switches": [SWITCH], "node_ports": 1, "unit_nodes": 2}
    request = {
        "name": "kept",
        "accelerator": "hgx-h100",
        "nodes": 4,
        "fabric": fabric | {"parameters": {"spines": 2}},
        "placement": {"max_switches_per_rack": 2},
        "planning": {"node_units": 4, "node_kw": 4.0},
    }
    made = made_of(request, {"racks": racks}, repriced(parts, np.random.default_rng(0)), tmp_path)
    near = dict(
        zip(
            ("leaf-su01", "leaf-su02", "spine-01", "spine-02"),
            (("N0", 4), ("N0", 3), ("N1", 2), ("N1", 1)),
            strict=True,
        )
    )
    placement = Placement(
        tuple(
            Position(place.device, *near[place.device], 1) if place.device in near else place
            for place in made.placement.positions
        )
    )
    assert made.bound <= side_by_side(made, [placement])[0]
