"""The assortment: what is bought for all components together where a limit ties them, as one integer program.

Components that every way serves alike are a lot. A lot is dealt to ways, and each lead of a way to offers of its
ladder. Without a limit the best way of each component is the optimum, and no program is needed (`purchase`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from fabric.catalog.parts import CablePart
from fabric.layout.ladder import COST, ROUNDING_M, Ladder, Metres, Size, Whole, outdone
from fabric.layout.offer import Offer
from fabric.layout.purchase import Bought, Way

SEED = 1

WORK = 20.0
"""Deterministic time for one column of the ranks; a search that uses it up answers with the best so far."""

LINEAR = 2
"""All constraints enter the linear relaxation, which is nearly tight: choosing numbers is facility location."""

ANY_COUNT = 2**20
"""More orderable numbers than there are."""

Bools = npt.NDArray[np.bool_]

Number = tuple[str, str]
"""An orderable number as a bill counts it: kind and key."""

Terms = list[tuple[int, cp_model.IntVar]]
"""A linear sum."""


@dataclass(frozen=True, slots=True)
class Supply:
    """Components of one shape: ways to buy them, and the routes and rooms of their links.

    `route_m` is (components, links) [m, without slack]; `passes` is (components, links, rooms).
    """

    options: tuple[Way, ...]
    route_m: Metres
    passes: Bools


@dataclass(frozen=True, slots=True)
class Ties:
    """What binds all components together.

    At most `numbers_count` orderable numbers (None: any), and in each room cables of no more than its size altogether.
    A cable lies once in each room that one of its links passes.
    """

    numbers_count: int | None
    rooms: tuple[int, ...]
    size: Size


@dataclass(frozen=True, slots=True)
class Assortment:
    """What is bought for each supply, its cost by the first scale, and a bound on that of all that keeps the ties.

    `is_proved` says that nothing is better by any column of the ranks.
    """

    bought: tuple[tuple[Bought, ...], ...]
    cost: int
    bound_cost: int
    is_proved: bool


def assort(supplies: Sequence[Supply], ties: Ties) -> Assortment | None:
    """The best purchase that keeps the ties, by the columns of the ranks in their order.

    minimise Σ rank · pieces, subject to: Σ_ways pieces = those of the lot; Σ_offers pieces = leads · pieces of the way;
    pieces ≤ most · use of their number, Σ use ≤ numbers_count; Σ size · pieces ≤ size of the room.

    Returns:
        None where no purchase keeps the ties, or none was found within the work.
    """
    program = _Program(supplies, ties)
    is_proved, bound_cost = True, 0
    for column, terms in enumerate(program.ranks):
        if terms or column == COST:
            is_proved &= program.minimise(terms) == cp_model.OPTIMAL
            bound_cost = program.bound if column == COST else bound_cost
            if not program.values:
                return None
    bought: list[list[Bought]] = [[] for _ in supplies]
    for dealt in program.lots:
        bought[dealt.lot.supply].extend(dealt.bought(program.values))
    return Assortment(tuple(map(tuple, bought)), program.value(program.ranks[COST]), bound_cost, is_proved)


def fewest_numbers(supplies: Sequence[Supply], size: Size) -> tuple[int, tuple[str, ...]]:
    """What no purchase of the supplies is below in orderable numbers, and the keys of one that has the fewest found."""
    program = _Program(supplies, Ties(ANY_COUNT, (), size))
    program.minimise([(1, use) for use in program.use.values()])
    used = [key for (_, key), use in sorted(program.use.items()) if program.values and program.values[use.index]]
    return program.bound, tuple(used)


@dataclass(frozen=True, slots=True)
class _Lead:
    """Leads of a way that are served alike: their columns, and pieces by rung."""

    columns: tuple[int, ...]
    ladder: Ladder
    pieces: Mapping[int, cp_model.IntVar]


@dataclass(frozen=True, slots=True)
class _Deal:
    """Components of a lot that are bought one way."""

    way: Way
    taken: cp_model.IntVar
    leads: tuple[_Lead, ...]


@dataclass(frozen=True, slots=True)
class _Lot:
    """Components of one supply that are served alike; dealt one by one, or all the same way (`is_whole`)."""

    supply: int
    rows: Whole
    passes: Bools
    is_whole: bool

    @property
    def most(self) -> int:
        """Pieces that are dealt."""
        return 1 if self.is_whole else len(self.rows)


@dataclass(frozen=True, slots=True)
class _Dealt:
    """A lot with its deals."""

    lot: _Lot
    deals: tuple[_Deal, ...]

    def bought(self, values: Sequence[int]) -> Iterator[Bought]:
        """What the lot buys in a solution."""
        rows = iter(self.lot.rows.tolist())
        for deal in self.deals:
            taken = values[deal.taken.index] * (len(self.lot.rows) // self.lot.most)
            rungs = np.zeros((taken, len(deal.way.leads)), dtype=np.int64)
            for lead in deal.leads if taken else ():
                counts = [values[pieces.index] for pieces in lead.pieces.values()]
                dealt = np.repeat(np.array(list(lead.pieces), dtype=np.int64), counts)
                rungs[:, lead.columns] = dealt if self.lot.is_whole else dealt.reshape(taken, -1)
            if taken:
                yield Bought(deal.way, np.array(list(islice(rows, taken)), dtype=np.int64), rungs)


class _Program:
    """The integer program, its lots, and its last solution (`values` by index of the variable) with its bound."""

    def __init__(self, supplies: Sequence[Supply], ties: Ties) -> None:
        self._ties = ties
        self._model = cp_model.CpModel()
        self.use: dict[Number, cp_model.IntVar] = {}
        self.values: Sequence[int] = ()
        self.bound = 0
        self.ranks: list[Terms] = [[] for _ in supplies[0].options[0].module_rank]
        self._filled: list[Terms] = [[] for _ in ties.rooms]
        ladders = {id(ladder): ladder for each in supplies for way in each.options for ladder in way.ladders}
        self._outdone = outdone(ladders.values(), ties.size) if ties.numbers_count is not None else frozenset()
        self.lots = [self._add(lot, supply) for number, supply in enumerate(supplies) for lot in _lots(number, supply)]
        if ties.numbers_count is not None:
            self._model.add(sum(self.use.values()) <= ties.numbers_count)
        for filled, room in zip(self._filled, ties.rooms, strict=True):
            self._model.add(_sum(filled) <= room)

    def value(self, terms: Terms) -> int:
        """A sum in the last solution."""
        return sum(weight * self.values[pieces.index] for weight, pieces in terms)

    def minimise(self, terms: Terms) -> cp_model.CpSolverStatus:
        """Minimise a sum, and hold it from then on at the value found."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = SEED
        solver.parameters.max_deterministic_time = WORK
        solver.parameters.linearization_level = LINEAR
        self._model.minimize(_sum(terms))
        status = solver.solve(self._model)
        self.bound = math.ceil(solver.best_objective_bound - ROUNDING_M)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self.values = tuple(solver.response_proto.solution)
            self._model.add(_sum(terms) <= self.value(terms))
            self._model.clear_hints()  # type: ignore[no-untyped-call]  # the one method without types
            for index, value in enumerate(self.values):
                self._model.add_hint(self._model.get_int_var_from_proto_index(index), value)
        return status

    def _add(self, lot: _Lot, supply: Supply) -> _Dealt:
        """Deal a lot: Σ_ways pieces = those of the lot."""
        needs = [(way, way.rungs(supply.route_m[lot.rows[:1]])[0].tolist()) for way in supply.options]
        reached = [
            (way, rungs)
            for way, rungs in needs
            if all(rung < len(ladder.offers) for rung, ladder in zip(rungs, way.ladders, strict=True))
        ]
        measured = [(way, rungs) for way, rungs in reached if self._is_measured(lot, way, rungs)]
        deals = [self._add_deal(lot, way, rungs) for way, rungs in measured or reached]
        self._model.add(sum(deal.taken for deal in deals) == lot.most)
        if self._ties.numbers_count is not None:
            self._add_use(lot, deals)
        return _Dealt(lot, tuple(deals))

    def _is_measured(self, lot: _Lot, way: Way, rungs: Sequence[int]) -> bool:
        """Whether each lead in a room has offers of known size; where a way has, one of unknown sizes is no way out."""
        return all(
            any(self._ties.size(offer.part) is not None for offer in ladder.offers[rung:])
            for lead, ladder, rung in zip(way.leads, way.ladders, rungs, strict=True)
            if lot.passes[list(lead)].any()
        )

    def _add_deal(self, lot: _Lot, way: Way, rungs: Sequence[int]) -> _Deal:
        """Σ_offers pieces = leads · pieces of the way, for each kind of its leads."""
        weight = len(lot.rows) // lot.most
        taken = self._model.new_int_var(0, lot.most, "")
        self._weigh(way.module_rank * weight, taken)
        kinds: dict[tuple[int, int, tuple[int, ...]], list[int]] = defaultdict(list)
        for column, (links, ladder, rung) in enumerate(zip(way.leads, way.ladders, rungs, strict=True)):
            passes = np.flatnonzero(lot.passes[list(links)].any(axis=0)).tolist()
            kinds[id(ladder), rung, tuple(passes)].append(column)
        leads = []
        for (_, rung, passed), columns in kinds.items():
            ladder, each = way.ladders[columns[0]], 1 if lot.is_whole else len(columns)
            pieces = {}
            for number, offer in self._offers(ladder, rung, passed):
                pieces[number] = self._model.new_int_var(0, each * lot.most, "")
                self._weigh(np.array(offer.columns) * (weight * len(columns) // each), pieces[number])
                for room in passed:
                    self._filled[room].append((self._ties.size(offer.part) or 0, pieces[number]))
            self._model.add(sum(pieces.values()) == each * taken)
            leads.append(_Lead(tuple(columns), ladder, pieces))
        return _Deal(way, taken, tuple(leads))

    def _weigh(self, columns: Whole, pieces: cp_model.IntVar) -> None:
        for column in np.flatnonzero(columns).tolist():
            self.ranks[column].append((int(columns[column]), pieces))

    def _offers(self, ladder: Ladder, rung: int, passed: Sequence[int]) -> Iterator[tuple[int, Offer[CablePart]]]:
        """Offers from a rung up, without those that another one replaces; in a room, known sizes before others."""
        reach = list(enumerate(ladder.offers))[rung:]
        sizes = {number: self._ties.size(offer.part) if passed else 0 for number, offer in reach}
        known = [each for each in reach if sizes[each[0]] is not None] or reach
        if self._ties.numbers_count is not None:
            yield from (each for each in known if each[1].key not in self._outdone)
            return
        least: int | None = None
        for number, offer in sorted(known, key=lambda each: each[1].rank):
            size = sizes[number] or 0
            if least is None or size < least:
                least = size
                yield number, offer

    def _add_use(self, lot: _Lot, deals: Sequence[_Deal]) -> None:
        """Pieces ≤ most · use: of all ways together, for a component is bought one way."""
        pieces_of: dict[tuple[Number, int], list[cp_model.IntVar]] = defaultdict(list)
        for deal in deals:
            for module in {offer.key: None for _, offer in deal.way.modules}:
                pieces_of[("transceiver", module), 0].append(deal.taken)
            for place, lead in enumerate(deal.leads):
                for rung, pieces in lead.pieces.items():
                    pieces_of[("cable", lead.ladder.offers[rung].key), place].append(pieces)
        leads_count = 1 if lot.is_whole else max((len(deal.way.leads) for deal in deals), default=1)
        for (key, _), tied in pieces_of.items():
            if key not in self.use:
                self.use[key] = self._model.new_bool_var("")
            self._model.add(sum(tied) <= lot.most * leads_count * self.use[key])


def _lots(number: int, supply: Supply) -> Iterator[_Lot]:
    """Components of equal rungs and rooms; those in no room are dealt whole, for one choice is best for all of them."""
    limit_m = np.unique(np.concatenate([way.limits_m() for way in supply.options]))
    rungs = np.searchsorted(limit_m, supply.route_m - ROUNDING_M)
    alike = np.hstack([rungs, supply.passes.reshape(len(rungs), -1)])
    _, first, label = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    for index, row in enumerate(first):
        passes = supply.passes[row]
        yield _Lot(number, np.flatnonzero(label.reshape(-1) == index), passes, not passes.any())


def _sum(terms: Terms) -> cp_model.LinearExprT:
    return cp_model.LinearExpr.weighted_sum([pieces for _, pieces in terms], [weight for weight, _ in terms])
