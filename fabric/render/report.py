"""The report as JSON, Markdown and one self-contained page, and the bill of materials."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fabric.catalog.load import Catalog
from fabric.model.design import Design
from fabric.model.report import Report
from fabric.model.topology import COMPUTE
from fabric.render.design_sections import design_sections
from fabric.render.judgement_sections import judgement_sections
from fabric.render.section import Section, Table, counted
from fabric.render.templates import template
from fabric.table import text

LEAD = (
    "This report covers the compute fabric only: the network between accelerators. Storage, in-band and out-of-band "
    "networks, power feeds and cooling are not designed here; management.csv counts the out-of-band ports needed."
)

LINKS = (
    ("report.json", "this report for programs"),
    ("bom.csv", "bill of materials"),
    ("cabling/connections.xlsx", "cabling sheet"),
    ("cabling/labels.csv", "cable labels"),
    ("cabling/hca_mapping.csv", "accelerators and adapters behind the node ports"),
    ("cabling/free_ports.csv", "switch ports without a link"),
    ("management.csv", "out-of-band ports"),
    ("devices.csv", "devices"),
    ("links.csv", "links"),
    ("cables.csv", "cables"),
    ("pluggables.csv", "pluggables"),
    ("lossless.csv", "lossless settings"),
    ("exports/topology.dot", "topology for PTM and Graphviz"),
    ("exports/netbox/cables.csv", "cables for NetBox"),
)
"""Files of the design folder that the page points to."""


@dataclass(frozen=True, slots=True)
class BomRow:
    """One line of `bom.csv`; sums are of the whole line, planning values are estimates and never prices."""

    part: str
    family: str
    kind: str
    quantity: int
    price_usd: float | None
    price_source: str | None
    line_usd: float | None
    planning_usd: float | None
    line_planning_usd: float | None
    fabric: str = COMPUTE


def render_report(design: Design, report: Report, catalog: Catalog, pictures: Mapping[str, str]) -> dict[str, str]:
    """Report and bill by their path in the design folder.

    Args:
        design: what was judged.
        report: the judgements.
        catalog: parts and sources.
        pictures: SVG texts by title, drawn into the page.
    """
    sections = (*design_sections(design, report, catalog), *judgement_sections(design, report, catalog))
    heading = {"name": report.name or "fabric", "verdict": verdict(report), "passed": report.verdict == "pass"}
    return {
        "report.json": report_json(report),
        "report.md": template("report/report.md.j2").render(
            **heading, lead=LEAD, sections=tuple(_escaped(section) for section in sections)
        ),
        "index.html": template("report/index.html.j2").render(
            **heading, lead=LEAD, sections=sections, links=LINKS, pictures=_inline(pictures)
        ),
        "bom.csv": text(BomRow, _bom(report)),
    }


def verdict(report: Report) -> str:
    """The verdict in one sentence."""
    words = (("error", "error"), ("warning", "warning"), ("info", "note"))
    counts: Counter[str] = Counter(one.severity for one in report.findings)
    found = ", ".join(counted(counts[severity], word) for severity, word in words)
    word = "passes" if report.verdict == "pass" else "fails"
    return f"The design {word}: {found}, {counted(len(report.not_checked), 'rule')} not checked."


def report_json(report: Report) -> str:
    """The object of the contract: floats with at most 9 significant digits, but whole cents to the cent."""
    return json.dumps(rounded(report.as_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def rounded(value: Any) -> Any:  # noqa: ANN401 -- any JSON value
    """A JSON value with floats of at most 9 significant digits, but whole cents to the cent."""
    if isinstance(value, float):
        return value if value == round(value, 2) else float(f"{value:.9g}")
    if isinstance(value, Mapping):
        return {str(key): rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def _bom(report: Report) -> list[BomRow]:
    def line(quantity: int, usd: float | None) -> float | None:
        return None if usd is None else round(quantity * usd, 2)

    return [
        BomRow(
            one.part,
            one.family,
            one.kind,
            one.quantity,
            one.price_usd,
            one.price_source,
            line(one.quantity, one.price_usd),
            one.planning_usd,
            line(one.quantity, one.planning_usd),
        )
        for one in report.bill
    ]


def _escaped(section: Section) -> Section:
    """The section with the signs taken out of texts that end a Markdown cell or start markup."""
    grid = section.table
    if grid is not None:
        grid = Table(grid.heading, tuple(tuple(_cell(value) for value in row) for row in grid.rows))
    return replace(section, table=grid, items=tuple(_cell(item) for item in section.items))


def _cell(value: str) -> str:
    return " ".join(value.replace("|", "\\|").replace("<", "&lt;").split())


def _inline(pictures: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Pictures without the prologue that only a file of its own may have."""
    return tuple((title, svg[svg.index("<svg") :]) for title, svg in pictures.items())
