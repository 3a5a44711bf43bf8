"""What a candidate must hold to be taken: the request's limits on the whole fabric and on its workloads, in words.

Times depend on the port map alone, not on cables, so a shape is judged exactly before it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.bill import bill
from fabric.catalog.load import Catalog
from fabric.checks import CheckContext, survival, tray_fill, workload_limit
from fabric.checks._protocol import Remark
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.pipeline.flow_judgement import judge_flow
from fabric.pipeline.objective import Worth
from fabric.units import cents_to_usd, milliwatts_to_watts

MW_PER_KW = 1_000_000


def broken_workload(topology: Topology, request: Request, catalog: Catalog) -> str | None:
    """The first workload limit that a port map breaks, as it is or with the elements down that it must survive."""
    design = Design(request, None, topology)
    ctx = CheckContext(design, catalog, judge_flow(design, catalog, survival.kinds_asked(request.survive)))
    for rule in (workload_limit, survival):
        for remark in rule.judge(ctx):
            if getattr(remark, "severity", None) == "error":
                return f"{remark.where}: {remark.message}"
    return None


def broken_limit(design: Design, worth: Worth, catalog: Catalog) -> str | None:
    """The limits on the whole fabric, and trays, that a design breaks; an unknown counts at its planning figure."""
    reasons = "; ".join(_broken(design, worth, catalog))
    return f"laid out in full and breaks a limit: {reasons}" if reasons else None


def _broken(design: Design, worth: Worth, catalog: Catalog) -> Iterator[str]:
    if design.request is None:
        return
    limits = design.request.limits
    usd = cents_to_usd(worth.money.planning_cents)
    if limits.budget_usd is not None and usd > limits.budget_usd:
        unit = "USD" if worth.money.all_priced else "planning USD, prices and planning values together"
        yield f"budget_usd {limits.budget_usd:,.2f}: it comes to {usd:,.2f} {unit}"
    if limits.power_kw is not None and worth.power.planning_mw > limits.power_kw * MW_PER_KW:
        kilowatts = milliwatts_to_watts(worth.power.planning_mw) / 1000
        unit = "kW" if worth.power.all_known else "kW, known power and planning watts together"
        yield f"power_kw {limits.power_kw:g}: it draws {kilowatts:,.6g} {unit}"
    parts_count = len(bill(design, catalog)) if limits.part_numbers is not None else 0
    if limits.part_numbers is not None and parts_count > limits.part_numbers:
        yield f"part_numbers {limits.part_numbers}: it is made of {parts_count} orderable numbers"
    yield from _overfull(design, catalog)


def _overfull(design: Design, catalog: Catalog) -> Iterator[str]:
    """The trays whose cables take more than their share, the first of them by name."""
    if design.floor_plan is None or design.placement is None:
        return
    remarks = tray_fill.judge(CheckContext(design, catalog))
    full = [f"tray {each.where}: {each.message}" for each in remarks if isinstance(each, Remark)]
    if full:
        yield full[0] + (f"; trays overfilled: {len(full)}" if full[1:] else "")
