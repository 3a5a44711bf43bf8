"""Whether a fabric of this family runs on its switches today."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.constants import GRADES, SHIPPING
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, warning
from fabric.model.request import FAMILY_WORDS
from fabric.nos.port_names import nos_of


@check("family-support")
def judge(ctx: CheckContext) -> Verdict:
    """Yield a warning that names the missing piece where the family is below shipping on the tables' system.

    And one per key of the request that spreads packets as the family's routing there cannot.
    """
    family, layer = ctx.topology.family, ctx.link_layer
    if layer is None:
        yield Gap("the link layer of the switches is not known")
        return
    words = FAMILY_WORDS.get(family, family)
    found = ctx.catalog.support_of(family, nos_of(layer))
    if found is None:
        yield Gap(f"how far a {words} runs on {nos_of(layer)} is not known")
    elif found.grade != SHIPPING:
        message = f"a {words} on {found.nos} is {GRADES[found.grade]}: it lacks {found.missing}"
        source = ", ".join(found.sources)
        yield warning(ctx.design.name, message, measured=found.grade, limit=SHIPPING, source=source)
    if found is not None and found.load_balancing is not None:
        yield from _unsupported(ctx, f"a {words} on {found.nos}", found.load_balancing)


def _unsupported(ctx: CheckContext, fabric: str, known: tuple[str, ...]) -> Iterator[Remark]:
    """Ways to spread packets that the request names and the routing of the family lacks: figures better than it gives.

    Whoever takes longer ways needs switches that choose among them.
    """
    request = ctx.design.request
    if request is None:
        return
    asked = {f"workloads.{each.name}.routing": each.routing for each in request.workloads}
    for key, way in {"transport.load_balancing": request.transport.load_balancing, **asked}.items():
        if way not in ("auto", "minimal") and {"valiant": "adaptive", "ugal": "adaptive"}.get(way, way) not in known:
            message = (
                f"{key} asks for {way}, and figures follow it; {fabric} spreads packets by {' or '.join(known)} alone, "
                "as auto would take it"
            )
            yield warning(ctx.design.name, message, measured=way, limit=", ".join(known))
