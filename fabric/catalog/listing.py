"""What `fabric catalog list` and `show` print: parts by kind, and one part as its file holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart
from fabric.catalog.record import Part, Sourced
from fabric.errors import Fault, InputError, nearest
from fabric.resources import data_dir
from fabric.yaml_file import parse

FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "switch": "switches",
        "cable": "cables",
        "transceiver": "transceivers",
        "system": "systems",
        "nic": "nics",
        "moe_model": "moe_models",
        "stack": "stacks",
        "chip": "chips",
        "ib_chip": "ib_chips",
        "ecn_profile": "ecn_profiles",
        "support": "family_support",
        "link_layer": "link_layers",
    }
)
"""Folder of each kind; a command takes either word."""

ORDERABLE = ("switch", "cable", "transceiver")
"""Kinds that a design buys."""


def kind_of(word: str) -> str:
    """The kind that a word names, in the singular or as its folder.

    Raises:
        InputError: no such kind.
    """
    for kind, folder in FOLDERS.items():
        if word in {kind, folder}:
            return kind
    hint = nearest(word, [*FOLDERS, *FOLDERS.values()], otherwise=f"; kinds: {', '.join(FOLDERS)}")
    raise InputError(Fault(f"unknown kind of part {word!r}{hint}"))


def list_entries(catalog: Catalog, kind: str | None = None) -> list[dict[str, Any]]:
    """One entry per part of a kind; of no kind: per orderable part that a design may buy, spelled as in its bill."""
    kinds = ORDERABLE if kind is None else (kind_of(kind),)
    return [entry for each in kinds for entry in _entries(catalog, each)]


def _entries(catalog: Catalog, kind: str) -> Iterator[dict[str, Any]]:
    parts: Mapping[str, Sourced] = getattr(catalog, FOLDERS[kind])
    for key, part in sorted(parts.items()):
        if kind in ORDERABLE and isinstance(part, Part) and not part.can_be_bought:
            continue
        entry: dict[str, Any] = {"kind": kind, "part": key, "family": getattr(part, "family", None) or key}
        if isinstance(part, CablePart):
            entry["medium"] = part.medium
        if isinstance(part, Part):
            entry["price_usd"] = part.price_usd
        yield entry


def show(catalog: Catalog, kind: str, part: str) -> dict[str, Any]:
    """The part as its file holds it, and `file`: the file's path under a catalog folder.

    Raises:
        InputError: no such kind or part, with the nearest name.
    """
    folder = FOLDERS[kind_of(kind)]
    known: Mapping[str, Sourced] = getattr(catalog, folder)
    if part not in known:
        hint = nearest(part, known, otherwise=f"; fabric catalog list {folder} names all")
        raise InputError(Fault(f"unknown {kind_of(kind)} {part!r}{hint}"))
    path = f"{folder}/{part}.yaml"
    text = catalog.overlay.get(path) or (data_dir("catalog") / path).read_text(encoding="utf-8")
    data = parse(text, path).data
    return {**(data if isinstance(data, dict) else {}), "file": path}
