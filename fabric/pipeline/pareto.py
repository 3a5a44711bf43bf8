"""The front of cost, power and p99 latency, over shapes, oversubscriptions and media that a request allows.

Every point is a shape of the request, or a tree with less oversubscription, cabled with all or some of the media
allowed, its parts chosen by cost, by power or by both as total cost of ownership. It keeps the limits on budget and
power and the p99 limit of the first workload; what else a judge may find about a design is not asked here. What a
shape can be worth at least is known before it is laid out, and its latency exactly, for that does not depend on
cables. So a candidate is passed over only where a point of the front is as good as that in everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from time import monotonic

from fabric.catalog.breach import breaches
from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, InputError, LimitReachedError
from fabric.io.request_file import LoadedRequest
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan
from fabric.model.front import Front, FrontPoint
from fabric.model.request import MEDIA, Goal, MediaChoice, Medium, Request
from fabric.model.shape import Shape
from fabric.model.tree_shape import FatTreeShape
from fabric.model.workload import Workload
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.candidates import Candidates, by_family
from fabric.pipeline.flow_judgement import first_p99_us
from fabric.pipeline.objective import Objective, Worth
from fabric.pipeline.watch import Say
from fabric.topology._protocol import FAMILIES
from fabric.topology.size import Size
from fabric.units import cents_to_usd, milliwatts_to_watts

WORK_LIMIT = 24
"""Designs laid out in full at most unless the caller says otherwise."""

GOALS: tuple[tuple[Goal, ...], ...] = (("capex", "power"), ("power", "capex"), ("tco", "capex"))
"""How parts are chosen: the two ends of the trade, and a point between them."""

POLICIES: tuple[tuple[str, tuple[Medium, ...]], ...] = (
    ("as asked", MEDIA),
    ("copper", ("dac", "acc", "aec")),
    ("no modules", ("dac", "acc", "aec", "aoc")),
    ("optics", ("aoc", "mmf", "smf")),
    ("modules", ("mmf", "smf")),
)
"""Media that each policy leaves of those that the request allows."""

Worths = tuple[int, int, float]
"""Capex [cents], power [mW] and p99 [us]; 0 us where no workload is timed."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A shape with a policy and goals, and what it is worth at least."""

    shape: Shape
    media: str
    request: Request
    least: Worths


@dataclass(frozen=True, slots=True)
class _Found:
    """A candidate laid out."""

    candidate: _Candidate
    worth: Worth
    values: Worths


def front(
    loaded: LoadedRequest,
    catalog: Catalog,
    *,
    work_limit: int = WORK_LIMIT,
    time_limit_s: float | None = None,
    say: Say = lambda _: None,
) -> Front:
    """The points that no other point found is at least as good as.

    Args:
        loaded: a request that has a design.
        catalog: parts that may be used.
        work_limit: designs laid out in full at most.
        time_limit_s: time [s] after which none is begun; runs may then differ.
        say: takes progress lines.
    """
    candidates = _ordered(tuple(_candidates(loaded, catalog)))
    makers = _Makers(loaded, catalog)
    start_s, laid_out, left_open, out_of_time = monotonic(), 0, 0, False
    found: list[_Found] = []
    for candidate in candidates:
        if any(_covers(point.values, candidate.least) for point in found):
            continue
        if laid_out < work_limit and time_limit_s is not None and monotonic() - start_s >= time_limit_s:
            out_of_time = True
        if out_of_time or laid_out >= work_limit:
            left_open += 1
            continue
        say(f"front: {len(found)} points of {laid_out} designs, up to {len(candidates)} to look at")
        laid_out += 1
        new = _lay_out(candidate, makers)
        if new is not None and not any(_covers(point.values, new.values) for point in found):
            found = [point for point in found if not _covers(new.values, point.values)] + [new]
    found.sort(key=lambda point: point.values)
    timed = _timed_workload(loaded.request) is not None
    points = tuple(_point(number, each, timed=timed) for number, each in enumerate(found, 1))
    return Front(points, laid_out, left_open, out_of_time)


def noted(design: Design, found: Front) -> Design:
    """The design with a word on a limit that ended the search for its front, if one did."""
    if not found.left_open or design.provenance is None:
        return design
    which = "--time-limit; another run may find other points" if found.out_of_time else "the work limit"
    note = f"front: designs laid out {found.laid_out}, candidates left open {found.left_open} by {which}"
    provenance = replace(design.provenance, assumptions=(*design.provenance.assumptions, note))
    return replace(design, provenance=provenance)


def _covers(a: Worths, b: Worths) -> bool:
    """Whether `a` is at least as good as `b` in everything."""
    return all(ours <= theirs for ours, theirs in zip(a, b, strict=True))


def _candidates(loaded: LoadedRequest, catalog: Catalog) -> Iterator[_Candidate]:
    """Shapes of every family that the request leaves open."""
    for asked in by_family(loaded):
        with suppress(InfeasibleError, InputError):
            yield from _of_family(asked, Candidates(asked, catalog), catalog)


