"""Cabling: for every link of a placed topology the cheapest assembly that is allowed, reaches and is sold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from sys import intern

import numpy as np

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Transceiver
from fabric.errors import Conflict, InfeasibleError
from fabric.floorplan.routes import Routes
from fabric.layout.component import Group
from fabric.layout.down_cages import down_ports_count
from fabric.layout.ladder import COST, UNREACHABLE_COST, Metres, Whole
from fabric.layout.market import Market, media_rule, open_market
from fabric.layout.offer import Offer
from fabric.layout.purchase import Bought, Way, best_way
from fabric.layout.ties import Hall, Purchase, keep_ties
from fabric.model.cabling import Cable, Cabling, Pluggable
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.topology import EDGE_ROLES, NODE_KINDS, Topology


@dataclass(frozen=True, slots=True)
class Runs:
    """Racks at both ends of every link (links, 2), by number, and the route between its ports [m, without slack]."""

    racks: Whole
    route_m: Metres


@dataclass(frozen=True, slots=True)
class Cart:
    """What was chosen: cables with the links that they carry, modules with their cages, all by number."""

    cables: tuple[tuple[Offer[CablePart], tuple[int, ...]], ...]
    modules: tuple[tuple[Offer[Transceiver], int], ...]


def cable(
    topology: Topology,
    placement: Placement,
    routes: Routes,
    request: Request,
    catalog: Catalog,
    market: Market | None = None,
) -> Cabling:
    """The cheapest cabling of `topology`.

    It is exact, because components are independent (`component`) and all ways to buy one are compared (`purchase`).
    A price that nobody published is the planning price of its class. Parts not yet sold are a last resort;
    of equal price, parts whose vendor names the devices at their ends come first. A `market` of the topology that is
    open already is not opened again.

    Raises:
        InfeasibleError: when some links have no assembly at all, or none that is long enough.
    """
    market = market or open_market(topology, request, catalog, routes)
    runs = measure(topology, placement, routes)
    hall = Hall(runs.racks, runs.route_m, routes)
    purchase, proof = keep_ties(market, _cheapest(market, runs, request), hall, topology, request, catalog)
    cart = _fill(market, purchase)
    cables, cable_of = _cables(topology, routes, runs, cart)
    pluggables = [
        Pluggable(device, cage, offer.key, topology.device[device].fabric)
        for offer, number in cart.modules
        for device, cage in (market.graph.used.cage(number),)
    ]
    if request.fabric.preload_optics:
        pluggables += _preloaded(topology, catalog, pluggables)
    pluggables.sort(key=lambda each: (each.device, each.cage))
    return Cabling(cables, tuple(pluggables), cable_of, proof)


def measure(topology: Topology, placement: Placement, routes: Routes) -> Runs:
    """Racks and route of every link, from the places of its two devices."""
    number = {device.name: index for index, device in enumerate(topology.devices)}
    ends = np.fromiter((number[port.device] for link in topology.links for port in (link.a, link.b)), dtype=np.int64)
    at = [placement.of[device.name] for device in topology.devices]
    racks = np.array([routes.index[place.rack] for place in at], dtype=np.int64)[ends.reshape(-1, 2)]
    mid_u = np.array([place.mid_u for place in at], dtype=np.float64)[ends.reshape(-1, 2)]
    return Runs(racks, routes.lengths_m(racks[:, 0], mid_u[:, 0], racks[:, 1], mid_u[:, 1]))


def _cheapest(market: Market, runs: Runs, request: Request) -> tuple[tuple[Bought, ...], ...]:
    """The best way of every component on its own."""
    found: list[tuple[Bought, ...]] = []
    conflicts: list[Conflict] = []
    for group, options in zip(market.graph.groups, market.ways, strict=True):
        route_m = runs.route_m[group.links]
        best, rank = best_way(options, route_m)
        short = rank[:, COST] >= UNREACHABLE_COST
        if short.any():
            conflicts.append(_too_long(request, group, options, route_m[short]))
            continue
        taken = [(option, np.flatnonzero(best == number)) for number, option in enumerate(options)]
        found.append(tuple(Bought(option, rows, option.best(route_m[rows])) for option, rows in taken if rows.size))
    if conflicts:
        raise InfeasibleError("some links are longer than every assembly that fits", conflict=tuple(conflicts))
    return tuple(found)


def _fill(market: Market, purchase: Purchase) -> Cart:
    """A purchase by numbers of links and cages."""
    cables: list[tuple[Offer[CablePart], tuple[int, ...]]] = []
    modules: list[tuple[Offer[Transceiver], int]] = []
    for group, bought in zip(market.graph.groups, purchase, strict=True):
        for row, pieces, plugs in (parts for each in bought for parts in each.parts()):
            links, cages = group.links[row].tolist(), group.cages[row].tolist()
            cables.extend((offer, tuple(links[link] for link in carried)) for offer, carried in pieces)
            modules.extend((offer, cages[cage]) for cage, offer in plugs)
    return Cart(tuple(cables), tuple(modules))


def _too_long(request: Request, group: Group, options: tuple[Way, ...], route_m: Metres) -> Conflict:
    """The longest of the routes out of reach, against what reaches farthest."""
    row, column = np.unravel_index(route_m.argmax(), route_m.shape)
    joint = group.shape.joints[int(column)]
    key, media = media_rule(request, joint.kind)
    ends = f"{group.shape.ends[joint.a]} <-> {group.shape.ends[joint.b]}"
    reach_m = max(float(option.limits_m().max(initial=0.0)) for option in options)
    return Conflict(
        key,
        ", ".join(media),
        f"{ends}: a route of {route_m[row, column]:.2f} m without slack, but the longest assembly that fits serves "
        f"{reach_m:.2f} m; so for {route_m.size} links",
    )


def _cables(topology: Topology, routes: Routes, runs: Runs, cart: Cart) -> tuple[tuple[Cable, ...], Mapping[str, str]]:
    """Cable records sorted by name, each with its number within its bundle from 1, and the cable of every link.

    A cable takes its name from its first link, its route and bundle from its longest.
    """
    links = topology.links
    carrier = [0] * len(links)
    pulled: Counter[str] = Counter()
    found: list[Cable] = []
    for offer, carried in sorted(cart.cables, key=lambda piece: links[piece[1][0]].name):
        first = links[carried[0]]
        longest = max(carried, key=lambda link: runs.route_m[link])
        a, b = (int(rack) for rack in runs.racks[longest])
        # Many cables run alike: routes and bundles are one text each for all of them.
        bundle = intern(f"{routes.bundle(a, b)} {first.kind}")
        pulled[bundle] += 1
        piece = Cable(
            name=f"c-{first.name}",
            part=offer.key,
            family=offer.part.family or offer.key,
            medium=offer.part.medium,
            length_m=offer.part.length_m,
            route_m=round(float(runs.route_m[longest]) + routes.slack_m(offer.part.medium), 6),
            route=intern(routes.course(a, b)),
            bundle=bundle,
            run=pulled[bundle],
            fabric=first.fabric,
        )
        for link in carried:
            carrier[link] = len(found)
        found.append(piece)
    return tuple(found), {link.name: found[cable].name for link, cable in zip(links, carrier, strict=True)}


def _preloaded(topology: Topology, catalog: Catalog, pluggables: list[Pluggable]) -> list[Pluggable]:
    """Modules for down cages that no node uses yet: the module that most down cages of that model hold.

    Down ports fill the cages of a leaf or router from the first (`topology`), so they end with the cage of the last.
    """
    rate_gbps = max((link.rate_gbps for link in topology.of_kind(*NODE_KINDS)), default=0)
    down_ports = down_ports_count(topology)
    used = {(port.device, port.cage) for link in topology.links for port in (link.a, link.b)}
    ready = {(each.device, each.cage): each.part for each in pluggables}
    down_cages: dict[str, list[tuple[str, str]]] = {}
    for leaf in topology.with_role(*EDGE_ROLES):
        per_cage = catalog.switches[leaf.part or ""].ports_per_cage(rate_gbps)
        labels = range(1, math.ceil(down_ports / per_cage) + 1) if per_cage else ()
        down_cages.setdefault(leaf.part or "", []).extend((leaf.name, str(label)) for label in labels)
    found = []
    for cages in down_cages.values():
        held = Counter(ready[cage] for cage in cages if cage in ready)
        if held:
            part = min(held, key=lambda key: (-held[key], key))
            free = [cage for cage in cages if cage not in used]
            found += [Pluggable(*cage, part, topology.device[cage[0]].fabric) for cage in free]
    return found
