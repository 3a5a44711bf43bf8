"""Which switch models may form a leaf and a spine, and what each gives at the rates asked."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import Fault, InputError
from fabric.model.request import Request
from fabric.topology.size import Size

ROUNDING = 1e-9
"""Tolerance when a ratio of whole numbers is compared with the oversubscription asked."""


@dataclass(frozen=True)
class Pair:
    """A leaf model under a spine model: ports of each at the node rate and the uplink rate."""

    leaf_key: str
    leaf: Switch
    spine_key: str
    spine: Switch
    uplink_gbps: int
    downs_per_cage: int
    uplinks_per_cage: int
    leaf_ports: int
    spine_ports: int
    fewest_uplinks_per_port: float

    def uplinks(self, down_ports: int) -> int:
        """Fewest uplinks that keep the oversubscription asked."""
        return max(1, math.ceil(down_ports * self.fewest_uplinks_per_port - ROUNDING))

    def room(self, down_ports: int) -> int:
        """Uplinks that the cages left by the down ports can hold."""
        return (self.leaf.cages.count - math.ceil(down_ports / self.downs_per_cage)) * self.uplinks_per_cage

    @property
    def whole_trunk(self) -> int:
        """Links of the shortest trunk that fills cages at both ends."""
        return math.lcm(self.uplinks_per_cage, self.spine.ports_per_cage(self.uplink_gbps))

    @cached_property
    def most_down_ports(self) -> int:
        """Largest number of down ports of a leaf that leaves room for the uplinks it needs."""
        return bisect_left(range(1, self.leaf_ports + 1), 1, key=lambda down: self.uplinks(down) - self.room(down))


def leaf_pairs(request: Request, size: Size, catalog: Catalog) -> tuple[tuple[Pair, ...], ...]:
    """Every allowed pair of models, in key order, each at the uplink rates it may run, the fastest first.

    Slower uplinks mean more ports: a pair falls back on them where it is too small at its fastest.

    Raises:
        InputError: the switches named cannot do what is asked, with a reason for each.
    """
    choice = request.fabric.switches
    leaves, leaf_faults = _allowed(choice.leaf, "leaf", size, catalog)
    spines, spine_faults = _allowed(choice.spine, "spine", size, catalog)
    usable = {}
    for key, switch in leaves.items():
        reason = _why_no_leaf(switch, size)
        if reason is None:
            usable[key] = switch
        elif choice.leaf is not None:
            leaf_faults.append(Fault(f"{key}: {reason}", key="fabric.switches"))
    pairs: list[tuple[Pair, ...]] = []
    lanes = {key: _lanes_gbps(switch) for key, switch in (leaves | spines).items()}
    for leaf_key, leaf in usable.items():
        for spine_key, spine in spines.items():
            rates = _uplink_rates(
                request.fabric.uplink_port_gbps, size.node_port_gbps, lanes[leaf_key], lanes[spine_key]
            )
            if not rates:
                spine_faults.append(
                    Fault(_no_uplink(request, leaf_key, leaf, spine_key, spine), key="fabric.uplink_port_gbps")
                )
                continue
            pairs.append(tuple(_pair(request, size, (leaf_key, leaf), (spine_key, spine), rate) for rate in rates))
    if not pairs:
        faults = dict.fromkeys((*leaf_faults, *spine_faults))
        raise InputError(*(faults or (Fault("no switch of the catalog has the ports asked", key="fabric.switches"),)))
    return tuple(pairs)


def _pair(request: Request, size: Size, leaf: tuple[str, Switch], spine: tuple[str, Switch], uplink_gbps: int) -> Pair:
    return Pair(
        leaf_key=leaf[0],
        leaf=leaf[1],
        spine_key=spine[0],
        spine=spine[1],
        uplink_gbps=uplink_gbps,
        downs_per_cage=leaf[1].ports_per_cage(size.node_port_gbps),
        uplinks_per_cage=leaf[1].ports_per_cage(uplink_gbps),
        leaf_ports=leaf[1].usable_ports(size.node_port_gbps),
        spine_ports=spine[1].usable_ports(uplink_gbps),
        fewest_uplinks_per_port=size.node_port_gbps / (uplink_gbps * request.fabric.oversubscription),
    )


def _allowed(
    named: tuple[str, ...] | None, tier: str, size: Size, catalog: Catalog
) -> tuple[dict[str, Switch], list[Fault]]:
    """Switches of the right link layer: those named, or all that a design may buy."""
    if named is None:
        return {
            key: switch
            for key, switch in sorted(catalog.switches.items())
            if switch.allowed_for_design
            and switch.status == "active"
            and switch.link_layer == size.link_layer
            and switch.tier_only in (None, tier)
            and switch.isolated_halves == 1
        }, []
    faults = []
    found = {}
    for key in sorted(set(named)):
        switch = catalog.switches[key]
        reason = _why_not(key, switch, size)
        if reason is None:
            found[key] = switch
        else:
            faults.append(Fault(reason, key="fabric.switches"))
    return found, faults


def _why_not(key: str, switch: Switch, size: Size) -> str | None:
    """Why a named switch cannot be part of this fabric at all."""
    if switch.link_layer != size.link_layer:
        return f"{key} is an {switch.link_layer} switch; the request's link layer runs on {size.link_layer}"
    if switch.isolated_halves > 1:
        ports = max(switch.ports_by_speed_gbps.values()) // switch.isolated_halves
        return (
            f"{key} is {switch.isolated_halves} switches of {ports} ports in one chassis that do not forward to each "
            "other; a design does not treat it as one switch"
        )
    if not switch.allowed_for_design:
        return f"{key} is in the catalog for reading only: {'; '.join(switch.notes) or 'not sold'}"
    return None


def _why_no_leaf(switch: Switch, size: Size) -> str | None:
    """Why a switch cannot take the nodes' ports."""
    rate = size.node_port_gbps
    if not switch.ports_per_cage(rate):
        rates = ", ".join(f"{gbps}G" for gbps in sorted(switch.ports_by_speed_gbps))
        return f"no {rate}G ports for the nodes; its ports run {rates}"
    lane = switch.port_lane_gbps(rate)
    if lane != size.mode.lane_gbps:
        return (
            f"its {rate}G ports run lanes of {lane}G, the ports of {size.system_key} lanes of "
            f"{size.mode.lane_gbps}G; the two do not link"
        )
    return None


def _lanes_gbps(switch: Switch) -> dict[int, int | None]:
    """Rates of a switch whose ports its cages have, each with the rate of its lanes."""
    return {rate: switch.port_lane_gbps(rate) for rate in switch.ports_by_speed_gbps if switch.ports_per_cage(rate)}


def _uplink_rates(
    asked: int | None, node_gbps: int, leaf: dict[int, int | None], spine: dict[int, int | None]
) -> list[int]:
    """The rate asked, else all, no slower than the nodes' ports, that both ends have on equal lanes; fastest first."""
    shared = [rate for rate, lane_gbps in leaf.items() if rate in spine and spine[rate] == lane_gbps]
    return sorted((rate for rate in shared if rate == asked or (asked is None and rate >= node_gbps)), reverse=True)


def _no_uplink(request: Request, leaf_key: str, leaf: Switch, spine_key: str, spine: Switch) -> str:
    def rates(switch: Switch) -> str:
        return ", ".join(f"{rate}G" for rate in sorted(switch.ports_by_speed_gbps))

    asked = request.fabric.uplink_port_gbps
    wanted = f"no {asked}G port" if asked else "no port rate in common"
    return f"{leaf_key} ({rates(leaf)}) and {spine_key} ({rates(spine)}) have {wanted} to link them"
