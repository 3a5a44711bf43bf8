"""Fibre ways to buy a shape: fibres between pluggables, straight or with a splitter below a switch port."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.catalog.parts import CablePart, Transceiver
from fabric.layout.assembly import Light
from fabric.layout.cage import EndSpec
from fabric.layout.component import Shape
from fabric.layout.ladder import Ladder, Metres, Whole
from fabric.layout.menu import Menu, Tip
from fabric.layout.offer import Offer

CableOffers = tuple[tuple[Offer[CablePart], tuple[int, ...]], ...]
"""Cables of one component, each with the links that it carries."""

ModuleOffers = tuple[tuple[int, Offer[Transceiver]], ...]
"""Pluggables of one component: cage and offer."""

MOST_ASSIGNMENTS = 64
"""Beyond this many ways to give each cage its own module, cages of one kind share one."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The place of one fibre: the links it carries, the cage of its head and the cages of its legs."""

    links: tuple[int, ...]
    head: int
    tails: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fibres:
    """A fibre per lead between given pluggables; `module_rank` is the sum of their ranks, (columns,)."""

    leads: tuple[Lead, ...]
    ladders: tuple[Ladder, ...]
    modules: ModuleOffers
    module_rank: Whole

    def _rungs(self, route_m: Metres) -> list[Whole]:
        pairs = zip(self.ladders, self.leads, strict=True)
        return [ladder.rung(route_m[:, lead.links].max(axis=1)) for ladder, lead in pairs]

    def rank(self, route_m: Metres) -> Whole:
        """Sum over the fibres and pluggables of each component."""
        total = np.tile(self.module_rank, (len(route_m), 1))
        for ladder, rung in zip(self.ladders, self._rungs(route_m), strict=True):
            total += ladder.rank[rung]
        return total

    def buy(self, route_m: Metres) -> Iterator[tuple[CableOffers, ModuleOffers]]:
        """One fibre per lead and the pluggables."""
        rungs = self._rungs(route_m)
        for row in range(len(route_m)):
            pieces = zip(self.ladders, rungs, self.leads, strict=True)
            yield tuple((ladder.best[rung[row]], lead.links) for ladder, rung, lead in pieces), self.modules

    def limits_m(self) -> Metres:
        """The rungs of every lead."""
        return np.unique(np.concatenate([ladder.reach_m for ladder in self.ladders]))


def fibre_ways(shape: Shape, menu: Menu, media: frozenset[str]) -> Iterator[Fibres]:
    """One way per kind of light that all cages can send, per choice of pluggables, for straight and splitter fibres.

    Together they hold the cheapest purchase, whatever parts cost, because pluggables that no fibre or price speaks for
    are left out (`Menu.tips`). Only in a component that has more than MOST_ASSIGNMENTS choices, pluggables are chosen
    per kind of cage instead of per cage.
    """
    for legs in menu.legs:
        leads = _leads(shape, legs)
        ends = [end.behind(legs) for end in shape.ends]
        views = [end for end in ends if end is not None]
        if not leads or len(views) < len(ends):
            continue
        lights = frozenset.intersection(*(menu.lights(view) for view in views))
        for light in sorted(light for light in lights if light.medium in media):
            for tips in _assignments(views, menu, light):
                ladders = tuple(
                    menu.ladder(tips[lead.head], [tips[tail] for tail in lead.tails], legs) for lead in leads
                )
                if all(ladder.best for ladder in ladders):
                    yield _fibres(leads, ladders, tips)


def _leads(shape: Shape, legs: int) -> tuple[Lead, ...]:
    """Where the fibres go: a straight one per link, or a splitter from each group of switch ports down to its nodes.

    Empty where the shape has links that do not hang a node below a switch: a splitter's legs end in single modules.
    """
    if legs == 1:
        return tuple(Lead((link,), joint.a, (joint.b,)) for link, joint in enumerate(shape.joints))
    groups: dict[tuple[int, int], list[int]] = {}
    for link, joint in enumerate(shape.joints):
        if (shape.ends[joint.a].role, shape.ends[joint.b].role) != ("node", "switch"):
            return ()
        groups.setdefault((joint.b, joint.slot // legs), []).append(link)
    return tuple(
        Lead(tuple(links), head, tuple(shape.joints[link].a for link in links)) for (head, _), links in groups.items()
    )


def _assignments(ends: Sequence[EndSpec], menu: Menu, light: Light) -> Iterator[tuple[Tip, ...]]:
    """Every choice of a tip for each cage, or for each kind of cage where those would be too many."""
    tips = {end: menu.tips(end, light) for end in ends}
    if math.prod(len(tips[end]) for end in ends) <= MOST_ASSIGNMENTS:
        yield from itertools.product(*(tips[end] for end in ends))
        return
    for chosen in itertools.product(*tips.values()):
        tip_of = dict(zip(tips, chosen, strict=True))
        yield tuple(tip_of[end] for end in ends)


def _fibres(leads: tuple[Lead, ...], ladders: tuple[Ladder, ...], tips: tuple[Tip, ...]) -> Fibres:
    modules = tuple((cage, tip.offer) for cage, tip in enumerate(tips) if tip.offer is not None)
    ranks = np.array([offer.columns for _, offer in modules], dtype=np.int64).reshape(-1, ladders[0].rank.shape[1])
    return Fibres(leads, ladders, modules, ranks.sum(axis=0))
