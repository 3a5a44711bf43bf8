"""From a request to its best shape, laid out: the search over its candidates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, InputError
from fabric.io.request_file import LoadedRequest
from fabric.layout.search import Outcome, Rules, Stop, search
from fabric.layout.waiting import Bounds, Value
from fabric.model.outline import listed
from fabric.model.shape import Shape
from fabric.model.tier import in_words
from fabric.pipeline.alternatives import remembers
from fabric.pipeline.candidates import Candidates, Weighed
from fabric.pipeline.limits import refuse_budget
from fabric.pipeline.objective import Objective
from fabric.pipeline.watch import Say, Watch
from fabric.topology.size import Size


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop searching: after so many shapes laid out (None: as many as the family is worth), or a time [s]."""

    work: int | None = None
    time_s: float | None = None


THOROUGH_WORK = 2_400_000
"""Work for the places of the shape that was chosen (`layout.site_bound`)."""

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Choice:
    """The best shape found for a request with its proof, what it was compared by, and how the search ended.

    `fixed` names what the search over shapes took as given.
    """

    outcome: Outcome[Shape, Weighed]
    objective: Objective
    size: Size
    notes: tuple[str, ...]
    fixed: tuple[str, ...] = ()


def choose(
    loaded: LoadedRequest,
    catalog: Catalog,
    limits: Limits = DEFAULT_LIMITS,
    say: Say = lambda _: None,
) -> Choice:
    """The best shape found for a request.

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
    candidates = Candidates(loaded, catalog)

    def realise(shape: Shape) -> tuple[Value, Value, Weighed]:
        watch.say(f"laying out {in_words(shape.tiers)}")
        return candidates.realise(shape)

    def thoroughly(shape: Shape) -> tuple[Value, Value, Weighed]:
        watch.say(f"looking longer for places of {in_words(shape.tiers)}")
        return candidates.realise(shape, THOROUGH_WORK)

    bounds = Bounds(candidates.bound.switches, (candidates.bound_of, *candidates.of_fitted))
    rules = Rules(candidates.before, candidates.after, candidates.instead, candidates.bound.alike, remembers)
    outcome = search(
        candidates.listings, bounds, realise, Stop(limits.work or candidates.work, watch), rules, thoroughly
    )
    refuse_budget(outcome.bound[0], loaded.request, catalog)
    notes = (*candidates.size.assumptions, *watch.notes(outcome.laid_out, outcome.left_open))
    return Choice(outcome, candidates.objective, candidates.size, notes, candidates.fixed)


def possible(loaded: LoadedRequest, catalog: Catalog) -> bool:
    """Whether counting leaves the request a shape: by ports, racks and switches, before anything is laid out."""
    try:
        candidates = Candidates(loaded, catalog)
    except (InfeasibleError, InputError):
        return False
    shapes: Iterator[Shape] = listed(candidates.listings)
    for shape in shapes:
        with suppress(InfeasibleError):
            candidates.refuse(shape)
            return True
    return False
