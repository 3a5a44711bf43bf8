"""Sections of the report about what was judged: traffic, failures, findings, and what nobody could check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabric.catalog.load import Catalog
from fabric.model.design import Design
from fabric.model.report import Finding, Report
from fabric.render.failure_section import failure_section
from fabric.render.section import Section, number, table
from fabric.render.workload_sections import workload_sections

BOUND_WORDS = {
    "lp": "at most, by any routing (LP)",
    "host_links": "at most, by host links",
    "uplinks": "at most, by uplinks",
    "hops": "at most, by hops",
    "bisection": "at most, by bisection",
    "tub": "at most, by the farthest matching (TUB)",
}
"""Bounds on throughput in words."""

EQUAL_DIGITS = 9
"""Decimals beyond which two shares are the same."""

UNIFORM_BOUNDS = ("lp", "host_links", "uplinks", "hops", "bisection")
"""Bounds on uniform all-to-all."""

WORST = "worst_permutation_"
"""What the names of bounds on the worst permutation begin with."""

WORST_BOUNDS = tuple(f"{WORST}{name}" for name in ("lp", "uplinks", "tub", "bisection"))
"""Bounds on the worst permutation."""


def judgement_sections(design: Design, report: Report, catalog: Catalog) -> Iterator[Section]:
    """Sections in reading order."""
    yield _throughput(report)
    yield from workload_sections(design, report)
    yield failure_section(report)
    yield _lossless(report)
    yield _findings(report)
    yield _not_checked(report)
    yield _assumptions(report)
    yield _sources(report, catalog)
    yield _origin(report)


def _throughput(report: Report) -> Section:
    flow = report.throughput
    if flow.uniform_theta is None:
        return Section("Throughput", ("Not known: some pair of endpoints has no path, or the flow was not judged.",))
    rows = [*_bracketed("uniform all-to-all", flow.uniform_theta, flow.bounds, UNIFORM_BOUNDS)]
    if flow.worst_permutation_theta is not None:
        rows += _bracketed("worst permutation", flow.worst_permutation_theta, flow.bounds, WORST_BOUNDS)
    note = (
        "As a share of the endpoints' line rate: as routed, as the best of all routings would, and what no routing can "
        "pass, in order. What is above 1 is reserve."
    )
    return Section("Throughput", (note,), table(("traffic", "what", "share"), rows))


def _bracketed(
    traffic: str, theta: float, bounds: Mapping[str, float], names: Sequence[str]
) -> Iterator[tuple[str, str, object]]:
    """A throughput and those of its bounds that are known, the least first, that which is reached before its equals."""
    yield traffic, "as routed", theta
    known = (name for name in names if name in bounds)
    for name in sorted(known, key=lambda each: round(bounds[each], EQUAL_DIGITS)):
        yield traffic, BOUND_WORDS[name.removeprefix(WORST)], bounds[name]


def _lossless(report: Report) -> Section:
    rows = [(key.replace("_", " "), value) for key, value in report.lossless.items() if not isinstance(value, list)]
    chips = [chip for value in report.lossless.values() if isinstance(value, list) for chip in value]
    deadlock = report.deadlock
    if deadlock is None:
        words = "Whether buffers can wait in a circle was not judged."
    elif deadlock.free:
        words = f"No circle of waiting buffers; lanes needed: {deadlock.lanes_needed}"
        if deadlock.lanes_needed > 1 and deadlock.lanes_available is None:
            words = f"Free of circles of waiting buffers only where packets may change between {deadlock.lanes_needed} "
            words += "lossless lanes, and how many the switches have is not known; needed"
            words += f": {deadlock.lanes_needed}"
        words += f", with detours round a failure {deadlock.lanes_for_detours}." if deadlock.lanes_for_detours else "."
    else:
        words = f"Buffers can wait in a circle: {' > '.join(deadlock.cycle or ())}."
    return Section("Lossless", (words,), table(("what", "value"), rows), tuple(_chip(chip) for chip in chips))


def _chip(chip: Mapping[str, Any]) -> str:
    """One switch model and rate in a sentence."""
    words = [f"{chip.get('part')} at {chip.get('rate_gbps')} Gb/s"]
    words += [f"{key.replace('_', ' ')} {chip[key]}" for key in ("chip", "law", "ecn_profile") if key in chip]
    before = chip.get("ecn_before_pfc")
    if isinstance(before, Mapping):
        grades = ", ".join(f"{grade} {'holds' if held else 'fails'}" for grade, held in before.items())
        words.append(f"marking before pausing: {grades}")
    return "; ".join(words)


def _findings(report: Report) -> Section:
    rows = [(one.severity, one.rule, one.where, _message(one), one.source or "–") for one in report.findings]
    note = () if rows else ("None: every rule that could be judged holds.",)
    return Section("Findings", note, table(("severity", "rule", "where", "what", "source"), rows))


def _message(finding: Finding) -> str:
    """The message, with measured and limit where both are known."""
    if finding.measured is None or finding.limit is None:
        return finding.message
    unit = f" {finding.unit}" if finding.unit else ""
    return f"{finding.message} ({number(finding.measured)} against {number(finding.limit)}{unit})"


def _not_checked(report: Report) -> Section:
    rows = [(one.rule, one.why) for one in report.not_checked]
    note = "Silence is no pass: these rules wait for a figure." if rows else "Nothing: every rule was judged."
    return Section("Not checked", (note,), table(("rule", "why"), rows))


def _assumptions(report: Report) -> Section:
    note = () if report.assumptions else ("None.",)
    return Section("Assumptions", note, items=report.assumptions)


def _sources(report: Report, catalog: Catalog) -> Section:
    """What the parts on the bill, their prices and the findings rest on."""
    keys = {line.price_source for line in report.bill} | {finding.source for finding in report.findings}
    for line in report.bill:
        for kind in (catalog.switches, catalog.cables, catalog.transceivers):
            part = kind.get(line.part)
            keys.update(part.sources if part is not None else ())
    rows = [(key, source.title, source.publisher, source.url or "–") for key, source in _cited(keys, catalog)]
    note = "Every figure of a part names its own; fabric catalog show prints it."
    return Section("Sources", (note,), table(("key", "title", "publisher", "where"), rows))


def _cited(keys: set[str | None], catalog: Catalog) -> Iterator[tuple[str, Any]]:
    for key in sorted(key for key in keys if key):
        if key in catalog.sources:
            yield key, catalog.sources[key]


def _origin(report: Report) -> Section:
    rows = [
        (key.replace("_", " "), value if isinstance(value, int) else str(value))
        for key, value in report.provenance.items()
    ]
    return Section("Origin", () if rows else ("Read from tables.",), table(("what", "value"), rows))
