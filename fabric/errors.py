"""Everything that stops a run, grouped by whose fault it is and by exit code.

A bad *design* is not an exception but a `Finding` of a report. An exception carries every fault of one input at
once, so that a user mends a file in one go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one input: where it stands and what is allowed there."""

    message: str
    file: str | None = None
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        return ": ".join(part for part in (place, self.key, self.message) if part)


@dataclass(frozen=True, slots=True)
class Conflict:
    """One key of the request that takes part in an infeasibility, with its arithmetic."""

    key: str
    value: str
    arithmetic: str

    def __str__(self) -> str:
        return f"{self.key}: {self.value}: {self.arithmetic}"


class FabricError(Exception):
    """Base of all errors that the command line turns into an exit code instead of a traceback."""

    exit_code = 2

    def __init__(self, *faults: Fault | str, conflict: tuple[Conflict, ...] = ()) -> None:
        self.faults = tuple(Fault(fault) if isinstance(fault, str) else fault for fault in faults)
        self.conflict = conflict
        super().__init__("\n".join(str(item) for item in (*self.faults, *self.conflict)))


class InputError(FabricError):
    """The user's request, floor plan, workload or command line is wrong."""


class CatalogError(FabricError):
    """A part file, shipped or of an overlay, is wrong."""


class ArtifactError(FabricError):
    """A design folder or a foreign topology file cannot be read back."""


class InfeasibleError(FabricError):
    """No design can meet the request, proved by the arithmetic in `conflict`."""

    exit_code = 3


class LimitReachedError(FabricError):
    """The search stopped at its limit without any design; this proves nothing."""

    exit_code = 4


def nearest(word: str, known: Iterable[str], *, lead: str = ", ", otherwise: str = "", most: int = 1) -> str:
    """How a message on an unknown word ends: with the known ones that look most like it, `otherwise` if none does."""
    near = get_close_matches(word, list(known), n=most)
    return f"{lead}did you mean {' or '.join(near)}?" if near else otherwise
