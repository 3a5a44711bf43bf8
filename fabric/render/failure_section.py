"""The section on single failures: the worst of every kind, equals counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabric.model.report import Failure, Report
from fabric.render.section import Section, counted, table

SHOWN = 3
"""Classes of each kind that a reader is shown."""

KIND_WORDS = {"node_link": "node link"}
"""What a kind is called where that is not its name."""


def failure_section(report: Report) -> Section:
    """What is left with one element down, the worst few of each kind, worst first over all of them."""
    if not report.failures:
        return Section("Failures", ("None were simulated.",))
    note = (
        "What is left with one element down, worst first over all kinds, the worst few of each; endpoints that are cut "
        "off leave the traffic. Throughput is uniform all-to-all as a share of line rate; changes are against the "
        "whole fabric."
    )
    kinds = by_kind(report.failures)
    shown = sorted((failure for failures in kinds for failure in failures[:SHOWN]), key=rank)
    rows = [_row(failure) for failure in shown]
    heading = ("element down", "throughput", "change", "p99 us", "change of p99", "fullest link then")
    return Section("Failures", (note,), table(heading, rows), tuple(_rest(kinds)))


def by_kind(failures: Sequence[Failure]) -> list[list[Failure]]:
    """Failures of each kind, worst first, the kinds by the worst of each."""
    found: dict[str, list[Failure]] = {}
    for failure in sorted(failures, key=rank):
        found.setdefault(failure.kind, []).append(failure)
    return list(found.values())


def rank(failure: Failure) -> float:
    """Throughput left, as far as it is more than rounding."""
    return round(failure.uniform_theta or 0.0, 9)


def title(failure: Failure) -> str:
    """An element and how many are like it: `link leaf-01.Ethernet0 and 255 like it`."""
    return f"{failure.element} and {failure.count - 1:,} like it" if failure.count > 1 else failure.element


def kind_word(kind: str) -> str:
    """A kind of elements in words."""
    return KIND_WORDS.get(kind, kind)


def _row(failure: Failure) -> tuple[object, ...]:
    return (
        title(failure),
        failure.uniform_theta,
        _change(failure.theta_change),
        "–" if failure.p99_us is None else failure.p99_us,
        _change(failure.p99_change),
        failure.worst_link or "–",
    )


def _rest(kinds: Sequence[Sequence[Failure]]) -> Iterator[str]:
    """What the table leaves out, all of it in report.json."""
    for failures in kinds:
        more = failures[SHOWN:]
        if more:
            elements = counted(sum(failure.count for failure in more), "more element")
            classes = counted(len(more), "class", "classes")
            yield f"{kind_word(more[0].kind)}: {elements} in {classes}, throughput from {rank(more[0]):.4g} up"


def _change(share: float | None) -> str:
    """A change in percent with its sign; nothing where it rounds to none."""
    if share is None:
        return "–"
    return f"{share:+.1%}" if round(share, 3) else "none"
