"""What a user may change so that an infeasible request has a design: every hint is tried before it is given.

A hint changes one key of the user's own request. Where another contradiction is left besides, it names the keys that
must be dropped too. What it promises was laid out, once, unless it is large, and keeps the limits on the whole fabric
by what is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from fabric.catalog.bill import bill
from fabric.catalog.breach import Breach, breaches
from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, InputError, LimitReachedError
from fabric.io.request_file import LoadedRequest
from fabric.model.design import Design
from fabric.model.shape import Shape
from fabric.pipeline.candidates import Candidates, by_family
from fabric.pipeline.choosing import possible
from fabric.pipeline.keys import Key
from fabric.pipeline.objective import Weighed
from fabric.pipeline.ways_out import COUNTED, Way, WaysOut, first

SHAPES_COUNT = 4
"""Shapes laid out at most to see whether a request has a design."""

FITS_COUNT = 64
"""Shapes looked at for that, of which many have too few ports where links are fitted to traffic."""

LAID_OUT_ENDPOINTS = 16_384
"""Endpoints of all planes up to which shapes are laid out for that; above, counting and traffic alone decide."""

PLACES_WORK = 1
"""Work for their places: any will do."""


class Hints:
    """Hints for one infeasible request, some of whose keys have no part in its conflict."""

    def __init__(self, loaded: LoadedRequest, catalog: Catalog, others: Sequence[Key]) -> None:
        """`others` are the keys without which the request is infeasible all the same."""
        self._loaded = loaded
        self._catalog = catalog
        self._others = tuple(others)

    def of(self, key: Key) -> str:
        """What a key may be for the request to have a design."""
        shape, also = self._freed(key)
        if shape is None:
            return f"{key.without} nothing proves that there is no design"
        asked = _without(self._loaded, also)
        way = None if possible(asked, self._catalog) else WaysOut(asked, self._catalog).of(key.name)
        words = self._tried(way) or self._fewer(asked, key.name) or f"{key.without} {_said(shape)} would do"
        return f"{words}, if asked {' and '.join(other.absent for other in also)}" if also else words

    def of_ports(self, but: set[str]) -> Iterator[str]:
        """Other ways out of too few ports, those under keys in `but` left out."""
        ways = WaysOut(self._loaded, self._catalog).of_ports(but)
        yield from (words for way in ways if (words := self._tried(way)) is not None)

    def _freed(self, key: Key) -> tuple[Shape | None, tuple[Key, ...]]:
        """The request without a key: a shape with a design, and which others have to go for that; as few as suffice."""
        free = key.drop(self._loaded)
        shape = self._design(free, self._catalog)
        if shape is not None or not self._others:
            return shape, ()
        also = self._others
        shape = self._design(_without(free, also), self._catalog)
        for other in self._others if shape is not None else ():
            fewer = tuple(each for each in also if each is not other)
            found = self._design(_without(free, fewer), self._catalog)
            shape, also = (found, fewer) if found is not None else (shape, also)
        return shape, also

    def _tried(self, way: Way | None) -> str | None:
        """A way in words, with those of its values that have a design; None where none has."""
        if way is None:
            return None
        held = [value for value, asked, catalog in way.values if self._design(asked, catalog) is not None]
        return way.words.format(" or ".join(held)) if held else None

    def _fewer(self, asked: LoadedRequest, key: str) -> str | None:
        """The largest number found with which there is a design, where counting does not find it."""
        if key not in COUNTED:
            return None
        numbers, change = WaysOut(asked, self._catalog).smaller(key)
        most = first(numbers, lambda number: self._design(change(number), self._catalog) is not None)
        unit = " nodes" if key == "accelerators" else ""
        return None if most is None else f"with {most}{unit} there is a design"

    @staticmethod
    def _design(asked: LoadedRequest, catalog: Catalog) -> Shape | None:
        """The first shape, family by family, that has a design that keeps the limits by what is known."""
        return next((shape for each in by_family(asked) if (shape := _first_design(each, catalog)) is not None), None)


def _first_design(asked: LoadedRequest, catalog: Catalog) -> Shape | None:
    """As `Hints._design` of one family: the first shape by what its switches weigh."""
    try:
        candidates = Candidates(asked, catalog)
    except (InfeasibleError, InputError):
        return None
    is_large = candidates.size.endpoints * candidates.size.planes > LAID_OUT_ENDPOINTS
    tried = looked = 0
    for _, shape in candidates.ascending():
        with suppress(InfeasibleError, InputError, LimitReachedError):
            candidates.refuse(shape)
            looked += 1
            candidates.fit(shape)
            tried += 1
            if is_large:
                return shape
            found = candidates.realise(shape, PLACES_WORK)[2]
            if not any(each.is_proved for each in _broken(asked, found, catalog)):
                return shape
        if tried == SHAPES_COUNT or looked == (SHAPES_COUNT if is_large else FITS_COUNT):
            break
    return None


def _broken(asked: LoadedRequest, found: Weighed, catalog: Catalog) -> Iterator[Breach]:
    """Limits on the whole fabric that a layout breaks."""
    layout, worth = found.layout, found.worth
    numbers_count = len(bill(Design(None, None, layout.topology, cabling=layout.cabling), catalog))
    return breaches(asked.request.limits, worth.money, worth.power, numbers_count)


def _without(loaded: LoadedRequest, keys: Sequence[Key]) -> LoadedRequest:
    for key in keys:
        loaded = key.drop(loaded)
    return loaded


def _said(shape: Shape) -> str:
    return " under ".join(f"{tier.count} {tier.part}" for tier in shape.tiers)
