"""From a request to a design: the best shape laid out, with addresses and thresholds and what was proved about it."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from fabric.addressing.pools import read_pools
from fabric.catalog.load import Catalog
from fabric.errors import FabricError, InfeasibleError
from fabric.io.request_file import LoadedRequest
from fabric.model.design import Design
from fabric.pipeline.binding import binding
from fabric.pipeline.choosing import DEFAULT_LIMITS, Limits
from fabric.pipeline.conflicts import smallest_conflict
from fabric.pipeline.families import choose
from fabric.pipeline.provenance import provenance
from fabric.pipeline.ranking import ranking
from fabric.pipeline.settings import settings
from fabric.pipeline.watch import Say


def design(
    loaded: LoadedRequest, catalog: Catalog, *, limits: Limits = DEFAULT_LIMITS, say: Say = lambda _: None
) -> Design:
    """The best design found for a request, with what was proved about it.

    Args:
        loaded: the request, its floor plan if it has one, and where both were read.
        catalog: parts that may be used.
        limits: when to stop searching and take the best design so far.
        say: takes progress lines.

    Raises:
        InputError: the request or floor plan asks what its parts cannot do.
        InfeasibleError: no design exists, with the arithmetic.
        LimitReachedError: the limit was reached without any design.
    """
    try:
        return _design(loaded, catalog, limits, say)
    except InfeasibleError as error:
        say("looking for the keys that contradict each other")
        raise loaded.placed(smallest_conflict(loaded, catalog, error)) from None
    except FabricError as error:
        raise loaded.placed(error) from None


def _design(loaded: LoadedRequest, catalog: Catalog, limits: Limits, say: Say) -> Design:
    request = loaded.request
    read_pools(request.addressing)
    start_s = monotonic()
    contest = choose(loaded, catalog, limits, say)
    choice = contest.choice
    layout = choice.outcome.result.layout
    say("weighing what each constraint costs")
    constraints, notes = binding(
        choice, catalog, lambda: limits.time_s is None or monotonic() - start_s < limits.time_s
    )
    say("setting addresses and thresholds")
    made = settings(layout.topology, layout.cabling, request, catalog)
    return Design(
        request=request,
        floor_plan=layout.floor_plan,
        topology=layout.topology,
        placement=layout.placement,
        cabling=layout.cabling,
        settings=made,
        provenance=provenance(replace(choice, notes=(*choice.notes, *notes)), constraints, ranking(contest, catalog)),
        name=request.name,
    )
