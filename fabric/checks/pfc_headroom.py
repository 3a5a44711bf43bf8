"""PFC headroom of every RoCE switch port against what must fit into it."""

from __future__ import annotations

from functools import cache

from fabric.checks._context import CheckContext
from fabric.checks._lossless import lossless_ends, stale
from fabric.checks._physics import headroom_floor_bytes
from fabric.checks._protocol import Gap, Verdict, check, error


@check("pfc-headroom", "request", "settings")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per port without a lossless row, with one for another link, or with too little headroom."""
    if ctx.asked_layer != "ethernet":
        return
    if not ctx.settings.lossless:
        yield Gap("no port has lossless settings")
        return
    qos = ctx.request.qos

    @cache
    def floor_bytes(part: str | None, rate_gbps: int, cable_m: float, medium: str) -> float:
        switch = ctx.catalog.switches.get(part or "")
        chip = ctx.catalog.chips.get(switch.figure("chip") or "") if switch is not None else None
        return headroom_floor_bytes(rate_gbps, cable_m, medium, qos.mtu, chip)

    for end in lossless_ends(ctx, qos.rdma_priority):
        row = end.row
        if row is None or row.xoff is None:
            yield error(end.where, f"has no headroom for priority {qos.rdma_priority}, which must not drop")
            continue
        reason = stale(end, row)
        medium = end.cable.medium if end.cable is not None else "dac"
        least = floor_bytes(end.device.part, row.rate_gbps, row.cable_m, medium)
        if reason is not None:
            yield error(end.where, reason)
        elif row.xoff < least:
            message = f"has {row.xoff} bytes of headroom; {row.rate_gbps}G over {row.cable_m:g} m needs {least:.0f}"
            yield error(end.where, message, measured=row.xoff, limit=round(least), unit="bytes", source="ieee-802.3")
