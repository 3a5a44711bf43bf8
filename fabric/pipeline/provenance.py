"""The provenance of a design: what was proved about it, what else there was, and what was taken for granted."""

from __future__ import annotations

from collections.abc import Iterator

from fabric import __version__
from fabric.layout.search import Candidate, Outcome
from fabric.model.design import Alternative, Binding, LaterGoal, Optimality, Provenance
from fabric.model.ranking import Ranking
from fabric.model.request import FAMILY_WORDS
from fabric.model.shape import Shape
from fabric.model.tree_shape import FatTreeShape
from fabric.nos.port_names import nos_of
from fabric.pipeline.alternatives import runners_up
from fabric.pipeline.balancing import best_balancing
from fabric.pipeline.choosing import Choice
from fabric.pipeline.objective import Objective, Weighed

METHOD = "shapes enumerated and realised best first; per cage group the best assembly"

TIES = "equals by {first} are told apart by {later}: exactly per cage group, then between shapes laid out"
"""How goals after the first enter."""


def provenance(choice: Choice, binding: tuple[Binding, ...], ranking: Ranking | None) -> Provenance:
    """Where a choice comes from: tool and catalog, what was proved, runners-up, what binds, and every default taken."""
    outcome, objective, worth = choice.outcome, choice.objective, choice.outcome.result.worth
    loaded = choice.asked
    notes = [*choice.notes, *outcome.result.layout.notes]
    if loaded.request.fabric.uplink_port_gbps is None and outcome.shape.switch_links:
        rate = outcome.shape.uplink_gbps
        enough = " at which two tiers suffice" if isinstance(outcome.shape, FatTreeShape) else ""
        notes.append(f"fabric.uplink_port_gbps: {rate}, the fastest rate of both switches{enough}")
    if loaded.floor_plan is None:
        notes.append("floorplan: generated, because the request brings none")
    notes.extend(_balancing(choice))
    return Provenance(
        tool="fabricwright",
        version=__version__,
        catalog_digest=objective.catalog.digest,
        seed=loaded.request.seed,
        optimality=_optimality(choice, is_ranked=ranking is not None),
        alternatives=tuple(map(_alternative, runners_up(outcome.others))),
        binding=binding,
        assumptions=(*notes, *objective.notes(worth)),
        ranking=ranking,
    )


def _balancing(choice: Choice) -> Iterator[str]:
    """The way to spread packets, where nothing was asked and the family's routing may have fewer than its switches."""
    shape, catalog = choice.outcome.shape, choice.objective.catalog
    fabric = choice.asked.request.fabric
    support = catalog.support_of(shape.family, nos_of(fabric.part_layer))
    if choice.asked.request.transport.load_balancing == "auto" and support and support.load_balancing is not None:
        parts = sorted({tier.part for tier in shape.tiers})
        way = best_balancing(parts, shape.family, catalog)
        what = f"{' and '.join(parts)} and the routing of a {FAMILY_WORDS[shape.family]} on {support.nos}"
        yield f"transport.load_balancing: {way}, the best that {what} have"


def _optimality(choice: Choice, *, is_ranked: bool) -> Optimality:
    """What was proved: `optimal` where value and bound agree by every goal asked."""
    outcome, objective, worth = choice.outcome, choice.objective, choice.outcome.result.worth
    asked = objective.asked_count
    first, *later = objective.goals
    layout = outcome.result.layout
    proof, purchase = layout.placement.termination, layout.cabling.termination
    fixed = [*choice.fixed, *_rules(choice), *(proof.fixed if proof is not None else ())]
    method = METHOD if proof is None else f"{METHOD}; places by {proof.method}"
    if purchase is not None:
        method += f"; {purchase.method}"
        fixed.extend(purchase.fixed)
    if later:
        method += "; " + TIES.format(first=first, later=" then ".join(later))
        fixed.append(f"places: best by {first} alone")
    return Optimality(
        status="optimal" if outcome.bound[:asked] == outcome.value[:asked] else "feasible",
        objective=outcome.value[0],
        bound=outcome.bound[0],
        unit=objective.unit(first, worth),
        scope=(*(("family",) if is_ranked else ()), "switches", *(proof.scope if proof is not None else ()), "cables"),
        fixed=tuple(fixed),
        method=method,
        later=tuple(_later_goals(outcome, objective)),
    )


def _rules(choice: Choice) -> Iterator[str]:
    """Rules that shapes, ports and a generated plan obey whatever they cost."""
    loaded, shape = choice.asked, choice.outcome.shape
    fabric = loaded.request.fabric
    if fabric.rails_per_leaf == "auto" and shape.wiring == "rail" and shape.node_ports > 1:
        yield "rails per leaf: several only where a unit would leave half of a leaf's down ports empty"
    if shape.family == "fat_tree" and shape.switch_links and "trunk" not in fabric.parameters:
        filled = ", or as many as fill whole cages" if isinstance(shape, FatTreeShape) else ""
        yield f"trunks: the fewest links for so many spines{filled}, and more spines only for fewer links"
    if shape.family == "dragonfly_plus":
        yield "global links: the fewest that carry uniform traffic"
    if shape.family == "dragonfly":
        yield "links between routers: the fewest in all that carry uniform traffic"
    if shape.family == "torus":
        yield "links between routers: in every ring the fewest that carry uniform traffic; rings folded along the units"
    if fabric.port_order == "regular":
        yield "ports: in the regular order"
    if loaded.floor_plan is None:
        yield "floor plan: one generated hall for each shape, without network racks that a first look leaves empty"


def _later_goals(outcome: Outcome[Shape, Weighed], objective: Objective) -> Iterator[LaterGoal]:
    """Goals asked after the first; a bound on one means something among equals by the goals before it alone."""
    for number in range(1, objective.asked_count):
        equal = outcome.bound[:number] == outcome.value[:number]
        yield LaterGoal(
            goal=objective.goals[number],
            objective=outcome.value[number],
            bound=outcome.bound[number] if equal else None,
            unit=objective.unit(objective.goals[number], outcome.result.worth),
        )


def _alternative(other: Candidate[Shape]) -> Alternative:
    shape, value = other.shape, other.value[0] if other.value is not None else None
    return Alternative(shape.family, shape.summary, value, other.bound[0] if other.bound else None, other.why_not)
