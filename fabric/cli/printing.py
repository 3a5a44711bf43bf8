"""What commands print: a report as text or JSON, and a progress line on a terminal."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fabric.model.design import UNIT_WORDS
from fabric.model.front import Front
from fabric.model.report import Report
from fabric.model.request import FAMILY_WORDS
from fabric.render.design_sections import standing
from fabric.render.report import report_json
from fabric.render.section import counted, of_role, percent


def print_json(value: object) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_report(report: Report, args: argparse.Namespace, folder: Path | None = None) -> int:
    """Print a report in the format asked.

    Returns:
        The exit code: 1 when a finding is an error, else 0.
    """
    if args.format == "json":
        sys.stdout.write(report_json(report))
    elif not args.quiet:
        sys.stdout.write(summary(report))
        if folder is not None:
            sys.stdout.write(f"written to {folder}\n")
    if args.quiet and args.format == "text":
        for finding in report.findings:
            if finding.severity == "error":
                sys.stderr.write(f"fabric: {finding.rule}: {finding.where}: {finding.message}\n")
    return int(report.verdict == "fail")


def summary(report: Report) -> str:
    """A report on one screen: counts, money, power, proof, workloads, findings."""
    counts = report.counts
    switches = " + ".join(of_role(count, role) for role, count in counts.switches.items() if count)
    lines = [
        f"{report.name}: {report.verdict}",
        f"  {of_role(counts.nodes, 'node')}, {counted(counts.endpoints, 'endpoint')}, {switches}; "
        + ", ".join(counted(count, f"{kind} link") for kind, count in counts.links.items() if count)
        + f"; {counted(counts.cables, 'cable')}, {counted(counts.pluggables, 'pluggable')}",
    ]
    best = report.optimality
    if best is not None:
        word = "cost" if best["unit"] == "usd" else "value"
        lines.append(
            f"  {word} {best['objective']:,} {UNIT_WORDS[best['unit']]}, bound {best['bound']:,} "
            f"(gap {best['gap']:.1%}, {standing(best)}); "
            f"{percent(report.cost.priced_share)} of the pieces have a known price: ${report.cost.capex_usd:,.2f}"
        )
    if report.ranking is not None:
        lines.append(f"  {report.ranking.verdict}")
    theta = report.throughput.uniform_theta
    if theta is not None:
        lines.append(f"  uniform all-to-all theta {theta:.4f}")
    for result in report.workloads:
        times = ", ".join(f"{key} {value:,.1f}" for key, value in result.time_us.items() if value is not None)
        lines.append(f"  {result.name}: {times or 'no path'} us")
    order = {"error": 0, "warning": 1, "info": 2}
    lines.extend(
        f"  {finding.severity}: {finding.rule}: {finding.where}: {finding.message}"
        for finding in sorted(report.findings, key=lambda finding: order[finding.severity])
        if finding.severity != "info"
    )
    if report.not_checked:
        lines.append(f"  not checked: {', '.join(dict.fromkeys(item.rule for item in report.not_checked))}")
    return "\n".join(lines) + "\n"


def print_front(found: Front) -> None:
    """The front as a table, and what a limit left out of it."""
    rows = [("point", "family", "cost", "power kW", "p99 us", "switches", "uplinks", "media", "parts by")]
    for point in found.points:
        switches = f"{point.leaf} {point.leaf_part}" + (f" + {point.spine} {point.spine_part}" if point.spine else "")
        p99 = "" if point.p99_us is None else f"{point.p99_us:,.1f}"
        cost, power = f"{point.cost:,.2f} {UNIT_WORDS[point.cost_unit]}", f"{point.power_w / 1000:,.3f}"
        made_of = (FAMILY_WORDS[point.family], cost, power, p99, switches, f"{point.uplinks}", point.media, point.goals)
        rows.append((f"{point.point}", *made_of))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(f"{line.rstrip()}\n")
    sys.stdout.write(f"front: {len(found.points)} points of {found.laid_out} designs laid out")
    sys.stdout.write(f", {found.left_open} candidates left open by the limit\n" if found.left_open else "\n")


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Writer of one line on a terminal that is written over; silent when stderr is piped or with --quiet."""
    on = sys.stderr.isatty() and not quiet

    def say(text: str) -> None:
        if on:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    try:
        yield say
    finally:
        say("")
