"""From a request to its best shape, laid out: a search over the candidates of every family that it leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, FabricError, InfeasibleError, InputError, LimitReachedError
from fabric.io.request_file import LoadedRequest
from fabric.layout.search import Candidate, Outcome, Rules, Stop, ranked, search
from fabric.layout.waiting import Bounds, Value
from fabric.model.outline import listed
from fabric.model.shape import Shape
from fabric.model.tier import in_words
from fabric.pipeline.alternatives import remembers
from fabric.pipeline.candidates import Candidates, Weighed, by_family
from fabric.pipeline.limits import refuse_budget
from fabric.pipeline.objective import Objective
from fabric.pipeline.watch import Say, Watch
from fabric.topology.size import Size


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop searching a family: after so many shapes laid out (None: as many as it is worth), or a time [s]."""

    work: int | None = None
    time_s: float | None = None


THOROUGH_WORK = 2_400_000
"""Work for the places of the shape that was chosen (`layout.site_bound`)."""

DEFAULT_LIMITS = Limits()

ONE_SHAPE = Limits(work=1)
"""Enough to see whether there is a design."""

OTHER_FAMILY = "the best of its family, not better than that of another"
"""Why a design was not taken."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The best shape found for a request with its proof, what it was compared by, and how the search ended.

    `asked` is the request for the family of the shape, `fixed` names what the search over shapes took as given.
    """

    asked: LoadedRequest
    outcome: Outcome[Shape, Weighed]
    objective: Objective
    size: Size
    notes: tuple[str, ...]
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One family in a search over several: its choice, or why there is none."""

    family: str
    choice: Choice | None
    error: FabricError | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """What every family came to, in the order in which they were searched, and the choice among them.

    The bound of the choice holds over all families whose search ended.
    """

    choice: Choice
    entries: tuple[Entry, ...]


def choose(
    loaded: LoadedRequest, catalog: Catalog, limits: Limits = DEFAULT_LIMITS, say: Say = lambda _: None
) -> Contest:
    """The best shape found for a request, of the family that it names or of any.

    Args:
        loaded: the request and its floor plan, if it has one.
        catalog: parts that may be used.
        limits: when to stop searching.
        say: takes progress lines.

    Raises:
        InputError: the request asks what its parts cannot do.
        InfeasibleError: no design exists, with the arithmetic.
        LimitReachedError: the limit was reached without any design.
    """
    entries = tuple(_entries(loaded, catalog, limits, say))
    found = [entry.choice for entry in entries if entry.choice is not None]
    if not found:
        raise _no_family(entries)
    first = min(found, key=lambda choice: (choice.outcome.breaks_rules, choice.outcome.value))
    return Contest(_over_all(first, entries), entries)


def prove(loaded: LoadedRequest, catalog: Catalog) -> None:
    """Lay out one shape of a request, of the first family that has any.

    Raises:
        InputError, InfeasibleError, LimitReachedError: as `choose`.
    """
    entries: list[Entry] = []
    for entry in _entries(loaded, catalog, ONE_SHAPE, lambda _: None):
        if entry.choice is not None:
            return
        entries.append(entry)
    raise _no_family(entries)


def _entries(loaded: LoadedRequest, catalog: Catalog, limits: Limits, say: Say) -> Iterator[Entry]:
    """Every family that the request leaves open, searched for what is better than the best so far."""
    watch = Watch(loaded.request.objective[0], say, limits.time_s)
    rival: Value | None = None
    for asked in by_family(loaded):
        family = asked.request.fabric.family
        if rival is not None and watch.is_out_of_time:
            yield Entry(family, None, LimitReachedError("--time-limit was reached before this family was searched"))
            continue
        try:
            choice = _best(asked, catalog, Stop(limits.work or 0, watch, rival), watch)
        except (InputError, InfeasibleError, LimitReachedError) as error:
            yield Entry(family, None, error)
            continue
        outcome = choice.outcome
        if not outcome.breaks_rules and (rival is None or outcome.value < rival):
            rival = outcome.value
        yield Entry(family, choice)


def _best(asked: LoadedRequest, catalog: Catalog, stop: Stop, watch: Watch) -> Choice:
    """The best shape of one family; as much work as it is worth where `stop` names none."""
    candidates = Candidates(asked, catalog)

    def realise(shape: Shape) -> tuple[Value, Value, Weighed]:
        watch.say(f"laying out {in_words(shape.tiers)}")
        return candidates.realise(shape)

    def thoroughly(shape: Shape) -> tuple[Value, Value, Weighed]:
        watch.say(f"looking longer for places of {in_words(shape.tiers)}")
        return candidates.realise(shape, THOROUGH_WORK)

    bounds = Bounds(candidates.bound.switches, (candidates.bound_of, *candidates.of_fitted))
    rules = Rules(candidates.before, candidates.after, candidates.instead, candidates.bound.alike, remembers)
    stop = stop._replace(work_limit=stop.work_limit or candidates.work)
    outcome = search(candidates.listings, bounds, realise, stop, rules, thoroughly)
    refuse_budget(outcome.bound[0], asked.request, catalog)
    notes = (*candidates.size.assumptions, *watch.notes(outcome.laid_out, outcome.left_open))
    return Choice(asked, outcome, candidates.objective, candidates.size, notes, candidates.fixed)


def _over_all(first: Choice, entries: Sequence[Entry]) -> Choice:
    """The choice with a bound and runners-up over all families; what is not known of one is named as fixed."""
    mine, others, bounds, fixed = first.outcome, list(first.outcome.others), [first.outcome.bound], list(first.fixed)
    for entry in entries:
        if entry.choice is not None and entry.choice is not first:
            its = entry.choice.outcome
            others += [Candidate(its.shape, its.value, its.bound, OTHER_FAMILY), *its.others]
            bounds.append(its.bound)
        elif isinstance(entry.error, LimitReachedError):
            fixed.append(f"family: no {entry.family.replace('_', '-')}; none was found, nor proved impossible")
    outcome = replace(mine, bound=min(bounds), others=ranked(others) if len(bounds) > 1 else mine.others)
    return replace(first, outcome=outcome, fixed=tuple(fixed))


def _no_family(entries: Sequence[Entry]) -> FabricError:
    """The error where no family has a design: that of the first, and beside it in one line each why no other has."""
    first, *others = (entry.error for entry in entries)
    if first is None:
        raise LookupError("an entry without a choice has an error")
    open_ones = [error for error in (first, *others) if isinstance(error, LimitReachedError)]
    infeasible = [error for error in (first, *others) if isinstance(error, InfeasibleError)]
    if not others or not (open_ones or infeasible):
        return first
    if open_ones:
        return open_ones[0]
    reasons: dict[str, list[str]] = {}
    for entry in entries:
        if entry.error is not None and entry.error is not infeasible[0]:
            reasons.setdefault(_first_reason(entry.error), []).append(f"a {entry.family.replace('_', '-')}")
    why = "; ".join(f"nor does {' or '.join(families)}: {reason}" for reason, families in reasons.items())
    return InfeasibleError(
        *infeasible[0].faults, conflict=(*infeasible[0].conflict, Conflict("fabric.family", "auto", why))
    )


def _first_reason(error: FabricError) -> str:
    """The first of the reasons of an error."""
    return error.conflict[0].arithmetic if error.conflict else str(error.faults[0])


def possible(loaded: LoadedRequest, catalog: Catalog) -> bool:
    """Whether counting leaves the request a shape: by ports, racks and switches, before anything is laid out."""
    return any(_possible(asked, catalog) for asked in by_family(loaded))


def _possible(asked: LoadedRequest, catalog: Catalog) -> bool:
    try:
        candidates = Candidates(asked, catalog)
    except (InfeasibleError, InputError):
        return False
    shapes: Iterator[Shape] = listed(candidates.listings)
    for shape in shapes:
        with suppress(InfeasibleError):
            candidates.refuse(shape)
            return True
    return False
