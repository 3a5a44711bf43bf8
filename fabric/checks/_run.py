"""Every check on one design, in one sorted report."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import asdict
from itertools import groupby

from fabric.checks._context import CheckContext
from fabric.checks._protocol import CHECKS, Check, Gap, Remark
from fabric.model.report import Finding, NotChecked

MOST_REMARKS = 20
"""Findings of one rule and severity that are listed before the rest is only counted."""

_SEVERITIES = ("error", "warning", "info")


def run(ctx: CheckContext) -> tuple[tuple[Finding, ...], tuple[NotChecked, ...]]:
    """Findings by severity, rule and object, and what could not be judged by rule."""
    findings: list[Finding] = []
    gaps: dict[NotChecked, None] = {}
    for rule in CHECKS:
        remarks: list[Remark] = []
        for answer in _answers(CHECKS[rule], ctx):
            if isinstance(answer, Gap):
                gaps[NotChecked(rule, answer.why)] = None
            else:
                remarks.append(answer)
        findings.extend(Finding(rule=rule, **asdict(remark)) for remark in _listed(remarks, ctx.topology.device))
    findings.sort(key=lambda finding: _SEVERITIES.index(finding.severity))
    return tuple(findings), tuple(gaps)


def _answers(check: Check, ctx: CheckContext) -> Iterator[Remark | Gap]:
    missing = sorted(need for need in check.needs if not ctx.has(need))
    if missing:
        return iter((Gap(f"the design has no {' and no '.join(missing).replace('_', ' ')}"),))
    return check.judge(ctx)


def _listed(remarks: Iterable[Remark], devices: Container[str]) -> Iterator[Remark]:
    """The remarks in order, those beyond the limit of a severity as one that counts them.

    Devices come first: what is wrong with a device explains what the same rule says of its cables.
    """
    ordered = sorted(
        dict.fromkeys(remarks),
        key=lambda each: (_SEVERITIES.index(each.severity), each.where not in devices, each.where),
    )
    for severity, group in groupby(ordered, key=lambda each: each.severity):
        same = list(group)
        yield from same[:MOST_REMARKS]
        if rest := same[MOST_REMARKS:]:
            yield Remark(severity, rest[0].where, f"and {len(rest)} more like these, this object the first of them")
