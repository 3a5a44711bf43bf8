"""YAML text to plain values: None, bool, int, float, str, tuple and dict with keys of text; the line of every key."""

from __future__ import annotations

import math
import pathlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import yaml
from yaml._yaml import CParser

from fabric.errors import FabricError, Fault, InputError

Path = tuple[str | int, ...]
"""Keys and list positions from the root of a document to a value."""

MAX_BYTES = 4 * 1024 * 1024
"""Largest file that is read; a floor plan of 20,000 racks stays below it."""

MAX_DEPTH = 32
"""Deepest nesting that is read; the deepest of our formats has 6."""

_CONSTANTS: Mapping[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]*)?\.[0-9]+([eE][-+]?[0-9]+)?|(0|[1-9][0-9]*)[eE][-+][0-9]+)")


@dataclass(frozen=True, slots=True)
class Document:
    """What one file says; `data` is None when `faults` kept it from being read at all."""

    file: str
    data: object
    lines: Mapping[Path, int]
    faults: tuple[Fault, ...] = ()

    def line(self, path: Path) -> int:
        """Line of the value at `path`, or of the nearest value around it."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)

    def fault(self, path: Path, message: str) -> Fault:
        """A fault of the value at `path`."""
        return Fault(message, self.file, self.line(path), dotted(path) or None)

    def placed(self, fault: Fault) -> Fault:
        """`fault` with file and line, if it names only a key: rooms that get records know no files."""
        if fault.file is not None or fault.key is None:
            return fault
        parts = fault.key.split(".")
        return replace(
            fault, file=self.file, line=self.line(tuple(int(part) if part.isdigit() else part for part in parts))
        )


def dotted(path: Path) -> str:
    """`path` as it stands in messages: `workloads.0.limit_us.p99`."""
    return ".".join(str(part) for part in path)


def scalar(text: str) -> bool | float | str | None:
    """Value of a scalar without quotes."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def decode(content: bytes, file: str, error: type[FabricError] = InputError) -> str:
    """Text of a file, refused unless it is UTF-8 text of a sensible size.

    Raises:
        FabricError: of the type `error`.
    """
    if len(content) > MAX_BYTES:
        raise error(Fault(f"{len(content)} bytes; at most {MAX_BYTES} are read", file))
    if content.startswith(b"\xef\xbb\xbf"):
        raise error(Fault("starts with a byte order mark; save it as UTF-8 without one", file, 1))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        raise error(Fault("not a text file in UTF-8", file, line)) from None
    if "\0" in text:
        raise error(Fault("not a text file: it holds zero bytes", file, text.count("\n", 0, text.index("\0")) + 1))
    return text


def load(path: pathlib.Path, file: str) -> Document:
    """What the file at `path` says, its faults beside it, also that it cannot be read.

    Args:
        path: where the file lies.
        file: its name in messages.
    """
    try:
        return scan(decode(path.read_bytes(), file), file)
    except FileNotFoundError:
        fault = Fault("there is no such file", file)
    except OSError as wrong:
        fault = Fault(f"cannot be read: {wrong.strerror}", file)
    except InputError as wrong:
        return Document(file, None, {}, wrong.faults)
    return Document(file, None, {}, (fault,))


def parse(text: str, file: str, error: type[FabricError] = InputError) -> Document:
    """What `text` says.

    Args:
        text: a whole file.
        file: its name in messages.
        error: type of the error to raise.

    Raises:
        FabricError: of the type `error`, with every fault of the text.
    """
    document = scan(text, file)
    if document.faults:
        raise error(*document.faults)
    return document


def scan(text: str, file: str) -> Document:
    """What `text` says, its faults beside it: for callers that collect the faults of several files."""
    reader = _Reader(text, file)
    try:
        data = reader.document()
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        return reader.stopped(mark.line + 1 if mark else 1, wrong.problem or "not readable")
    except yaml.reader.ReaderError as wrong:
        line = text.count("\n", 0, wrong.position) + 1
        return reader.stopped(line, "a control character stands here")
    except _TooDeepError as wrong:
        return reader.stopped(wrong.line, f"nested deeper than {MAX_DEPTH} levels")
    return Document(file, data, reader.lines, tuple(reader.faults))


class _TooDeepError(Exception):
    """Nesting beyond the limit, at a line."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(line)


class _Reader:
    """One pass over the events of one text."""

    def __init__(self, text: str, file: str) -> None:
        self.lines: dict[Path, int] = {(): 1}
        self.faults: list[Fault] = []
        self._text = text
        self._file = file
        self._parser = CParser(text)

    def stopped(self, line: int, why: str) -> Document:
        """A document that could not be read beyond `line`."""
        here = self._text.splitlines()[line - 1 : line]
        if here and here[0].lstrip(" ").startswith("\t"):
            why = "indented with a tab; use spaces"
        return Document(self._file, None, self.lines, (*self.faults, Fault(f"not valid YAML: {why}", self._file, line)))

    def document(self) -> object:
        """Value of the only document."""
        data: object = None
        found = 0
        while not isinstance(event := self._next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                found += 1
                value = self._value(self._next(), ())
                if found == 1:
                    data = value
                else:
                    self._fault(event, (), "a second document starts here; a file holds one")
        if data is None and not self.faults:
            self.faults.append(Fault("this file is empty", self._file))
        return data

    def _next(self) -> Any:  # noqa: ANN401 -- the stubs know neither anchor nor tag of an event
        return self._parser.get_event()

    def _fault(self, event: Any, path: Path, message: str) -> None:  # noqa: ANN401 -- as above
        self.faults.append(Fault(message, self._file, _line(event), dotted(path) or None))

    def _value(self, event: Any, path: Path) -> object:  # noqa: ANN401 -- as above
        """Value that starts with `event`; consumes its events up to the last."""
        if isinstance(event, yaml.AliasEvent):
            self._fault(event, path, f"the alias *{event.anchor} is not allowed: write the value out")
            return None
        if len(path) > MAX_DEPTH:
            raise _TooDeepError(_line(event))
        if event.anchor is not None:
            self._fault(event, path, f"the anchor &{event.anchor} is not allowed: write values out where needed")
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._fault(event, path, f"the tag {tag} is not allowed: put text in quotes, write numbers bare")
        if isinstance(event, yaml.ScalarEvent):
            return event.value if event.style else scalar(event.value)
        return self._sequence(path) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(path)

    def _sequence(self, path: Path) -> tuple[object, ...]:
        items: list[object] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            here = (*path, len(items))
            self.lines[here] = _line(event)
            items.append(self._value(event, here))
        return tuple(items)

    def _mapping(self, path: Path) -> dict[str, object]:
        entries: dict[str, object] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = repr(self._value(event, path))
            if isinstance(event, yaml.ScalarEvent):
                key = event.value
            else:
                self._fault(event, path, "a key is one word or text in quotes")
            here = (*path, key)
            if key in entries:
                self._fault(event, here, f"this key stands twice; first in line {self.lines[here]}")
                self._value(self._next(), here)
                continue
            self.lines[here] = _line(event)
            entries[key] = self._value(self._next(), here)
        return entries


def _line(event: Any) -> int:  # noqa: ANN401 -- as above
    line: int = event.start_mark.line
    return line + 1
