"""A report as a person reads it: sections of sentences, lists and tables, the same for Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabric.model.topology import SWITCH_ROLES

UNKNOWN = "unknown"

_MILLION, _THOUSAND = 1e6, 1e3


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under a heading; every row is as long as the heading."""

    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One heading with what stands under it, in this order: sentences, table, list."""

    title: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None
    items: tuple[str, ...] = ()


def table(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> Table | None:
    """A table of anything, None without rows."""
    if not rows:
        return None
    return Table(tuple(heading), tuple(tuple(number(value) for value in row) for row in rows))


def number(value: object) -> str:
    """A value as text: thousands separated, at most four significant digits behind a point."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.4g}"
    return str(value)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number of things: `1 error`, `2 errors`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def of_role(count: int, role: str, part: str = "") -> str:
    """A number of devices of one role: `16 leaves`, `2 chaoqing-n9500-64oc spines`, `1 storage endpoint`."""
    words = role if role in {"node", *SWITCH_ROLES} else f"{role} endpoint"
    plural = "leaves" if role == "leaf" else f"{words}s"
    return counted(count, *(f"{part} {word}".strip() for word in (words, plural)))


def listed(things: Sequence[str]) -> str:
    """Things in a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(things[:-1]), *things[-1:])))


def usd(amount: float | None) -> str:
    """An amount of money in dollars."""
    if amount is None:
        return UNKNOWN
    return f"${amount:,.2f}" if abs(amount) < _THOUSAND and amount % 1 else f"${amount:,.0f}"


def kilowatt(watts: float) -> str:
    """Power in kilowatts, in megawatts from 1,000 kW on."""
    return f"{watts / _MILLION:.2f} MW" if watts >= _MILLION else f"{watts / _THOUSAND:.1f} kW"


def percent(share: float) -> str:
    """A share as percent; never rounded up to 100 %."""
    return f"{share:.0%}" if share in {0.0, 1.0} else f"{min(share, 0.999):.1%}"
