"""A ladder: the offers of one purpose by sold length, answering "what is bought for a route this long"."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.catalog.parts import CablePart
from fabric.layout.offer import Offer, P, Terms

Metres = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

UNREACHABLE_COST = 2**40
"""Cost of a link that nothing reaches: above any fabric's cables, and 2^22 of them still fit into 64 bits."""

Size = Callable[[CablePart], int | None]
"""What one cable takes of the room in a tray; None where nobody says."""

ROUNDING_M = 1e-9
"""A route equal to the sold length must not fail by the last bit of a sum [m]."""

COST = 1
"""Column of a rank that holds the cost by the first scale.

Columns, first to compare first: parts not yet sold, the cost by each scale, doubt about the ends.
"""


@dataclass(frozen=True, slots=True)
class Ladder:
    """Rungs ascending by length, an offer each, and for each rung the best offer that is at least as long.

    `reach_m` is the longest route without slack that a rung's offer serves, (rungs,); `best` is the rung of the best
    offer for such a route, (rungs,), and `rank` its columns (`Offer.columns`), (rungs + 1, columns), the last row for
    routes beyond the top rung. Because a longer and cheaper offer also serves every shorter route, cost never falls
    along the ladder among parts in sale.
    """

    reach_m: Metres
    offers: tuple[Offer[CablePart], ...]
    best: Whole
    rank: Whole

    def rung(self, route_m: Metres) -> Whole:
        """Index of the rung for each route [m, without slack]; len(offers) where none reaches."""
        return np.searchsorted(self.reach_m, route_m - ROUNDING_M).astype(np.int64)


def build_ladder(offers: Sequence[Offer[CablePart]], terms: Terms) -> Ladder:
    """The ladder of `offers`, each shortened by the slack of its medium."""
    reach_m = {offer.key: offer.part.length_m - terms.spare_m(offer.part.medium) for offer in offers}
    rungs = sorted(offers, key=lambda offer: (reach_m[offer.key], offer.rank))
    best: list[int] = []
    for rung in reversed(range(len(rungs))):
        best.append(rung if not best else min(rung, best[-1], key=lambda each: rungs[each].rank))
    best.reverse()
    return Ladder(
        reach_m=np.array([reach_m[offer.key] for offer in rungs], dtype=np.float64),
        offers=tuple(rungs),
        best=np.array(best, dtype=np.int64),
        rank=rank_table([rungs[rung] for rung in best], len(terms.scales)),
    )


def rank_table(offers: Iterable[Offer[P]], scales_count: int) -> Whole:
    """Columns of `offers` as rows, and one more row for "none"; (offers + 1, columns)."""
    none = (*[UNREACHABLE_COST] * (1 + scales_count), 0)
    return np.array([*(offer.columns for offer in offers), none], dtype=np.int64)


def outdone(ladders: Iterable[Ladder], size: Size) -> frozenset[str]:
    """Cables that another one replaces on every ladder they are on: it ranks before, reaches as far, is no thicker."""
    found: dict[str, dict[int, tuple[float, Offer[CablePart]]]] = defaultdict(dict)
    for number, ladder in enumerate(ladders):
        for reach_m, offer in zip(ladder.reach_m.tolist(), ladder.offers, strict=True):
            found[offer.key][number] = (reach_m, offer)

    def bulk(offer: Offer[CablePart]) -> float:
        known = size(offer.part)
        return math.inf if known is None else known

    def replaces(better: str, key: str) -> bool:
        return all(
            number in found[better]
            and found[better][number][0] >= reach_m
            and found[better][number][1].rank < offer.rank
            and bulk(found[better][number][1]) <= bulk(offer)
            for number, (reach_m, offer) in found[key].items()
        )

    return frozenset(key for key in found if any(replaces(other, key) for other in found if other != key))
