"""Global links of a dragonfly: how many join every two groups, and which routers end them.

A group's global ports, taken router by router, lead once to every other group in the order of its arrangement, then
once more, as long as there are links, each time from routers that have no more to that group than others: so a router
with as many ports as there are other groups is joined with all of them. Links of two groups meet different pairs of
routers: with many links between groups it is this that decides how few hops and how even loads are. Source:
alzaid-dragonfly-2020.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations
from typing import NamedTuple

import numpy as np

from fabric.model.network import IntArray
from fabric.model.request import Request

Held = tuple[int, ...]
"""(n_routers,) links of every router of a group to one other group."""

ALIKE = 1024
"""Ways to deal ends that are remembered: groups are alike, and so are shapes tried one after the other."""


def absolute(group: int, groups: int) -> list[int]:
    """Other groups by number. Source: hastings-dragonfly-2015."""
    return [other for other in range(groups) if other != group]


def relative(group: int, groups: int) -> list[int]:
    """Other groups from the next one round. Source: hastings-dragonfly-2015."""
    return [(group + step) % groups for step in range(1, groups)]


def circulant(group: int, groups: int) -> list[int]:
    """Other groups by distance, after and before in turn. Source: hastings-dragonfly-2015."""
    steps = [step * sign for step in range(1, groups // 2 + 1) for sign in (1, -1)]
    return list(dict.fromkeys((group + step) % groups for step in steps))


ARRANGEMENTS = {"absolute": absolute, "relative": relative, "circulant": circulant}
"""Orders of the other groups on a group's global ports, by name."""

OPTIMIZED = "optimized"
"""Arrangement whose ends are chosen with all places known; until then they are those of the first of the others."""


def listed_arrangement(request: Request) -> str:
    """The order in which a shape is listed and placed."""
    asked: str = request.fabric.parameters.get("arrangement", OPTIMIZED)
    return next(iter(ARRANGEMENTS)) if asked == OPTIMIZED else asked


def numbered(routers: Sequence[int], links: Sequence[Sequence[int]], arrangement: str) -> Iterator[tuple[int, int]]:
    """Routers of every global link, numbered through all groups; arguments as those of `bundles`."""
    first = [0, *accumulate(routers)]
    found = bundles(routers, links, arrangement)
    ends = [list(zip(near.tolist(), far.tolist(), strict=True)) for near, far in found.ends]
    for low, high in combinations(range(len(routers)), 2):
        for a, b in ends[found.kind[low, high]]:
            yield first[low] + a, first[high] + b


class Bundles(NamedTuple):
    """The links between every two groups, those that join the same routers of both as one kind.

    Attributes:
        kind: (n_groups, n_groups) kind of the links between a lower group and a higher one, else -1.
        ends: of every kind (n_links,) routers of the lower group and (n_links,) of the higher one, numbered within.
    """

    kind: IntArray
    ends: tuple[tuple[IntArray, IntArray], ...]


def bundles(routers: Sequence[int], links: Sequence[Sequence[int]], arrangement: str) -> Bundles:
    """The routers of each link between every two groups.

    Args:
        routers: (n_groups,) routers of each group.
        links: (n_groups, n_groups) links between every two groups, symmetric.
        arrangement: a key of `ARRANGEMENTS`.
    """
    share, held = _shares(routers, links, arrangement)
    low, high = np.triu_indices(len(routers), 1)
    met, number = np.unique(share[low, high] * len(held) + share[high, low], return_inverse=True)
    here, there = np.divmod(met, len(held))
    kind = np.full(share.shape, -1, dtype=np.int64)
    kind[low, high] = number.reshape(-1)
    return Bundles(kind, _paired(held[here], held[there]))


def _paired(here: IntArray, there: IntArray) -> tuple[tuple[IntArray, IntArray], ...]:
    """Each end there with one here, so that two routers share as few links as can be.

    Router by router there, the ends go in rounds to those here that have most ends left, as in the constructive proof
    of Gale and Ryser. Source: gale-ryser-1957.

    Args:
        here: (n_kinds, n_routers) ends of each router.
        there: (n_kinds, n_routers) ends of each router of the other group, as many in all.
    """
    left, found = here.copy(), [np.zeros((3, 0), dtype=np.int64)]
    for far, ends in enumerate(there.T):
        open_ends = ends.copy()
        while open_ends.any():
            order = np.argsort(-left, axis=1, kind="stable")
            taken = np.minimum(open_ends, np.count_nonzero(left, axis=1))
            kind, place = np.nonzero(np.arange(left.shape[1]) < taken[:, None])
            near = order[kind, place]
            left[kind, near] -= 1
            open_ends -= taken
            found.append(np.stack([kind, near, np.full(near.size, far)]))
    kind, near, far = np.concatenate(found, axis=1)
    rows = np.split(np.argsort(kind, kind="stable"), np.cumsum(here.sum(axis=1))[:-1])
    return tuple((near[row], far[row]) for row in rows)


def _shares(routers: Sequence[int], links: Sequence[Sequence[int]], arrangement: str) -> tuple[IntArray, IntArray]:
    """(n_groups, n_groups) share of a group's routers in its links to another, and (n_shares, n_routers) links of each.

    Smaller groups are filled up with routers without links.
    """
    groups, size = len(routers), max(routers)
    share = np.zeros((groups, groups), dtype=np.int64)
    numbers, dealt = dict[Held, int](), dict[tuple[int, tuple[int, ...]], list[int]]()
    for group, row in enumerate(links):
        order = ARRANGEMENTS[arrangement](group, groups)
        wanted = routers[group], tuple(row[other] for other in order)
        if wanted not in dealt:
            rows = (held + (0,) * (size - len(held)) for held in _dealt(*wanted))
            dealt[wanted] = [numbers.setdefault(row, len(numbers)) for row in rows]
        share[group, order] = dealt[wanted]
    return share, np.array(list(numbers), dtype=np.int64).reshape(-1, size)


@lru_cache(maxsize=ALIKE)
def _dealt(routers: int, links: tuple[int, ...]) -> tuple[Held, ...]:
    """For every far group in order the links to it that each router has; ports are shared equally.

    The links to a far group go round the routers that have a port left.
    """
    share, more = divmod(sum(links), routers)
    free = [share + (router < more) for router in range(routers)]
    left = [router for router in range(routers) if free[router]]
    held, following = [[0] * routers for _ in links], [0] * len(links)
    for copy in range(max(links, default=0)):
        for far in (far for far, count in enumerate(links) if copy < count):
            place = bisect_left(left, following[far])
            router = left[place if place < len(left) else 0]
            held[far][router] += 1
            following[far] = router + 1
            free[router] -= 1
            if not free[router]:
                left.remove(router)
    return tuple(map(tuple, held))
