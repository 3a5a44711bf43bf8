"""ECN thresholds in order, and below the point where pausing begins."""

from __future__ import annotations

from fabric.catalog.constants import Chip
from fabric.checks._context import CheckContext
from fabric.checks._lossless import lossless_ends
from fabric.checks._protocol import Gap, Verdict, check, error, warning

MOST_PCT = 100.0


@check("ecn-thresholds", "request", "settings")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per port that marks in no order or only after pausing, a warning where full marking comes late.

    One ingress port pauses at alpha·B/(1 + alpha) of a shared pool of B bytes, alpha = 2^n. Source: sai.
    """
    if ctx.asked_layer != "ethernet":
        return
    for end in lossless_ends(ctx, ctx.request.qos.rdma_priority):
        row = end.row
        if row is None or row.kmin is None or row.kmax is None or row.pmax is None:
            continue
        if not (0 < row.kmin < row.kmax and 0 < row.pmax <= MOST_PCT):
            message = f"marks from {row.kmin} to {row.kmax} bytes at {row.pmax:g} %; 0 < kmin < kmax, 0 < pmax <= 100"
            yield error(end.where, message, measured=row.kmin, limit=row.kmax, unit="bytes")
            continue
        switch = ctx.switch(end.device)
        chip = ctx.catalog.chips.get(switch.figure("chip") or "") if switch is not None else None
        pause_bytes = _pause_bytes(chip) if chip is not None else None
        if pause_bytes is None:
            yield Gap(f"the shared pool of {end.device.part} is not known")
        elif row.kmax >= pause_bytes:
            say = error if row.kmin >= pause_bytes else warning
            message = f"marks from {row.kmin} to {row.kmax} bytes, one port pauses at {pause_bytes:.0f}"
            yield say(end.where, message, measured=row.kmax, limit=round(pause_bytes), unit="bytes")


def _pause_bytes(chip: Chip) -> float | None:
    """Queue at which a single ingress port pauses [bytes], None where the pool is not known."""
    if chip.lossless_pool_bytes is None:
        return None
    alpha = float(2**chip.dynamic_th)
    return alpha / (1 + alpha) * (chip.lossless_pool_bytes - chip.headroom_pool_bytes)
