"""Cuts of a tray graph: parts of it, with the trays that alone join them to the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fabric.floorplan.trays import fill_limits_mm2
from fabric.model.floorplan import Trays


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of a tray graph: racks whose drops all lie in it, racks with any drop in it, and the way out of it.

    `limit_mm2` is what the cables on all trays out of it may take together [mm²], `name` says which trays these are.
    """

    inside: frozenset[str]
    touched: frozenset[str]
    limit_mm2: float
    name: str


def cuts(trays: Trays) -> tuple[Cut, ...]:
    """Each tray node by itself, and both sides of each tray that is the only way between them; none with ladders."""
    limits_mm2 = fill_limits_mm2(trays)
    around = [(frozenset({node.name}), [ends for ends in limits_mm2 if node.name in ends]) for node in trays.nodes]
    drops: dict[str, set[str]] = defaultdict(set)
    for drop in trays.drops:
        drops[drop.rack].add(drop.node)
    return tuple(
        Cut(
            inside=frozenset(rack for rack, nodes in drops.items() if nodes <= side),
            touched=frozenset(rack for rack, nodes in drops.items() if nodes & side),
            limit_mm2=sum(limits_mm2[ends] for ends in out),
            name=", ".join(sorted(" > ".join(sorted(ends)) for ends in out)),
        )
        for side, out in (*around, *_bridges(trays, list(limits_mm2)))
        if out
    )


def _bridges(trays: Trays, ways: Sequence[frozenset[str]]) -> Iterator[tuple[frozenset[str], list[frozenset[str]]]]:
    """Both sides of each of `ways` without which its ends are apart."""
    names = [node.name for node in trays.nodes]
    number = {name: index for index, name in enumerate(names)}
    ends = np.array([sorted(number[name] for name in way) for way in ways], dtype=np.int64).reshape(-1, 2)
    for index, (a, b) in enumerate(ends):
        rest = np.delete(ends, index, axis=0)
        graph = coo_array((np.ones(len(rest)), (rest[:, 0], rest[:, 1])), shape=(len(names), len(names)))
        part = connected_components(graph, directed=False)[1]
        if part[a] != part[b]:
            for end in (a, b):
                yield frozenset(names[node] for node in np.flatnonzero(part == part[end])), [ways[index]]
