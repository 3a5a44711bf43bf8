"""Rail wiring: port k of every node of a unit on the leaf or router of rail k."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.checks._tiers import Access
from fabric.checks._wiring import named_rail, rail_of, rails_of, wiring
from fabric.model.topology import EDGE_ROLES, Device


@check("rail-alignment")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link that mixes rails or units, and per leaf that does not serve rails of its own.

    A router is judged as a leaf is.
    """
    if wiring(ctx) != "rail" or all(len(plane.leaves) == 1 for plane in ctx.planes):
        return
    links = [each for each in ctx.accesses if each.device.role == "node" and each.leaf.is_edge]
    served = _served(ctx, links)
    yield from _leaves(ctx, served)
    for access in links:
        reason = _misaligned(access, served)
        if reason is not None:
            message, rail = reason
            yield error(access.link.name, message, measured=rail, limit=_text(served[access.leaf.name]))


def _misaligned(access: Access, served: Mapping[str, tuple[int, ...]]) -> tuple[str, int | None] | None:
    """Why a link is in the wrong place, with its rail; None when it is right."""
    rail, leaf = rail_of(access), access.leaf
    named = named_rail(access)
    if rail is None:
        return "belongs to no rail", None
    if named is not None and named != rail:
        return f"is of rail {rail} by the table, of rail {named} by the name of its port", rail
    if rail not in served[leaf.name]:
        rails = _text(served[leaf.name])
        return f"rail {rail} of {access.device.name} ends at {leaf.name}, which serves rail {rails}", rail
    if None not in (access.device.su, leaf.su) and access.device.su != leaf.su:
        return f"{access.device.name} is of unit {access.device.su}, {leaf.name} of unit {leaf.su}", rail
    return None


def _served(ctx: CheckContext, links: list[Access]) -> dict[str, tuple[int, ...]]:
    """Rails of every leaf: what it says, else the rails that most of its links have."""
    count = ctx.topology.parameters.get("rails_per_leaf", 1)
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for access in links:
        rail = rail_of(access)
        if rail is not None:
            seen[access.leaf.name][rail] += 1
    return {
        leaf.name: rails_of(leaf) or tuple(rail for rail, _ in seen[leaf.name].most_common(int(count)))
        for leaf in ctx.topology.with_role(*EDGE_ROLES)
    }


def _leaves(ctx: CheckContext, served: Mapping[str, tuple[int, ...]]) -> Iterator[Remark]:
    """Leaves that serve more or fewer rails than planned, or a rail that another leaf of their unit serves.

    A grid may have routers without nodes, which serve none.
    """
    count = ctx.topology.parameters.get("rails_per_leaf")
    first: dict[tuple[str, int | None, int | None, int], Device] = {}
    idle = {router.name for router in ctx.topology.with_role("router")} - {each.leaf.name for each in ctx.accesses}
    for leaf in ctx.topology.with_role(*EDGE_ROLES):
        rails = served[leaf.name]
        if not rails and leaf.name in idle:
            continue
        if isinstance(count, int) and len(rails) != count:
            message = f"serves rails {_text(rails)}, a {leaf.role} of this design serves {count}"
            yield error(leaf.name, message, measured=len(rails), limit=count, unit="rails")
        for rail in rails if leaf.su is not None else ():
            other = first.setdefault((leaf.fabric, leaf.plane, leaf.su, rail), leaf)
            if other is not leaf:
                yield error(leaf.name, f"serves rail {rail} of unit {leaf.su}, and so does {other.name}", measured=rail)


def _text(rails: tuple[int, ...]) -> str:
    return "+".join(map(str, rails)) or "none"
