"""Global links of a dragonfly: how many join every two groups, and which routers end them.

A group's global ports, taken router by router, lead once to every other group in the order of its arrangement, then
once more, as long as there are links, each time from routers that have no more to that group than others: so a router
with as many ports as there are other groups is joined with all of them. Links of two groups meet different pairs of
routers: with many links between groups it is this that decides how few hops and how even loads are. Source:
alzaid-dragonfly-2020.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from fabric.model.request import Request
from fabric.model.topology import Device

Across: TypeAlias = Callable[[Sequence[Device]], Iterable[tuple[int, int]]]
"""From the routers (or spines) of a plane the two of every global link, numbered through all groups."""

Ends = tuple[int, int]
"""A router of the lower group and one of the higher, each numbered within its group."""


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
    """Routers of every global link, numbered through all groups; arguments as those of `deal`."""
    first = [0, *accumulate(routers)]
    for (low, high), (a, b) in deal(routers, links, arrangement):
        yield first[low] + a, first[high] + b


def deal(routers: Sequence[int], links: Sequence[Sequence[int]], arrangement: str) -> Iterator[tuple[Ends, Ends]]:
    """Every global link: the two groups, the lower first, and the router of each.

    Args:
        routers: (n_groups,) routers of each group.
        links: (n_groups, n_groups) links between every two groups, symmetric.
        arrangement: a key of `ARRANGEMENTS`.
    """
    ends = [_ends(group, routers[group], links[group], arrangement) for group in range(len(routers))]
    for low in range(len(routers)):
        for high in range(low + 1, len(routers)):
            yield from (((low, high), pair) for pair in _paired(ends[low][high], ends[high][low]))


def _paired(here: Sequence[int], there: Sequence[int]) -> Iterator[Ends]:
    """Each end there with one here, so that two routers share as few links as can be.

    Router by router there, the ends go to those here that it has fewest links to, and of these to those with most ends
    left, as in the constructive proof of Gale and Ryser. Source: gale-ryser-1957.
    """
    left = Counter(here)
    for far, ends in sorted(Counter(there).items()):
        shared = dict.fromkeys(left, 0)
        for _ in range(ends):
            near = min((router for router in left if left[router]), key=lambda r: (shared[r], -left[r], r))
            left[near] -= 1
            shared[near] += 1
            yield near, far


def _ends(group: int, routers: int, links: Sequence[int], arrangement: str) -> dict[int, list[int]]:
    """By far group the routers of one group that its links end at.

    Ports are shared equally. Each link goes to the first router with a port left that has fewest to that far group.
    """
    order, (share, more) = ARRANGEMENTS[arrangement](group, len(links)), divmod(sum(links), routers)
    free = [share + (router < more) for router in range(routers)]
    found: dict[int, list[int]] = {other: [] for other in order}
    for copy in range(max(links, default=0)):
        for other in (other for other in order if copy < links[other]):
            held = Counter(found[other])
            router = min((router for router in range(routers) if free[router]), key=lambda r: (held[r], r))
            found[other].append(router)
            free[router] -= 1
    return found
