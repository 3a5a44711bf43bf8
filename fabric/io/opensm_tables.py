"""Lines of forwarding tables, as OpenSM, the diagnosis tools of InfiniBand and ibdiagnet write them.

Read are OpenSM's own dumps (`opensm-lfts.dump`, `opensm.fdbs`), what ibroute, dump_fts and dump_lfts print, and the
tables of ibdiagnet (`ibdiagnet2.fdbs`). What their words mean on a plane is `opensm_subnet`'s to say.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fabric.errors import ArtifactError, Fault
from fabric.table import MAX_FAULTS

NO_PORT = 255
"""Port of a row that leads nowhere. Source: opensm-source, OSM_NO_PATH."""

_HEAD = re.compile(r"Unicast lids \[\S+\] of switch .*\bguid 0x([0-9a-fA-F]+) \('?(.*?)'?\):\s*$")
_BARE_HEAD = re.compile(r"\w*dump_ucast_routes: Switch 0x([0-9a-fA-F]+)\s*$")
_ROW = re.compile(r"0x([0-9a-fA-F]{1,4}) (?:(\d{1,3})\s*(?:[:#] (.*))?|: (?:(\d{1,3})\s*:.*|UNREACHABLE\s*))$")
_COUNT = re.compile(r"(\d+) (valid )?lids dumped\s*$")
_BETWEEN = re.compile(r"\s*$|\s*Lid\s+Out\b|\s+Port\s+Info\b|LID\s+: Port\b|PLFT_NUM: 0\s*$|#|ibwarn: ")
_KINDS = "read are opensm-lfts.dump and opensm.fdbs, ibroute, dump_lfts and dump_fts, and ibdiagnet2.fdbs"
_LOOKED_AT = 200
"""Lines of a file in which the head of a first table is looked for."""


@dataclass(slots=True)
class Table:
    """The table of one switch.

    Attributes:
        guid: of the switch, `0x` and 16 small hexadecimal digits.
        name: its description; empty where the program prints none.
        file: where it stands.
        line: of its head.
        lid: (n_rows,) destination.
        port: (n_rows,) where it is sent, `NO_PORT` for nowhere.
        at: (n_rows,) line of each row.
        words: (n_rows,) what is said of the destination, as a place in the texts of all tables; 0 for nothing.
    """

    guid: str
    name: str
    file: str
    line: int
    lid: array[int] = field(default_factory=lambda: array("i"))
    port: array[int] = field(default_factory=lambda: array("i"))
    at: array[int] = field(default_factory=lambda: array("i"))
    words: array[int] = field(default_factory=lambda: array("i"))

    def apart(self, other: Table) -> int | None:
        """The first destination that another table sends to another port; None where both say the same."""
        mine, theirs = (
            {lid: port for lid, port in zip(each.lid, each.port, strict=True) if port != NO_PORT}
            for each in (self, other)
        )
        return next((lid for lid in sorted(mine.keys() | theirs) if mine.get(lid) != theirs.get(lid)), None)


@dataclass(frozen=True, slots=True)
class Dump:
    """All tables of some files, in their order, and the texts that their rows say of destinations."""

    tables: tuple[Table, ...]
    texts: tuple[str, ...]


def parse(path: Path) -> Dump:
    """The tables of a file, or of all files of a folder and below that hold any.

    Raises:
        ArtifactError: no such file, none with a table, or every fault of the lines: one of no known kind, a row before
            any switch, a table cut short.
    """
    reading = _Reading()
    try:
        files = [path] if not path.is_dir() else [file for file in sorted(path.rglob("*")) if _has_table(file)]
        for file in files:
            with file.open(encoding="utf-8-sig", errors="replace") as lines:
                reading.take(str(file), lines)
    except OSError as error:
        raise ArtifactError(Fault(f"cannot be read: {error.strerror}", error.filename or str(path))) from None
    if not reading.tables:
        reading.faults = [Fault(f"no forwarding table of a switch is here; {_KINDS}", str(path))]
    raise_all(reading.faults)
    return Dump(tuple(reading.tables), tuple(reading.texts))


def raise_all(faults: Sequence[Fault]) -> None:
    """Raise what is wrong with files, the first faults in full and the others counted."""
    if faults:
        more = len(faults) - MAX_FAULTS
        raise ArtifactError(*faults[:MAX_FAULTS], *([Fault(f"and {more} more", faults[-1].file)] if more > 0 else []))


def _has_table(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        return any(
            _HEAD.match(line) or _BARE_HEAD.match(line) for _, line in zip(range(_LOOKED_AT), lines, strict=False)
        )


class _Reading:
    """What has been read of files so far."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.tables: list[Table] = []
        self.texts = {"": 0}

    def take(self, file: str, lines: Iterable[str]) -> None:
        """One file."""
        table: Table | None = None
        for number, ended in enumerate(lines, 1):
            line = ended.rstrip("\n")
            if row := _ROW.match(line):
                if table is None:
                    self.faults.append(Fault("a row before the first switch", file, number))
                else:
                    self._take_row(table, number, row)
            elif head := _HEAD.match(line) or _BARE_HEAD.match(line):
                table = Table(f"0x{int(head[1], 16):016x}", head[2] if head.re is _HEAD else "", file, number)
                self.tables.append(table)
            elif count := _COUNT.match(line):
                # The count of opensm's own dump is the highest LID, whatever stands between.
                rows = len(table.lid) if table is not None else 0
                if count[2] and int(count[1]) != rows:
                    what = f"{rows} rows stand where {count[1]} are counted; the table is cut short"
                    self.faults.append(Fault(what, file, number))
            elif not _BETWEEN.match(line):
                self.faults.append(Fault(f"no line of a forwarding table: {line[:60]!r}", file, number))

    def _take_row(self, table: Table, number: int, row: re.Match[str]) -> None:
        table.lid.append(int(row[1], 16))
        table.port.append(int(row[2] or row[4] or NO_PORT))
        table.at.append(number)
        table.words.append(self.texts.setdefault(row[3] or "", len(self.texts)))
