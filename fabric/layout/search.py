"""Best-first search over shapes: realise the most promising, stop when no other can be cheaper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fabric.errors import InfeasibleError, LimitReachedError

S = TypeVar("S")
R = TypeVar("R")

WORK_LIMIT = 6
"""Shapes realised at most unless the caller says otherwise; counted work, so that runs repeat."""


@dataclass(frozen=True, slots=True)
class Candidate(Generic[S]):
    """A shape that was not taken: its value when it was realised, its bound, and why it lost."""

    shape: S
    value: int | None
    bound: int
    why_not: str


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S, R]):
    """The best realised shape, a bound that holds over all shapes, and the runners-up in order of value."""

    shape: S
    result: R
    value: int
    bound: int
    others: tuple[Candidate[S], ...]


def search(
    shapes: Iterable[S],
    bound_of: Callable[[S], int],
    realise: Callable[[S], tuple[int, int, R]],
    work_limit: int = WORK_LIMIT,
) -> Outcome[S, R]:
    """The cheapest shape among those realised, with a bound over all of them.

    Args:
        shapes: candidates; of equal bound and value the earlier one wins.
        bound_of: lower bound on the value of a shape, cheap to compute.
        realise: value, lower bound and result of a shape laid out in full; raises InfeasibleError where it cannot be.
        work_limit: shapes realised at most.

    Raises:
        InfeasibleError: every shape failed; carries the conflicts of the first.
        LimitReachedError: the limit was reached before any shape could be laid out.
    """
    queue = sorted(((bound_of(shape), index, shape) for index, shape in enumerate(shapes)), key=lambda item: item[:2])
    best: tuple[int, int, S, R] | None = None
    open_bound: list[int] = []
    others: list[Candidate[S]] = []
    failures: list[InfeasibleError] = []
    work = 0
    for lower, _, shape in queue:
        if best is not None and lower >= best[0]:
            others.append(
                Candidate(shape, None, lower, "cannot be cheaper: its switches and links alone reach this bound")
            )
            continue
        if work >= work_limit:
            open_bound.append(lower)
            others.append(Candidate(shape, None, lower, "not laid out: the work limit was reached"))
            continue
        work += 1
        try:
            value, proved, result = realise(shape)
        except InfeasibleError as error:
            failures.append(error)
            others.append(Candidate(shape, None, lower, str(error).replace("\n", "; ")))
            continue
        open_bound.append(min(value, max(lower, proved)))
        if best is None or value < best[0]:
            if best is not None:
                others.append(Candidate(best[2], best[0], best[1], "laid out in full and dearer"))
            best = (value, max(lower, proved), shape, result)
        else:
            others.append(Candidate(shape, value, max(lower, proved), "laid out in full and not cheaper"))
    if best is None:
        raise (
            failures[0] if failures and not open_bound else LimitReachedError("no shape was laid out within the limit")
        )
    ranked = sorted(others, key=lambda other: (other.value is None, other.value or other.bound))
    return Outcome(best[2], best[3], best[0], min(best[0], *open_bound), tuple(ranked))