def _of_family(asked: LoadedRequest, candidates: Candidates, catalog: Catalog) -> Iterator[_Candidate]:
    """Every shape of a family under every policy and goal, without those that cannot be."""
    request, size = asked.request, candidates.size
    policies = tuple(_policies(request))
    least = {media: _least(limited, size, catalog, asked.floor_plan) for media, limited in policies}
    for shape in candidates.for_front():
        p99_us = _p99_us(shape, request, size, catalog)
        if p99_us is None:
            continue
        for media, limited in policies:
            try:
                cents, milliwatts = least[media](shape)
            except InfeasibleError:
                continue
            for goals in GOALS:
                wanted = limited.model_copy(update={"objective": goals})
                yield _Candidate(shape, media, wanted, (cents, milliwatts, p99_us))


def _least(request: Request, size: Size, catalog: Catalog, plan: FloorPlan | None) -> ShapeBound:
    """What a shape is worth at least by cost and power."""
    both = request.model_copy(update={"objective": ("capex", "power")})
    return ShapeBound(both, size, catalog, Objective(both, catalog), plan)


def _policies(request: Request) -> Iterator[tuple[str, Request]]:
    """The request under each policy that leaves some medium in both layers, each choice of media once."""
    seen: set[MediaChoice] = set()
    asked = request.fabric.media
    for name, media in POLICIES:
        node_leaf = tuple(medium for medium in asked.node_leaf if medium in media)
        leaf_spine = tuple(medium for medium in asked.leaf_spine if medium in media)
        if not node_leaf or not leaf_spine:
            continue
        choice = MediaChoice(node_leaf=node_leaf, leaf_spine=leaf_spine)
        if choice not in seen:
            seen.add(choice)
            yield name, request.model_copy(update={"fabric": request.fabric.model_copy(update={"media": choice})})


def _p99_us(shape: Shape, request: Request, size: Size, catalog: Catalog) -> float | None:
    """p99 of the first workload on a shape; 0 where none is timed, None where its limit is passed or has no path."""
    workload = _timed_workload(request)
    if workload is None:
        return 0.0
    topology = FAMILIES[shape.family].build(shape, request, size, catalog)
    p99_us = first_p99_us(Design(request, None, topology), catalog)
    limit_us = workload.limit_us.p99
    return None if p99_us is None or (limit_us is not None and p99_us > limit_us) else p99_us


def _timed_workload(request: Request) -> Workload | None:
    """The first workload."""
    return request.workloads[0] if request.workloads else None


def _ordered(candidates: Sequence[_Candidate]) -> tuple[_Candidate, ...]:
    """Turn by turn the most promising by cost, power, latency and both costs, so that a limit cuts no end off."""
    by_goal = {goals: [each for each in candidates if each.request.objective == goals] for goals in GOALS}
    by_cost, by_power, by_both = by_goal.values()
    turns = zip_longest(
        sorted(by_cost, key=lambda each: each.least),
        sorted(by_power, key=lambda each: (each.least[1], each.least)),
        sorted(by_cost, key=lambda each: (each.least[2], each.least)),
        sorted(by_both, key=lambda each: each.least),
    )
    return tuple(dict.fromkeys(each for each in chain.from_iterable(turns) if each is not None))


class _Makers:
    """What lays candidates out: as the search does, one for each family, media and goals."""

    def __init__(self, loaded: LoadedRequest, catalog: Catalog) -> None:
        self.loaded = loaded
        self.catalog = catalog
        self._made: dict[tuple[str, str, tuple[Goal, ...]], Candidates] = {}

    def of(self, candidate: _Candidate) -> Candidates:
        """That of a candidate."""
        key = candidate.shape.family, candidate.media, candidate.request.objective
        if key not in self._made:
            self._made[key] = Candidates(replace(self.loaded, request=candidate.request), self.catalog)
        return self._made[key]


def _lay_out(candidate: _Candidate, makers: _Makers) -> _Found | None:
    """The candidate in full; None where that cannot be or breaks a limit on budget or power."""
    try:
        found = makers.of(candidate).realise(candidate.shape)[2]
    except (InfeasibleError, LimitReachedError):
        return None
    worth, limits = found.worth, makers.loaded.request.limits.model_copy(update={"part_numbers": None})
    if any(breach.is_proved for breach in breaches(limits, worth.money, worth.power, 0)):
        return None
    return _Found(candidate, worth, (worth.money.planning_cents, worth.power.planning_mw, candidate.least[2]))


def _point(number: int, found: _Found, *, timed: bool) -> FrontPoint:
    """The row of one design."""
    shape, request = found.candidate.shape, found.candidate.request
    cents, milliwatts, p99_us = found.values
    edges, *above = shape.tiers
    uplinks = shape.uplinks if isinstance(shape, FatTreeShape) else 0
    down_gbps, up_gbps = shape.down_ports * shape.node_port_gbps, uplinks * shape.uplink_gbps
    return FrontPoint(
        point=number,
        family=shape.family,
        goals=" then ".join(request.objective),
        media=found.candidate.media,
        leaf_part=edges.part,
        leaf=edges.count,
        spine_part=above[0].part if above else None,
        spine=sum(tier.count for tier in above),
        unit_nodes=shape.unit_nodes,
        uplinks=uplinks,
        oversubscription=down_gbps / up_gbps if up_gbps else None,
        cost=cents_to_usd(cents),
        cost_unit="usd" if found.worth.money.all_priced else "planning_usd",
        power_w=milliwatts_to_watts(milliwatts),
        known_power_w=milliwatts_to_watts(found.worth.power.known_mw),
        p99_us=p99_us if timed else None,
    )
