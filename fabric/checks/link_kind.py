"""Kinds of links against the roles of the devices that they join."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._tiers import ends

TIERS = {
    frozenset({"leaf", "spine"}): "leaf_spine",
    frozenset({"spine", "core"}): "spine_core",
    frozenset({"endpoint", "leaf"}): "node_leaf",
    frozenset({"endpoint", "router"}): "node_router",
}
"""Kind of a link by the roles at its ends; links between routers have kinds of their own."""


@check("link-kind")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link whose devices cannot be the two ends of its kind."""
    for link, a, b in ends(ctx.topology):
        roles = frozenset(device.role if device.is_switch else "endpoint" for device in (a, b))
        kind = TIERS.get(roles)
        if roles != {"router"} and kind != link.kind:
            message = f"joins {a.role} {a.name} and {b.role} {b.name}, which is no {link.kind} link"
            yield error(link.name, message, measured=link.kind, limit=kind or "no such link")
