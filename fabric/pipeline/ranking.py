"""The ranking of families: the best of each with its figures, why the first wins, and what would change the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabric.catalog.constants import GRADES, SHIPPING
from fabric.catalog.load import Catalog
from fabric.flow.bisection import bisection
from fabric.model.design import UNIT_WORDS, Design
from fabric.model.ranking import RankedFamily, Ranking
from fabric.model.request import FAMILY_WORDS
from fabric.pipeline.choosing import Choice
from fabric.pipeline.families import Contest, Entry
from fabric.pipeline.flow_judgement import judge_throughput
from fabric.pipeline.judging import diameter
from fabric.pipeline.networks import planes_of
from fabric.pipeline.support import grade_of, in_words, is_supported
from fabric.pipeline.watch import amount
from fabric.units import cents_to_usd, milliwatts_to_watts

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
    rows = (*(_row(each, held[0], catalog) for each in held), *(_without(entry, catalog) for entry in none))
    return Ranking(" ".join(_verdict(held, none, rows, catalog)), rows)


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
        return f"a {FAMILY_WORDS[self.family]}"

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
    grade = grade_of(each.choice.asked.request, catalog)
    halves = [share for plane in planes_of(layout.topology) if (share := bisection(plane.network)) is not None]
    return RankedFamily(
        family=each.family,
        support=grade,
        why_not="" if each is best else _why_not(each, best, catalog),
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


def _without(entry: Entry, catalog: Catalog) -> RankedFamily:
    why = str(entry.error).replace("\n", "; ")
    return RankedFamily(entry.family, grade_of(entry.asked, catalog), why)


def _why_not(each: _Standing, best: _Standing, catalog: Catalog) -> str:
    """Why a family with a design was not taken, as far as that is proved."""
    supported = tuple(is_supported(one.choice.asked.request, catalog) for one in (each, best))
    if each.choice.outcome.breaks_rules and not best.choice.outcome.breaks_rules:
        return "every design tried breaks a limit of the request"
    more = "as much"
    if each.value != best.value:
        side = "more" if each.value > best.value else "less"
        more = f"{_share(abs(each.value - best.value), best.value)} {side}"
    if supported == (False, True):
        grade = grade_of(each.choice.asked.request, catalog)
        return f"{more}; its support is {GRADES.get(grade, grade)}: fabric.family: {each.family} asks for it"
    saved = best.value - each.choice.outcome.bound[0]
    if saved > 0:
        return f"{more}; not proved worse: it might still save {_share(saved, best.value)}"
    return f"{more}; proved: no design of the family is better"


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.1f} %" if percent >= LEAST_PERCENT else f"under {LEAST_PERCENT} %"


def _verdict(
    held: Sequence[_Standing], none: Sequence[Entry], rows: Sequence[RankedFamily], catalog: Catalog
) -> Iterator[str]:
    """One sentence on why the first wins and what would change that, and one on what is shipping."""
    best, *others = held
    name = best.words.capitalize()
    equal = [each for each in others if each.choice.outcome.breaks_rules == best.choice.outcome.breaks_rules]
    cheaper = min(equal, key=lambda each: each.choice.outcome.value, default=best)
    if cheaper.value < best.value:
        yield _stands_back(best, cheaper, rows)
    elif equal:
        yield f"{name} wins: {_why(best, equal[0])}; {_turn(best, equal[0], rows)}."
    elif others:
        yield f"{name} wins: {_told(best)}, for every design tried of other families breaks a limit of the request."
    else:
        families = " or ".join(f"a {FAMILY_WORDS[entry.family]}" for entry in none)
        yield f"{name} wins, for no design was found of {families}."
    grade = rows[0].support
    if grade in GRADES and not is_supported(best.choice.asked.request, catalog):
        words = in_words(best.choice.asked.request)
        yield f"Its support is {GRADES[grade]}: no design of a family {words} was found."
    elif grade in GRADES and grade != SHIPPING:
        yield f"Its support is {GRADES[grade]}, as far as fabric.least_support asks."


def _stands_back(best: _Standing, cheaper: _Standing, rows: Sequence[RankedFamily]) -> str:
    """Why a family that is shipping wins before one that takes less, and what that one lacks."""
    row = next(row for row in rows if row.family == cheaper.family)
    lacks = f"its support is {GRADES.get(row.support, row.support)}"
    if row.worst_permutation_theta is not None and rows[0].worst_permutation_theta is not None:
        lacks += (
            f" and it leaves {row.worst_permutation_theta:.3g} of line rate to the worst permutation, where "
            f"{best.words} leaves {rows[0].worst_permutation_theta:.3g}"
        )
    words = in_words(best.choice.asked.request)
    return (
        f"{best.words.capitalize()} wins as the best {words}: {_told(best)}; {cheaper.words} would save "
        f"{_share(best.value - cheaper.value, best.value)} ({_parts(cheaper, best)}), but {lacks}: "
        f"fabric.family: {cheaper.family} asks for it, fabric.least_support for every family of its grade."
    )


def _told(each: _Standing) -> str:
    return f"{each.amount(each.value):,.0f} {UNIT_WORDS[each.unit]}"


def _parts(each: _Standing, other: _Standing) -> str:
    """Through what one is worth less or more than another."""
    switches = each.switches_value - other.switches_value
    rest = each.value - other.value - switches
    return f"switches {each.amount(switches):+,.0f}, cables and pluggables {each.amount(rest):+,.0f}"


def _why(best: _Standing, other: _Standing) -> str:
    """By how much the first is better than the next, and by what part of it."""
    if best.value == other.value:
        return f"{_told(best)}, as much as {other.words}, and goes before it"
    below = f"{_share(other.value - best.value, other.value)} below {other.words}, the next best"
    return f"{_told(best)}, {below} ({_parts(best, other)})"


def _turn(best: _Standing, other: _Standing, rows: Sequence[RankedFamily]) -> str:
    """What would put the next best design before the first."""
    switches = best.switches_value - other.switches_value
    rest = best.value - other.value - switches
    what, turns = "power" if best.unit == "w" else "price", list[str]()
    if switches * rest < 0 and LEAST_FACTOR <= -rest / switches <= MOST_FACTOR:
        side = "less" if switches < 0 else "more"
        turns.append(f"switches at {side} than {-rest / switches:.2f} times their {what}")
    theta = {row.family: row.worst_permutation_theta for row in rows}
    mine, its = theta[best.family], theta[other.family]
    if mine is not None and its is not None and mine < its:
        turns.append(
            f"traffic whose worst permutation wants over {mine:.3g} of line rate ({other.words} has {its:.3g})"
        )
    if not turns:
        return f"between these two no {what} of switches alone, or of cables and pluggables alone, would change that"
    return f"{' or '.join(turns)} would change that"
