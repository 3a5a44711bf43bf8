"""Outlines: what shapes that are not listed yet have at least, so that a search lists them only when they may win."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from fabric.model.shape import Shape
from fabric.model.tier import Tier

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Outline:
    """Models and the fewest switches and leaf-spine links, of all planes, of every shape that follows in a listing.

    Where these all have the same nodes below leaves and may fill cages the same ways, one is `like` them.
    """

    leaf_part: str
    spine_part: str | None
    leaves_total: int
    spines_total: int
    uplinks_total: int
    like: Shape | None = None

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Leaves and spines of all planes."""
        leaves = Tier("leaf", self.leaf_part, self.leaves_total)
        return (leaves,) if self.spine_part is None else (leaves, Tier("spine", self.spine_part, self.spines_total))


def listed(listings: Iterable[Iterable[S | Outline]]) -> Iterator[S]:
    """The shapes of all listings, in order, each once."""
    known: set[S] = set()
    for listing in listings:
        for item in listing:
            if not isinstance(item, Outline) and item not in known:
                known.add(item)
                yield item
