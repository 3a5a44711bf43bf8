"""A leaf's uplinks in equal trunks over all spines of its plane or group, a spine's over the cores that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error


@check("equal-spread")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per leaf or spine whose trunks differ, unless the request allows uneven trunks."""
    if ctx.design.request is not None and ctx.design.request.fabric.uneven_trunks:
        return
    for plane in ctx.blocks:
        if not plane.spines:
            continue
        least, most = plane.trunks.min(axis=1), plane.trunks.max(axis=1)
        for row in (least != most).nonzero()[0]:
            thin, thick = (
                plane.spines[int(column)].name for column in (plane.trunks[row].argmin(), plane.trunks[row].argmax())
            )
            yield error(
                plane.leaves[int(row)].name,
                f"has {most[row]} links to {thick} and {least[row]} to {thin}; its uplinks spread equally over spines",
                measured=int(least[row]),
                limit=int(most[row]),
                unit="links",
            )
    yield from _below_cores(ctx)


def _below_cores(ctx: CheckContext) -> Iterator[Remark]:
    trunks: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in ctx.switch_links:
        if each.high.role == "core":
            trunks[each.low.name][each.high.name] += 1
    for spine, cores in trunks.items():
        (thick, most), (thin, least) = cores.most_common(1)[0], cores.most_common()[-1]
        if least != most:
            message = f"has {most} links to {thick} and {least} to {thin}; its uplinks spread equally over cores"
            yield error(spine, message, measured=least, limit=most, unit="links")
