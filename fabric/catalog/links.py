"""Links between the catalog's files: every source, figure and part that a file names must exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from fabric.catalog.constants import Chip, EcnProfile, FamilySupport, IbChip, Stack
from fabric.catalog.parts import CablePart, Switch, System, Transceiver
from fabric.catalog.record import Part, Source, Sourced
from fabric.errors import Fault, nearest
from fabric.yaml_file import Document

Parts: TypeAlias = dict[str, dict[str, Sourced]]
"""Records by kind (the folder's name) and key (the file's name)."""

Name: TypeAlias = tuple[tuple[str | int, ...], str, tuple[str, ...]]
"""Place of a name in its file, the name, and the kinds of part that it may belong to."""


def link_faults(parts: Parts, sources: Mapping[str, Source], documents: Mapping[str, Document]) -> Iterator[Fault]:
    """Faults of every valid record, at their lines.

    Args:
        parts: the records.
        sources: the sources by key.
        documents: what the files say, by path; a file that is no valid record still lends its name.
    """
    known: dict[str, set[str]] = {kind: set() for kind in parts}
    for path in documents:
        kind, _, name = path.partition("/")
        known.setdefault(kind, set()).add(name.removesuffix(".yaml"))
    for kind, some in parts.items():
        for key, record in some.items():
            document = documents[f"{kind}/{key}.yaml"]
            yield from _source_faults(record, sources, document)
            yield from _figure_faults(record, document)
            yield from _key_faults(key, record, document)
            for place, name, kinds in _names(record):
                if not any(name in known[kind] for kind in kinds):
                    hint = nearest(name, (other for kind in kinds for other in known[kind]))
                    yield document.fault(place, f"no file of {' or '.join(kinds)} is called {name!r}{hint}")
    yield from _twice(known, documents)


def _source_faults(record: Sourced, sources: Mapping[str, Source], document: Document) -> Iterator[Fault]:
    cited: list[tuple[tuple[str | int, ...], str]] = [
        (("sources", index), key) for index, key in enumerate(record.sources)
    ]
    cited += [(("evidence", at, "source"), item.source) for at, item in record.evidence.items() if item.source]
    if isinstance(record, Stack):
        cited += [(("fit", "rows", key), key) for key in record.fit.rows]
    for path, key in cited:
        if key not in sources:
            yield document.fault(path, f"unknown source {key!r}{nearest(key, sources)}")


def _figure_faults(record: Sourced, document: Document) -> Iterator[Fault]:
    """Evidence must speak of a figure in the file, and a planning value of one that is not known."""
    for at in record.evidence:
        if not any(True for _ in _values(document.data, at.split("."))):
            yield document.fault(("evidence", at), "evidence for a figure that this file does not hold")
    for at in record.planning if isinstance(record, Part) else ():
        fields = type(record).model_fields
        values = [getattr(record, at)] if at in fields else list(_values(document.data, at.split(".")))
        if not values:
            yield document.fault(("planning", at), f"a planning value for an unknown figure{nearest(at, fields)}")
        elif any(value is not None for value in values):
            yield document.fault(("planning", at), "a planning value for a figure that is known")


def _values(data: object, path: list[str]) -> Iterator[object]:
    """Values at a path: a list stands for its every item, and a key may hold dots itself."""
    if not path:
        yield data
    elif isinstance(data, tuple):
        for item in data:
            yield from _values(item, path)
    elif isinstance(data, dict):
        for cut in range(1, len(path) + 1):
            if (head := ".".join(path[:cut])) in data:
                yield from _values(data[head], path[cut:])


def _key_faults(key: str, record: Sourced, document: Document) -> Iterator[Fault]:
    """Some files repeat their key, so that a copy cannot pass for the original."""
    field = "chip" if isinstance(record, Chip | IbChip) else "profile" if isinstance(record, EcnProfile) else None
    if isinstance(record, FamilySupport) and f"{record.family}-{record.nos}" != key:
        yield document.fault(("family",), f"family and nos must be those of the file's name, {key}")
    if field is not None and getattr(record, field) != key:
        yield document.fault((field,), f"must be the file's name, {key}")


def _names(record: Sourced) -> Iterator[Name]:
    """Every name of another part in a record."""
    if isinstance(record, Switch):
        yield from _chip_name(record)
    elif isinstance(record, CablePart | Transceiver):
        for index, name in enumerate(record.qualified_with):
            yield ("qualified_with", index), name, ("switches", "nics", "systems")
    elif isinstance(record, System | Stack):
        if record.nic is not None:
            yield ("nic",), record.nic, ("nics",)
        for index, port in enumerate(record.host_ports if isinstance(record, System) else ()):
            if port.nic is not None:
                yield ("host_ports", index, "nic"), port.nic, ("nics",)
        for index, name in enumerate(record.systems if isinstance(record, Stack) else ()):
            yield ("systems", index), name, ("systems",)
        for at, lender in record.fit.borrowed.items() if isinstance(record, Stack) else ():
            yield ("fit", "borrowed", at), lender, ("stacks",)


def _chip_name(switch: Switch) -> Iterator[Name]:
    kinds = ("chips",) if switch.link_layer == "ethernet" else ("ib_chips",)
    if switch.chip is not None:
        yield ("chip",), switch.chip, kinds
    elif "chip" in switch.planning:
        yield ("planning", "chip", "value"), str(switch.planning["chip"].value), kinds


def _twice(known: Mapping[str, set[str]], documents: Mapping[str, Document]) -> Iterator[Fault]:
    """A key that a bill or a price list could not tell apart."""
    seen: dict[str, str] = {}
    for kind in ("switches", "cables", "transceivers", "systems", "nics"):
        for key in sorted(known.get(kind, ())):
            if key in seen:
                yield documents[f"{kind}/{key}.yaml"].fault((), f"{seen[key]} holds a part of the same name")
            seen.setdefault(key, kind)
