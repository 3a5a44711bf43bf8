"""What every single failure leaves of uniform traffic: links, cages, switches and planes down one at a time.

One element of each class of equals is tried. Links that differ are tried from the loads of the whole plane
(`fabric.flow.link_losses`), all other elements by loading what is left anew. Where a kind has more classes than
`MOST_US` of work allow, elements whose surroundings look alike at every distance stand for each other, and the result
says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from fabric.flow.hashing import is_leaf_spine
from fabric.flow.link_losses import without_each
from fabric.pipeline.elements import Alike, Element, Likeness, gone
from fabric.pipeline.networks import Gone, Plane
from fabric.pipeline.shared_load import MEETING, Impact, Ports, SharedLoad

MOST_US = 4_000_000.0
"""Work that the elements of one kind may take, in microseconds of the machine that `_work_us` was measured on."""

FEW = 8
"""Links that are rather loaded anew than from the whole plane's loads by target."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What one of some equal elements leaves when it is down.

    Attributes:
        alike: the elements.
        theta: share of line rate that uniform traffic runs at; 0 where a pair has no way or nothing is left.
        worst_link: the fullest link then; None where nothing is left.
    """

    alike: Alike
    theta: float
    worst_link: str | None


class Failures:
    """Single failures of some planes.

    Attributes:
        whole: what the planes carry with nothing down.
    """

    def __init__(self, planes: Sequence[Plane]) -> None:
        self._planes = tuple(planes)
        ports = Ports(self._planes)
        self._load = SharedLoad(self._planes, ports)
        self._likeness = Likeness(self._planes, ports)
        self.whole = self._load.whole

    def of_kind(self, kind: str) -> list[Loss]:
        """The losses of one kind, worst first, the first of the tables among equals; of several planes only."""
        if kind == "plane" and len(self._planes) == 1:
            return []
        classes = self._likeness.classes(kind, self._are_few)
        losses = [Loss(alike, impact.theta, impact.worst_link) for alike, impact in self._impacts(kind, classes)]
        return sorted(losses, key=lambda loss: round(loss.theta, 9))

    def planes_without(self, element: Element) -> tuple[Plane, ...]:
        """The planes with an element down; those that it leaves too few endpoints are none."""
        return damaged(self._planes, gone(self._planes, [element]))

    def _impacts(self, kind: str, classes: Sequence[Alike]) -> Iterator[tuple[Alike, Impact]]:
        if kind != "link":
            for alike in classes:
                yield alike, self._load.without(gone(self._planes, [alike.first]))
            return
        for at, group in groupby(classes, lambda alike: alike.first.parts[0][0]):
            plane, found = self._planes[at], list(group)
            if len(found) < FEW and not is_leaf_spine(plane.network):
                for alike in found:
                    yield alike, self._load.without(gone(self._planes, [alike.first]))
                continue
            links = [alike.first.parts[0][2][0] for alike in found]
            losses = without_each(plane.network, plane.routes, self._load.offered[at], links)
            for alike, loss in zip(found, losses, strict=True):
                yield alike, self._load.beside(at, Impact(loss.theta, plane.link(loss.bottleneck)))

    def _are_few(self, firsts: Sequence[Element]) -> bool:
        """Whether all of some elements may be tried."""
        return sum(_work_us(self._planes[one.parts[0][0]], one.kind) for one in firsts) <= MOST_US


def _work_us(plane: Plane, kind: str) -> float:
    """What it takes to try one element, roughly: a base and what grows with steps and targets."""
    network = plane.network
    if kind == "link" and is_leaf_spine(network):
        return 100 + 0.04 * network.pipes.gbps.size
    return 2000 + 0.005 * sum(paths.step_arc.size for paths in plane.routes) * network.edge_count


def damaged(planes: Sequence[Plane], down: Mapping[int, Gone]) -> tuple[Plane, ...]:
    """The planes without what is down; those with too few endpoints left to exchange anything are none."""
    left = (plane.without(down[at]) if at in down else plane for at, plane in enumerate(planes))
    return tuple(plane for plane in left if len(plane.endpoints) >= MEETING)
