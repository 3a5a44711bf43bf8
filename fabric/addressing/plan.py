"""The address plan of a fabric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fabric.addressing.ordinals import Ordinal, natural, ordinals
from fabric.addressing.pools import Pool, dotted, read_pools
from fabric.errors import Fault, InputError
from fabric.model.request import Request
from fabric.model.settings import DeviceAddress, LinkAddress
from fabric.model.topology import SWITCH_ROLES, Link, Topology

_ASN_PLANES = 16
"""Numbers kept for each of the tiers that share one per plane; a request has at most 16 planes."""

_ASN_SHARED = {"spine": 0, "core": _ASN_PLANES}
_ASN_OWN = 2 * _ASN_PLANES
_GROUPED = 2
"""Where spines have groups, their numbers and those of leaves take turns."""

_ASN_LAST_16_BIT = 65534
_ASN_LAST = 4294967294

_GUID_BASE = 0x02FA_B000_0000_0000
"""Locally administered EUI-64 (bit 1 of the first byte); no maker's GUID has that bit set."""

_GUID_KIND = {"node": 0, "leaf": 1, "spine": 2, "core": 3, "router": 4, "attached": 5}


def addresses(topology: Topology, request: Request) -> tuple[tuple[DeviceAddress, ...], tuple[LinkAddress, ...]]:
    """Numbers of every device and, on Ethernet, of every link; each sorted by name.

    Raises:
        InputError: when a pool is no network, overlaps another or is too small, with the arithmetic.
    """
    pools = read_pools(request.addressing)
    places = ordinals(topology)
    mgmt = _hosts_of(pools["mgmt"], places)
    if request.fabric.link_layer == "infiniband":
        guids = {device: _guid(place) for device, place in places.items()}
        devices = (DeviceAddress(name, guid=guids[name], mgmt_ip=mgmt[name]) for name in places)
        return _sorted(devices), ()
    switches = {name: place for name, place in places.items() if place.kind in SWITCH_ROLES}
    loopbacks = _hosts_of(pools["loopbacks"], switches)
    groups = {device.name: device.group for device in topology.with_role("spine") if device.group is not None}
    numbers = _asns(request.addressing.asn_base, switches, groups)
    rows = (DeviceAddress(name, numbers.get(name), loopbacks.get(name), None, mgmt[name]) for name in places)
    down = [link for link in topology.links if places[link.a.device].kind not in SWITCH_ROLES]
    up = [link for link in topology.links if places[link.a.device].kind in SWITCH_ROLES]
    links = _networks(pools["hosts"], down, places) + _networks(pools["links"], up, places)
    return _sorted(rows), tuple(sorted(links, key=lambda row: row.link))


def _sorted(rows: Iterable[DeviceAddress]) -> tuple[DeviceAddress, ...]:
    return tuple(sorted(rows, key=lambda row: row.device))


def _guid(place: Ordinal) -> str:
    """Placeholder GUID; its last byte is free for the ports of a device."""
    return f"0x{_GUID_BASE | _GUID_KIND[place.kind] << 40 | place.number << 8:016x}"


def _hosts_of(pool: Pool, places: Mapping[str, Ordinal]) -> dict[str, str]:
    """One address per device; the first of each share stays free, and so does the pool's last."""
    highest = _highest(places)
    # Spines and cores halve what is one share where both stand, so that no pool is cut for cores that are not there.
    halves = {"spine": 0, "core": 1} if "core" in highest and pool.is_one_share("spine", "core") else {}
    first = {
        kind: pool.first(kind, most + 3, f"{most + 1} {kind} devices, with 2 kept free,", halves.get(kind))
        for kind, most in highest.items()
    }
    return {name: dotted(first[place.kind] + 1 + place.number) for name, place in places.items()}


def _highest(places: Mapping[str, Ordinal]) -> dict[str, int]:
    """Highest ordinal of each kind."""
    highest: dict[str, int] = {}
    for place in places.values():
        highest[place.kind] = max(place.number, highest.get(place.kind, 0))
    return highest


def _asns(base: int, switches: Mapping[str, Ordinal], groups: Mapping[str, int]) -> dict[str, int]:
    """Autonomous system of every switch: its own, or its plane's on the tiers above the leaves.

    Spines of groups have one for each group of a plane: a path from group to group passes two of them.
    """
    planes, step = 1 + max((place.plane for place in switches.values()), default=0), _GROUPED if groups else 1
    numbers = {}
    for name, place in switches.items():
        if name in groups:
            number = _ASN_OWN + (groups[name] * planes + place.plane) * step + 1
        elif place.kind in _ASN_SHARED:
            number = _ASN_SHARED[place.kind] + place.plane
        else:
            number = _ASN_OWN + place.number * step
        numbers[name] = base + number
    last = _ASN_LAST_16_BIT if base <= _ASN_LAST_16_BIT else _ASN_LAST
    highest = max(numbers.values(), default=base)
    if highest > last:
        raise InputError(
            Fault(
                f"{base} is too high: {len(switches)} switches, after {_ASN_OWN} numbers kept for the upper "
                f"tiers, reach up to {highest}; the last private number is {last}",
                key="addressing.asn_base",
            )
        )
    return numbers


def _networks(pool: Pool, links: list[Link], places: Mapping[str, Ordinal]) -> list[LinkAddress]:
    """A /31 for every link, from the block of its end a."""
    by_kind: dict[str, list[Link]] = {}
    for link in links:
        by_kind.setdefault(places[link.a.device].kind, []).append(link)
    rows = []
    for kind, members in by_kind.items():
        most = max(Counter(link.a.device for link in members).values())
        block = 1 << (most - 1).bit_length()
        owners = 1 + max(places[link.a.device].number for link in members)
        why = f"{owners} {kind} devices with blocks of {block} links of 2 addresses"
        first = pool.first(kind, owners * block * 2, why)
        rank: Counter[str] = Counter()
        for link in sorted(members, key=lambda link: natural(link.a.port)):
            owner = link.a.device
            low = first + 2 * (places[owner].number * block + rank[owner])
            rank[owner] += 1
            rows.append(LinkAddress(link.name, f"{dotted(low)}/31", f"{dotted(low + 1)}/31"))
    return rows
