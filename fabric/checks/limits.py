"""Upper limits of the request on the whole fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.bill import Totals
from fabric.catalog.breach import breaches, known_share
from fabric.catalog.power import Draw
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error, warning
from fabric.model.request import Limits


@check("limits", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per limit that is passed by what is known, one warning per limit that planning figures pass.

    A limit that what is known keeps is not checked as long as something is not known.
    """
    money, drawn = ctx.money, ctx.drawn
    passed = list(breaches(ctx.request.limits, money, drawn, len(ctx.bill)))
    for each in passed:
        remark = error if each.is_proved else warning
        yield remark(each.key, each.message, measured=each.measured, limit=each.limit, unit=each.unit)
    proved = {each.key for each in passed if each.is_proved}
    is_priced = all(line.price_usd is not None for line in ctx.bill)
    gaps = _gaps(ctx.request.limits, money, drawn, is_priced=is_priced)
    yield from (gap for key, gap in gaps if key not in proved)


def _gaps(limits: Limits, money: Totals, drawn: Draw, *, is_priced: bool) -> Iterator[tuple[str, Gap]]:
    """What of each limit what is known leaves open, by key."""
    if limits.budget_usd is not None and not is_priced:
        share = known_share(money.known_cents, money.planning_cents)
        why = f"budget_usd: some parts have no known price; known are {share} of the sum with planning values"
        yield "limits.budget_usd", Gap(why)
    if limits.power_kw is not None and not drawn.all_known:
        share = known_share(drawn.known_mw, drawn.planning_mw)
        why = f"power_kw: the power of some parts is not known; known are {share} of the sum with planning watts"
        yield "limits.power_kw", Gap(why)
