"""What every single failure leaves of uniform traffic: links, cages, switches and planes down one at a time.

One element of each class of equals is tried. Links that differ are tried from the loads of the whole plane
(`fabric.flow.link_losses`), all other elements by loading what is left anew. Where a kind has more classes than
`MOST_US` or `MOST_STEPS` of work allow, elements whose surroundings look alike stand for each other, and the result
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
"""Work that loading anew without the elements of one kind may take, in the microseconds of `_work_us`."""

MOST_STEPS = 30_000_000
"""Steps of ways that may be looked at for the links of a plane: about ten seconds."""

FEW = 8
"""Links that are rather loaded anew than from the whole plane's loads."""


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
    """Single failures of some planes; `moves` says whether traffic leaves a plane in which it has no path.

    Attributes:
        whole: what the planes carry with nothing down.
    """

    def __init__(self, planes: Sequence[Plane], *, moves: bool = True) -> None:
        self._planes = tuple(planes)
        ports = Ports(self._planes)
        self._load = SharedLoad(self._planes, ports, moves=moves)
        self._likeness = Likeness(self._planes, ports)
        self.whole = self._load.whole

    def of_kind(self, kind: str) -> list[Loss]:
        """The losses of one kind, worst first, the first of the tables among equals; of several planes only."""
        if kind == "plane" and len(self._planes) == 1:
            return []
        classes = self._likeness.exact(kind)
        impacts = self._impacts(kind, classes)
        if impacts is None:
            classes = self._few_of(kind)
            impacts = [self._anew(alike) for alike in classes]
        losses = [Loss(alike, one.theta, one.worst_link) for alike, one in zip(classes, impacts, strict=True)]
        return sorted(losses, key=lambda loss: round(loss.theta, 9))

    def planes_without(self, element: Element) -> tuple[Plane, ...]:
        """The planes with an element down; those that it leaves too few endpoints are none."""
        return damaged(self._planes, gone(self._planes, [element]))

    def _impacts(self, kind: str, classes: Sequence[Alike]) -> list[Impact] | None:
        """What is left without the first element of each class; None where that is too much work."""
        if kind != "link":
            return [self._anew(alike) for alike in classes] if self._are_few(classes) else None
        found: list[Impact] = []
        for at, group in groupby(classes, lambda alike: alike.first.parts[0][0]):
            alikes, network = list(group), self._planes[at].network
            if len(alikes) < FEW and not is_leaf_spine(network):
                found += [self._anew(alike) for alike in alikes]
            else:
                found += self._without_links(at, alikes)
        return found if len(found) == len(classes) else None

    def _without_links(self, at: int, alikes: Sequence[Alike]) -> Iterator[Impact]:
        """What is left without each of some links of a plane, as long as it is not too much work.

        What has no way without a link may have one in another plane.
        """
        plane = self._planes[at]
        links = [alike.first.parts[0][2][0] for alike in alikes]
        losses = without_each(plane.network, plane.routes, self._load.offered[at], links, MOST_STEPS)
        for alike, loss in zip(alikes, losses, strict=False):
            if loss.theta > 0 or len(self._planes) == 1:
                yield self._load.beside(at, Impact(loss.theta, plane.link(loss.bottleneck)))
            else:
                yield self._anew(alike)

    def _anew(self, alike: Alike) -> Impact:
        return self._load.without(gone(self._planes, [alike.first]))

    def _few_of(self, kind: str) -> list[Alike]:
        """The finest rough classes that may all be tried, else the coarsest."""
        found: list[Alike] = []
        for found in self._likeness.rough(kind):
            if self._are_few(found):
                break
        return found

    def _are_few(self, classes: Sequence[Alike]) -> bool:
        return sum(_work_us(self._planes[one.first.parts[0][0]]) for one in classes) <= MOST_US


def _work_us(plane: Plane) -> float:
    """What it takes to load a plane anew, roughly [us]: a base and what grows with steps and targets."""
    steps = sum(paths.step_arc.size for paths in plane.routes)
    return 2000 + 0.005 * steps * plane.network.edge_count


def damaged(planes: Sequence[Plane], down: Mapping[int, Gone]) -> tuple[Plane, ...]:
    """The planes without what is down; those with too few endpoints left to exchange anything are none."""
    left = (plane.without(down[at]) if at in down else plane for at, plane in enumerate(planes))
    return tuple(plane for plane in left if len(plane.endpoints) >= MEETING)
