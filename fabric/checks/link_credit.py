"""InfiniBand credit of every switch port against the loop of its link."""

from __future__ import annotations

from fabric.catalog.constants import IbChip
from fabric.checks._context import CheckContext
from fabric.checks._lossless import lossless_ends, stale
from fabric.checks._physics import credit_floor_bytes
from fabric.checks._protocol import Gap, Verdict, check, error


@check("link-credit", "request", "settings")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per port without credit for full rate on each lane, and per port without a lane."""
    if ctx.asked_layer != "infiniband":
        return
    if not ctx.settings.lossless:
        yield Gap("no port has credits")
        return
    for end in lossless_ends(ctx, None):
        row = end.row
        if row is None or row.credit is None or not row.virtual_lanes:
            yield error(end.where, "has no virtual lane or no credit")
            continue
        reason = stale(end, row)
        if reason is not None:
            yield error(end.where, reason)
            continue
        chip = _chip(ctx, end.device.part)
        if chip is None:
            yield Gap(f"how long {end.device.part} takes to return a credit is not known")
            continue
        least = credit_floor_bytes(row.rate_gbps, row.cable_m, end.cable.medium if end.cable else "dac", chip)
        if row.credit < least:
            message = (
                f"has {row.credit} bytes of credit a lane; {row.rate_gbps}G over {row.cable_m:g} m needs {least:.0f}"
            )
            yield error(
                end.where, message, measured=row.credit, limit=round(least), unit="bytes", source=chip.sources[0]
            )


def _chip(ctx: CheckContext, part: str | None) -> IbChip | None:
    switch = ctx.catalog.switches.get(part or "")
    return ctx.catalog.ib_chips.get(switch.figure("chip") or "") if switch is not None else None
