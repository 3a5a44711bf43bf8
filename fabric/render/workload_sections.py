"""Sections of the report about workloads: times, where the time goes, what limits, and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabric.model.design import Design
from fabric.model.report import Change, FairShare, Report, Sharing, WorkloadResult
from fabric.render.latency_section import latency_section
from fabric.render.section import Section, number, percent, table

_SHOWN_US = 0.05
"""Least change [us] that a table of changes shows as one."""


def workload_sections(design: Design, report: Report) -> Iterator[Section]:
    """Sections in reading order; those after the first only where a workload was timed."""
    yield _workloads(design, report)
    timed = [one for one in report.workloads if one.terms]
    if timed:
        yield _phases(timed)
        yield _terms(timed)
        if (ways := latency_section(timed)) is not None:
            yield ways
        beside = [(one.name, one.sharing) for one in timed if one.sharing is not None]
        if beside:
            yield _sharing(beside)
        yield _links(timed)
        yield _changes(timed)


def _workloads(design: Design, report: Report) -> Section:
    asked = design.request.workloads if design.request is not None else ()
    limits = {one.name: one.limit_us for one in asked}
    rows = [
        (
            one.name,
            one.pattern.replace("_", " "),
            *(_timed(one.time_us.get(key), getattr(limits.get(one.name), key, None)) for key in ("p50", "p99", "p999")),
            one.ideal_us,
            _bottleneck(one),
            one.stack or "–",
        )
        for one in report.workloads
    ]
    heading = ("workload", "pattern", "p50 us", "p99 us", "p99.9 us", "ideal us", "busiest link", "stack")
    parts = tuple(
        f"{one.name}: " + ", ".join(f"{name.removesuffix('_us')} {number(us)} us" for name, us in one.parts.items())
        for one in report.workloads
        if one.parts
    )
    note = (
        "Predicted times of one layer or one collective, by a model fitted to published measurements."
        if rows
        else "None asked."
    )
    return Section("Workloads", (note,), table(heading, rows), parts)


def _timed(time_us: float | None, limit_us: float | None) -> str:
    """A time beside the limit that the request sets it, if any [us]."""
    if limit_us is None:
        return number(time_us)
    word = "over limit" if time_us is not None and time_us > limit_us else "limit"
    return f"{number(time_us)} ({word} {number(limit_us)})"


def _bottleneck(workload: WorkloadResult) -> str:
    busiest = workload.bottleneck
    return f"{busiest.link} ({percent(min(busiest.utilization, 1.0))} busy)" if busiest is not None else "–"


def _phases(timed: list[WorkloadResult]) -> Section:
    """What every phase offers, the least that it can take, and what takes most of it."""
    rows = [
        (
            one.name,
            _phase(one, each.phase),
            each.offered_bytes / 1e6,
            each.ideal_us,
            *(each.time_us[key] for key in ("p50", "p99", "p999")),
            each.dominant.replace("_", "-"),
        )
        for one in timed
        for each in one.phases
    ]
    heading = ("workload", "phase", "offered MB", "at least us", "p50 us", "p99 us", "p99.9 us", "mostly")
    note = (
        "Bytes of all ranks into the network, what those of one port take at line rate, and the term that takes most."
    )
    return Section("Phases", (note,), table(heading, rows))


def _terms(timed: list[WorkloadResult]) -> Section:
    """What the time of every phase is made of; sharing only where workloads run beside each other."""
    shown = ["bytes", "skew", "links", "messages", "scale_up", "queueing", "retransmission"]
    shown += ["sharing"] if any(one.sharing for one in timed) else []
    rows = []
    for one in timed:
        for part, median_us in one.parts.items():
            phase = part.removesuffix("_us")
            terms = {
                key.removeprefix(f"{phase}_"): us for key, us in (one.terms or {}).items() if key.startswith(phase)
            }
            fixed = terms["alpha0_us"] + terms["alpha1_us"] + terms["steps_us"]
            way = terms["hops_us"] + terms["cables_us"]
            rest = (terms[f"{key}_us"] for key in shown)
            rows.append((one.name, _phase(one, phase), median_us, fixed, way, *rest))
    words = ("resent" if key == "retransmission" else key.replace("_", "-") for key in shown)
    heading = ("workload", "phase", "median", "fixed", "way", *words)
    note = "In us. Bytes with skew, links, messages and what stays in scale-up domains overlap: the longest counts."
    return Section(
        "Where the time goes", (note,), table(heading, rows), tuple(_token(one) for one in timed if one.token_us)
    )


def _phase(one: WorkloadResult, phase: str) -> str:
    """A phase, with the protocol that a library with several would choose."""
    name, protocol = phase.replace("_", " "), one.protocols.get(phase, phase)
    return name if protocol in {phase, "exchange"} else f"{name} ({protocol.replace('_', ' ')})"


def _sharing(beside: list[tuple[str, Sharing]]) -> Section:
    """Where workloads that run at the same time meet, and what that costs."""
    rows = [
        (
            name,
            ", ".join(sharing.beside),
            sharing.link or "no link",
            sharing.workload or "–",
            "–" if sharing.wanted is None else percent(sharing.wanted),
            *(sharing.added_us[key] for key in ("p50", "p99", "p999")),
        )
        for name, sharing in beside
    ]
    heading = ("workload", "runs beside", "they meet on", "with", "wanted there", "p50 us", "p99 us", "p99.9 us")
    note = (
        "Each on nodes of its own. Of the links that others use too, the one that takes longest, who uses it most and "
        "for how much of the time, and what waiting for them adds, over what they may be doing: phase after phase "
        "without a pause, as fast as alone, for they are not slowed down in turn."
    )
    return Section("Jobs side by side", (note,), table(heading, rows))


def _token(one: WorkloadResult) -> str:
    ends = (
        f"{number(times['p50'] / 1000)} ms (p99 {number(times['p99'] / 1000)}) if it is {how}"
        for how, times in _ends(one)
    )
    return f"{one.name}, all layers of a token: {', '.join(ends)}"


def _ends(one: WorkloadResult) -> Iterator[tuple[str, dict[str, float]]]:
    words = {"independent": "another rank that is slowest in each layer", "persistent": "always the same one"}
    for how, times in (one.token_us or {}).items():
        yield words[how], dict(times)


def _links(timed: list[WorkloadResult]) -> Section:
    """Use of the links by kind, and the flows on the busiest one."""
    rows = [
        (one.name, use.where.replace("_", "-"), use.links, *(percent(each) for each in (use.mean, use.p99, use.worst)))
        for one in timed
        for use in one.kinds
    ]
    flows = tuple(
        f"{one.name}, on {one.bottleneck.link}: "
        + ", ".join(f"{each.source} > {each.target} {percent(each.share)}" for each in one.flows)
        for one in timed
        if one.bottleneck is not None and one.flows
    )
    flows += tuple(_least(one.name, one.links_us) for one in timed if one.links_us)
    flows += tuple(_fair(one.name, one.fair) for one in timed if one.fair is not None)
    heading = ("workload", "links", "number", "mean", "p99 of links", "busiest")
    note = (
        "Share of the phase in which a link carries payload, in its busier direction; below, the largest flows there."
    )
    return Section("Links in use", (note,), table(heading, rows), flows)


def _least(name: str, links_us: Mapping[str, float]) -> str:
    """How long the fullest link takes, and what any routing of the same links would take at least."""
    least_us = max(us for bound, us in links_us.items() if bound != "routed")
    best = "the best of all routings takes" if "lp" in links_us else "no routing takes less than"
    return f"{name}, fullest link as routed: {number(links_us['routed'])} us; {best} {number(least_us)} us"


_AS_GOOD = 1 - 1e-6
"""Ratio of two rates from which they count as equal."""


def _fair(name: str, fair: FairShare) -> str:
    """What a transfer gets at least and on average, and what it would get if ports were the only limit."""
    words = f"{name}, fair rates of {number(fair.transfers)} transfers: the slowest {number(fair.slowest_gbps)} Gb/s"
    if fair.slowest_gbps >= fair.ports_gbps * _AS_GOOD:
        return f"{words}, as ports alone would allow"
    return (
        f"{words} ({percent(fair.at_slowest)} of them), the mean {number(fair.mean_gbps)}; "
        f"ports alone would allow the slowest {number(fair.ports_gbps)}"
    )


def _changes(timed: list[WorkloadResult]) -> Section:
    """What one change each does to the p99."""
    rows = [
        (one.name, kind, each.change, each.p99_us, _delta(each))
        for one in timed
        for kind, changes in (("could help", one.helps), ("depends on", one.sensitivity))
        for each in changes
    ]
    note = "The p99 with one thing changed and all else as it is, predicted by the same model."
    return Section(
        "What helps and what matters", (note,), table(("workload", "", "change", "p99 us", "difference us"), rows)
    )


def _delta(change: Change) -> str:
    return "none" if abs(change.delta_us) < _SHOWN_US else f"{change.delta_us:+,.1f}"
