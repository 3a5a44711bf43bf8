"""Whether a fabric of this family runs on its switches today."""

from __future__ import annotations

from fabric.catalog.constants import GRADES
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, warning
from fabric.nos.port_names import nos_of

SHIPPING = "shipping"
"""The grade below which something is missing."""


@check("family-support")
def judge(ctx: CheckContext) -> Verdict:
    """Yield a warning that names the missing piece where the family is below shipping on the tables' system."""
    family, layer = ctx.topology.family, ctx.link_layer
    if layer is None:
        yield Gap("the link layer of the switches is not known")
        return
    found = [each for each in ctx.catalog.family_support.values() if (each.family, each.nos) == (family, nos_of(layer))]
    if not found:
        yield Gap(f"how far a {family} runs on {nos_of(layer)} is not known")
    for each in found:
        if each.grade != SHIPPING:
            message = f"a {family} on {each.nos} is {GRADES[each.grade]}: it lacks {each.missing}"
            source = ", ".join(each.sources)
            yield warning(ctx.design.name, message, measured=each.grade, limit=SHIPPING, source=source)
