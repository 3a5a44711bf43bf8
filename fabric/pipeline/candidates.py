"""The shapes of a request: what rules each of them out, what bounds it, and what it is worth when laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.floorplan.routes import in_one_rack
from fabric.flow.throughput import links_throughput
from fabric.io.request_file import LoadedRequest
from fabric.layout import search, site_bound
from fabric.layout.market import Shop, open_market
from fabric.layout.waiting import Bounds, Value, Waiting
from fabric.model.design import Design
from fabric.model.floorplan import Slack
from fabric.model.network import Network
from fabric.model.outline import Outline, listed
from fabric.model.request import PARAMETERS, Request
from fabric.model.shape import Shape
from fabric.model.tier import in_words
from fabric.model.topology import Topology
from fabric.pipeline.arranging import Arranger
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.laying import lay_out
from fabric.pipeline.limits import refuse_switches
from fabric.pipeline.networks import scheme_of
from fabric.pipeline.numbers import FewestNumbers
from fabric.pipeline.objective import Objective, Weighed
from fabric.pipeline.room import open_room
from fabric.pipeline.rules import broken_limit, broken_workload
from fabric.routing._protocol import SCHEMES
from fabric.topology._protocol import FAMILIES, Family
from fabric.topology.size import Size, resolve
from fabric.topology.uniform import ROUNDING, theta_asked

FITTED_WORK = 24
"""Shapes laid out where links come as a bound of their own, of which more are near the best; fewer of large ones."""

FITTED_ENDPOINTS = 30_000
"""Endpoints of all shapes laid out, from which on they are fewer."""

FRONT_TRIES = 12
"""Shapes looked at for a front where links are fitted to traffic."""

FEWEST_WORK = 2
"""Shapes laid out where links come as a bound of their own, of the largest fabrics."""

OVERSUBSCRIPTIONS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Steps below the oversubscription that a request allows."""


