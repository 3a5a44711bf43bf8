"""A pluggable at every end of a fibre, and nowhere else."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("pluggable-match", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per fibre end without a pluggable, and per pluggable that no fibre needs."""
    for cage, cables in ctx.cables_in.items():
        glass = [cable for cable in cables if ctx.is_fibre(cable)]
        kind = ctx.kinds.get(cage)
        inside = kind is not None and kind.co_packaged
        if glass and not inside and cage not in ctx.pluggables:
            yield error(place(cage), f"{glass[0].name} is a fibre and needs a pluggable here", measured=0, limit=1)
        elif inside and cage in ctx.pluggables:
            yield error(place(cage), "the optics are inside this switch, it takes no pluggable", measured=1, limit=0)
        elif not glass and cage in ctx.pluggables:
            message = f"{cables[0].name} brings its own ends, no pluggable fits beside it"
            yield error(place(cage), message, measured=1, limit=0)
    preload = ctx.design.request is not None and ctx.design.request.fabric.preload_optics
    for cage in ctx.pluggables:
        if cage not in ctx.cages and not preload:
            yield error(place(cage), "holds a pluggable and no link ends here", measured=1, limit=0)
