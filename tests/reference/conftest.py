"""Random placements, as bare problems and as requests with halls, for oracles that know nothing of the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fabric.catalog.load import Catalog, load
from fabric.catalog.parts import CablePart
from fabric.layout.assignment import TRUNK_PENALTY_COST, SiteProblem

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SWITCH = "nvidia-qm9700"
"""One unit high, with two ports of 400G in each cage."""


@dataclass(frozen=True, slots=True)
class Size:
    """Ranges, both ends included: groups and spines of a plane, leaves of a group, racks, sites of a rack."""

    planes: int
    groups: tuple[int, int]
    leaves: tuple[int, int]
    spines: tuple[int, int]
    racks: tuple[int, int]
    rack_sites: tuple[int, int]


@pytest.fixture(scope="session")
def random_sites() -> Callable[..., SiteProblem]:
    """Draws a problem from dice and the ranges of a `Size`; some have no assignment."""
    return lambda rng, **ranges: _random_sites(rng, Size(**ranges))


def _random_sites(rng: np.random.Generator, size: Size) -> SiteProblem:
    """Sites for both roles, one each or a mixture; hardly a slot to spare or plenty; racks closed; trunks too long."""
    groups = _one(rng, size.groups) * size.planes
    rack = np.repeat(np.arange(racks := _one(rng, size.racks)), rng.integers(*_ends(size.rack_sites), racks))
    leaves = rng.integers(*_ends(size.leaves), groups)
    spines = rng.integers(*_ends(size.spines), size.planes)
    role = rng.integers(0, rng.integers(1, 4), len(rack))  # 0: both, 1: leaf, 2: spine
    own, trunk = _along_ladders(rng, rack, groups) if rng.random() < 0.5 else _anyhow(rng, rack, groups)
    trunk[rng.random(trunk.shape) < rng.choice([0.0, 0.0, 0.1])] = TRUNK_PENALTY_COST
    may = rng.random((groups + 1, racks)) < rng.choice([0.7, 1.0])
    return SiteProblem(
        own=own,
        spine_own=rng.integers(-9, 10, len(rack)) * rng.integers(0, 2),
        trunk=trunk,
        weight=rng.integers(1, 4, groups),
        leaves=leaves,
        plane=np.repeat(np.arange(size.planes), groups // size.planes),
        spines=spines,
        rack=rack,
        capacity=_slots(rng, role, int(leaves.sum()), int(spines.sum())),
        leaf_allowed=(role != 2) & may[1:, rack],
        spine_allowed=(role != 1) & may[0, rack],
    )


def _ends(both: tuple[int, int]) -> tuple[int, int]:
    """A range as numpy wants it."""
    return both[0], both[1] + 1


def _one(rng: np.random.Generator, both: tuple[int, int]) -> int:
    return int(rng.integers(*_ends(both)))


def _slots(rng: np.random.Generator, role: Ints, leaves: int, spines: int) -> Ints:
    """(sites,) capacities: none or one, and more dealt at random until each role fits and some slots are left over."""
    capacity = (rng.random(len(role)) < rng.choice([0.5, 0.9])).astype(np.int64)
    spare = rng.choice([0, 0, 1, 2, leaves + spines])
    for here, wanted in ((role != 1, spines), (role != 2, leaves), (role >= 0, leaves + spines)):
        lacking = wanted + spare - capacity[here].sum()
        if lacking > 0 and here.any():
            np.add.at(capacity, rng.choice(np.flatnonzero(here), lacking), 1)
    return capacity


def _anyhow(rng: np.random.Generator, rack: Ints, groups: int) -> tuple[Ints, Ints]:
    """(groups, sites) and (sites, sites) prices that follow no geometry."""
    return rng.integers(0, 60, (groups, len(rack))), rng.integers(0, 40, (len(rack), len(rack)))


def _along_ladders(rng: np.random.Generator, rack: Ints, groups: int) -> tuple[Ints, Ints]:
    """The same by steps of the way between racks on a grid, with cheap copper inside a rack; nodes in three racks."""
    at = rng.integers(0, 12, (rack.max() + 1, 2))
    way = np.abs(at[rack][:, None] - at[rack]).sum(axis=2)
    inside = rack[:, None] == rack
    price = np.where(inside, rng.integers(1, 20), 20 + np.cumsum(rng.integers(0, 9, way.max() + 1))[way])
    return price[rng.integers(0, len(rack), (groups, 3))].sum(axis=1), price


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def random_hall(parts) -> Callable[[np.random.Generator], tuple[dict[str, Any], dict[str, Any], Catalog]]:
    """Draws a small request, a floor plan that it may or may not fit, and a catalog at random prices."""

    def draw(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any], Catalog]:
        catalog, request = _repriced(parts, rng), _random_request(rng)
        plan = _random_plan(rng, may_keep="max_switches_per_rack" not in request["placement"])
        return request, plan, catalog

    return draw


def _repriced(parts: Catalog, rng: np.random.Generator) -> Catalog:
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


def _random_request(rng: np.random.Generator) -> dict[str, Any]:
    """A few nodes of two units under two to four leaves, with two or three spines."""
    ports = int(rng.integers(1, 3))
    units, unit_nodes = int(rng.integers(1, 3)) + (ports == 1), int(rng.choice([2, 2, 3, 4]))
    near, far = ["dac", "acc", "mmf", "smf"], ["mmf", "smf"]
    return {
        "name": "small",
        "accelerator": str(rng.choice(["hgx-h100", "dgx-h100"])),
        "nodes": max(2, units * unit_nodes - int(rng.random() < 0.2)),
        "fabric": {
            "family": "fat_tree",
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


def _random_plan(rng: np.random.Generator, *, may_keep: bool) -> dict[str, Any]:
    """Three or four racks in two rows, so low that few units stay free; some units are blocked or kept for a role."""
    racks: list[dict[str, Any]] = []
    for number in range(int(rng.integers(3, 5))):
        use = str(rng.choice(["any", "any", "network", "node"]))
        units = int(rng.integers(2, 4) if use == "network" else rng.integers(5, 9))
        rack: dict[str, Any] = {"name": f"R{number}", "use": use, "units": units}
        rack |= {"x_m": float(rng.integers(0, 12)) + 0.1 * number, "y_m": 2.5 * float(rng.integers(0, 2))}
        if use != "node" and rng.random() < 0.3:
            rack["blocked_u"] = [[units - 1, units - 1]]
        elif use != "node" and may_keep and rng.random() < 0.4:
            role = str(rng.choice(["leaf", "spine"]))
            rack["place"] = [{"u": u, "role": role} for u in range(units - 1, units + 1)]
        racks.append(rack)
    return {"racks": racks, "trays": {"height_m": 1.0}, "slack_per_end_m": {"copper": 0.0, "fibre": 0.1}}
