"""Best-first search over shapes: realise the most promising, stop when no other can be better.

Shapes come in the order of their bounds (`waiting`), and only with the last of them is one laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from fabric.errors import FabricError, InfeasibleError, LimitReachedError
from fabric.layout.waiting import Bounds, Listings, Value, Waiting
from fabric.model.outline import Outline

S = TypeVar("S", bound=Hashable)
R = TypeVar("R")

WORK_LIMIT = 6
"""Shapes realised at most unless the caller says otherwise; counted work, so that runs repeat."""

GAP_SHARE = 500
"""A gap of one part in so many is not worth a second look."""

MOST_OPEN = 12
"""Shapes that a limit leaves out, of which the dearer bounds are still asked: no later one lifts that of the search."""

TRIES = 10
"""Shapes tried at most for every shape that may be realised: one that is refused on the way costs little."""

BEATEN = "cannot be better: its bound reaches the best value"
"""Why a shape was not laid out."""

ALIKE = "cannot be better: laid out like one that is no dearer by its switches"
"""Why a shape was not laid out that differs in switches alone from one that was."""


@dataclass(frozen=True, slots=True)
class Candidate(Generic[S]):
    """A shape that was not taken: its value when it was realised, its bound (none if it was refused), why it lost."""

    shape: S
    value: Value | None
    bound: Value
    why_not: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a search is: shapes laid out and listed, the best value so far and what bounds every shape."""

    done: int
    listed: int
    value: Value | None
    bound: Value


Realise = Callable[[S], tuple[Value, Value, R]]
"""Value, lower bound and result of a shape laid out in full."""

Again = Callable[[S, R], tuple[Value, Value, R]]
"""The same of a shape that was laid out, with more work."""

GoOn = Callable[[Standing], bool]
"""Asked before each shape whether to lay it out or to bound it dearly; the first refusal ends the search."""


class Stop(NamedTuple):
    """When a search ends: shapes realised at most, impossible ones counting a tenth; and what is asked before each.

    Shapes worth `rival` or more are laid out only until there is an answer: another search has one of that value.
    """

    work_limit: int = WORK_LIMIT
    go_on: GoOn = lambda _: True
    rival: Value | None = None


DEFAULT_STOP = Stop()


@dataclass(frozen=True, slots=True)
class Rules(Generic[S, R]):
    """What an answer must hold besides being possible, and which answers need no look.

    Why not, or None, says `before` of a shape and `after` of what was laid out. Shapes worth a look only where others
    are refused before they are laid out come from `instead`. Where nothing holds the rules, the best of the rest is
    taken. Shapes with equal `alike` differ by switches that the bounds know: laid out, they differ as their bounds do,
    so once one of them is an answer, those of higher bound are none. Of what cannot be better, `remembers` says whether
    those that an outline with such a bound stands for belong among the shapes that lost.
    """

    before: Callable[[S], str | None] = lambda _: None
    after: Callable[[R], str | None] = lambda _: None
    instead: Callable[[], Listings[S]] = tuple
    alike: Callable[[S], Hashable] = lambda shape: shape
    remembers: Callable[[Sequence[Candidate[S]], Value, Outline], bool] = lambda *_: False


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S, R]):
    """The best realised shape, a bound that holds over all shapes, and the runners-up in order of value.

    `laid_out` shapes were tried in full, and `left_open` ones might be better but were not, for a limit. The shape
    `breaks_rules` where none was found that holds them all.
    """

    shape: S
    result: R
    value: Value
    bound: Value
    others: tuple[Candidate[S], ...]
    laid_out: int
    left_open: int
    breaks_rules: bool = False


