"""What a candidate must hold to be taken: the request's limits on the whole fabric and on its workloads, in words.

Times depend on the port map alone, not on cables, so a shape is judged exactly before it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.bill import bill
from fabric.catalog.breach import breaches
from fabric.catalog.load import Catalog
from fabric.checks import CheckContext, survival, tray_fill, workload_limit
from fabric.checks._protocol import Remark
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.pipeline.flow_judgement import judge_flow
from fabric.pipeline.objective import Worth


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
    numbers_count = len(bill(design, catalog))
    for each in breaches(design.request.limits, worth.money, worth.power, numbers_count):
        yield f"{each.key}: {each.message}"
    yield from _overfull(design, catalog)


def _overfull(design: Design, catalog: Catalog) -> Iterator[str]:
    """The trays whose cables take more than their share, the first of them by name."""
    if design.floor_plan is None or design.placement is None:
        return
    remarks = tray_fill.judge(CheckContext(design, catalog))
    full = [f"tray {each.where}: {each.message}" for each in remarks if isinstance(each, Remark)]
    if full:
        yield full[0] + (f"; trays overfilled: {len(full)}" if full[1:] else "")
