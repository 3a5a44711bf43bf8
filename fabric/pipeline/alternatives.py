"""Which of the shapes that lost a design remembers."""

from __future__ import annotations

from collections.abc import Sequence

from fabric.layout.search import Candidate, ranked
from fabric.layout.waiting import Value
from fabric.model.outline import Outline
from fabric.model.shape import Shape

ALTERNATIVES = 12
"""Runners-up that a design remembers: one of every pair of models, then of other numbers or wiring, then the rest."""

Lost = Candidate[Shape]


def runners_up(others: Sequence[Lost]) -> list[Lost]:
    """By family the most promising of every pair of models, of every count of switches by wiring; then the rest."""
    return list(dict.fromkeys((*_firsts(others), *others)))[:ALTERNATIVES]


def remembers(others: Sequence[Lost], lower: Value, outline: Outline) -> bool:
    """Whether shapes that an outline with the bound `lower` stands for may be runners-up beside the `others` known.

    Those known go before them that were laid out or have no higher bound. So where these fill the list with one of
    every pair of models, there is no place; and none for a pair that has one, where its other numbers fill it.
    """
    before = ranked(other for other in others if other.value is not None or () < other.bound <= lower)
    pairs = {_models(other.shape) for other in before}
    return len(pairs) < ALTERNATIVES and (_models(outline) not in pairs or len(_firsts(before)) < ALTERNATIVES)


def _firsts(others: Sequence[Lost]) -> dict[Lost, None]:
    """By family the first of every pair of models, then the first of every count of leaves and spines by wiring."""
    of_pair: dict[tuple[str, ...], Lost] = {}
    of_count: dict[tuple[int | str, ...], Lost] = {}
    for other in others:
        shape = other.shape
        of_pair.setdefault((shape.family, *_models(shape)), other)
        of_count.setdefault((shape.family, *(tier.count for tier in shape.tiers), shape.wiring), other)
    return dict.fromkeys((*of_pair.values(), *of_count.values()))


def _models(shape: Shape | Outline) -> tuple[str, ...]:
    return tuple(tier.part for tier in shape.tiers)
