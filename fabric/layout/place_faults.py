"""Why switches have no place: with the arithmetic where that proves it, else as a search that ended empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fabric.errors import Conflict, FabricError, InfeasibleError, LimitReachedError
from fabric.layout.market import media_rule
from fabric.layout.policy import RULE_OF, leaf_racks, spine_racks
from fabric.layout.rack_space import RackSpace
from fabric.layout.transport import Ints
from fabric.model.placement import DeviceSpace
from fabric.model.request import PlacementPolicy, Request


def refuse_no_room(
    racks: Sequence[RackSpace],
    policy: PlacementPolicy,
    spaces: Mapping[str, DeviceSpace],
    counts: Mapping[str, int],
) -> None:
    """Refuse racks that cannot hold these devices however they are arranged.

    Args:
        racks: racks before anything stands in them.
        policy: where switches may stand.
        spaces: space of one device of each role: nodes and switches.
        counts: devices of each role.

    Raises:
        InfeasibleError: all devices together need more units or power than there is, or even racks without any node
            have fewer places than there are switches of a role.
    """
    conflict = (*_too_much(racks, spaces, counts), *_too_few_places(racks, policy, spaces, counts))
    if conflict:
        raise InfeasibleError(conflict=conflict)


def no_room(spaces: Mapping[str, DeviceSpace], counts: Mapping[str, int]) -> LimitReachedError:
    """The error for switches, by role, that fit beside no arrangement of nodes that was tried."""
    needs = "; ".join(
        f"{counts[role]} {role} switches of {space.units} U and {space.power_w / 1000:g} kW"
        for role, space in spaces.items()
    )
    return LimitReachedError(
        f"no arrangement of nodes that was tried leaves room for {needs} under the placement policy and within reach "
        "of the cables allowed; give a floor plan with network racks near the nodes, or allow more media"
    )


def _too_much(
    racks: Sequence[RackSpace], spaces: Mapping[str, DeviceSpace], counts: Mapping[str, int]
) -> Iterator[Conflict]:
    """What all devices need of the sum of units and of power."""
    named = ", ".join(f"{counts[role]} {role} of {space.units} U" for role, space in spaces.items())
    need_units = sum(counts[role] * space.units for role, space in spaces.items())
    have_units = sum(space.free_units for space in racks)
    if need_units > have_units:
        why = f"{named} need {need_units} U, the racks have {have_units} U"
        yield Conflict("floorplan.racks", f"{len(racks)} racks", why)
    need_w = sum(counts[role] * space.power_w for role, space in spaces.items())
    have_w = sum(space.power_w for space in racks)
    if need_w > have_w:
        why = f"nodes and switches need {need_w / 1000:.6g} kW, the racks give {have_w / 1000:.6g} kW"
        yield Conflict("floorplan.racks", f"{len(racks)} racks", why)


def _too_few_places(
    racks: Sequence[RackSpace],
    policy: PlacementPolicy,
    spaces: Mapping[str, DeviceSpace],
    counts: Mapping[str, int],
) -> Iterator[Conflict]:
    """Roles of switches that the policy leaves too few places, were there no nodes."""
    plan = [space.rack for space in racks]
    yield from _too_few_together(racks, policy, spaces, counts)
    for role, rule in ((role, RULE_OF[role]) for role in spaces if role in RULE_OF):
        slots = np.array([rack.fitting(role, spaces[role]) for rack in racks])
        if policy.max_switches_per_rack != "auto":
            slots = np.minimum(slots, policy.max_switches_per_rack)
        if rule == "spine" and policy.spine == "spread":
            slots = np.minimum(slots, max(1, counts[role] - 1))
        may = spine_racks(plan, policy) if rule == "spine" else leaf_racks(plan, policy, lambda _: False)
        if int(slots[may].sum()) < counts[role]:
            yield Conflict(
                f"placement.{rule}", str(getattr(policy, rule)), _short(role, spaces[role], counts, slots[may])
            )


def _too_few_together(
    racks: Sequence[RackSpace],
    policy: PlacementPolicy,
    spaces: Mapping[str, DeviceSpace],
    counts: Mapping[str, int],
) -> Iterator[Conflict]:
    """Switches of all roles that are more than the racks may hold by their number."""
    if policy.max_switches_per_rack == "auto":
        return
    roles = [role for role in spaces if role in RULE_OF]
    fitting = np.array([[rack.fitting(role, spaces[role]) for rack in racks] for role in roles])
    places = int(np.minimum(fitting.sum(axis=0), policy.max_switches_per_rack).sum())
    need = sum(counts[role] for role in roles)
    if need > places:
        named = " and ".join(f"{counts[role]} {role}" for role in roles)
        why = f"{named} switches are {need}; {len(racks)} racks hold {places} at {policy.max_switches_per_rack} a rack"
        yield Conflict("placement.max_switches_per_rack", str(policy.max_switches_per_rack), why)


def _short(role: str, space: DeviceSpace, counts: Mapping[str, int], slots: Ints) -> str:
    return (
        f"{counts[role]} {role} switches of {space.units} U and {space.power_w / 1000:g} kW are needed; "
        f"the {len(slots)} racks that may hold them have room for {int(slots.sum())}"
    )


def no_reach(too_long: Mapping[str, int], request: Request, *, proved: bool) -> FabricError:
    """The error for a placement in which some links, counted by kind, are longer than any allowed part.

    Args:
        too_long: links out of reach by kind.
        request: the media that it allows.
        proved: whether that is so wherever the switches stand.
    """
    where = "wherever the switches stand some are" if proved else "in the best places found they are"
    conflict = tuple(
        Conflict(key, ", ".join(media), f"{count} {kind} links out of reach: {where} longer than any allowed part")
        for kind, count in sorted(too_long.items())
        for key, media in (media_rule(request, kind),)
    )
    return InfeasibleError(conflict=conflict) if proved else LimitReachedError(conflict=conflict)
