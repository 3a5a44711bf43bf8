"""Links between switches of the kinds that the design's family has."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.model.request import FAMILY_WORDS


@check("family")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error where no rule knows how the family is routed, or links are of kinds that it has not."""
    family = ctx.topology.family
    if family not in FAMILY_WORDS:
        known = ", ".join(FAMILY_WORDS)
        yield error(ctx.design.name, f"family {family} is none that is known: {known}", measured=family, limit=known)
    elif ctx.strange_links:
        kinds = sorted({link.kind for link in ctx.strange_links})
        where = ctx.design.name if len(ctx.strange_links) > 1 else ctx.strange_links[0].name
        message = f"has {len(ctx.strange_links)} {' and '.join(kinds)} links, and a {FAMILY_WORDS[family]} has none"
        yield error(where, message, measured=len(ctx.strange_links), limit=0, unit="links")
