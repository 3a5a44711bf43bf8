"""`prices.csv` of an overlay: prices of one's own, in place of those of the part files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fabric import table
from fabric.catalog.links import Parts
from fabric.catalog.record import Evidence, Part, Sourced
from fabric.errors import ArtifactError, Fault, nearest

PRICE_LIST = "prices.csv"
"""Name of the file in an overlay."""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One price [USD], by the part's key, with where and when it was quoted."""

    part: str
    price_usd: float
    source: str | None = None
    date: str | None = None


def with_prices(parts: Parts, path: Path) -> tuple[Parts, list[Fault]]:
    """The parts at the prices of the list at `path`, and the list's faults."""
    file = str(path)
    try:
        rows = table.read(PriceRow, path, file)
    except ArtifactError as error:
        return parts, list(error.faults)
    kind_of = {key: kind for kind, some in parts.items() for key, part in some.items() if isinstance(part, Part)}
    priced = {kind: dict(some) for kind, some in parts.items()}
    faults: list[Fault] = []
    lines: dict[str, int] = {}
    for line, row in enumerate(rows, start=2):
        if row.part not in kind_of:
            faults.append(Fault(f"unknown part {row.part!r}{nearest(row.part, kind_of)}", file, line, "part"))
        elif row.part in lines:
            faults.append(Fault(f"{row.part} has a price in line {lines[row.part]} already", file, line, "part"))
        elif row.price_usd < 0:
            faults.append(Fault(f"{row.price_usd:g} is below 0", file, line, "price_usd"))
        else:
            lines[row.part] = line
            some = priced[kind_of[row.part]]
            some[row.part] = _priced(some[row.part], row)
    return priced, faults


def _priced(part: Sourced, row: PriceRow) -> Sourced:
    evidence = Evidence(source=row.source or PRICE_LIST, note=row.date)
    return part.model_copy(update={"price_usd": row.price_usd, "evidence": {**part.evidence, "price_usd": evidence}})
