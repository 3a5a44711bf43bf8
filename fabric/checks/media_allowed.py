"""Media against the request."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.model.topology import NODE_KINDS


@check("media-allowed", "request", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cable whose medium the request does not allow on its layer."""
    media = ctx.request.fabric.media
    for name, links in ctx.carried.items():
        cable = ctx.cable.get(name)
        below = links[0].kind in NODE_KINDS
        allowed = media.node_leaf if below else media.leaf_spine
        if cable is not None and cable.medium not in allowed:
            layer = "node_leaf" if below else "leaf_spine"
            message = f"is {cable.medium}; media.{layer} allows {', '.join(allowed)}"
            yield error(name, message, measured=cable.medium, limit=", ".join(allowed))
