"""Regular ports: a switch's down ports in the order of its nodes, its other ports in the order of the far switches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.checks._tiers import Access
from fabric.checks._wiring import rail_of, rails_of, wiring
from fabric.model.topology import Link, Port

Natural: TypeAlias = tuple[tuple[int, int | str], ...]
"""A name as an order: its numbers count as numbers."""

Rank: TypeAlias = tuple[Natural, ...]
"""Where a link belongs among those of its switch."""

SIDEWAYS = ("local", "global", "torus")
"""Kinds of links within a tier, in the order of their ports."""


@check("port-order", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link that is out of order on its switch, unless the request leaves ports free.

    Node i of a unit stands on down port i of each of its leaves, so that whoever knows one leaf knows all of them.
    Routers have their links in the order of the far ones, local links before global ones. A link of a wrong rail or
    unit, and a leaf whose uplinks are spread unequally, are for the rules of those names.
    """
    if ctx.request.fabric.port_order != "regular":
        return
    yield from _out_of_order(_down(ctx), "nodes")
    yield from _out_of_order(_up(ctx), "spines")
    yield from _out_of_order(_to_cores(ctx), "cores")
    yield from _out_of_order(_sideways(ctx), "far switches, those of the own group first")


def _down(ctx: CheckContext) -> Iterator[tuple[str, Natural, Rank, Link]]:
    """Leaf, port and rank of every node link in its right rail and unit: by rail first, under rack wiring by node."""
    by_rail = wiring(ctx) == "rail"
    for access in ctx.accesses:
        rail, rails = rail_of(access), rails_of(access.leaf)
        if access.device.role != "node" or rail is None or rail not in rails or access.device.su != access.leaf.su:
            continue
        node, turn = _natural(access.device.name), ((0, rails.index(rail)),)
        yield access.leaf.name, _natural(_far(access).port), (turn, node) if by_rail else (node, turn), access.link


def _up(ctx: CheckContext) -> Iterator[tuple[str, Natural, Rank, Link]]:
    """Leaf, port and rank of every uplink of a leaf whose uplinks are spread equally."""
    spread = {
        leaf.name
        for plane in ctx.blocks
        for leaf, trunks in zip(plane.leaves, plane.trunks, strict=True)
        if trunks.size and trunks.min() == trunks.max()
    }
    for uplink in ctx.uplinks:
        if uplink.leaf.name in spread:
            here = uplink.link.a if uplink.link.a.device == uplink.leaf.name else uplink.link.b
            yield uplink.leaf.name, _natural(here.port), (_natural(uplink.spine.name),), uplink.link


def _to_cores(ctx: CheckContext) -> Iterator[tuple[str, Natural, Rank, Link]]:
    """Spine, port and rank of every link to a core."""
    for each in ctx.switch_links:
        if each.high.role == "core":
            here = each.link.a if each.link.a.device == each.low.name else each.link.b
            yield each.low.name, _natural(here.port), (_natural(each.high.name),), each.link


def _sideways(ctx: CheckContext) -> Iterator[tuple[str, Natural, Rank, Link]]:
    """Switch, port and rank of both ends of every link within a tier."""
    for link in ctx.topology.of_kind(*SIDEWAYS):
        turn = ((0, SIDEWAYS.index(link.kind)),)
        for here, far in ((link.a, link.b), (link.b, link.a)):
            yield here.device, _natural(here.port), (turn, _natural(far.device)), link


def _out_of_order(ends: Iterable[tuple[str, Natural, Rank, Link]], what: str) -> Iterator[Remark]:
    """The fewest links of each switch without which the others are in order."""
    of_switch: defaultdict[str, list[tuple[Natural, Rank, Link]]] = defaultdict(list)
    for switch, place, rank, link in ends:
        of_switch[switch].append((place, rank, link))
    for switch, here in of_switch.items():
        here.sort(key=lambda end: end[0])
        kept = _longest_order([rank for _, rank, _ in here])
        for index, (_, _, link) in enumerate(here):
            if index not in kept:
                yield error(link.name, f"its port on {switch} is out of order: ports follow the order of the {what}")


def _longest_order(ranks: Sequence[Rank]) -> set[int]:
    """Positions of a longest subsequence that never falls."""
    tails: list[Rank] = []
    last: list[int] = []
    before: list[int] = []
    for position, rank in enumerate(ranks):
        length = bisect_right(tails, rank)
        before.append(last[length - 1] if length else -1)
        tails[length : length + 1] = [rank]
        last[length : length + 1] = [position]
    kept = set()
    position = last[-1] if last else -1
    while position >= 0:
        kept.add(position)
        position = before[position]
    return kept


def _far(access: Access) -> Port:
    return access.link.b if access.link.a == access.port else access.link.a


def _natural(name: str) -> Natural:
    """Pieces of a name: a number sorts before a text, and by its value."""
    return tuple((0, int(piece)) if piece.isdigit() else (1, piece) for piece in re.findall(r"\d+|\D+", name))
