"""As many spines as the request wants at least."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.model.request import Fabric


@check("spine-count")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per plane of several leaves, or group of one, with fewer spines than `min_spines`."""
    request = ctx.design.request
    least = request.fabric.min_spines if request is not None else int(Fabric.model_fields["min_spines"].default)
    for plane in ctx.blocks:
        if plane.leaves[0].role == "leaf" and len(plane.leaves) > 1 and len(plane.spines) < least:
            where = (plane.spines or plane.leaves)[0].name
            message = f"plane {plane.number} has {len(plane.spines)} spines, at least {least} are asked"
            yield error(where, message, measured=len(plane.spines), limit=least, unit="spines")
