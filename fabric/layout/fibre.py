"""Fibre ways to buy a shape: fibres between pluggables, straight or with a splitter below a switch port."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabric.catalog.parts import Transceiver
from fabric.layout.assembly import Light
from fabric.layout.cage import EndSpec
from fabric.layout.component import Shape
from fabric.layout.ladder import Ladder
from fabric.layout.menu import Menu, Tip
from fabric.layout.offer import Offer

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


class Fibres(NamedTuple):
    """A fibre for each of `leads`, the links that it carries, from its ladder; and the pluggables between them."""

    leads: tuple[tuple[int, ...], ...]
    ladders: tuple[Ladder, ...]
    modules: ModuleOffers


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
                if all(ladder.offers for ladder in ladders):
                    modules = tuple((cage, tip.offer) for cage, tip in enumerate(tips) if tip.offer is not None)
                    yield Fibres(tuple(lead.links for lead in leads), ladders, modules)


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