class _Run(Generic[S, R]):
    """One search: the incumbent, the bounds still open, and why the others lost."""

    def __init__(
        self,
        bounds: Bounds[S],
        realise: Realise[S, R],
        rules: Rules[S, R],
        rival: Value | None,
    ) -> None:
        self.waiting = Waiting(bounds, lambda shape, error: self.fail(shape, (), error))
        self._realise = realise
        self._rules = rules
        self._rival = rival
        self.best: tuple[Value, Value, S, R] | None = None
        self.refused: list[tuple[Value, S]] = []
        self.spare: tuple[Value, Value, S, R] | None = None
        self.open_bounds: list[Value] = []
        self.others: list[Candidate[S]] = []
        self.failures: list[tuple[Value, FabricError]] = []
        self._settled: dict[Hashable, tuple[Value, Value]] = {}
        self.tried = 0
        self.laid_out = 0
        self.left_open = 0

    def most_promising(self, go_on: GoOn) -> Iterator[tuple[Value, S]]:
        """Shapes that may be better than the incumbent, least bound first: their last one, unless a limit ends that."""
        waiting = self.waiting.ascending(
            self._can_win,
            partial(self._rules.remembers, self.others),
            lambda lower: self.left_open < MOST_OPEN and go_on(self.standing(lower)),
        )
        for lower, shape in waiting:
            if not self._can_win(lower):
                self.others.append(Candidate(shape, None, lower, BEATEN))
            elif self._rules.alike(shape) in self._settled:
                self._settle(shape, lower)
            else:
                yield lower, shape

    def _can_win(self, lower: Value) -> bool:
        """Whether a bound leaves room below the incumbent, once there is one also below that of another search."""
        return self.best is None or (lower < self.best[0] and (self._rival is None or lower < self._rival))

    def _settle(self, shape: S, lower: Value) -> None:
        """Bound a shape by one alike that was laid out: what that proved about the links holds for its own."""
        its_lower, its_bound = self._settled[self._rules.alike(shape)]
        bound = tuple(proved + mine - its for proved, mine, its in zip(its_bound, lower, its_lower, strict=True))
        self.open_bounds.append(bound)
        self.others.append(Candidate(shape, None, bound, ALIKE))

    def fail(self, shape: S, bound: Value, error: FabricError) -> None:
        """Remember a shape that cannot be laid out, or (its bound stays open) was not within a limit."""
        self.failures.append((bound, error))
        self.others.append(Candidate(shape, None, bound, str(error).replace("\n", "; ")))
        if isinstance(error, LimitReachedError):
            self.open_bounds.append(bound)

    def skip(self, shape: S, bound: Value) -> None:
        """Pass over a shape that a limit leaves out."""
        self.left_open += 1
        self.open_bounds.append(bound)
        self.others.append(Candidate(shape, None, bound, "not laid out: the limit of the search was reached"))

    def standing(self, lower: Value) -> Standing:
        """Where the search is before a shape with the bound `lower`, the least of those to come."""
        value = self.best[0] if self.best is not None else None
        known = [lower, *self.open_bounds] if value is None else [lower, *self.open_bounds, value]
        return Standing(self.laid_out, self.waiting.listed_count, value, min(known))

    def try_out(self, shape: S, lower: Value) -> None:
        """Lay a shape out in full and keep the better of it and the incumbent."""
        self.tried += 1
        why_not = self._rules.before(shape)
        if why_not is not None:
            self.refused.append((lower, shape))
            self.others.append(Candidate(shape, None, lower, why_not))
            return
        found = self._laid_out(shape, lower)
        if found is None:
            return
        value, bound, _, result = found
        why_not = self._rules.after(result)
        if why_not is not None:
            self.others.append(Candidate(shape, value, bound, why_not))
            if self.spare is None or value < self.spare[0]:
                self.spare = found
            return
        self._settled[self._rules.alike(shape)] = lower, bound
        if self.best is not None and value >= self.best[0]:
            self.others.append(Candidate(shape, value, bound, "laid out in full and not better"))
            return
        if self.best is not None:
            self.others.append(Candidate(self.best[2], self.best[0], self.best[1], "laid out in full and worse"))
        self.best = found

    def fall_back(self) -> None:
        """Take the best of what breaks a rule; the most promising of the shapes refused, if none else is there."""
        for lower, shape in self.refused:
            if self.spare is None:
                self.spare = self._laid_out(shape, lower)
            else:
                self.open_bounds.append(lower)
        self.best = self.spare
        if self.best is not None:
            taken = self.best[2]
            self.others = [other for other in self.others if other.shape != taken]

    def look_again(self, thoroughly: Again[S, R]) -> None:
        """Lay the incumbent out once more, where its own bound leaves a gap worth it, unless that finds worse."""
        if self.best is None or self.best[1] != min(self.open_bounds):
            return
        value, bound, shape, result = self.best
        if self._rival is not None and bound >= self._rival:
            return
        if GAP_SHARE * (value[0] - bound[0]) <= value[0]:
            return
        with suppress(LimitReachedError):
            found = _found(lambda shape: thoroughly(shape, result), shape, ())
            if found[0] <= value and self._rules.after(found[3]) is None:
                self.open_bounds.remove(bound)
                self.open_bounds.append(found[1])
                self.best = found

    def _laid_out(self, shape: S, lower: Value) -> tuple[Value, Value, S, R] | None:
        """Value, bound, shape and result; None where that cannot be or was not found, which is remembered."""
        try:
            found = _found(self._realise, shape, lower)
        except InfeasibleError as error:
            self.fail(shape, lower, error)
            return None
        except LimitReachedError as error:
            self.laid_out += 1
            self.fail(shape, lower, error)
            return None
        self.laid_out += 1
        self.open_bounds.append(found[1])
        return found


