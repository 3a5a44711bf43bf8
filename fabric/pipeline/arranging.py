"""The arrangement of a dragonfly's global links, once places are known: that asked, or the cheapest that carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, LimitReachedError
from fabric.floorplan.routes import Routes
from fabric.layout.arrangement import joined_anew
from fabric.layout.cable import cable
from fabric.layout.global_ends import GLOBAL, Joined
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import Topology
from fabric.pipeline.laying import Layout, lay_out
from fabric.pipeline.objective import Objective
from fabric.pipeline.watch import amount
from fabric.topology._protocol import FAMILIES, Carries
from fabric.topology.global_links import OPTIMIZED
from fabric.topology.size import Size

KEY = "fabric.parameters.arrangement"

DEALT = "global links: dealt by one arrangement"

SLOW = f"{KEY}: an even order of global links was passed over, for it does not carry uniform traffic"

CHOSEN = (
    "global links: even over the switches of both groups, their ends the best for the places of another arrangement"
)


@dataclass(frozen=True)
class Arranger:
    """Lays the global links of shapes of one request anew.

    Attributes:
        request: what is asked.
        size: of it.
        catalog: parts that may be used.
        objective: what layouts are compared by.
        carries: whether a plane carries its traffic.
        breaks: why a layout is passed over, if it is.
    """

    request: Request
    size: Size
    catalog: Catalog
    objective: Objective
    carries: Carries
    breaks: Callable[[Layout], str | None]

    def __call__(self, shape: Shape, layout: Layout, work_limit: int) -> Layout:
        """The layout with its global links where they cost least; as it is where those are dearer or do not carry.

        Places are looked for once more, within so much work, for a proof that holds with the new ends.
        """
        if not layout.topology.of_kind(GLOBAL):
            return layout
        named = _with(layout, DEALT)
        if self.request.fabric.parameters.get("arrangement", OPTIMIZED) != OPTIMIZED:
            return named
        routes = Routes(layout.floor_plan)
        for planes in joined_anew(layout.topology, layout.placement, routes, self.request, self.catalog):
            wired = self._wired(shape, planes)
            if wired is None:
                layout, named = (_with(each, note=SLOW) for each in (layout, named))
                continue
            with suppress(InfeasibleError, LimitReachedError):
                moved = self._moved(layout, wired)
                if self._saved(layout, moved) <= 0:
                    continue
                found = self._placed(moved, wired, work_limit)
                if self.breaks(found) is None:
                    return self._noted(layout, found, planes)
        return named

    def _wired(self, shape: Shape, planes: Sequence[Joined]) -> Topology | None:
        """The shape with these ends of global links, if they carry its traffic."""
        rewired = FAMILIES[shape.family].rewired
        ends = [pair for plane in planes for pair in plane.ends]
        return rewired(shape, self.request, self.size, self.catalog, self.carries, ends) if rewired else None

    def _moved(self, layout: Layout, wired: Topology) -> Layout:
        """The layout with the global links of another topology, bought anew for the same places."""
        kept = [link for link in layout.topology.links if link.kind != GLOBAL]
        links = sorted((*kept, *wired.of_kind(GLOBAL)), key=lambda link: link.name)
        topology = replace(layout.topology, parameters=wired.parameters, links=tuple(links))
        cabling = cable(topology, layout.placement, Routes(layout.floor_plan), self.request, self.catalog)
        return replace(layout, topology=topology, cabling=cabling)

    def _placed(self, moved: Layout, wired: Topology, work_limit: int) -> Layout:
        """The better of a layout and what another search for places makes of it in the same hall; the proof is that's.

        Raises:
            InfeasibleError, LimitReachedError: that finds no places.
        """
        found = lay_out(wired, self.request, self.size, self.catalog, moved.floor_plan, work_limit)
        proof = found.placement.termination
        if proof is None or self._saved(moved, found) >= 0:
            return found
        return replace(moved, placement=replace(moved.placement, termination=replace(proof, status="feasible")))

    def _saved(self, before: Layout, after: Layout) -> int:
        """What one layout is worth more than another by the first goal at which they differ."""
        was, now = (self.objective.of(each.topology, each.cabling).value for each in (before, after))
        return next((one - other for one, other in zip(was, now, strict=True) if one != other), 0)

    def _noted(self, named: Layout, free: Layout, planes: Sequence[Joined]) -> Layout:
        """The layout with what its arrangement saves and what it took as given."""
        was, now = (self.objective.of(each.topology, each.cabling) for each in (named, free))
        goal = self.objective.goals[0]
        saved, unproved = was.value[0] - now.value[0], sum(each.cost - each.bound_cost for each in planes)
        note = (
            f"{KEY}: {OPTIMIZED}, which saves {amount(saved, goal):,.2f} {self.objective.unit(goal, now)} against "
            f"{named.topology.parameters['arrangement']}; in the places of that one no even order with as many links "
            f"between two switches is cheaper by more than {amount(unproved, goal):,.2f} (linear program, full cages)"
        )
        return _with(replace(free, notes=named.notes), CHOSEN, note)


def _with(layout: Layout, fixed: str | None = None, note: str | None = None) -> Layout:
    """The layout with one thing more that its places took as given, and one more that a reader must know."""
    proof = layout.placement.termination
    if proof is not None and fixed is not None:
        proof = replace(proof, fixed=(*proof.fixed, fixed))
    notes = layout.notes if note is None else (*layout.notes, note)
    return replace(layout, placement=replace(layout.placement, termination=proof), notes=notes)
