"""Sections of the report about what was designed: what it is, what to buy, what it costs, how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from fabric.catalog.constants import GRADES
from fabric.catalog.load import Catalog
from fabric.model.design import UNIT_WORDS, Design
from fabric.model.ranking import RankedFamily
from fabric.model.report import BillLine, Report
from fabric.model.request import FAMILY_WORDS
from fabric.model.topology import SWITCH_ROLES, Topology
from fabric.render.layer_section import layers
from fabric.render.management import OOB_PORTS_COUNT, management, oob_switches
from fabric.render.section import UNKNOWN, Section, counted, kilowatt, listed, number, of_role, percent, table, usd

COUNTED = {
    "usd": "known prices alone",
    "planning_usd": "known prices, and planning values where no price is known; not a price",
    "w": "maximum power of switches and what is plugged, planning watts where it is not known",
}
"""What an objective sums up, by its unit."""

NO_FIGURE = "–"
"""A figure of a family without a design."""

TREE = "fat_tree"
"""The family whose leaves have an oversubscription; what others carry is told as throughput."""


def design_sections(design: Design, report: Report, catalog: Catalog) -> Iterator[Section]:
    """Sections in reading order."""
    yield _what_it_is(design, report)
    yield layers(design)
    yield _what_to_buy(report)
    yield _cost(report)
    yield _power(report)
    yield _proof(report)
    yield from _families(report)
    yield _alternatives(report)
    yield _constraints(report)
    yield _racks(design, catalog)


_PARAMETERS = {
    "p": "p, endpoints of a router",
    "a": "a, routers of a group",
    "h": "h, global ports of a router",
    "local_width": "links between two routers of a group",
    "group_links": "links between two groups",
    "trunk": "links between a leaf and a spine",
}
"""Words for parameters whose names are those of the literature or too short."""


def _what_it_is(design: Design, report: Report) -> Section:
    counts = report.counts
    rows: list[tuple[str, object]] = [("nodes", counts.nodes), ("endpoints", counts.endpoints)]
    rows += [(f"{role} switches", count) for role, count in counts.switches.items()]
    rows += [(f"{kind.replace('_', '-')} links", count) for kind, count in counts.links.items()]
    rows += [("cables", counts.cables), ("pluggables", counts.pluggables)]
    shape = report.topology
    rows += [(_PARAMETERS.get(key, key.replace("_", " ")), value) for key, value in shape.parameters.items()]
    rows.append(("switches on the longest way", shape.diameter))
    if shape.family == TREE:
        rows.append(("oversubscription", shape.oversubscription))
    return Section("What it is", (_made_of(design), *_balance(design.topology)), table(("what", "number"), rows))


def _balance(topology: Topology) -> Iterator[str]:
    """How far the groups of a dragonfly are from a = 2p = 2h, which balances the load of local and global links.

    Source: kim-dragonfly-2008.
    """
    a, p, h = (topology.parameters.get(key) for key in "aph")
    if topology.family == "dragonfly" and isinstance(a, int) and isinstance(p, int) and isinstance(h, int):
        if a == 2 * p == 2 * h:
            yield "Its groups are balanced, a = 2p = 2h."
        else:
            yield (
                f"Groups are balanced where a = 2p = 2h; here a is {a}, 2p is {2 * p} and 2h is {2 * h}. That is a "
                "preference alone: links are fitted to what uniform traffic puts on them."
            )


def _made_of(design: Design) -> str:
    """What the fabric connects and is made of, in one sentence."""
    parts = Counter((device.role, device.part or "") for device in design.topology.devices)
    order = sorted(parts, key=lambda kind: (kind[0] in SWITCH_ROLES, kind[0] != "node", kind))
    ends, switches = (
        listed([of_role(parts[role, part], role, part) for role, part in order if (role in SWITCH_ROLES) == switch])
        for switch in (False, True)
    )
    family = FAMILY_WORDS.get(design.topology.family, design.topology.family)
    return f"A {family} of {switches or 'no switch'}, which connects {ends or 'nothing'}."


def _what_to_buy(report: Report) -> Section:
    rows = [(one.part, one.family, one.kind, one.quantity, *_money(one)) for one in report.bill]
    heading = ("part", "family", "kind", "quantity", "price each", "price source", "planning USD each")
    note = "One line per orderable number; bom.csv holds the same. Nodes are not on the bill."
    return Section("What to buy", (note,), table(heading, rows))


def _money(line: BillLine) -> tuple[str, str, str]:
    planning = f"{line.planning_usd:,.2f}" if line.planning_usd is not None else "–"
    return usd(line.price_usd), line.price_source or "–", planning


def _cost(report: Report) -> Section:
    cost = report.cost
    unpriced = [line for line in report.bill if line.price_usd is None]
    pieces = sum(line.quantity for line in unpriced)
    planning_usd = sum(line.quantity * (line.planning_usd or 0.0) for line in unpriced)
    sentences = [f"Prices are known for {percent(cost.priced_share)} of all pieces; the sums below hold these alone."]
    if unpriced:
        sentences.append(
            f"No price is known for {counted(pieces, 'piece')}. Planning values come to {planning_usd:,.0f}: "
            "estimates after the class of part, so that choices can be made; they are no prices and in no sum below."
        )
    if report.power_w.known_share < 1:
        known = percent(report.power_w.known_share)
        sentences.append(f"Energy counts known power alone, that of {known} of switches, pluggables and cables.")
    rows = [
        ("switches", usd(cost.switches_usd)),
        ("cables", usd(cost.cables_usd)),
        ("pluggables", usd(cost.pluggables_usd)),
        ("capital cost of what is priced", usd(cost.capex_usd)),
        (f"energy over {number(cost.years)} {'year' if cost.years == 1 else 'years'}", usd(cost.energy_usd)),
        ("both together", usd(cost.tco_usd)),
    ]
    return Section("Cost", tuple(sentences), table(("of what is priced", "USD"), rows))


def _power(report: Report) -> Section:
    power = report.power_w
    note = (
        f"Maximum power, known for {percent(power.known_share)} of switches, pluggables and cables that draw any; "
        "the rest is not in the sum."
    )
    parts = [(name, getattr(power, name)) for name in ("switches", "pluggables", "cables")]
    parts.append(("together", power.total))
    rows = [(name, kilowatt(watts) if watts or power.known_share == 1 else UNKNOWN) for name, watts in parts]
    return Section("Power", (note,), table(("what", "power"), rows))


def _proof(report: Report) -> Section:
    proof = report.optimality
    if proof is None:
        return Section("Proof", ("This design was read from tables; nothing was proved about its cost.",))
    unit, meaning = UNIT_WORDS[proof["unit"]], COUNTED[proof["unit"]]
    objective, bound = number(proof["objective"]), number(proof["bound"])
    if proof["status"] == "optimal":
        first = f"Optimal: {objective} {unit}, and no design within the scope below can be better."
    elif proof["objective"] == proof["bound"]:
        first = (
            f"{objective} {unit}, {standing(proof)}: no design within the scope below can be better by what is proved."
        )
    else:
        first = (
            f"Feasible: {objective} {unit}; proved is a lower bound of {bound} {unit}, so at most "
            f"{percent(proof['gap'])} could still be saved."
        )
    scope = f"Scope: {', '.join(proof['scope'])}. Counted in {unit}: {meaning}."
    fixed = proof.get("fixed") or ()
    given = f"Taken as given: {'; '.join(fixed)}." if fixed else "Nothing was taken as given beyond the request."
    later = tuple(
        f"Among equals: {number(goal['objective'])} {UNIT_WORDS[goal['unit']]} of {goal['goal']}"
        + (f", at least {number(goal['bound'])}." if goal["bound"] is not None else ".")
        for goal in proof.get("later", ())
    )
    return Section("Proof", (first, *later, scope, given, f"Method: {proof['method']}."))


def standing(proof: Mapping[str, Any]) -> str:
    """How far a proof goes: its status, or which goals are proved where another one of several is open."""
    later = proof.get("later") or ()
    if proof["status"] == "optimal" or proof["objective"] != proof["bound"] or not later:
        return str(proof["status"])
    proved = list(takewhile(lambda goal: goal["objective"] == goal["bound"], later))
    goals = listed(["the first goal", *(goal["goal"] for goal in proved)])
    return f"proved best by {goals}, open by {listed([goal['goal'] for goal in later[len(proved) :]])}"


def _families(report: Report) -> Iterator[Section]:
    """The ranking of families, where the request left several open."""
    ranking = report.ranking
    if ranking is None:
        return
    rows = [
        (
            FAMILY_WORDS[one.family],
            _switches(one.switches),
            *(_of_design(one) if one.objective is not None else [NO_FIGURE] * 8),
            GRADES.get(one.support, one.support),
            one.why_not or "taken",
        )
        for one in ranking.families
    ]
    heading = (
        *("family", "switches", "objective", "cost", "power", "cables", "longest way", "bisection", "uniform theta"),
        *("worst permutation theta", "support", "why not"),
    )
    note = (
        "The best design found of every family. Objective and bound are by the first goal; cost is capex. The longest "
        "way is in switches; bisection and theta are shares of line rate."
    )
    yield Section("Families", (ranking.verdict, note), table(heading, rows))


def _of_design(one: RankedFamily) -> list[object]:
    """Figures of the best design of a family."""
    money = f"{number(one.cost)} {UNIT_WORDS[one.cost_unit or 'usd']}"
    cables = ", ".join(f"{count:,} {medium.upper()}" for medium, count in one.cables.items())
    value = f"{number(one.objective)} {UNIT_WORDS[one.unit or 'usd']} (bound {number(one.bound)})"
    shares = [one.bisection, one.uniform_theta, one.worst_permutation_theta]
    return [value, money, kilowatt(one.power_w or 0.0), cables, one.diameter, *shares]


def _alternatives(report: Report) -> Section:
    rows = [
        (
            _switches(one["switches"]),
            FAMILY_WORDS.get(one["family"], one["family"]),
            _laid_out(one["objective"]),
            _difference(one),
            one["bound"],
            one["why_not"],
        )
        for one in report.alternatives
    ]
    heading = ("switches", "family", "objective", "difference", "bound", "why not")
    none = () if rows else ("No other shape was open within the request.",)
    return Section("Alternatives", none, table(heading, rows))


def _laid_out(objective: float | None) -> object:
    """Value of an alternative; one that its bound ruled out was never laid out."""
    return "not laid out" if objective is None else objective


def _difference(one: Mapping[str, Any]) -> str:
    """What an alternative costs more than the design; what it does at least where it was not laid out."""
    more = one["difference"]
    if more is None:
        return "–"
    return f"{'' if one['objective'] is not None else 'at least '}{'+' * (more > 0)}{number(more)}"


def _constraints(report: Report) -> Section:
    """Policies in force, and what binds; nothing is said where a design was read from tables alone."""
    if report.optimality is None:
        return Section("Constraints", ("This design was read from tables; nothing is known of what it was bound by.",))
    rows = [
        (
            f"{one['key']} (policy)" if one["is_policy"] else one["key"],
            one["value"],
            one["relaxed"],
            one["marginal"],
            UNIT_WORDS[one["unit"]],
        )
        for one in report.binding
    ]
    note = (
        "What the same search saves with one constraint relaxed and all others kept. Policies are listed even if they "
        "cost nothing, other constraints only where something is saved."
    )
    heading = ("constraint", "as it is", "relaxed to", "saves", "unit")
    return Section(
        "Constraints", (note,) if rows else ("No constraint was found to cost anything.",), table(heading, rows)
    )


def _switches(switches: Mapping[str, Any]) -> str:
    """What an alternative is made of: `16 x nvidia-q3400-ra + 8 x nvidia-q3400-ra, unit nodes 72`."""
    tiers = " + ".join(
        f"{switches[role]} x {switches.get(f'{role}_part', role)}" for role in SWITCH_ROLES if role in switches
    )
    rest = [
        f"{key.replace('_', ' ')} {value}"
        for key, value in switches.items()
        if key not in SWITCH_ROLES and not key.endswith("_part")
    ]
    return ", ".join([tiers, *rest])


def _racks(design: Design, catalog: Catalog) -> Section:
    if design.placement is None:
        return Section("Racks", ("No places are known.",))
    held: dict[str, Counter[str]] = {}
    for position in design.placement.positions:
        device = design.topology.device.get(position.device)
        if device is not None:
            held.setdefault(position.rack, Counter())[device.role] += 1
    alike: dict[str, list[str]] = {}
    for rack, roles in sorted(held.items()):
        alike.setdefault(", ".join(of_role(count, role) for role, count in sorted(roles.items())), []).append(rack)
    rows = [(content, len(racks), _some(racks)) for content, racks in alike.items()]
    ports = management(design, catalog)
    switches = counted(oob_switches(ports), "management switch", "management switches")
    note = (
        f"Devices stand in {counted(len(held), 'rack')}. Out-of-band: {counted(len(ports), 'port')} on {switches} of "
        f"{OOB_PORTS_COUNT} ports, kept per row."
    )
    return Section("Racks", (note,), table(("content", "racks", "which"), rows))


def _some(names: list[str], most: int = 8) -> str:
    """The first few of many names."""
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[: most - 1])} … {names[-1]}"
