"""The ranking of families: the best of each with its figures, why the first wins, and what would change the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabric.catalog.constants import GRADES
from fabric.catalog.load import Catalog
from fabric.flow.bisection import bisection
from fabric.model.design import Design
from fabric.model.ranking import RankedFamily, Ranking
from fabric.nos.port_names import nos_of
from fabric.pipeline.choosing import Choice, Contest, Entry
from fabric.pipeline.flow_judgement import judge_throughput
from fabric.pipeline.judging import diameter
from fabric.pipeline.networks import planes_of
from fabric.pipeline.watch import amount
from fabric.units import cents_to_usd, milliwatts_to_watts

SHIPPING = "shipping"
"""The grade below which something is missing."""

UNITS = {"usd": "USD", "planning_usd": "planning USD", "w": "W"}

LEAST_PERCENT = 0.1
"""Least share that is told as a number."""

LEAST_FACTOR, MOST_FACTOR = 0.1, 10.0
"""Factors of price that are worth telling."""

DIGITS = 9
"""Decimals of shares, beyond which sums of floats differ between machines."""


def ranking(contest: Contest, catalog: Catalog) -> Ranking | None:
    """The families from the best down; None where the request names one."""
    if len(contest.entries) == 1:
        return None
    family = contest.choice.outcome.shape.family
    held = [_Standing(entry.choice, catalog) for entry in contest.entries if entry.choice is not None]
    held.sort(key=lambda each: (each.family != family, each.choice.outcome.breaks_rules, each.choice.outcome.value))
    none = [entry for entry in contest.entries if entry.choice is None]
    rows = (*(_row(each, held[0], catalog) for each in held), *(_without(entry, held[0], catalog) for entry in none))
    return Ranking(" ".join(_verdict(held, none, rows)), rows)


@dataclass(frozen=True)
class _Standing:
    """The best of one family."""

    choice: Choice
    catalog: Catalog

    @property
    def family(self) -> str:
        return self.choice.outcome.shape.family

    @property
    def words(self) -> str:
        return f"a {self.family.replace('_', '-')}"

    @property
    def value(self) -> int:
        """Its value by the first goal."""
        return self.choice.outcome.value[0]

    @property
    def switches_value(self) -> int:
        """What its switches alone weigh by the first goal."""
        return self.choice.objective.of(self.choice.outcome.result.layout.topology, None).value[0]

    @property
    def unit(self) -> str:
        objective = self.choice.objective
        return objective.unit(objective.goals[0], self.choice.outcome.result.worth)

    def amount(self, value: int) -> float:
        """A value by the first goal, in its unit."""
        return amount(value, self.choice.objective.goals[0])


def _row(each: _Standing, best: _Standing, catalog: Catalog) -> RankedFamily:
    outcome, layout, worth = each.choice.outcome, each.choice.outcome.result.layout, each.choice.outcome.result.worth
    design = Design(each.choice.asked.request, None, layout.topology)
    carried = judge_throughput(design, catalog)
    halves = [share for plane in planes_of(layout.topology) if (share := bisection(plane.network)) is not None]
    return RankedFamily(
        family=each.family,
        support=_support(each.family, each.choice, catalog),
        why_not="" if each is best else _why_not(each, best),
        switches=outcome.shape.summary,
        objective=each.amount(each.value),
        bound=each.amount(outcome.bound[0]),
        unit=each.unit,
        cost=cents_to_usd(worth.money.planning_cents),
        cost_unit="usd" if worth.money.all_priced else "planning_usd",
        power_w=milliwatts_to_watts(worth.power.planning_mw),
        cables=dict(sorted(Counter(cable.medium for cable in layout.cabling.cables).items())),
        diameter=diameter(layout.topology),
        bisection=_rounded(min(halves, default=None)),
        uniform_theta=_rounded(carried.uniform_theta),
        worst_permutation_theta=_rounded(carried.worst_permutation_theta),
    )


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, DIGITS)


def _without(entry: Entry, best: _Standing, catalog: Catalog) -> RankedFamily:
    why = str(entry.error).replace("\n", "; ")
    return RankedFamily(entry.family, _support(entry.family, best.choice, catalog), why)


def _support(family: str, choice: Choice, catalog: Catalog) -> str:
    """How far the family runs on the system that tables name ports by."""
    nos = nos_of(choice.asked.request.fabric.part_layer)
    grades = [each.grade for each in catalog.family_support.values() if (each.family, each.nos) == (family, nos)]
    return grades[0] if grades else "unknown"


def _why_not(each: _Standing, best: _Standing) -> str:
    """Why a family with a design was not taken, as far as that is proved."""
    if each.choice.outcome.breaks_rules and not best.choice.outcome.breaks_rules:
        return "every design tried breaks a limit of the request"
    more = f"{_share(each.value - best.value, best.value)} more" if each.value != best.value else "as much"
    saved = best.value - each.choice.outcome.bound[0]
    if saved > 0:
        return f"{more}; not proved worse: it might still save {_share(saved, best.value)}"
    return f"{more}; proved: no design of the family is better"


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.1f} %" if percent >= LEAST_PERCENT else f"under {LEAST_PERCENT} %"


def _verdict(held: Sequence[_Standing], none: Sequence[Entry], rows: Sequence[RankedFamily]) -> Iterator[str]:
    """One sentence on why the first wins and what would change that, and one on a grade below shipping."""
    best, *others = held
    name = best.words.capitalize()
    if others:
        yield f"{name} wins: {_why(best, others[0])}; {_turn(best, others[0], rows)}."
    else:
        families = " or ".join(f"a {entry.family.replace('_', '-')}" for entry in none)
        yield f"{name} wins, for no design was found of {families}."
    if rows[0].support in GRADES and rows[0].support != SHIPPING:
        yield f"Its support is {GRADES[rows[0].support]}: {_instead(held, rows)}."


def _instead(held: Sequence[_Standing], rows: Sequence[RankedFamily]) -> str:
    """What the best family that is shipping would cost."""
    shipping = (each for each, row in zip(held, rows, strict=False) if row.support == SHIPPING)
    other = next(shipping, None)
    if other is None:
        return "no family with a design is shipping"
    more = _share(other.value - held[0].value, held[0].value)
    return f"{other.words} is shipping and takes {more} more, as fabric.family: {other.family}"


def _why(best: _Standing, other: _Standing) -> str:
    """By how much the first is better than the next, and by what part of it."""
    head = f"{best.amount(best.value):,.0f} {UNITS[max(best.unit, other.unit, key=len)]}"
    if best.value == other.value:
        return f"{head}, as much as {other.words}, and goes before it"
    if best.value > other.value:
        return f"{head}, more than {other.words}, which breaks a limit of the request"
    switches = best.switches_value - other.switches_value
    rest = best.value - other.value - switches
    parts = f"switches {best.amount(switches):+,.0f}, cables and pluggables {best.amount(rest):+,.0f}"
    return f"{head}, {_share(other.value - best.value, other.value)} below {other.words}, the next best ({parts})"


def _turn(best: _Standing, other: _Standing, rows: Sequence[RankedFamily]) -> str:
    """What would make the next family the first."""
    switches = best.switches_value - other.switches_value
    rest = best.value - other.value - switches
    turns = []
    if switches * rest < 0 and LEAST_FACTOR <= -rest / switches <= MOST_FACTOR:
        side = "less" if switches < 0 else "more"
        turns.append(f"switches {side} than {-rest / switches:.2f} times as dear")
    mine, its = (row.worst_permutation_theta for row in rows[:2])
    if mine is not None and its is not None and mine < its:
        turns.append(
            f"traffic whose worst permutation wants over {mine:.3g} of line rate ({other.words} has {its:.3g})"
        )
    if not turns:
        return "no price of switches or of cables and pluggables within reason would change that"
    return f"{' or '.join(turns)} would change that"
