"""The shapes of a request: what rules each of them out, what bounds it, and what it is worth when laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.flow.throughput import uniform_throughput
from fabric.io.request_file import LoadedRequest
from fabric.layout import search, site_bound
from fabric.layout.waiting import Value
from fabric.model.design import Design
from fabric.model.network import Network
from fabric.model.outline import Outline, listed
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.tier import in_words
from fabric.model.topology import Topology
from fabric.pipeline.arranging import Arranger
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.laying import Layout, lay_out
from fabric.pipeline.limits import refuse_switches
from fabric.pipeline.networks import scheme_of
from fabric.pipeline.numbers import FewestNumbers
from fabric.pipeline.objective import Objective, Worth
from fabric.pipeline.room import open_room
from fabric.pipeline.rules import broken_limit, broken_workload
from fabric.routing._protocol import SCHEMES
from fabric.topology._protocol import FAMILIES, UNIFORM_FLOOR, Family
from fabric.topology.size import Size, resolve

ROUNDING = 1e-9
"""Tolerance when a throughput is compared with the floor."""

FITTED_WORK = 24
"""Shapes laid out where links come as a bound of their own, of which more are near the best; fewer of large ones."""

FITTED_ENDPOINTS = 30_000
"""Endpoints of all shapes laid out, from which on they are fewer."""

OVERSUBSCRIPTIONS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Steps below the oversubscription that a request allows."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A layout and what it is worth."""

    layout: Layout
    worth: Worth


class Candidates:
    """The shapes of one request, each with what rules it out, what bounds it, and what it becomes when laid out."""

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
        self._family = family_of(loaded.request)
        self._fitted: dict[Shape, Shape | None] = {}
        self.listings: Iterable[Iterable[Shape | Outline]] = self._family.listings(loaded.request, self.size, catalog)
        if loaded.request.limits.model_fields_set:
            refuse_switches(self.shapes, loaded.request.limits, catalog)
        self.objective = Objective(loaded.request, catalog)
        self.bound = ShapeBound(loaded.request, self.size, catalog, self.objective, loaded.floor_plan)
        self._arranged = Arranger(loaded.request, self.size, catalog, self.objective, self._carries, self._breaks)
        self.fixed: tuple[str, ...] = ()

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, listed in full."""
        return tuple(listed(self.listings))

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
        return max(search.WORK_LIMIT, min(FITTED_WORK, FITTED_ENDPOINTS // (self.size.endpoints * self.size.planes)))

    @property
    def of_fitted(self) -> tuple[Callable[[Shape], Value], ...]:
        """For a family whose shapes come without their links, what a shape is worth at least with those it needs."""
        return (lambda shape: self.bound(self._fit(shape)),) if self._family.fitted is not None else ()

    def realise(self, shape: Shape, work_limit: int = site_bound.WORK_LIMIT) -> tuple[Value, Value, Weighed]:
        """Value, bound and layout of a shape, its places improved and proved within so much work."""
        shape = self._fit(shape)
        layout = lay_out(shape, self._request, self.size, self._catalog, self._loaded.floor_plan, work_limit)
        layout = self._arranged(shape, layout, work_limit)
        worth = self.objective.of(layout.topology, layout.cabling)
        return worth.value, self.bound.with_places(shape, layout.placement), Weighed(layout, worth)

    def before(self, shape: Shape) -> str | None:
        """Why a shape is passed over before it is laid out."""
        if not self._is_timed:
            return None
        return self._too_slow(self._family.build(self._fit(shape), self._request, self.size, self._catalog))

    def _too_slow(self, topology: Topology) -> str | None:
        """Which limit of a workload a port map breaks, if one is set."""
        return broken_workload(topology, self._request, self._catalog) if self._is_timed else None

    def _breaks(self, layout: Layout) -> str | None:
        """Why a layout is passed over that was no candidate before."""
        worth = self.objective.of(layout.topology, layout.cabling)
        return self._too_slow(layout.topology) or self.after(Weighed(layout, worth))

    def _fit(self, shape: Shape) -> Shape:
        """The shape with the links that its traffic wants; the shape itself where it comes with them.

        Raises:
            InfeasibleError: its ports are too few for these.
        """
        if self._family.fitted is None:
            return shape
        if shape not in self._fitted:
            size, catalog = self.size, self._catalog
            self._fitted[shape] = self._family.fitted(shape, self._request, size, catalog, self._carries)
        found = self._fitted[shape]
        if found is None:
            why = f"the ports of its {in_words(shape.tiers)} are too few for uniform all-to-all at {self._floor:.3g}"
            raise InfeasibleError(conflict=(Conflict("fabric.family", shape.family, f"{why} of line rate"),))
        return found

    @property
    def _floor(self) -> float:
        """Share of line rate at which uniform all-to-all must run."""
        return UNIFORM_FLOOR / self._request.fabric.oversubscription

    def _carries(self, network: Network) -> bool:
        """Whether a plane runs uniform all-to-all at the floor on the routes that it prefers."""
        routes = SCHEMES[scheme_of(self._request.fabric.family)].routes(network)
        return uniform_throughput(network, routes[:1]).theta >= self._floor - ROUNDING

    def instead(self) -> Iterable[Iterable[Shape | Outline]]:
        """Shapes with more uplinks than are asked, where those asked are too slow; of trees alone.

        Where links are fitted to traffic, those asked are the ones that carry it.
        """
        if self._family.fitted is not None:
            return ()
        steps = ", ".join(f"{step:g}" for step in OVERSUBSCRIPTIONS)
        self.fixed = (f"oversubscription: as asked, or for the workload limits one of {steps}",)
        return reserves(self._request, self.size, self._catalog)

    def after(self, found: Weighed) -> str | None:
        """Why a layout is passed over."""
        layout = found.layout
        design = Design(self._request, layout.floor_plan, layout.topology, layout.placement, layout.cabling)
        return broken_limit(design, found.worth, self._catalog)


def family_of(request: Request) -> Family[Any]:
    """The family that a request asks for; a fat-tree where it leaves that open."""
    asked = request.fabric.family
    return FAMILIES["fat_tree" if asked == "auto" else asked]


def with_reserve(request: Request, size: Size, catalog: Catalog) -> tuple[Shape, ...]:
    """The shapes of a request and then those with less oversubscription.

    Raises:
        InputError: the request asks what its parts cannot do.
        InfeasibleError: the request has no shape.
    """
    asked = family_of(request).listings(request, size, catalog)
    return tuple(listed(chain(asked, reserves(request, size, catalog))))


def reserves(request: Request, size: Size, catalog: Catalog) -> Iterator[Iterable[Shape | Outline]]:
    """Listings of the shapes with less oversubscription than is asked, which cost more and are faster."""
    family = family_of(request)
    for step in (step for step in OVERSUBSCRIPTIONS if step < request.fabric.oversubscription):
        fabric = request.fabric.model_copy(update={"oversubscription": step})
        with suppress(InfeasibleError):
            yield from family.listings(request.model_copy(update={"fabric": fabric}), size, catalog)
