"""Global links of a dragonfly: how many join every two groups, and which routers end them.

A group's global ports, taken router by router, lead once to every other group in the order of its arrangement, then
once more, as long as there are links, each time from routers that have no more to that group than others: so a router
with as many ports as there are other groups is joined with all of them. Links of two groups meet different pairs of
routers: with many links between groups it is this that decides how few hops and how even loads are. Source:
alzaid-dragonfly-2020.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations
from typing import TypeAlias

from fabric.model.request import Request
from fabric.model.topology import Device

Across: TypeAlias = Callable[[Sequence[Device]], Iterable[tuple[int, int]]]
"""From the routers (or spines) of a plane the two of every global link, numbered through all groups."""

Ends = tuple[int, int]
"""A router of the lower group and one of the higher, each numbered within its group."""

Held = tuple[int, ...]
"""(n_routers,) links of every router of a group to one other group."""

ALIKE = 4096
"""Ways to deal and pair ends that are remembered: groups are alike, and so are shapes tried one after the other."""


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


def most_ports(ends: Iterable[tuple[str, str]]) -> int:
    """Most global ports of a switch of those that links, given by name, end at."""
    return max(Counter(name for pair in ends for name in pair).values())


def between_names(ends: Iterable[tuple[str, str]], switches: Sequence[Device]) -> list[tuple[int, int]]:
    """Numbers of those of `ends`, given by name, that are of a plane, the lower first of each two."""
    number = {device.name: index for index, device in enumerate(switches)}
    found = ((number[a], number[b]) for a, b in ends if a in number)
    return [(min(pair), max(pair)) for pair in found]


def numbered(routers: Sequence[int], links: Sequence[Sequence[int]], arrangement: str) -> Iterator[tuple[int, int]]:
    """Routers of every global link, numbered through all groups; arguments as those of `bundles`."""
    first = [0, *accumulate(routers)]
    for low, high, bundle in bundles(routers, links, arrangement):
        for a, b in bundle:
            yield first[low] + a, first[high] + b


def bundles(
    routers: Sequence[int], links: Sequence[Sequence[int]], arrangement: str
) -> Iterator[tuple[int, int, tuple[Ends, ...]]]:
    """Every two groups, the lower first, and the routers of each link between them.

    Args:
        routers: (n_groups,) routers of each group.
        links: (n_groups, n_groups) links between every two groups, symmetric.
        arrangement: a key of `ARRANGEMENTS`.
    """
    held = [_held(group, routers[group], links[group], arrangement) for group in range(len(routers))]
    for low, high in combinations(range(len(routers)), 2):
        yield low, high, _paired(held[low][high], held[high][low])


@lru_cache(maxsize=ALIKE)
def _paired(here: Held, there: Held) -> tuple[Ends, ...]:
    """Each end there with one here, so that two routers share as few links as can be.

    Router by router there, the ends go in rounds to those here that have most ends left, as in the constructive proof
    of Gale and Ryser. Source: gale-ryser-1957.
    """
    found, left = [], list(here)
    for far, ends in enumerate(there):
        while ends > 0:
            open_ones = [router for router, more in enumerate(left) if more]
            near = sorted(open_ones, key=lambda router: -left[router])[:ends]
            found += [(router, far) for router in near]
            ends -= len(near)  # noqa: PLW2901 -- what is left of them
            for router in near:
                left[router] -= 1
    return tuple(found)


def _held(group: int, routers: int, links: Sequence[int], arrangement: str) -> dict[int, Held]:
    """By far group the links to it that each router of one group has."""
    order = ARRANGEMENTS[arrangement](group, len(links))
    return dict(zip(order, _dealt(routers, tuple(links[other] for other in order)), strict=True))


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
