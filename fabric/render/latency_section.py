"""Section of the report about small messages: the longest way of every workload, link by link."""

from __future__ import annotations

from collections.abc import Sequence

from fabric.model.latency import LatencyBudget
from fabric.model.report import WorkloadResult
from fabric.render.section import Section, number, table

_HEADING = ("workload", "link", "m", "cable", "codewords", "first bytes", "to", "rest of packet", "switch", "so far")


def latency_section(timed: Sequence[WorkloadResult]) -> Section | None:
    """The longest way of every workload, its mean, and what the assumed hop does; None where none has any."""
    budgets = [(one, one.latency) for one in timed if one.latency is not None]
    if not budgets:
        return None
    rows = [row for one, budget in budgets for row in _rows(one.name, budget)]
    items = tuple(sentence for one, budget in budgets for sentence in (_mean(one.name, budget), _range(one, budget)))
    note = (
        "In ns, link by link, of the longest of the shortest ways between ports below leaves or routers that talk."
        " Whole packets are waited for only where the way out of a switch is faster than the way in."
    )
    return Section("Way of a small message", (note,), table(_HEADING, rows), items)


def _rows(name: str, budget: LatencyBudget) -> list[tuple[object, ...]]:
    """The ends, and one row a link."""
    so_far = budget.ends_ns
    rows: list[tuple[object, ...]] = [(name, "both ends", "–", "–", "–", "–", "–", "–", "–", so_far)]
    for hop in budget.longest:
        so_far += hop.cable_ns + hop.fec_ns + hop.first_ns + hop.stored_ns + hop.switch_ns
        code = f"{number(hop.fec_ns)} ({hop.fec or 'code not known'})"
        switch = f"{number(hop.switch_ns)} ({'published' if hop.is_published else 'assumed'})" if hop.switch_ns else "–"
        shown = (hop.cable_m, hop.cable_ns, code, hop.first_ns, hop.device, hop.stored_ns, switch, so_far)
        rows.append((name, hop.link, *shown))
    return rows


def _mean(name: str, budget: LatencyBudget) -> str:
    mean, series = budget.mean_ns, f", {budget.ways:,} of them in series" if budget.ways > 1 else ""
    parts = ", ".join(f"{key.replace('_', ' ')} {number(ns)}" for key, ns in mean.items() if key != "total")
    return (
        f"{name}, mean over all bytes: {number(mean['total'])} ns ({parts}){series}; {number(budget.fitted_ns)} ns of a"
        " way are inside the fixed time of the stack"
    )


def _range(one: WorkloadResult, budget: LatencyBudget) -> str:
    least, most = (budget.hop_ns[key] for key in ("least", "most"))
    low, high = (number(budget.p50_us[key]) for key in ("least", "most"))
    return (
        f"{one.name}, {budget.assumption}; with the least and the most that was published, {number(least)} and"
        f" {number(most)} ns with that cable, its p50 is {low} and {high} us instead of {number(one.time_us['p50'])}"
    )
