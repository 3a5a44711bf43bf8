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
from fabric.layout.market import Market, Shop, open_market
from fabric.model.design import UNIT_WORDS
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import Topology
from fabric.pipeline.laying import Dealt, Layout, lay_out
from fabric.pipeline.objective import Objective, Weighed, Worth
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
        shop: what is on offer for it.
        objective: what layouts are compared by.
        carries: whether a plane carries its traffic.
        breaks: why a layout is passed over, if it is.
    """

    request: Request
    size: Size
    catalog: Catalog
    shop: Shop
    objective: Objective
    carries: Carries
    breaks: Callable[[Weighed], str | None]

    def __call__(self, shape: Shape, layout: Layout, work_limit: int) -> Weighed:
        """The layout with its global links where they cost least; as it is where those are dearer or do not carry.

        Places are looked for once more, within so much work, for a proof that holds with the new ends.
        """
        if not layout.topology.of_kind(GLOBAL):
            return self._weighed(layout)
        named = self._weighed(_with(layout, DEALT))
        if self.request.fabric.parameters.get("arrangement", OPTIMIZED) != OPTIMIZED:
            return named
        routes = Routes(layout.floor_plan)
        for planes in joined_anew(layout.topology, layout.placement, routes, self.request, self.catalog):
            wired = self._wired(shape, planes)
            if wired is None:
                named = replace(named, layout=_with(named.layout, note=SLOW))
                continue
            with suppress(InfeasibleError, LimitReachedError):
                market = open_market(wired, self.request, self.catalog, routes, self.shop)
                moved = self._moved(layout, wired, market)
                if _saved(named.worth, moved.worth) <= 0:
                    continue
                found = self._placed(moved, wired, work_limit)
                if self.breaks(found) is None:
                    return self._noted(self._dealt(named, planes), found)
        return named

    def again(self, found: Weighed, work_limit: int) -> Weighed | None:
        """The layout with its places looked for longer, its global links where they are; None if those were dealt.

        Raises:
            InfeasibleError, LimitReachedError: it finds no places.
        """
        layout = found.layout
        if layout.dealt is None or self.request.fabric.port_order == "free":
            return None
        return self._noted(layout.dealt, self._placed(found, layout.topology, work_limit))

    def _weighed(self, layout: Layout) -> Weighed:
        return Weighed(layout, self.objective.of(layout.topology, layout.cabling))

    def _wired(self, shape: Shape, planes: Sequence[Joined]) -> Topology | None:
        """The shape with these ends of global links, if they carry its traffic."""
        rewired = FAMILIES[shape.family].rewired
        ends = [pair for plane in planes for pair in plane.ends]
        return rewired(shape, self.request, self.size, self.catalog, self.carries, ends) if rewired else None

    def _moved(self, layout: Layout, wired: Topology, market: Market) -> Weighed:
        """The layout with the global links of another topology, bought anew for the same places.

        Free ports of leaves stay where they were matched, so there the `market` of that topology is not theirs.
        """
        is_free, topology = self.request.fabric.port_order == "free", wired
        if is_free:
            kept = [link for link in layout.topology.links if link.kind != GLOBAL]
            links = sorted((*kept, *wired.of_kind(GLOBAL)), key=lambda link: link.name)
            topology = replace(layout.topology, parameters=wired.parameters, links=tuple(links))
        routes, opened = Routes(layout.floor_plan), None if is_free else market
        cabling = cable(topology, layout.placement, routes, self.request, self.catalog, opened)
        return self._weighed(replace(layout, topology=topology, cabling=cabling))

    def _placed(self, moved: Weighed, wired: Topology, work_limit: int) -> Weighed:
        """The better of a layout and what another search for places makes of it in the same hall; the proof is that's.

        Raises:
            InfeasibleError, LimitReachedError: that finds no places.
        """
        layout = moved.layout
        found = self._weighed(
            lay_out(wired, self.request, self.size, self.catalog, layout.floor_plan, work_limit, shop=self.shop)
        )
        proof = found.layout.placement.termination
        if proof is None or _saved(moved.worth, found.worth) >= 0:
            return found
        proved = replace(layout.placement, termination=replace(proof, status="feasible"))
        return replace(moved, layout=replace(layout, placement=proved))

    def _dealt(self, named: Weighed, planes: Sequence[Joined]) -> Dealt:
        """The layout of a named arrangement, and by how much an even order may undercut the one found in its places."""
        return Dealt(
            str(named.layout.topology.parameters["arrangement"]),
            named.worth.value[0],
            sum(each.cost - each.bound_cost for each in planes),
            named.layout.notes,
        )

    def _noted(self, dealt: Dealt, free: Weighed) -> Weighed:
        """The layout with what its arrangement saves and what it took as given."""
        goal = self.objective.goals[0]
        saved = amount(dealt.value - free.worth.value[0], goal)
        note = (
            f"{KEY}: {OPTIMIZED}, which saves {saved:,.2f} {UNIT_WORDS[self.objective.unit(goal, free.worth)]} "
            f"against {dealt.arrangement}; in the places of that one no even order with as many links between two "
            f"switches is cheaper by more than {amount(dealt.unproved, goal):,.2f} (linear program, full cages)"
        )
        return replace(free, layout=_with(replace(free.layout, notes=dealt.notes, dealt=dealt), CHOSEN, note))


def _saved(before: Worth, after: Worth) -> int:
    """What one layout is worth more than another by the first goal at which they differ."""
    return next((was - now for was, now in zip(before.value, after.value, strict=True) if was != now), 0)


def _with(layout: Layout, fixed: str | None = None, note: str | None = None) -> Layout:
    """The layout with one thing more that its places took as given, and one more that a reader must know."""
    proof = layout.placement.termination
    if proof is not None and fixed is not None and fixed not in proof.fixed:
        proof = replace(proof, fixed=(*proof.fixed, fixed))
    notes = layout.notes if note is None else (*layout.notes, note)
    return replace(layout, placement=replace(layout.placement, termination=proof), notes=notes)
