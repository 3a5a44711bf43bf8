"""Shapes and listings in wait for a search, by what they are worth at least.

Bounds come in stages, each dearer to compute and higher than the one before. A shape waits by the last that was
computed, and gets the next when it is the most promising. A listing waits among the shapes by what is still to come of
it. So what is computed dearly is computed for few, and shapes that cannot win are never listed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Generic, NamedTuple, TypeVar

from fabric.errors import InfeasibleError
from fabric.model.outline import Outline

S = TypeVar("S", bound=Hashable)

Value = tuple[int, ...]
"""What a design is worth by every goal, the first to compare first; a bound bounds each of them."""

Listings = Iterable[Iterable[S | Outline]]
"""Lists of shapes; an outline stands for every shape that follows in its list, which is read on only if need be."""

Turn = tuple[int, int]
"""Which listing, and how far into it: of equal bounds the earlier comes first."""


class Bounds(NamedTuple, Generic[S]):
    """Lower bounds on the value of a shape, the quickest first; `first` also bounds what an outline stands for.

    Of a shape each raises InfeasibleError where it proves that there is none.
    """

    first: Callable[[S | Outline], Value]
    later: tuple[Callable[[S], Value], ...] = ()


class _Rest(NamedTuple, Generic[S]):
    """What is still to be read of a listing."""

    outline: Outline
    items: Iterator[S | Outline]


class Waiting(Generic[S]):
    """Shapes and listings by their bounds."""

    def __init__(self, bounds: Bounds[S], refuse: Callable[[S, InfeasibleError], None]) -> None:
        """An empty queue; `refuse` takes the shapes that a bound proves impossible."""
        self._bounds = bounds
        self._refuse = refuse
        self._queue: list[tuple[Value, Turn, int, S | _Rest[S]]] = []
        self._known: set[S] = set()
        self._listings_count = 0
        self.unread: list[Value] = []

    @property
    def listed_count(self) -> int:
        """Shapes listed so far."""
        return len(self._known)

    def offer(self, listings: Listings[S]) -> None:
        """Add listings, of whose shapes those count that are new."""
        for listing in listings:
            self._listings_count += 1
            self._read(iter(listing), (self._listings_count, 0))

    def ascending(
        self,
        can_win: Callable[[Value], bool],
        is_wanted: Callable[[Value, Outline], bool],
        go_on: Callable[[Value], bool] = lambda _: True,
    ) -> Iterator[tuple[Value, S]]:
        """Shapes by growing bound: the last one of a shape that `can_win` by it, else the one by which it cannot.

        Of a listing that cannot win the rest is read if it `is_wanted` nevertheless. Once `go_on` refuses a bound, no
        later ones are computed: shapes come by those that they have, and listings stay `unread` by theirs.
        """
        while self._queue:
            lower, turn, stage, item = heappop(self._queue)
            if isinstance(item, _Rest):
                if can_win(lower) and not go_on(lower):
                    self.unread.append(lower)
                elif can_win(lower) or is_wanted(lower, item.outline):
                    self._read(item.items, turn)
            elif stage < len(self._bounds.later) and can_win(lower) and go_on(lower):
                self._wait(item, turn, self._bounds.later[stage], lower, stage + 1)
            else:
                yield lower, item

    def _read(self, items: Iterator[S | Outline], turn: Turn) -> None:
        """Read a listing up to the next outline."""
        listing, start = turn
        for number, item in enumerate(items, start):
            if isinstance(item, Outline):
                heappush(self._queue, (self._bounds.first(item), (listing, number), 0, _Rest(item, items)))
                return
            if item not in self._known:
                self._known.add(item)
                self._wait(item, (listing, number), self._bounds.first)

    def _wait(self, shape: S, turn: Turn, bound: Callable[[S], Value], lower: Value = (), stage: int = 0) -> None:
        """Put a shape into the queue by a bound, or by the `lower` of the stage before where that says more."""
        try:
            value = bound(shape)
        except InfeasibleError as error:
            self._refuse(shape, error)
            return
        heappush(self._queue, (tuple(map(max, lower or value, value)), turn, stage, shape))
