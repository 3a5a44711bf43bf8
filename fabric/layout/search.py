"""Best-first search over shapes: realise the most promising, stop when no other can be cheaper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fabric.errors import FabricError, InfeasibleError, LimitReachedError

S = TypeVar("S")
R = TypeVar("R")

WORK_LIMIT = 6
"""Shapes realised at most unless the caller says otherwise; counted work, so that runs repeat."""


BEATEN = "cannot be cheaper: its switches and links alone reach this bound"
"""Why a shape was not laid out."""


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


class _Run(Generic[S, R]):
    """One search: the incumbent, the bounds still open, and why the others lost."""

    def __init__(self, realise: Callable[[S], tuple[int, int, R]]) -> None:
        self._realise = realise
        self.best: tuple[int, int, S, R] | None = None
        self.open_bounds: list[int] = []
        self.others: list[Candidate[S]] = []
        self.failures: list[FabricError] = []

    def fail(self, shape: S, bound: int, error: FabricError) -> None:
        """Remember a shape that cannot be laid out, or (its bound stays open) was not within a limit."""
        self.failures.append(error)
        self.others.append(Candidate(shape, None, bound, str(error).replace("\n", "; ")))
        if isinstance(error, LimitReachedError):
            self.open_bounds.append(bound)

    def skip(self, shape: S, bound: int) -> None:
        """Pass over a shape that the work limit leaves out."""
        self.open_bounds.append(bound)
        self.others.append(Candidate(shape, None, bound, "not laid out: the work limit was reached"))

    def try_out(self, shape: S, lower: int) -> None:
        """Lay a shape out in full and keep the cheaper of it and the incumbent."""
        try:
            value, proved, result = self._realise(shape)
        except (InfeasibleError, LimitReachedError) as error:
            self.fail(shape, lower, error)
            return
        bound = max(lower, proved)
        if bound > value:
            raise ArithmeticError(f"bound {bound} exceeds the value {value} of {shape}")
        self.open_bounds.append(bound)
        if self.best is not None and value >= self.best[0]:
            self.others.append(Candidate(shape, value, bound, "laid out in full and not cheaper"))
            return
        if self.best is not None:
            self.others.append(Candidate(self.best[2], self.best[0], self.best[1], "laid out in full and dearer"))
        self.best = (value, bound, shape, result)


def search(
    shapes: Iterable[S],
    bound_of: Callable[[S], int],
    realise: Callable[[S], tuple[int, int, R]],
    work_limit: int = WORK_LIMIT,
) -> Outcome[S, R]:
    """The cheapest shape among those realised, with a bound over all of them.

    Args:
        shapes: candidates; of equal bound and value the earlier one wins.
        bound_of: lower bound on the value of a shape, cheap to compute; raises InfeasibleError where there is none.
        realise: value, lower bound and result of a shape laid out in full; raises InfeasibleError where that cannot
            be, LimitReachedError where it was not found.
        work_limit: shapes realised at most.

    Raises:
        InfeasibleError: every shape was proved impossible; carries the conflicts of the first.
        LimitReachedError: none was laid out, but not every shape is proved impossible; carries why the first failed.
    """
    run: _Run[S, R] = _Run(realise)
    queue: list[tuple[int, int, S]] = []
    for index, shape in enumerate(shapes):
        try:
            queue.append((bound_of(shape), index, shape))
        except InfeasibleError as error:
            run.fail(shape, 0, error)
    for work, (lower, _, shape) in enumerate(sorted(queue, key=lambda item: item[:2])):
        if run.best is not None and lower >= run.best[0]:
            run.others.append(Candidate(shape, None, lower, BEATEN))
        elif work >= work_limit:
            run.skip(shape, lower)
        else:
            run.try_out(shape, lower)
    if run.best is None:
        raise _no_answer(run.failures, proved=not run.open_bounds)
    value, _, shape, result = run.best
    ranked = sorted(run.others, key=lambda other: (other.value is None, other.value or other.bound))
    return Outcome(shape, result, value, min(value, *run.open_bounds), tuple(ranked))


def _no_answer(failures: list[FabricError], *, proved: bool) -> FabricError:
    """The error for a search without a result: why its first, most promising shape failed."""
    first = failures[0]
    if proved:
        return first
    return LimitReachedError(
        "no shape was laid out within the limit; the most promising one fails:", *first.faults, conflict=first.conflict
    )
