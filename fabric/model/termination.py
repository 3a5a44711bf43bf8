"""How a search ended: never just "solved"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Termination:
    """Status, value and bound of one search, in whole cents or milliwatts.

    `optimal` means that the method's argument covers every constraint that was on; otherwise `feasible` with
    the bound as far as it was proved. `scope` names the decisions that the bound covers, `fixed` those that it
    took as given and by what. No search ends elsewhere that is given less counted work than `first_work`.
    """

    status: Literal["optimal", "feasible"]
    objective: int
    bound: int
    method: str
    scope: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    first_work: int = 0

    def __post_init__(self) -> None:
        if self.bound > self.objective:
            raise ArithmeticError(f"bound {self.bound} exceeds the incumbent {self.objective} ({self.method})")

    @property
    def gap(self) -> float:
        """(objective − bound) / objective, 0 for a free design."""
        return (self.objective - self.bound) / self.objective if self.objective else 0.0
