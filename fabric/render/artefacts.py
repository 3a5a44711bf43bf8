"""All artefacts of a design, or those of one kind."""

from __future__ import annotations

from collections.abc import Sequence

from fabric.catalog.load import Catalog
from fabric.content import Content
from fabric.errors import Fault, InputError
from fabric.model.design import Design
from fabric.model.report import Report
from fabric.nos.port_names import nos_of
from fabric.render.cabling import render_cabling
from fabric.render.configs import render_configs
from fabric.render.connection import cable_sheet
from fabric.render.exports import render_exports
from fabric.render.plots import TITLES, render_plots
from fabric.render.report import render_report

KINDS = ("configs", "cabling", "plots", "report", "exports")
"""Kinds of artefacts, as `fabric render --only` names them."""


def artefacts(
    design: Design, report: Report, catalog: Catalog, *, only: str | None = None, nos: str | None = None
) -> dict[str, Content]:
    """File contents by their path in the design folder.

    Args:
        design: what was designed or read.
        report: its judgements.
        catalog: its parts.
        only: one of `KINDS`; None for all.
        nos: network operating system of the configurations; None for the one whose port names the tables use.
    """
    wanted = KINDS if only is None else (only,)
    plots = render_plots(design, report) if {"plots", "report"} & set(wanted) else {}
    made: dict[str, Content] = {}
    if "configs" in wanted:
        made |= _configs(design, catalog, nos)
    if "plots" in wanted:
        made |= plots
    if "report" in wanted:
        made |= render_report(design, report, catalog, {TITLES[path]: svg for path, svg in plots.items()})
    if {"cabling", "exports"} & set(wanted):
        made |= _of_cables(design, catalog, wanted)
    return made


def _of_cables(design: Design, catalog: Catalog, wanted: Sequence[str]) -> dict[str, Content]:
    """Cabling and exports as far as they are wanted, from one sheet."""
    sheet = cable_sheet(design, catalog)
    made = render_cabling(design, catalog, sheet) if "cabling" in wanted else {}
    return made | (render_exports(design, catalog, sheet) if "exports" in wanted else {})


def _configs(design: Design, catalog: Catalog, nos: str | None) -> dict[str, Content]:
    """Configurations for the system whose port names the tables use."""
    layer = design.request.fabric.link_layer if design.request is not None else None
    if nos is not None and (layer is None or nos != nos_of(layer)):
        known = nos_of(layer) if layer is not None else "none, for the design has no request"
        raise InputError(Fault(f"no configurations for {nos!r} here; known: {known}", key="--nos"))
    return render_configs(design, catalog)
