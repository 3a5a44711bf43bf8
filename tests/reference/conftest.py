"""Random problems of leaves, spines and sites, for oracles that know nothing of how the search works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from fabric.layout.assignment import TRUNK_PENALTY_COST, SiteProblem

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


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
