"""Whether the tables of a design folder fit together: every name they use exists, and no row stands twice.

Only what keeps a folder from being a design at all; whether the design is any good is for the checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from fabric.errors import Fault
from fabric.io.design_rows import CableRow, DeviceRow, LinkRow, Tables
from fabric.model.cabling import Pluggable
from fabric.model.floorplan import FloorPlan
from fabric.model.settings import LosslessPort

R = TypeVar("R")
Complaints = Iterator[tuple[str, str]]
"""Column and message of each fault of one row."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,127}")
"""Device names become folder names, host names and lines of configuration."""

_GUID = re.compile(r"0x[0-9a-f]{16}")


def faults(tables: Tables, floor_plan: FloorPlan | None, folder: Path) -> list[Fault]:
    """Every fault of the tables.

    Args:
        tables: rows in file order: the row at index i stands in line i + 2.
        floor_plan: the plan whose racks they may name, None when the folder has none.
        folder: where they lie, for messages.
    """
    devices = {row.name for row in tables.devices}
    cables = {row.cable for row in tables.cables}
    racks = {rack.name for rack in floor_plan.all_racks} if floor_plan else set()

    def device(row: DeviceRow) -> Complaints:
        yield from _spelling(row)
        if row.rack is not None:
            if floor_plan:
                yield from _known("rack", row.rack, racks)
            yield from ((key, "a device in a rack needs this") for key in ("u", "units") if getattr(row, key) is None)

    def link(row: LinkRow) -> Complaints:
        yield from _known("a_device", row.a_device, devices)
        yield from _known("b_device", row.b_device, devices)
        if row.cable is not None:
            yield from _known("cable", row.cable, cables)
        if (row.a_ip is None) != (row.b_ip is None):
            yield "b_ip" if row.b_ip is None else "a_ip", "one end has an address and the other has none"

    def owned(row: Pluggable | LosslessPort) -> Complaints:
        return _known("device", row.device, devices)

    def cable(_: CableRow) -> Complaints:
        return iter(())

    return [
        *_homeless(tables, floor_plan, folder),
        *_table(folder / "devices.csv", tables.devices, ("name",), device),
        *_table(folder / "links.csv", tables.links, ("link",), link),
        *_table(folder / "cables.csv", tables.cables, ("cable",), cable),
        *_table(folder / "pluggables.csv", tables.pluggables, ("device", "cage"), owned),
        *_table(folder / "lossless.csv", tables.lossless, ("device", "port", "priority"), owned),
    ]


def _homeless(tables: Tables, floor_plan: FloorPlan | None, folder: Path) -> Iterator[Fault]:
    if floor_plan is None and any(row.rack is not None for row in tables.devices):
        missing = "this file is missing; devices.csv places devices in its racks"
        yield Fault(missing, str(folder / "floorplan.yaml"))


def _table(path: Path, rows: Sequence[R], key: tuple[str, ...], judge: Callable[[R], Complaints]) -> Iterator[Fault]:
    """Faults of one table: rows with the same `key` columns, and what `judge` complains of in each row."""
    first_line: dict[tuple[object, ...], int] = {}
    for line, row in enumerate(rows, start=2):
        values = tuple(getattr(row, column) for column in key)
        first = first_line.setdefault(values, line)
        if first != line:
            shown = " ".join(str(value) for value in values if value is not None)
            yield Fault(f"{shown} stands twice; first in line {first}", str(path), line, key[-1])
        for column, message in judge(row):
            yield Fault(message, str(path), line, column)


def _spelling(row: DeviceRow) -> Complaints:
    if not _NAME.fullmatch(row.name):
        yield "name", f"{row.name!r} is not allowed: letters, digits, dots, underscores and hyphens"
    if row.guid is not None and not _GUID.fullmatch(row.guid):
        yield "guid", f"{row.guid!r} is no GUID: 0x and 16 hexadecimal digits, small letters"


def _known(column: str, name: str, known: Collection[str]) -> Complaints:
    if name not in known:
        yield column, f"there is no {column.removeprefix('a_').removeprefix('b_')} {name}"
