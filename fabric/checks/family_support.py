"""Whether a fabric of this family runs on its switches today."""

from __future__ import annotations

from fabric.catalog.constants import GRADES, SHIPPING
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, warning
from fabric.model.request import FAMILY_WORDS
from fabric.nos.port_names import nos_of


@check("family-support")
def judge(ctx: CheckContext) -> Verdict:
    """Yield a warning that names the missing piece where the family is below shipping on the tables' system."""
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
