"""`exports/netbox/cables.csv`: the cables for NetBox's bulk import."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabric.render.connection import CableSheet
from fabric.table import lines

INTERFACE = "dcim.interface"
TYPES = {"dac": "dac-passive", "acc": "dac-active", "aec": "dac-active", "aoc": "aoc", "mmf": "mmf", "smf": "smf"}
"""NetBox's word for each medium."""


@dataclass(frozen=True, slots=True)
class NetboxCable:
    """One row of NetBox's import; a cable that carries several links stands in as many rows, with one label."""

    side_a_device: str
    side_a_type: str
    side_a_name: str
    side_b_device: str
    side_b_type: str
    side_b_name: str
    type: str | None
    status: str
    label: str | None
    length: float | None
    length_unit: str | None


def netbox_cables(sheet: CableSheet) -> Iterator[str]:
    """Lines of the table, in the order of the cabling sheet."""
    return lines(
        NetboxCable,
        (
            NetboxCable(
                row.a_device,
                INTERFACE,
                row.a_port,
                row.b_device,
                INTERFACE,
                row.b_port,
                TYPES.get(row.medium or ""),
                "planned",
                row.cable,
                row.length_m,
                None if row.length_m is None else "m",
            )
            for row in sheet.rows()
        ),
    )
