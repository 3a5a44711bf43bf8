"""Global links of a dragonfly: how many join every two groups, and which routers end them.

A group's global ports are numbered through its routers. In the order of its arrangement they lead once to every other
group, then once more, as long as there are links: so a router with as many ports as there are other groups is joined
with all of them. Where two groups share several links these meet different pairs of routers, as far as there are any:
with many links between groups it is this that decides how few hops and how even loads are. Source:
alzaid-dragonfly-2020.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
            here, there = ends[low][high], ends[high][low]
            turn = [here[:place].count(router) for place, router in enumerate(here)]
            across = [here[place] for place in sorted(range(len(here)), key=lambda place: (turn[place], here[place]))]
            yield from (((low, high), pair) for pair in zip(across, there, strict=True))


def _ends(group: int, routers: int, links: Sequence[int], arrangement: str) -> dict[int, list[int]]:
    """By far group the routers of one group that its links end at, ascending."""
    order, total = ARRANGEMENTS[arrangement](group, len(links)), sum(links)
    found: dict[int, list[int]] = {other: [] for other in order}
    port = 0
    for copy in range(max(links, default=0)):
        for other in order:
            if copy < links[other]:
                found[other].append(port * routers // total)
                port += 1
    return found
