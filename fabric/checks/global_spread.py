"""Global links spread equally over pairs of groups, local ones over pairs of routers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.checks._tiers import plane_of

Groups: TypeAlias = Mapping[int, tuple[str, ...]]
"""Names of the leaves or routers of every group of a plane."""

SLACK_LINKS = 1
"""Links by which pairs of groups may differ where the design does not say how many they share."""


@check("global-spread")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per switch of no group, and per pair of groups or routers with other links than it should share.

    That is what the parameters tell (`group_links`, `local_width`), else what most pairs share. A part-filled group has
    at least its share of global links, rounded up.
    """
    if ctx.topology.family != "torus":
        for device in ctx.homeless_routers:
            yield error(device.name, "stands in no group, and local and global links are told apart by groups")
    planes = _planes(ctx)
    if any(len(groups) > 1 for groups in planes.values()) and ctx.topology.of_kind("local", "global"):
        for plane, groups in planes.items():
            yield from _between(ctx, groups, _global_links(ctx, plane))
        yield from _within(ctx, planes)


def _planes(ctx: CheckContext) -> dict[tuple[str, int], Groups]:
    """Groups by plane; switches of no group stand in none."""
    found: defaultdict[tuple[str, int], defaultdict[int, tuple[str, ...]]] = defaultdict(lambda: defaultdict(tuple))
    for plane in ctx.planes:
        for device in plane.leaves:
            if device.group is not None:
                found[plane_of(device)][device.group] += (device.name,)
    return {plane: dict(sorted(groups.items())) for plane, groups in found.items()}


def _global_links(ctx: CheckContext, plane: tuple[str, int]) -> Counter[tuple[int, int]]:
    """Global links of a plane by the two groups that they join, the lower first."""
    found: Counter[tuple[int, int]] = Counter()
    for each in ctx.switch_links:
        low, high = each.low.group, each.high.group
        if each.link.kind == "global" and plane_of(each.low) == plane and low is not None and high is not None:
            found[min(low, high), max(low, high)] += 1
    return found


def _between(ctx: CheckContext, groups: Groups, shared: Counter[tuple[int, int]]) -> Iterator[Remark]:
    """Pairs of groups that share too few or too many global links."""
    full = max(map(len, groups.values()))
    pairs = list(combinations(groups, 2))
    whole = [pair for pair in pairs if len(groups[pair[0]]) == len(groups[pair[1]]) == full]
    told = _told(ctx, "group_links")
    usual = told if told is not None else Counter(shared[pair] for pair in whole or pairs).most_common(1)[0][0]
    slack = 0 if told is not None else SLACK_LINKS
    for pair in pairs:
        size = min(len(groups[pair[0]]), len(groups[pair[1]]))
        least, most = math.ceil(usual * size / full) - slack, usual + slack
        if not least <= shared[pair] <= most:
            due = usual if size == full else least
            message = f"its group {pair[0]} shares {shared[pair]} global links with group {pair[1]}, due are {due}"
            yield error(_odd_one(ctx, pair[0]), message, measured=shared[pair], limit=due, unit="links")


def _odd_one(ctx: CheckContext, group: int) -> str:
    """The switch of a group with the fewest global links, the first by name among equals."""
    ends = [device.name for each in ctx.switch_links for device in (each.low, each.high) if each.link.kind == "global"]
    count = Counter(ends)
    members = [d for d in ctx.topology.devices if d.is_switch and d.group == group and d.role in ("router", "spine")]
    return min(members, key=lambda device: (count[device.name], device.name)).name


def _within(ctx: CheckContext, planes: Mapping[tuple[str, int], Groups]) -> Iterator[Remark]:
    """Pairs of routers of one group that share too few or too many local links; the router with more of these."""
    if not ctx.topology.with_role("router"):
        return
    shared = Counter(
        (min(link.a.device, link.b.device), max(link.a.device, link.b.device)) for link in ctx.topology.of_kind("local")
    )
    pairs = [
        (min(pair), max(pair))
        for groups in planes.values()
        for routers in groups.values()
        for pair in combinations(routers, 2)
    ]
    told = _told(ctx, "local_width")
    common = Counter(shared[pair] for pair in pairs).most_common(1)
    usual = told if told is not None else common[0][0] if common else 0
    bad = [pair for pair in pairs if shared[pair] != usual]
    faults = Counter(name for pair in bad for name in pair)
    for pair in bad:
        where, far = sorted(pair, key=lambda name: (-faults[name], name))
        message = f"shares {shared[pair]} local links with {far}, two routers of a group share {usual}"
        yield error(where, message, measured=shared[pair], limit=usual, unit="links")


def _told(ctx: CheckContext, key: str) -> int | None:
    value = ctx.topology.parameters.get(key)
    return value if isinstance(value, int) else None
