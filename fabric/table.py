r"""Tables on disk: one CSV per record type, its columns the fields of a frozen dataclass.

UTF-8, comma, one header row, `\n` line ends, floats with at most 9 significant digits, an empty cell for None.
Writing what was read gives the same bytes.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from fabric.errors import ArtifactError, Fault, nearest

R = TypeVar("R")

MAX_FAULTS = 50
"""Faults of one table that are listed before the rest is only counted."""

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?(e[-+][0-9]{1,3})?")


def cell(value: object) -> str:
    """Text of one value as it stands in a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.9g}"
    return str(value)


def text(record: type[R], rows: Iterable[R]) -> str:
    """CSV text of `rows`, in the order given, one column per field of `record`."""
    return "".join(lines(record, rows))


def lines(record: type[R], rows: Iterable[R]) -> Iterator[str]:
    """The lines of that text, the header first."""
    columns = _columns(record)
    # Text, whole numbers and None the writer spells as `cell` does, and faster.
    spelled = [index for index, column in enumerate(columns.values()) if column.parse in (_number, _bool)]
    writer = csv.writer(_Echo(), lineterminator="\n")
    yield str(writer.writerow(columns))
    for row in rows:
        cells = [getattr(row, name) for name in columns]
        for index in spelled:
            cells[index] = cell(cells[index])
        yield str(writer.writerow(cells))


class _Echo:
    """Takes what is written to a file and hands it back."""

    def write(self, line: str) -> str:
        """The line."""
        return line


def _bool(raw: str) -> bool:
    return {"true": True, "false": False}[raw]


def _line(raw: str) -> str:
    if "\n" in raw or "\r" in raw:
        raise ValueError(raw)
    # Devices, parts and routes stand in many rows: kept once, a design read takes half the memory.
    return sys.intern(raw)


def _whole(raw: str) -> int:
    if not _WHOLE.fullmatch(raw):
        raise ValueError(raw)
    return int(raw)


def _number(raw: str) -> float:
    if not _NUMBER.fullmatch(raw) or not math.isfinite(number := float(raw)):
        raise ValueError(raw)
    return number


_PARSERS: dict[type, tuple[Callable[[str], Any], str]] = {
    str: (_line, "text in one line"),
    int: (_whole, "a whole number"),
    float: (_number, "a number"),
    bool: (_bool, "true or false"),
}


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    parse: Callable[[str], Any]
    allowed: str
    optional: bool


def _columns(record: type[Any]) -> dict[str, _Column]:
    """How each field of a record is read from its cell."""
    hints = typing.get_type_hints(record)
    columns = {}
    for field in fields(record):
        kind = hints[field.name]
        optional = isinstance(kind, types.UnionType)
        if optional:
            kind = next(arm for arm in typing.get_args(kind) if arm is not type(None))
        parse, allowed = _PARSERS[kind]
        columns[field.name] = _Column(field.name, parse, allowed, optional)
    return columns


def _header_faults(record: type[Any], header: Sequence[str], file: str) -> list[Fault]:
    known = [field.name for field in fields(record)]
    faults = []
    for name in header:
        if name not in known:
            hint = nearest(name, known, otherwise=f"; allowed: {', '.join(known)}")
            faults.append(Fault(f"unknown column{hint}", file, 1, name))
        elif header.count(name) > 1:
            faults.append(Fault("this column stands twice", file, 1, name))
    faults.extend(
        Fault("this column is missing", file, 1, field.name)
        for field in fields(record)
        if field.name not in header and field.default is MISSING
    )
    return list(dict.fromkeys(faults))


def read(record: type[R], path: Path, file: str) -> list[R]:
    """Rows of the table at `path`, in file order: the row at index i stands in line i + 2.

    Args:
        record: frozen dataclass whose fields are str, int, float or bool, or one of them with None.
        path: where the table lies.
        file: its name in messages.

    Raises:
        ArtifactError: one fault per wrong header, row or cell, each with its line.
    """
    reader = csv.reader(io.StringIO(_content(path, file), newline=""), strict=True)
    faults: list[Fault] = []
    rows: list[R] = []
    try:
        plan = _plan(record, next(reader, []), file)
        for values in reader:
            row, wrong = _row(plan, values, file, reader.line_num)
            faults.extend(wrong)
            if not wrong:
                rows.append(record(**row))
    except csv.Error as error:
        faults.append(Fault(f"not a CSV row: {error}", file, reader.line_num))
    if faults:
        rest = [Fault(f"and {len(faults) - MAX_FAULTS} more", file)] if len(faults) > MAX_FAULTS else []
        raise ArtifactError(*faults[:MAX_FAULTS], *rest)
    return rows


def _content(path: Path, file: str) -> str:
    """Text of the table at `path`; the byte order mark that spreadsheets write is passed over."""
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ArtifactError(Fault("this table is missing", file)) from None
    except UnicodeDecodeError:
        raise ArtifactError(Fault("not a text file in UTF-8", file)) from None
    except OSError as error:
        raise ArtifactError(Fault(f"cannot be read: {error.strerror}", file)) from None
    if "\0" in content:
        raise ArtifactError(Fault("not a text file: it holds zero bytes", file))
    return content


def _plan(record: type[Any], header: Sequence[str], file: str) -> list[_Column]:
    """The columns of a table in the order of its header."""
    if not header:
        raise ArtifactError(Fault("this table is empty; a header row is the least it holds", file, 1))
    faults = _header_faults(record, header, file)
    if faults:
        raise ArtifactError(*faults)
    columns = _columns(record)
    return [columns[name] for name in header]


def _row(plan: Sequence[_Column], values: Sequence[str], file: str, line: int) -> tuple[dict[str, Any], list[Fault]]:
    if len(values) != len(plan):
        return {}, [Fault(f"{len(values)} cells where the header has {len(plan)}", file, line)]
    row: dict[str, Any] = {}
    faults = []
    for column, raw in zip(plan, values, strict=True):
        if raw == "":
            row[column.name] = None
            if not column.optional:
                faults.append(Fault(f"an empty cell is not {column.allowed}", file, line, column.name))
            continue
        try:
            row[column.name] = column.parse(raw)
        except (ValueError, KeyError):
            faults.append(Fault(f"{raw!r} is not {column.allowed}", file, line, column.name))
    return row, faults
