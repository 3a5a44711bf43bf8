"""Leaves, and spines below cores, with equally many uplinks; planes with equally many switches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.checks._tiers import Plane


@check("symmetry")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per leaf or spine with more or fewer uplinks than most, and per plane unlike the first.

    Leaves that `equal-spread` reports are left to it. The last unit may have fewer where the request lets it.
    """
    request = ctx.design.request
    whole = request is None or request.fabric.whole_units
    spread = request is None or not request.fabric.uneven_trunks
    last = None if whole else max((leaf.su or 0 for plane in ctx.planes for leaf in plane.leaves), default=0)
    for plane in ctx.blocks:
        yield from _leaves(plane, last, spread=spread)
    yield from _spines(ctx)
    first: dict[str, Plane] = {}
    for plane in ctx.planes:
        twin = first.setdefault(plane.fabric, plane)
        if (len(plane.leaves), len(plane.spines)) != (len(twin.leaves), len(twin.spines)):
            message = (
                f"plane {plane.number} has {len(plane.leaves)} {plane.what} and {len(plane.spines)} spines, plane "
            )
            message += f"{twin.number} has {len(twin.leaves)} and {len(twin.spines)}"
            measured, limit = (len(each.leaves) + len(each.spines) for each in (plane, twin))
            yield error(plane.leaves[0].name, message, measured=measured, limit=limit, unit="switches")


def _leaves(plane: Plane, last: int | None, *, spread: bool) -> Iterator[Remark]:
    """Leaves unlike most, those of the unit `last` aside."""
    if not plane.spines:
        return
    judged = [
        (leaf, int(row.sum()))
        for leaf, row in zip(plane.leaves, plane.trunks, strict=True)
        if not (spread and row.min() != row.max()) and (leaf.su or 0) != last
    ]
    usual = Counter(uplinks for _, uplinks in judged).most_common(1)
    for leaf, uplinks in judged:
        if uplinks != usual[0][0]:
            message = f"has {uplinks} uplinks where most leaves of its plane have {usual[0][0]}"
            yield error(leaf.name, message, measured=uplinks, limit=usual[0][0], unit="links")


def _spines(ctx: CheckContext) -> Iterator[Remark]:
    """Spines below cores unlike most."""
    cores = {core.name for core in ctx.topology.with_role("core")}
    uplinks = Counter(each.low.name for each in ctx.switch_links if each.high.name in cores)
    spines = ctx.topology.with_role("spine") if cores else ()
    usual = Counter(uplinks[spine.name] for spine in spines).most_common(1)
    for spine in spines:
        if uplinks[spine.name] != usual[0][0]:
            message = f"has {uplinks[spine.name]} uplinks where most spines have {usual[0][0]}"
            yield error(spine.name, message, measured=uplinks[spine.name], limit=usual[0][0], unit="links")
