"""The families that a request left open: the best found of each, and why the first of them was taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RankedFamily:
    """One family: its best design found, or why it has none.

    `objective` and `bound` are by the first goal in `unit`, both None without a design. `cost` is capex in `cost_unit`
    (`usd` or `planning_usd`), `power_w` the maximum power with planning watts for what is not known; `cables` counts
    them by medium. `diameter` is in switches, `bisection` and the thetas are shares of line rate. `support` is the
    grade of the family on the switches' operating system. `why_not` is empty for the family that was taken.
    """

    family: str
    support: str
    why_not: str
    switches: Mapping[str, str | int] = field(default_factory=dict)
    objective: float | None = None
    bound: float | None = None
    unit: str | None = None
    cost: float | None = None
    cost_unit: str | None = None
    power_w: float | None = None
    cables: Mapping[str, int] = field(default_factory=dict)
    diameter: int | None = None
    bisection: float | None = None
    uniform_theta: float | None = None
    worst_permutation_theta: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Families from the best down, those without a design last; the verdict says why and what would change it."""

    verdict: str
    families: tuple[RankedFamily, ...]
