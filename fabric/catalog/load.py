"""The catalog: every part file, shipped or of an overlay, validated once, with every fault of every file."""

from __future__ import annotations

import hashlib
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fabric.catalog.constants import Chip, EcnProfile, FamilySupport, IbChip, MoeModel, Stack
from fabric.catalog.link_layer import LinkTimes
from fabric.catalog.links import Parts, link_faults
from fabric.catalog.parts import CablePart, Nic, Switch, System, Transceiver
from fabric.catalog.planning import (
    PLANNING_PRICES,
    PLANNING_WATTS,
    PlanningPrices,
    PlanningWatts,
    shipped_planning_prices,
    shipped_planning_watts,
)
from fabric.catalog.price_list import PRICE_LIST, with_prices
from fabric.catalog.record import Source, Sourced, SourceFile
from fabric.errors import CatalogError, Fault, nearest
from fabric.resources import data_dir
from fabric.yaml_file import Document, decode, inspect, scan

SCHEMAS: Mapping[str, type[Sourced]] = MappingProxyType(
    {
        "systems": System,
        "nics": Nic,
        "switches": Switch,
        "cables": CablePart,
        "transceivers": Transceiver,
        "moe_models": MoeModel,
        "stacks": Stack,
        "chips": Chip,
        "ib_chips": IbChip,
        "ecn_profiles": EcnProfile,
        "family_support": FamilySupport,
        "link_layers": LinkTimes,
    }
)
"""Folder of each kind of part, and its schema."""

_SOURCES = "sources"
_SUFFIXES = {".yaml", ".yml", ".json", ".csv"}


@dataclass(frozen=True)
class Catalog:
    """All parts by kind and key, the sources that they cite, and what the overlay brought.

    `digest` names the content of all files; `overlay` holds the overlay's files by relative path, so that a design
    folder can carry them along.
    """

    systems: Mapping[str, System]
    nics: Mapping[str, Nic]
    switches: Mapping[str, Switch]
    cables: Mapping[str, CablePart]
    transceivers: Mapping[str, Transceiver]
    moe_models: Mapping[str, MoeModel]
    stacks: Mapping[str, Stack]
    chips: Mapping[str, Chip]
    sources: Mapping[str, Source]
    digest: str
    overlay: Mapping[str, str]
    ib_chips: Mapping[str, IbChip] = field(default_factory=dict)
    ecn_profiles: Mapping[str, EcnProfile] = field(default_factory=dict)
    family_support: Mapping[str, FamilySupport] = field(default_factory=dict)
    link_layers: Mapping[str, LinkTimes] = field(default_factory=dict)

    def support_of(self, family: str, nos: str) -> FamilySupport | None:
        """How far a family runs on a network operating system; None where that is not known."""
        found = (each for each in self.family_support.values() if (each.family, each.nos) == (family, nos))
        return next(found, None)

    planning_prices: PlanningPrices = field(default_factory=shipped_planning_prices)
    planning_watts: PlanningWatts = field(default_factory=shipped_planning_watts)


def load(overlay: Path | None = None) -> Catalog:
    """The shipped catalog, with the parts, sources and prices of the folder `overlay` on top.

    Raises:
        CatalogError: with every fault of every file, its line, and the nearest spelling of an unknown name.
    """
    shipped = _texts(data_dir("catalog"), "")
    added = {} if overlay is None else _overlay_texts(overlay)
    documents = {
        path: scan(text, f"{overlay}/{path}" if path in added else path)
        for path, text in {**shipped, **added}.items()
        if path != PRICE_LIST
    }
    prices, bad_prices = inspect(PlanningPrices, documents.pop(PLANNING_PRICES))
    watts, bad_watts = inspect(PlanningWatts, documents.pop(PLANNING_WATTS))
    parts, sources, faults = _records(documents)
    faults.extend((*bad_prices, *bad_watts, *link_faults(parts, sources, documents)))
    if overlay is not None and PRICE_LIST in added:
        parts, bad_rows = with_prices(parts, overlay / PRICE_LIST)
        faults.extend(bad_rows)
    if faults or prices is None or watts is None:
        raise CatalogError(*faults)
    records: dict[str, Any] = parts
    return Catalog(
        sources=sources,
        digest=_digest(shipped, added),
        overlay=added,
        planning_prices=prices,
        planning_watts=watts,
        **records,
    )


def _texts(folder: Path, label: str) -> dict[str, str]:
    """Text of every file of the catalog below `folder`, by its path there; hidden files are none of ours.

    Raises:
        CatalogError: with every file that is no readable text.
    """
    texts: dict[str, str] = {}
    faults: list[Fault] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and not path.name.startswith(".") and path.is_file():
            relative = path.relative_to(folder).as_posix()
            try:
                content = path.read_bytes()
                if path.suffix == ".csv":
                    content = content.removeprefix(BOM_UTF8)  # spreadsheets write it, and tables pass over it
                texts[relative] = decode(content, f"{label}{relative}", CatalogError)
            except CatalogError as error:
                faults.extend(error.faults)
            except OSError as error:
                faults.append(Fault(f"cannot be read: {error.strerror}", f"{label}{relative}"))
    if faults:
        raise CatalogError(*faults)
    return texts


def _overlay_texts(overlay: Path) -> dict[str, str]:
    """Files of an overlay.

    Raises:
        CatalogError: no such folder, or files that are no part, source or price list.
    """
    if not overlay.is_dir():
        raise CatalogError(Fault("no such folder; an overlay holds part files and prices.csv", str(overlay)))
    texts = _texts(overlay, f"{overlay}/")
    folders, files = [*SCHEMAS, _SOURCES], [PRICE_LIST, PLANNING_PRICES, PLANNING_WATTS]
    faults = []
    for path in texts:
        folder, _, name = path.rpartition("/")
        if path not in files and (folder not in folders or not name.endswith(".yaml")):
            place = f"{folder}/" if folder not in {"", *folders} else name
            hint = nearest(folder or path, [*folders, *files])
            faults.append(Fault(f"an overlay has no {place}{hint}", f"{overlay}/{path}"))
    if faults:
        raise CatalogError(*faults)
    return texts


def _records(documents: Mapping[str, Document]) -> tuple[Parts, dict[str, Source], list[Fault]]:
    """Valid records by kind and key, the sources, and the faults of all others."""
    parts: Parts = {kind: {} for kind in SCHEMAS}
    sources: dict[str, Source] = {}
    faults: list[Fault] = []
    for path, document in documents.items():
        kind, _, name = path.partition("/")
        if kind == _SOURCES:
            topic, wrong = inspect(SourceFile, document)
            again = sources.keys() & topic.root.keys() if topic is not None else set()
            faults.extend(document.fault((key,), "this source stands in another file too") for key in sorted(again))
            sources |= topic.root if topic is not None else {}
        else:
            record, wrong = inspect(SCHEMAS[kind], document)
            if record is not None:
                parts[kind][name.removesuffix(".yaml")] = record
        faults.extend(wrong)
    return parts, sources, faults


def _digest(shipped: Mapping[str, str], added: Mapping[str, str]) -> str:
    """SHA-256 over path and content of every file, in the order of paths."""
    total = hashlib.sha256()
    for path, text in sorted({**shipped, **{f"overlay/{path}": text for path, text in added.items()}}.items()):
        for piece in (path, text):
            total.update(f"{len(piece.encode())}:".encode())
            total.update(piece.encode())
    return total.hexdigest()
