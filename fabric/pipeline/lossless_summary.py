"""The lossless section of a report: per chip and rate what pauses, marks and credits are set to, and from what."""

from __future__ import annotations

from typing import Any

from fabric.catalog.load import Catalog
from fabric.lossless.ecn import grades, marking
from fabric.model.design import Design
from fabric.pipeline.settings import chip_of, ecn_profile_of


def lossless_summary(design: Design, catalog: Catalog) -> dict[str, Any]:
    """Extremes of the lossless rows, and for RoCE the order of marking and pausing per chip and rate."""
    rows = design.settings.lossless if design.settings is not None else ()
    if not rows:
        return {}
    cables = {"shortest_cable_m": min(row.cable_m for row in rows), "longest_cable_m": max(row.cable_m for row in rows)}
    if rows[0].credit is not None:
        return {
            "ports": len(rows),
            **cables,
            "virtual_lanes": max(row.virtual_lanes or 0 for row in rows),
            "most_credit_bytes": max(row.credit or 0 for row in rows),
        }
    return {
        "ports": len(rows),
        **cables,
        "most_xoff_bytes": max(row.xoff or 0 for row in rows),
        "chips": _chips(design, catalog),
    }


def _chips(design: Design, catalog: Catalog) -> list[dict[str, Any]]:
    """Per switch model and rate: chip, formula and the three grades of marking before pausing."""
    rows = design.settings.lossless if design.settings is not None else ()
    used = {(design.topology.device[row.device].part or "", row.rate_gbps) for row in rows}
    found = []
    for part, rate_gbps in sorted(pair for pair in used if pair[0] in catalog.switches):
        chip = chip_of(part, catalog)
        marks = marking(ecn_profile_of(chip.chip, catalog), rate_gbps, chip.cell_bytes)
        entry: dict[str, Any] = {"part": part, "rate_gbps": rate_gbps, "chip": chip.chip, "law": chip.law}
        entry |= {"ecn_profile": marks.profile, "notes": list(chip.notes)}
        if chip.shared_pool_bytes is not None:
            ports = catalog.switches[part].usable_ports(rate_gbps)
            grade = grades(marks, chip.shared_pool_bytes, chip.dynamic_th, ports_count=ports, priorities_count=1)
            entry["ecn_before_pfc"] = {"must": grade.must, "should": grade.should, "strict": grade.strict}
        found.append(entry)
    return found
