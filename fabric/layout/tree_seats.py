"""Leaves and spines that wait for sites, every leaf with trunks to every spine of its plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.layout.assignment import SiteProblem, any_assignment, best_assignment
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.naming import Named, name_switches
from fabric.layout.plane_bound import first_work
from fabric.layout.seating import Edges, Ground, edges_on
from fabric.layout.site_costs import MixCosts, mix_costs, rest_costs, unit_costs
from fabric.layout.site_search import search_sites
from fabric.layout.transport import Ints

METHOD = (
    "min-cost flows of leaves and of spines in turn from several starts; bounds by branch and bound on the concave "
    "envelope, over racks and then ever finer parts of them; planes that share racks pay rent for them"
)

FIXED = "switches: in slots from the topmost free unit down, sized for the larger of leaf and spine, kept places first"


@dataclass(frozen=True)
class TreeSeats:
    """The bilinear problem of one ground (`assignment`), with the costs of trunks of each mix."""

    ground: Ground
    edges: Edges
    mix: MixCosts
    problem: SiteProblem
    method: str = METHOD
    fixed: str = FIXED

    @property
    def fits(self) -> bool:
        """Whether leaves and spines all find a site."""
        return any_assignment(self.problem) is not None

    @property
    def is_reached(self) -> bool:
        """Whether the nodes are within reach of every site."""
        return bool((self.problem.own < UNREACHABLE_COST).all())

    @property
    def dearest_within_reach(self) -> int:
        """More than this costs nothing whose trunks all have a cable."""
        return self.problem.dearest_within_reach

    @property
    def first_work(self) -> int:
        """Work below which every search ends alike."""
        return first_work(self.problem)

    def first_look(self) -> Ints:
        """(sites,) switches by the best of a few starts."""
        found = best_assignment(self.problem)
        if found is None:
            raise ArithmeticError("a feasible problem lost its assignment")
        used: Ints = found.leaves.sum(axis=0) + found.spines.sum(axis=0)
        return used

    def search(self, work_limit: int) -> tuple[tuple[Named, ...], int]:
        """The best sites found within so much work, and a bound on what any cost."""
        best, bound_cost = search_sites(self.problem, work_limit)
        costs = self.edges.own, self.mix
        ground = self.ground
        return name_switches(ground.wires, ground.trunks, self.edges.groups, costs, self.problem, best), bound_cost


def tree_seats(ground: Ground) -> TreeSeats:
    """The leaves and spines of a topology on some ground."""
    edges = edges_on(ground)
    mix = mix_costs(ground.trunks, edges.at, ground.routes)
    spine_allowed = np.array(["spine" in site.roles for site in ground.sites], dtype=np.bool_)
    groups, spines = edges.groups, ground.wires.spines
    problem = SiteProblem(
        own=edges.own + rest_costs(groups, ground.trunks, mix, spine_allowed),
        spine_own=np.zeros(len(ground.sites), dtype=np.int64),
        trunk=unit_costs(ground.trunks, mix),
        weight=np.array([group.weight for group in groups], dtype=np.int64),
        leaves=np.array([len(group.leaves) for group in groups], dtype=np.int64),
        plane=np.array([group.plane for group in groups], dtype=np.int64),
        spines=np.array([len(plane) for plane in spines], dtype=np.int64),
        rack=edges.at.rack,
        capacity=np.array([len(site.top_u) for site in ground.sites], dtype=np.int64),
        leaf_allowed=edges.allowed,
        spine_allowed=spine_allowed,
    )
    return TreeSeats(ground, edges, mix, problem)
