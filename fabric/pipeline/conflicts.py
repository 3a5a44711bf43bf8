"""A smallest set of the user's own keys that no design can meet together, each with its arithmetic.

A deletion filter: key by key, a key is dropped for good when the rest is still proved infeasible without it. What
stays contradicts itself, and without any one of its keys it has a design (or, where a search ended without one, no
proof that it has none). Keys that bear on later steps go first and together, so that most trials end by counting; a
trial lays out one shape of a family at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError, InputError, LimitReachedError
from fabric.floorplan.repeat import repeat
from fabric.io.request_file import LoadedRequest
from fabric.pipeline.choosing import possible
from fabric.pipeline.families import prove
from fabric.pipeline.hints import Hints
from fabric.pipeline.keys import Key, Kind, keys_of

GROUPS: tuple[Kind, ...] = ("limit", "place", "size")
"""Kinds of keys that are first dropped together, the last step first."""

RACKS, ROWS = "floorplan.racks", "floorplan.rows"
"""Key of the racks in both forms; the rooms know the first alone."""

PORTS = "fabric.switches"
"""Key under which the topology room says that ports are too few."""

RACKS_COUNT = 512
"""Most racks that a plan is repeated to; one of more than half as many is repeated four times."""

TWICE = 2

MOST_REASONS = 3
"""Reasons of the rooms that stand with the first key."""


class _Trials:
    """A request with some of its keys dropped, and whether it is still infeasible."""

    def __init__(self, loaded: LoadedRequest, catalog: Catalog, error: InfeasibleError) -> None:
        self._loaded = loaded
        self._catalog = catalog
        self._keys = _all_keys(loaded, catalog)
        self.kept = self._keys
        self.error = error
        self._fixed: set[str] = set()

    @property
    def named(self) -> tuple[Key, ...]:
        """The kept keys less those that there is no way without: others would be an error then, or no better off."""
        return tuple(key for key in self.kept if key.name not in self._fixed)

    @property
    def dropped(self) -> tuple[Key, ...]:
        """The keys dropped for good."""
        return tuple(key for key in self._keys if key not in self.kept)

    def asked(self, *dropped: Key) -> LoadedRequest:
        """The request with the kept keys alone, less those `dropped`."""
        asked = self._loaded
        for key in self._keys:
            if key not in self.kept or key in dropped:
                asked = key.drop(asked)
        return asked

    def drop(self, *keys: Key) -> None:
        """Drop keys for good if the rest is infeasible without them.

        Keys whose default asks something else are never dropped for good: a sum that no design stays under must be one
        of the request itself, at its own rates.
        """
        try:
            prove(self.asked(*keys), self._catalog)
        except InfeasibleError as error:
            if all(key.is_looser for key in keys):
                self.error = error
                self.kept = tuple(key for key in self.kept if key not in keys)
            else:
                self._fixed |= {key.name for key in keys}
        except LimitReachedError:
            pass
        except InputError:
            self._fixed |= {key.name for key in keys} if len(keys) == 1 else set()


def smallest_conflict(loaded: LoadedRequest, catalog: Catalog, error: InfeasibleError) -> InfeasibleError:
    """`error` of a request said again by the fewest of the user's keys; as it is where no key of theirs is to blame."""
    trials = _Trials(loaded, catalog, error)
    for kind in GROUPS:
        keys = [key for key in trials.kept if key.kind == kind and key.is_looser]
        if keys:
            trials.drop(*keys)
    sideways = [key for key in trials.kept if not key.is_looser]
    for key in [*(key for key in reversed(trials.kept) if key.is_looser), *sideways]:
        trials.drop(key)
    if not trials.named:
        return error
    hints = Hints(loaded, catalog, trials.dropped)
    return InfeasibleError(*trials.error.faults, conflict=tuple(_explained(trials, hints)))


def _explained(trials: _Trials, hints: Hints) -> Iterator[Conflict]:
    """One conflict per key kept: what the rooms said of it, and what it may be for the request to have a design.

    What they said of keys that are not the user's stands with the first.
    """
    conflict = trials.error.conflict
    said = {each.key: each.arithmetic for each in reversed(conflict)}
    names = {key.name for key in trials.named}
    names |= {RACKS} if ROWS in names else set()
    others = list(dict.fromkeys(each.arithmetic for each in conflict if each.key not in names))[:MOST_REASONS]
    for number, key in enumerate(trials.named):
        reason = said.get(RACKS if key.name == ROWS else key.name)
        texts = [reason] if reason is not None else []
        texts += others if not number else []
        texts.append(hints.of(key))
        if not number and all(each.key == PORTS for each in conflict):
            texts += [f"or {way}" for way in hints.of_ports(names)]
        yield Conflict(key.name, key.value, "; ".join(texts))


def _all_keys(loaded: LoadedRequest, catalog: Catalog) -> tuple[Key, ...]:
    """The user's keys, and the number of racks where there is a floor plan."""
    plan = loaded.floor_plan
    if plan is None:
        return keys_of(loaded, catalog)
    name = RACKS if plan.racks else ROWS
    drop = _MoreRacks(catalog)
    return (*keys_of(loaded, catalog), Key(name, f"{len(plan.all_racks)} racks", "place", drop, "with more racks"))


class _MoreRacks:
    """Drops the number of racks: repeats a plan until counting finds room, and as many racks again.

    How often is found at the first drop, when most other keys still ask something, and holds for those to come.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._times_count = 0

    def __call__(self, loaded: LoadedRequest) -> LoadedRequest:
        plan = loaded.floor_plan
        if plan is None:
            return loaded
        if not self._times_count:
            most = max(RACKS_COUNT // len(plan.all_racks), 2 * TWICE)
            tried = (TWICE**power for power in range(1, most.bit_length()))
            wider = ((times, replace(loaded, floor_plan=repeat(plan, times))) for times in tried)
            enough = next((times for times, asked in wider if possible(asked, self._catalog)), 1)
            self._times_count = TWICE * enough
        return replace(loaded, floor_plan=repeat(plan, self._times_count))
