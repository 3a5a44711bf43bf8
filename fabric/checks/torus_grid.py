"""Routers of a torus on its grid, each joined with its neighbours alone, as often as the ring asks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.model.topology import Device


@check("torus-grid")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per place without or with several routers, and per two routers with other links than due.

    Without sizes and widths there is no grid, and one error says so.
    """
    sizes, widths = (ctx.topology.numbers(key) for key in ("sizes", "widths"))
    routers = ctx.topology.with_role("router")
    if ctx.topology.family != "torus" or not ctx.topology.of_kind("torus"):
        return
    if not sizes or len(sizes) != len(widths):
        message = f"a torus has sizes and as many widths; the design tells {len(sizes)} and {len(widths)}"
        yield error(ctx.design.name, message, measured=len(widths), limit=len(sizes), unit="dimensions")
        return
    for plane in sorted({router.plane or 0 for router in routers}):
        here = [router for router in routers if (router.plane or 0) == plane]
        yield from _places(here, math.prod(sizes))
        yield from _rings(ctx, here, sizes, widths)


def _places(routers: list[Device], count: int) -> Iterator[Remark]:
    """Places of the grid that no router or several routers have; a router's group is its place."""
    at = Counter(router.group for router in routers)
    for router in routers:
        if router.group is None or not 0 <= router.group < count:
            yield error(
                router.name, f"has no place on the grid: {router.group}", measured=router.group, limit=count - 1
            )
        elif at[router.group] > 1:
            others = ", ".join(each.name for each in routers if each.group == router.group and each is not router)
            yield error(
                router.name, f"is at place {router.group}, and so is {others}", measured=at[router.group], limit=1
            )


def _rings(ctx: CheckContext, routers: list[Device], sizes: Sequence[int], widths: Sequence[int]) -> Iterator[Remark]:
    """Pairs of routers with more or fewer links than their places ask."""
    name = {router.group: router.name for router in routers}
    spots = list(product(*map(range, sizes)))
    number = {spot: index for index, spot in enumerate(spots)}
    due: Counter[tuple[str, str]] = Counter()
    for spot, (axis, size) in product(spots, enumerate(sizes)):
        after = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
        ends = name.get(number[spot]), name.get(number[after])
        if ends[0] and ends[1]:
            due[min(ends[0], ends[1]), max(ends[0], ends[1])] = widths[axis]
    ours = set(name.values())
    have = Counter(
        (min(link.a.device, link.b.device), max(link.a.device, link.b.device))
        for link in ctx.topology.of_kind("torus")
        if {link.a.device, link.b.device} <= ours
    )
    for pair in sorted(due.keys() | have.keys()):
        if due[pair] != have[pair]:
            message = f"shares {have[pair]} links with {pair[1]}, due are {due[pair]} by their places on the grid"
            yield error(pair[0], message, measured=have[pair], limit=due[pair], unit="links")
