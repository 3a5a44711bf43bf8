"""The search over families: each that a request leaves open, the choice among them, and why there is none.

Families that run as far as `fabric.least_support` asks, by default those that are shipping on the switches' operating
system, come first: the best of them by the objective is taken. Where one of them holds the request the others are
ranked for their figures, and named with what they lack; where none does, the best of the others is taken. The best
value so far is the rival of the families to come (`layout.search`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fabric.catalog.constants import GRADES
from fabric.catalog.load import Catalog
from fabric.errors import Conflict, FabricError, InfeasibleError, InputError, LimitReachedError
from fabric.io.request_file import LoadedRequest
from fabric.layout.search import Candidate, Stop, ranked
from fabric.layout.waiting import Value
from fabric.model.request import FAMILY_WORDS, Request
from fabric.pipeline.candidates import by_family
from fabric.pipeline.choosing import DEFAULT_LIMITS, ONE_SHAPE, Choice, Limits, best_of_family
from fabric.pipeline.support import grade_of, in_words, is_supported
from fabric.pipeline.watch import Say, Watch
from fabric.topology.size import resolve

OTHER_FAMILY = "the best of its family, not better than that of another"
"""Why a design was not taken."""

RANKED_WORK = 2
"""Shapes laid out of a family that is only ranked, for another one that is supported as asked holds the request."""

RANKED_ENDPOINTS = 4_096
"""Most endpoints of all planes at which such families are laid out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One family in a search over several: its choice, or why there is none."""

    asked: Request
    choice: Choice | None
    error: FabricError | None = None

    @property
    def family(self) -> str:
        """Its name."""
        return self.asked.fabric.family


@dataclass(frozen=True, slots=True)
class Contest:
    """What every family came to, in the order in which they were searched, and the choice among them.

    The bound of the choice holds over all families that it was chosen from and whose search ended.
    """

    choice: Choice
    entries: tuple[Entry, ...]


def choose(
    loaded: LoadedRequest, catalog: Catalog, limits: Limits = DEFAULT_LIMITS, say: Say = lambda _: None
) -> Contest:
    """The best shape found for a request, of the family that it names or of any.

    Of several families those that are supported as asked come first: others are taken where none of these holds it.

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
    watch = Watch(loaded.request.objective[0], say, limits.time_s)
    entries = tuple(_entries(loaded, catalog, limits, watch))
    found = [entry.choice for entry in entries if entry.choice is not None]
    if not found:
        raise _no_family(entries)
    first = min(found, key=lambda choice: _merit(choice, catalog))
    notes = _limit_notes(first, entries, catalog, out_of_time=watch.is_out_of_time)
    over_all = _over_all(first, entries, catalog)
    return Contest(replace(over_all, notes=(*over_all.notes, *notes)), entries)


def _is_supported(choice: Choice, catalog: Catalog) -> bool:
    return is_supported(choice.asked.request, catalog)


def _merit(choice: Choice, catalog: Catalog) -> tuple[bool, bool, Value]:
    """By what choices of several families compare, the least first."""
    return choice.outcome.breaks_rules, not _is_supported(choice, catalog), choice.outcome.value


def prove(loaded: LoadedRequest, catalog: Catalog) -> None:
    """Lay out one shape of a request, of the first family that has any.

    Raises:
        InputError, InfeasibleError, LimitReachedError: as `choose`.
    """
    entries: list[Entry] = []
    for entry in _entries(loaded, catalog, ONE_SHAPE, Watch(loaded.request.objective[0], lambda _: None)):
        if entry.choice is not None:
            return
        entries.append(entry)
    raise _no_family(entries)


def _entries(loaded: LoadedRequest, catalog: Catalog, limits: Limits, watch: Watch) -> Iterator[Entry]:
    """Every family that the request leaves open, searched for what is better than the best so far.

    Once one that is supported as asked holds the request, what is not is looked at for its figures alone.
    """
    rival: Value | None = None
    has_supported = False
    families = sorted(by_family(loaded), key=lambda asked: not is_supported(asked.request, catalog))
    for asked in families:
        is_ranked = has_supported and not is_supported(asked.request, catalog)
        stop = Stop(limits.work or 0, watch, rival)
        if is_ranked:
            stop = Stop(RANKED_WORK, lambda standing: standing.done < RANKED_WORK and watch(standing))
        try:
            _refuse_late(asked, catalog, watch, is_rival=rival is not None, is_ranked=is_ranked)
            choice = best_of_family(asked, catalog, stop, watch)
        except (InputError, InfeasibleError, LimitReachedError) as error:
            yield Entry(asked.request, None, error)
            continue
        outcome = choice.outcome
        if not outcome.breaks_rules and (rival is None or outcome.value < rival):
            rival = outcome.value
        has_supported |= not outcome.breaks_rules and _is_supported(choice, catalog)
        yield Entry(asked.request, choice)


