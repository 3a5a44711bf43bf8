"""Slots for switches, and sites: adjacent slots of one rack that the search treats alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from fabric.layout.policy import RULE_OF
from fabric.layout.rack_space import RackSpace
from fabric.layout.transport import Bools
from fabric.model.placement import DeviceSpace

BAND_UNITS = 4
"""Height of a site [U]: what a bound may be off by is the way along it."""

FEW_SLOTS_COUNT = 24
"""Most slots that are a site each from the start."""

SITES_COUNT = 512
"""Most sites of one search; above it bands are doubled until the search is small enough."""


@dataclass(frozen=True, slots=True)
class Site:
    """Slots of one rack, given by the top unit of each, the highest first; `roles` may use them."""

    rack: int
    roles: frozenset[str]
    top_u: tuple[int, ...]

    def mid_range_u(self, units: int) -> tuple[float, float]:
        """Lowest and highest middle of a device of `units` in one of the slots, flush with the slot's top."""
        return self.top_u[-1] - (units - 1) / 2, self.top_u[0] - (units - 1) / 2


@dataclass(frozen=True)
class SlotRules:
    """What a slot must suit.

    Attributes:
        spaces: space of one switch of each role.
        racks: (racks,) per role, racks where it may stand.
        per_rack_count: most switches of one rack.
        spines_per_rack_count: most spines and cores of one rack.
    """

    spaces: Mapping[str, DeviceSpace]
    racks: Mapping[str, Bools]
    per_rack_count: int
    spines_per_rack_count: int


def sites(racks: Sequence[RackSpace], rules: SlotRules, band: int = BAND_UNITS) -> tuple[Site, ...]:
    """Every slot of every rack, cut into sites of `band` units, racks in order and from the top down."""
    slots = [list(_slots(space, index, rules)) for index, space in enumerate(racks)]
    if sum(map(len, slots)) <= FEW_SLOTS_COUNT:
        band = 1
    while True:
        found = tuple(site for index, rack in enumerate(slots) for site in _bands(index, rack, band))
        if len(found) <= SITES_COUNT or band > max(space.rack.units for space in racks):
            return found
        band *= 2


def _slots(space: RackSpace, index: int, rules: SlotRules) -> Iterator[tuple[frozenset[str], int]]:
    """Roles and top unit of each slot of one rack.

    Roles share slots that suit the largest of them, unless the floor plan keeps places for one of them.
    Power and the count of switches are shared by all slots of the rack.
    """
    roles = [role for role in rules.spaces if rules.racks[role][index] and space.suits(rules.spaces[role])]
    kept = [role for role in roles if any(place.role == role for place in space.rack.place)]
    shared = [role for role in roles if role not in kept]
    power_w, count, spines = space.power_w, rules.per_rack_count, rules.spines_per_rack_count
    for group in [*([role] for role in kept), shared]:
        if not group:
            continue
        units = max(rules.spaces[role].units for role in group)
        need_w = max(rules.spaces[role].power_w for role in group)
        for low in space.stack(group[0], units, from_top=True):
            here = [role for role in group if RULE_OF[role] != "spine" or spines > 0]
            if not here or count < 1 or power_w < need_w:
                break
            yield frozenset(here), low + units - 1
            power_w, count, spines = (
                power_w - need_w,
                count - 1,
                spines - any(RULE_OF[role] == "spine" for role in here),
            )


def _bands(rack: int, slots: Iterable[tuple[frozenset[str], int]], units: int) -> Iterator[Site]:
    """Slots of equal roles in bands of `units`."""
    for roles, group in groupby(slots, key=lambda slot: slot[0]):
        tops = [top for _, top in group]
        for _, band in groupby(tops, key=lambda top, first=tops[0]: (first - top) // units):  # type: ignore[misc]
            yield Site(rack, roles, tuple(band))
