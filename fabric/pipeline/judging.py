"""From a design to its report: load it, check it, price it, count it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from fabric.catalog.bill import bill, cost
from fabric.catalog.load import Catalog
from fabric.catalog.power import power
from fabric.checks import CheckContext, run
from fabric.flow.walk import distances
from fabric.model.design import Alternative, Design, Optimality, Provenance
from fabric.model.report import Counts, Report, TopologySummary
from fabric.model.request import Cost
from fabric.model.topology import SWITCH_ROLES, Topology
from fabric.pipeline.flow_judgement import judge_flow
from fabric.pipeline.lossless_summary import lossless_summary
from fabric.pipeline.networks import planes_of
from fabric.units import amount

PROOF = "proof"
"""The rule that finds what was proved to be about other tables: nothing of that is shown then."""

TREE = "fat_tree"
"""The family whose leaves have an oversubscription of their own."""

LINK_KINDS = ("node_leaf", "node_router", "leaf_spine", "spine_core", "local", "global", "torus")
"""Kinds of links, in the order in which they are counted."""


ALWAYS_COUNTED = {TREE: ("leaf", "spine", "node_leaf", "leaf_spine")}
"""Roles and kinds that a family counts though there be none."""


def evaluate(design: Design, catalog: Catalog, *, say: Callable[[str], None] = lambda _: None) -> Report:
    """Judge a design, computed or read back, from its records alone."""
    say("loading every link with traffic")
    flow = judge_flow(design, catalog, is_advised=True)
    say("checking every rule")
    findings, not_checked = run(CheckContext(design, catalog, flow))
    lines = bill(design, catalog)
    drawn = power(design, catalog)
    terms = design.request.cost if design.request is not None else Cost()
    origin = design.provenance
    proved = None if any(finding.rule == PROOF for finding in findings) else origin
    return Report(
        name=design.name,
        counts=_counts(design),
        topology=_topology(design.topology),
        cost=cost(lines, drawn, terms),
        power_w=drawn,
        optimality=_optimality(proved),
        alternatives=_alternatives(proved),
        binding=_binding(proved),
        throughput=flow.throughput,
        workloads=flow.workloads,
        failures=flow.failures,
        lossless=lossless_summary(design, catalog),
        deadlock=flow.deadlock,
        findings=findings,
        not_checked=(*not_checked, *flow.not_checked),
        assumptions=origin.assumptions if origin is not None else (),
        provenance=_provenance(origin),
        ranking=proved.ranking if proved is not None else None,
        bill=lines,
    )


def _counts(design: Design) -> Counts:
    topology = design.topology
    roles = Counter(device.role for device in topology.devices)
    kinds = Counter(link.kind for link in topology.links)
    endpoints = {
        (link.a.device, link.a.port if link.rail is None else link.rail)
        for link in topology.links
        if topology.device[link.a.device].role == "node"
    }
    always = ALWAYS_COUNTED.get(topology.family, ())
    return Counts(
        nodes=roles["node"],
        endpoints=len(endpoints),
        switches={role: roles[role] for role in SWITCH_ROLES if roles[role] or role in always},
        links={kind: kinds[kind] for kind in LINK_KINDS if kinds[kind] or kind in always},
        cables=len(design.cabling.cables) if design.cabling else 0,
        pluggables=len(design.cabling.pluggables) if design.cabling else 0,
    )


def _topology(topology: Topology) -> TopologySummary:
    """Family and shape."""
    ratio = _oversubscription(topology) if topology.family == TREE else None
    return TopologySummary(topology.family, dict(sorted(topology.parameters.items())), diameter(topology), ratio)


def _oversubscription(topology: Topology) -> float | None:
    """Down over up of the worst leaf; None without uplinks."""
    down: Counter[str] = Counter()
    up: Counter[str] = Counter()
    for link in topology.links:
        if link.kind == "node_leaf":
            down[link.b.device] += link.rate_gbps
        elif link.kind == "leaf_spine":
            up[link.a.device] += link.rate_gbps
    return max((down[leaf] / up[leaf] for leaf in down if up[leaf]), default=None)


def diameter(topology: Topology) -> int | None:
    """Most switches on the way between two endpoints, as they are routed; None where some pair has no way."""
    hops = [distances(plane.network, plane.routes) for plane in planes_of(topology) if plane.endpoints]
    if not hops or any(found.min() < 0 for found in hops):
        return None
    return max(int(found.max()) for found in hops) + 1


def _optimality(origin: Provenance | None) -> Mapping[str, Any] | None:
    if origin is None or origin.optimality is None:
        return None
    proof = origin.optimality
    body = asdict(proof)
    for goal in (body, *body["later"]):
        for key in ("objective", "bound"):
            goal[key] = _amount(goal[key], goal["unit"])
    return body | {"gap": (proof.objective - proof.bound) / proof.objective if proof.objective else 0.0}


def _amount(value: int | None, unit: str) -> float | None:
    return None if value is None else amount(value, unit)


def _alternatives(origin: Provenance | None) -> tuple[Mapping[str, Any], ...]:
    if origin is None or origin.optimality is None:
        return ()
    best = origin.optimality
    return tuple(
        asdict(other)
        | {key: _amount(getattr(other, key), best.unit) for key in ("objective", "bound")}
        | {"difference": _amount(_difference(other, best), best.unit)}
        for other in origin.alternatives
    )


def _difference(other: Alternative, best: Optimality) -> int | None:
    """What an alternative is worth more than the design, at least that where its bound ruled it out."""
    if other.objective is not None:
        return other.objective - best.objective
    bound = other.bound or 0
    return bound - best.objective if bound >= best.objective else None


def _binding(origin: Provenance | None) -> tuple[Mapping[str, Any], ...]:
    rows = origin.binding if origin is not None else ()
    return tuple(asdict(row) | {"marginal": amount(row.marginal, row.unit)} for row in rows)


def _provenance(origin: Provenance | None) -> Mapping[str, Any]:
    if origin is None:
        return {}
    return {
        "tool": origin.tool,
        "version": origin.version,
        "catalog_digest": origin.catalog_digest,
        "seed": origin.seed,
    }