def _refuse_late(asked: LoadedRequest, catalog: Catalog, watch: Watch, *, is_rival: bool, is_ranked: bool) -> None:
    """Refuse to search a family that has to stand back behind a design found.

    Raises:
        LimitReachedError: the time is over, or the family is only to be ranked and the request is large.
    """
    if is_rival and watch.is_out_of_time:
        raise LimitReachedError("--time-limit was reached before this family was searched")
    size = resolve(asked.request, catalog)
    if is_ranked and size.endpoints * size.planes > RANKED_ENDPOINTS:
        why = f"not laid out beside a family {in_words(asked.request)}, for more than {RANKED_ENDPOINTS:,} endpoints"
        raise LimitReachedError(f"{why}; fabric.family: {asked.request.fabric.family} asks for it")


def _limit_notes(first: Choice, entries: Sequence[Entry], catalog: Catalog, *, out_of_time: bool) -> Iterator[str]:
    """Which limit ended the search of another family; of one that was only ranked, if the time did."""
    for entry in entries:
        is_ranked = _is_supported(first, catalog) and not is_supported(entry.asked, catalog)
        if entry.choice is first or (is_ranked and not out_of_time):
            continue
        notes: tuple[str, ...] = ()
        if entry.choice is not None:
            notes = tuple(note for note in entry.choice.notes if note not in entry.choice.size.assumptions)
        elif isinstance(entry.error, LimitReachedError):
            notes = (str(entry.error),)
        yield from (f"{FAMILY_WORDS[entry.family]}: {note}" for note in notes)


def _over_all(first: Choice, entries: Sequence[Entry], catalog: Catalog) -> Choice:
    """The choice with a bound and runners-up over all families; what is not known of one is named as fixed.

    One that was only ranked has no part in the bound.
    """
    mine, others, bounds, fixed = first.outcome, list(first.outcome.others), [first.outcome.bound], list(first.fixed)
    has_supported = _is_supported(first, catalog)
    if has_supported and not all(is_supported(entry.asked, catalog) for entry in entries):
        fixed.append(f"family: one {in_words(first.asked.request)} (fabric.least_support)")
    for entry in entries:
        if entry.choice is not None and entry.choice is not first:
            its = entry.choice.outcome
            grade = grade_of(entry.choice.asked.request, catalog)
            is_ranked = has_supported and not _is_supported(entry.choice, catalog)
            why_not = (
                f"the best found of its family, whose support is {GRADES.get(grade, grade)}"
                if is_ranked
                else OTHER_FAMILY
            )
            others += [Candidate(its.shape, its.value, its.bound, why_not), *its.others]
            bounds += [] if is_ranked else [its.bound]
            fixed += [] if is_ranked else [f"{FAMILY_WORDS[entry.family]}: {each}" for each in entry.choice.fixed]
        elif (
            entry.choice is None
            and not isinstance(entry.error, InfeasibleError)
            and not (has_supported and not is_supported(entry.asked, catalog))
        ):
            fixed.append(f"family: no {FAMILY_WORDS[entry.family]}; none was found, nor proved impossible")
    outcome = replace(mine, bound=min(bounds), others=ranked(others) if len(entries) > 1 else mine.others)
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
            reasons.setdefault(_first_reason(entry.error), []).append(f"a {FAMILY_WORDS[entry.family]}")
    why = "; ".join(f"{' and '.join(families)}: {reason}" for reason, families in reasons.items())
    return InfeasibleError(
        *infeasible[0].faults,
        conflict=(*infeasible[0].conflict, Conflict("fabric.family", "auto", f"no other family holds it: {why}")),
    )


def _first_reason(error: FabricError) -> str:
    """The first of the reasons of an error."""
    return error.conflict[0].arithmetic if error.conflict else str(error.faults[0])