def _found(realise: Realise[S, R], shape: S, lower: Value) -> tuple[Value, Value, S, R]:
    """Value, bound, shape and result of a shape laid out; the bound is checked against the value."""
    value, proved, result = realise(shape)
    bound = tuple(map(max, lower or proved, proved))
    if any(low > high for low, high in zip(bound, value, strict=True)):
        raise ArithmeticError(f"bound {bound} exceeds the value {value} of {shape}")
    return value, bound, shape, result


def search(
    listings: Listings[S],
    bounds: Bounds[S],
    realise: Realise[S, R],
    stop: Stop = DEFAULT_STOP,
    rules: Rules[S, R] = Rules(),
    thoroughly: Again[S, R] | None = None,
) -> Outcome[S, R]:
    """The best shape among those realised, with a bound over all of them.

    Values compare goal by goal. A bound holds goal by goal, so it bounds them in that order too.

    Args:
        listings: candidates; of equal bound and value the earlier one wins.
        bounds: lower bounds on the value of a shape, the quickest first.
        realise: value, lower bound and result of a shape laid out in full; raises InfeasibleError where that cannot
            be, LimitReachedError where it was not found.
        stop: when to end.
        rules: what an answer must hold; a shape that breaks one is passed over, unless all do.
        thoroughly: as `realise`, with more work; asked once more of the best, where its own bound leaves a gap.

    Raises:
        InfeasibleError: every shape was proved impossible; carries the conflicts of the most promising.
        LimitReachedError: none was laid out, but not every shape is proved impossible; carries why the first failed.
    """
    run: _Run[S, R] = _Run(bounds, realise, rules, stop.rival)
    run.waiting.offer(listings)
    going, is_widened = True, False
    for lower, shape in run.most_promising(stop.go_on):
        within = run.laid_out < stop.work_limit and run.tried < TRIES * stop.work_limit
        going = going and within and stop.go_on(run.standing(lower))
        if going:
            run.try_out(shape, lower)
        else:
            run.skip(shape, lower)
        if run.refused and not is_widened:
            is_widened = True
            run.waiting.offer(rules.instead())
    run.open_bounds += run.waiting.unread
    breaks_rules = run.best is None
    if breaks_rules:
        run.fall_back()
    if run.best is None:
        raise _no_answer(run.failures, left_open=run.left_open, proved=not run.open_bounds)
    if thoroughly is not None and stop.go_on(run.standing(run.best[0])):
        run.look_again(thoroughly)
    value, _, shape, result = run.best
    others = ranked(run.others)
    open_bounds = run.open_bounds if stop.rival is None else [*run.open_bounds, stop.rival]
    return Outcome(shape, result, value, min([value, *open_bounds]), others, run.laid_out, run.left_open, breaks_rules)


def ranked(others: Iterable[Candidate[S]]) -> tuple[Candidate[S], ...]:
    """Shapes that lost: first those laid out, by their value, then by their bound, last those that have none."""
    return tuple(sorted(others, key=lambda other: (other.value is None, not other.bound, other.value or other.bound)))


def _no_answer(failures: list[tuple[Value, FabricError]], *, left_open: int, proved: bool) -> FabricError:
    """The error for a search without a result: why the most promising shape failed, one with a bound before others."""
    waiting = left_open or "all"
    over = f"no shape was laid out within the limit, which leaves {waiting} open; allow more time or work"
    if not failures:
        return LimitReachedError(over)
    _, first = min(failures, key=lambda failure: (not failure[0], failure[0]))
    if proved:
        return first
    why = over if left_open else "no shape could be laid out, yet it is not proved that none can be"
    return LimitReachedError(f"{why}; the most promising one fails:", *first.faults, conflict=first.conflict)
