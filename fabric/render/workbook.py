"""`cabling/connections.xlsx`: the cabling sheet as a workbook, with a summary to order and to stage by."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import islice
from operator import attrgetter
from typing import Any

import xlsxwriter

from fabric.addressing.ordinals import natural
from fabric.model.design import Design
from fabric.render.connection import CableSheet, Connection

CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 -- the format stores no zone; a fixed date keeps the bytes equal
WIDTH_LIMIT_CHARS = 44
WIDTH_SAMPLE_ROWS = 200
FROZEN_COLUMNS = 3
"""Bundle, run and cable stay in sight while the technician scrolls to the far end."""

PART_HEADING = ("part", "family", "medium", "length_m", "cables", "total_m")
RACK_HEADING = ("rack", "devices", "cable_ends", "cables_inside", "cables_leaving", "pluggables")

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class _Formats:
    title: Any
    heading: Any
    length: Any


def workbook(design: Design, sheet: CableSheet) -> bytes:
    """Summary and connections; rows are streamed, so memory does not grow with the fabric."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"constant_memory": True})
    book.set_properties({"title": f"Cabling of {design.name}", "created": CREATED})
    formats = _Formats(
        title=book.add_format({"bold": True, "font_size": 14}),
        heading=book.add_format({"bold": True, "bg_color": "#DCE6F1", "bottom": 1}),
        length=book.add_format({"num_format": "0.0##"}),
    )
    _summary(book.add_worksheet("Summary"), design, sheet, formats)
    _connections(book.add_worksheet("Connections"), sheet, formats)
    book.close()
    return out.getvalue()


def _connections(page: Any, sheet: CableSheet, formats: _Formats) -> None:  # noqa: ANN401 -- no types
    """One connection a row under a frozen heading with filters."""
    names = [field.name for field in fields(Connection)]
    sample = list(islice(sheet.rows(), WIDTH_SAMPLE_ROWS))
    for column, name in enumerate(names):
        texts = [str(getattr(row, name) or "") for row in sample]
        width = max(map(len, (name, *texts)))
        page.set_column(column, column, min(width + 3, WIDTH_LIMIT_CHARS))
    page.freeze_panes(1, FROZEN_COLUMNS)
    page.autofilter(0, 0, max(len(sheet.links), 1), len(names) - 1)
    _write(page, 0, names, formats.heading)
    values = attrgetter(*names)
    for number, row in enumerate(sheet.rows(), start=1):
        _write(page, number, values(row), None)


def _write(sheet: Any, row: int, cells: Iterable[Cell], form: Any) -> None:  # noqa: ANN401 -- as above
    """Cells of one row; a text is written as text, whatever sign it starts with."""
    for column, value in enumerate(cells):
        if isinstance(value, str):
            sheet.write_string(row, column, value, form)
        elif value is not None:
            sheet.write_number(row, column, value, form)


def _summary(page: Any, design: Design, sheet: CableSheet, formats: _Formats) -> None:  # noqa: ANN401
    """Cables by part, then cable ends by rack."""
    page.set_column(0, 0, 32)
    page.set_column(1, 6, 16)
    page.hide_gridlines(2)
    page.write_string(0, 0, f"Cabling of {design.name}: compute fabric only", formats.title)
    line = _block(page, 2, PART_HEADING, _by_part(design), formats)
    _block(page, line + 1, RACK_HEADING, _by_rack(sheet.rows()), formats)


def _block(
    sheet: Any,  # noqa: ANN401 -- as above
    line: int,
    heading: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    formats: _Formats,
) -> int:
    """Write a small table from row `line` on; the first row after it."""
    _write(sheet, line, heading, formats.heading)
    for row in rows:
        line += 1
        _write(sheet, line, row, formats.length)
    return line + 1


def _by_part(design: Design) -> Iterable[Sequence[Cell]]:
    if design.cabling is None:
        return
    counts = Counter((one.part, one.family, one.medium, one.length_m) for one in design.cabling.cables)
    for (part, family, medium, length_m), count in sorted(counts.items()):
        yield part, family, medium, length_m, count, round(length_m * count, 3)


def _by_rack(rows: Iterable[Connection]) -> Iterable[Sequence[Cell]]:
    """Per rack: devices and ends of cables in it, a cable of several links counted once."""
    devices: dict[str, set[str]] = {}
    pluggables: dict[str, set[tuple[str, str]]] = {}
    ends: dict[str, set[tuple[str | None, str, str]]] = {}
    inside: dict[str, set[str | None]] = {}
    leaving: dict[str, set[str | None]] = {}
    for row in rows:
        for rack, device, cage, module in (
            (row.a_rack, row.a_device, row.a_cage, row.a_pluggable),
            (row.b_rack, row.b_device, row.b_cage, row.b_pluggable),
        ):
            if rack is None:
                continue
            devices.setdefault(rack, set()).add(device)
            ends.setdefault(rack, set()).add((row.cable, device, cage))
            (inside if row.a_rack == row.b_rack else leaving).setdefault(rack, set()).add(row.cable)
            if module is not None:
                pluggables.setdefault(rack, set()).add((device, cage))
    for rack in sorted(devices, key=natural):
        counts = (len(table.get(rack, ())) for table in (devices, ends, inside, leaving, pluggables))
        yield rack, *counts