class Candidates:
    """The shapes of a request for one family, each with what rules it out, what bounds it, and what it becomes."""

    def __init__(self, loaded: LoadedRequest, catalog: Catalog) -> None:
        """The shapes that switches and ports allow.

        Raises:
            InputError: the request asks what its parts cannot do.
            InfeasibleError: ports, racks or the least switches leave no shape; with the arithmetic.
        """
        self._loaded = loaded
        self._catalog = catalog
        self._request = loaded.request
        self.size = resolve(loaded.request, catalog)
        self._numbers = FewestNumbers(loaded.request, self.size, catalog)
        self._room = open_room(loaded.floor_plan, loaded.request, self.size, catalog)
        self._is_timed = any(workload.limit_us.model_fields_set for workload in loaded.request.workloads)
        self._family: Family[Any] = FAMILIES[loaded.request.fabric.family]
        self._fitted: dict[Shape, Shape | None] = {}
        self.listings: Iterable[Iterable[Shape | Outline]] = self._family.listings(loaded.request, self.size, catalog)
        if loaded.request.limits.model_fields_set:
            refuse_switches(self.shapes, loaded.request.limits, catalog)
        self.objective = Objective(loaded.request, catalog)
        self.bound = ShapeBound(loaded.request, self.size, catalog, self.objective, loaded.floor_plan)
        slack = loaded.floor_plan.slack_per_end_m if loaded.floor_plan is not None else Slack()
        self._slack = in_one_rack(slack)
        self._shop = Shop(loaded.request, catalog, self._slack)
        sides = self._carries, self._breaks
        self._arranged = Arranger(loaded.request, self.size, catalog, self._shop, self.objective, *sides)
        self.fixed: tuple[str, ...] = ()

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, listed in full."""
        return tuple(listed(self.listings))

    def ascending(
        self, *later: Callable[[Shape], Value], can_win: Callable[[Value], bool] = lambda _: True
    ) -> Iterator[tuple[Value, Shape]]:
        """Shapes by growing bound, their switches or what `later` ones say; listed only as far as they are taken."""
        waiting = Waiting(Bounds(self.bound.outlined, later), lambda *_: None)
        waiting.offer(self.listings)
        return waiting.ascending(can_win, lambda *_: False)

    def refuse(self, shape: Shape) -> None:
        """Refuse a shape that counting rules out.

        Raises:
            InfeasibleError: with the arithmetic.
        """
        refuse_switches((shape,), self._request.limits, self._catalog)
        self._numbers.refuse(shape)
        self._room.refuse(shape)

    def bound_of(self, shape: Shape) -> Value:
        """What a shape is worth at least; refuses it as `refuse` does, or where no part makes some link."""
        self.refuse(shape)
        return self.bound(shape)

    @property
    def work(self) -> int:
        """Shapes worth laying out in full."""
        if self._family.fitted is None:
            return search.WORK_LIMIT
        return max(FEWEST_WORK, min(FITTED_WORK, FITTED_ENDPOINTS // (self.size.endpoints * self.size.planes)))

    @property
    def of_fitted(self) -> tuple[Callable[[Shape], Value], ...]:
        """For a family whose shapes come without their links, what a shape is worth at least with those it needs."""
        return (lambda shape: self.bound(self.fit(shape)),) if self._family.fitted is not None else ()

    def realise(self, shape: Shape, work_limit: int = site_bound.WORK_LIMIT) -> tuple[Value, Value, Weighed]:
        """Value, bound and layout of a shape, its places improved and proved within so much work."""
        shape = self.fit(shape)
        topology = self._family.build(shape, self._request, self.size, self._catalog)
        market = open_market(topology, self._request, self._catalog, self._slack, self._shop)
        asked = self._request, self.size, self._catalog, self._loaded.floor_plan
        layout = lay_out(topology, *asked, work_limit, market=market)
        return self._bounded(shape, self._arranged(shape, topology, layout, work_limit))

    def again(self, shape: Shape, found: Weighed, work_limit: int) -> tuple[Value, Value, Weighed]:
        """Value, bound and layout of a shape that was laid out, with more work for its places."""
        longer = self._arranged.again(found, work_limit)
        return self.realise(shape, work_limit) if longer is None else self._bounded(self.fit(shape), longer)

    def _bounded(self, shape: Shape, found: Weighed) -> tuple[Value, Value, Weighed]:
        return found.worth.value, self.bound.with_places(shape, found.layout.placement), found

    def before(self, shape: Shape) -> str | None:
        """Why a shape is passed over before it is laid out."""
        if not self._is_timed:
            return None
        return self._too_slow(self._family.build(self.fit(shape), self._request, self.size, self._catalog))

    def _too_slow(self, topology: Topology) -> str | None:
        """Which limit of a workload a port map breaks, if one is set."""
        return broken_workload(topology, self._request, self._catalog) if self._is_timed else None

    def _breaks(self, found: Weighed) -> str | None:
        """Why a layout is passed over that was no candidate before."""
        return self._too_slow(found.layout.topology) or self.after(found)

    def _carries(self, network: Network) -> bool:
        """Whether a plane runs uniform all-to-all as asked on the routes that it prefers."""
        routes = SCHEMES[scheme_of(self._request.fabric.family)].routes(network)
        return links_throughput(network, routes[:1]) >= theta_asked(self._request) - ROUNDING

    def fit(self, shape: Shape) -> Shape:
        """The shape with the links that its traffic wants; the shape itself where it comes with them.

        Raises:
            InfeasibleError: its ports are too few for these.
        """
        if self._family.fitted is None:
            return shape
        if shape not in self._fitted:
            size, catalog = self.size, self._catalog
            self._fitted[shape] = self._family.fitted(shape, self._request, size, catalog)
        found = self._fitted[shape]
        if found is None:
            theta = theta_asked(self._request)
            why = f"the ports of its {in_words(shape.tiers)} are too few for uniform all-to-all at {theta:.3g}"
            raise InfeasibleError(conflict=(Conflict("fabric.family", shape.family, f"{why} of line rate"),))
        return found

    def instead(self) -> Iterable[Iterable[Shape | Outline]]:
        """Shapes with more uplinks than are asked, where those asked are too slow; of trees alone.

        Where links are fitted to traffic, those asked are the ones that carry it.
        """
        if self._family.fitted is not None:
            return ()
        steps = ", ".join(f"{step:g}" for step in OVERSUBSCRIPTIONS)
        self.fixed = (f"oversubscription: as asked, or for the workload limits one of {steps}",)
        return reserves(self._request, self.size, self._catalog)

    def for_front(self) -> Iterator[Shape]:
        """Shapes for a front: all that counting leaves, then trees with more uplinks.

        Where links are fitted to traffic, the first few by what their switches weigh.
        """
        if self._family.fitted is None:
            every: Iterator[Shape] = listed(chain(self.listings, reserves(self._request, self.size, self._catalog)))
            yield from filter(self.is_possible, every)
            return
        cheapest = (shape for _, shape in self.ascending())
        for shape in islice(filter(self.is_possible, cheapest), FRONT_TRIES):
            with suppress(InfeasibleError):
                yield self.fit(shape)

    def is_possible(self, shape: Shape) -> bool:
        """Whether counting leaves a shape."""
        try:
            self.refuse(shape)
        except InfeasibleError:
            return False
        return True

    def after(self, found: Weighed) -> str | None:
        """Why a layout is passed over."""
        layout = found.layout
        design = Design(self._request, layout.floor_plan, layout.topology, layout.placement, layout.cabling)
        return broken_limit(design, found.worth, self._catalog)


def by_family(loaded: LoadedRequest) -> tuple[LoadedRequest, ...]:
    """The request for each family that it leaves open, the tree first; itself where it names one."""
    if loaded.request.fabric.family != "auto":
        return (loaded,)
    named = (loaded.request.fabric.model_copy(update={"family": family}) for family in PARAMETERS)
    return tuple(replace(loaded, request=loaded.request.model_copy(update={"fabric": each})) for each in named)


def reserves(request: Request, size: Size, catalog: Catalog) -> Iterator[Iterable[Shape | Outline]]:
    """Listings of the shapes with less oversubscription than is asked, which cost more and are faster."""
    family = FAMILIES[request.fabric.family]
    for step in (step for step in OVERSUBSCRIPTIONS if step < request.fabric.oversubscription):
        fabric = request.fabric.model_copy(update={"oversubscription": step})
        with suppress(InfeasibleError):
            yield from family.listings(request.model_copy(update={"fabric": fabric}), size, catalog)
