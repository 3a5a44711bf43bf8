"""From a request for one family to its best shape, laid out: the search over its candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, InputError, LimitReachedError
from fabric.io.request_file import LoadedRequest
from fabric.layout.search import Outcome, Rules, Stop, search
from fabric.layout.waiting import Bounds, Value
from fabric.model.outline import listed
from fabric.model.shape import Shape
from fabric.model.tier import in_words
from fabric.pipeline.alternatives import remembers
from fabric.pipeline.candidates import Candidates, by_family
from fabric.pipeline.limits import refuse_budget
from fabric.pipeline.objective import Objective, Weighed
from fabric.pipeline.watch import Watch
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


def best_of_family(asked: LoadedRequest, catalog: Catalog, stop: Stop, watch: Watch) -> Choice:
    """The best shape of the family that a request names; as much work as it is worth where `stop` names none.

    Raises:
        InputError: the request asks what its parts cannot do.
        InfeasibleError: no design exists, with the arithmetic.
        LimitReachedError: the limit was reached without any design.
    """
    candidates = Candidates(asked, catalog)

    def realise(shape: Shape) -> tuple[Value, Value, Weighed]:
        watch.say(f"laying out {in_words(shape.tiers)}")
        return candidates.realise(shape)

    def thoroughly(shape: Shape, found: Weighed) -> tuple[Value, Value, Weighed]:
        proof = found.layout.placement.termination
        if proof is not None and proof.first_work >= THOROUGH_WORK:
            raise LimitReachedError("so much work ends where the first look did")
        watch.say(f"looking longer for places of {in_words(shape.tiers)}")
        return candidates.again(shape, found, THOROUGH_WORK)

    bounds = Bounds(candidates.bound.switches, (candidates.bound_of, *candidates.of_fitted))
    rules = Rules(candidates.before, candidates.after, candidates.instead, candidates.bound.alike, remembers)
    stop = stop._replace(work_limit=stop.work_limit or candidates.work)
    outcome = search(candidates.listings, bounds, realise, stop, rules, thoroughly)
    refuse_budget(outcome.bound[0], asked.request, catalog)
    notes = (*candidates.size.assumptions, *watch.notes(outcome.laid_out, outcome.left_open))
    return Choice(asked, outcome, candidates.objective, candidates.size, notes, candidates.fixed)


def possible(loaded: LoadedRequest, catalog: Catalog) -> bool:
    """Whether counting leaves the request a shape: by ports, racks and switches, before anything is laid out."""
    return any(_possible(asked, catalog) for asked in by_family(loaded))


def _possible(asked: LoadedRequest, catalog: Catalog) -> bool:
    try:
        candidates = Candidates(asked, catalog)
    except (InfeasibleError, InputError):
        return False
    shapes: Iterator[Shape] = listed(candidates.listings)
    return any(candidates.is_possible(shape) for shape in shapes)
