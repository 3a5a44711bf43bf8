"""What the constraints of a request cost: each relaxed by one unit, and each policy in force against the free choice.

Every figure is the difference to a whole design that the same search finds with that one key relaxed, so it is the
least that can be gained; shapes that do not promise more than what was chosen are not laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, InputError, LimitReachedError
from fabric.floorplan.repeat import with_one_more
from fabric.floorplan.routes import Routes
from fabric.io.request_file import LoadedRequest
from fabric.layout.waiting import Value
from fabric.model.design import Binding, Design
from fabric.model.floorplan import FloorPlan
from fabric.model.shape import Shape
from fabric.pipeline.candidates import OVERSUBSCRIPTIONS, Candidates
from fabric.pipeline.choosing import Choice
from fabric.pipeline.keys import LIMIT, PLACE, SIZE, altered, said, spelled, value_at
from fabric.pipeline.laying import Stand, with_free_ports
from fabric.pipeline.objective import Weighed
from fabric.pipeline.rules import broken_limit
from fabric.topology.candidates import leaf_pairs
from fabric.topology.size import without_effect

WORK_LINKS = 8_000
"""Links laid out at most for constraints that are no policies, all trials together; counted, so that runs repeat."""

MORE_KW = 10.0
SHORTER_M = 1.0

POLICIES = (
    "placement.leaf",
    "placement.spine",
    "placement.max_switches_per_rack",
    "fabric.media.node_leaf",
    "fabric.media.leaf_spine",
)
"""Policies on where switches stand and what links them."""

SWITCHES = "fabric.switches"
PORT_ORDER = "fabric.port_order"
UPLINK_RATE = "fabric.uplink_port_gbps"

ASKED = (
    "fabric.unit_nodes",
    "fabric.rails_per_leaf",
    UPLINK_RATE,
    "fabric.whole_units",
    "fabric.uneven_trunks",
    "fabric.parameters",
    "fabric.preload_optics",
    "growth_nodes",
    "limits.power_kw",
    "limits.part_numbers",
    "limits.budget_usd",
)
"""Keys that may make a fabric dearer."""

FREE: Mapping[str, object] = {**SIZE, **PLACE, **LIMIT, "fabric.parameters": {}}
"""What each key is when it asks nothing."""

OF_LAYOUT = ("fabric.preload_optics", "limits.part_numbers")
"""Those of them that may also make the shape chosen dearer by what is bought for it."""

Relax = Callable[[LoadedRequest], LoadedRequest]


@dataclass(frozen=True, slots=True)
class _Step:
    """One key relaxed: from which value to which; for the shape chosen alone, or for any."""

    key: str
    value: str
    relaxed: str
    relax: Relax
    is_policy: bool = False
    same_shape: bool = False


def binding(
    choice: Choice, catalog: Catalog, in_time: Callable[[], bool] = lambda: True
) -> tuple[tuple[Binding, ...], tuple[str, ...]]:
    """What every policy in force costs and what every other constraint that binds would give for one unit more.

    Args:
        choice: what was chosen, and for which request; constraints are relaxed within its family.
        catalog: parts that may be used.
        in_time: asked before each trial.

    Returns:
        Policies first, then the rest from the dearest down; and notes on what the limits left out.
    """
    loaded = choice.asked
    work = WORK_LINKS // max(1, len(choice.outcome.result.layout.topology.links))
    rows: list[Binding] = []
    left_out: list[str] = []
    without: list[str] = []
    if work and in_time():
        rows.extend(_regular_ports(loaded, choice, catalog))
    elif loaded.request.fabric.port_order == "regular":
        left_out.append(PORT_ORDER)
    for step in _steps(loaded, choice, catalog):
        trial = _Trial(step, loaded, choice, catalog)
        if trial.layouts_count:
            if not in_time() or (not step.is_policy and work < trial.layouts_count):
                left_out.append(step.key)
                continue
            work -= 0 if step.is_policy else trial.layouts_count
        row = trial.row()
        if row is None:
            without.append(step.key)
        elif row.marginal or row.is_policy:
            rows.append(row)
    rows.sort(key=lambda row: (not row.is_policy, -row.marginal, row.key))
    gaps = (("not tried within the limits", left_out), ("relaxed, without a design to compare with", without))
    return tuple(rows), tuple(f"binding: {why}: {', '.join(keys)}" for why, keys in gaps if keys)


class _Trial:
    """A request with one key relaxed, and what it gains."""

    def __init__(self, step: _Step, loaded: LoadedRequest, choice: Choice, catalog: Catalog) -> None:
        self._step = step
        self._choice = choice
        self._candidates: Candidates | None = None
        with suppress(InfeasibleError, InputError):
            self._candidates = Candidates(step.relax(loaded), catalog)
        mine = choice.outcome.shape if step.same_shape or step.key in OF_LAYOUT else None
        passed_over = self._passed_over() if step.key in LIMIT else None
        other = None if step.same_shape else self._promising()
        self._shapes = [shape for shape in dict.fromkeys((mine, passed_over, other)) if shape is not None]

    @property
    def layouts_count(self) -> int:
        """Shapes that there are to lay out."""
        return len(self._shapes) if self._candidates is not None else 0

    def _passed_over(self) -> Shape | None:
        """The best shape laid out of the family that is better than the one chosen: it breaks a limit."""
        outcome = self._choice.outcome
        better = (other for other in outcome.others if other.value is not None and other.value < outcome.value)
        return next((other.shape for other in better if other.shape.family == outcome.shape.family), None)

    def _promising(self) -> Shape | None:
        """The other shape with the least bound, None where that promises no more than what was chosen did.

        A policy has to say what it costs, so there only a bound above the value of what was chosen ends the trial.
        """
        candidates, mine = self._candidates, self._choice.outcome.shape
        if candidates is None:
            return None
        least = self._choice.outcome.value[0] if self._step.is_policy else candidates.bound(mine)[0]

        def promises(bound: Value) -> bool:
            return bound[0] < least

        shapes = candidates.ascending(candidates.bound_of, can_win=promises)
        promising = takewhile(lambda found: promises(found[0]), shapes)
        return next((shape for _, shape in promising if shape != mine), None)

    def row(self) -> Binding | None:
        """What relaxing gains; None where no relaxed design can be made that keeps the other limits."""
        gain, unit = 0, self._unit(self._choice.outcome.result)
        relaxed = list(self._relaxed())
        if self._shapes and not relaxed:
            return None
        for value, found in relaxed:
            if self._choice.outcome.value[0] - value > gain:
                gain = self._choice.outcome.value[0] - value
                unit = max(unit, self._unit(found), key=len)
        return Binding(self._step.key, self._step.value, self._step.relaxed, gain, unit, self._step.is_policy)

    def _relaxed(self) -> Iterator[tuple[int, Weighed]]:
        """Each shape laid out under the relaxed request, with its value by the first goal.

        It keeps the limits, unless what was chosen does not keep them either.
        """
        candidates, breaks_rules = self._candidates, self._choice.outcome.breaks_rules
        if candidates is None:
            return
        for shape in self._shapes:
            with suppress(InfeasibleError, LimitReachedError):
                if breaks_rules or candidates.before(shape) is None:
                    value, _, found = candidates.realise(shape)
                    if breaks_rules or candidates.after(found) is None:
                        yield value[0], found

    def _unit(self, found: Weighed) -> str:
        """Unit of a design's value; planning values in either of two make it that of their difference."""
        objective = self._choice.objective
        return objective.unit(objective.goals[0], found.worth)


def _regular_ports(loaded: LoadedRequest, choice: Choice, catalog: Catalog) -> Iterator[Binding]:
    """What regular ports cost in the places chosen, if anything: a request that asks nothing gets them too."""
    if loaded.request.fabric.port_order == "free":
        return
    request = altered(loaded, PORT_ORDER, "free").request
    outcome, objective = choice.outcome, choice.objective
    layout = outcome.result.layout
    with suppress(InfeasibleError, LimitReachedError):
        found = with_free_ports(layout.topology, Stand(Routes(layout.floor_plan), layout.placement), request, catalog)
        worth = objective.of(found.topology, found.cabling)
        design = Design(request, None, found.topology, cabling=found.cabling)
        gain = outcome.value[0] - worth.value[0]
        if gain > 0 and broken_limit(design, worth, catalog) is None:
            unit = objective.unit(objective.goals[0], outcome.result.worth)
            yield Binding(PORT_ORDER, "regular", "free", gain, unit, is_policy=True)


def _steps(loaded: LoadedRequest, choice: Choice, catalog: Catalog) -> Iterator[_Step]:
    """Policies first, then what bears on the shape, then what bears on its places; no key without effect."""
    request = loaded.request
    for key in POLICIES:
        if value_at(request, key) != FREE[key]:
            yield _step(loaded, key, FREE[key], is_policy=True, same_shape=True)
    if request.fabric.switches != FREE[SWITCHES]:
        yield _step(loaded, SWITCHES, FREE[SWITCHES], is_policy=True)
    silent = {f"fabric.{key}" for key in without_effect(request.fabric.family)}
    if _has_one_rate(loaded, choice, catalog):
        silent.add(UPLINK_RATE)
    yield from (step for step in _of_shape(loaded, choice) if step.key not in silent)
    yield from _of_plan(loaded, choice.outcome.result.layout.floor_plan)


def _of_shape(loaded: LoadedRequest, choice: Choice) -> Iterator[_Step]:
    """Keys that bear on the shape, whatever its family."""
    request = loaded.request
    looser = next((ratio for ratio in OVERSUBSCRIPTIONS if ratio > request.fabric.oversubscription), None)
    if looser is not None and choice.outcome.shape.switch_links:
        yield _step(loaded, "fabric.oversubscription", looser)
    if choice.outcome.shape.switch_links and request.fabric.min_spines > 1:
        yield _step(loaded, "fabric.min_spines", request.fabric.min_spines - 1)
    for key in ASKED:
        if value_at(request, key) != FREE[key]:
            yield _step(loaded, key, FREE[key])


def _has_one_rate(loaded: LoadedRequest, choice: Choice, catalog: Catalog) -> bool:
    """Whether the switches leave links between them no other rate than the one asked."""
    free = altered(loaded, UPLINK_RATE, FREE[UPLINK_RATE]).request
    asked, other = (
        [(pair.leaf_key, pair.spine_key, pair.uplink_gbps) for rates in pairs for pair in rates]
        for pairs in (leaf_pairs(each, choice.size, catalog) for each in (loaded.request, free))
    )
    return asked == other


def _step(
    loaded: LoadedRequest, key: str, relaxed: object, *, is_policy: bool = False, same_shape: bool = False
) -> _Step:
    value = said(loaded.request, key)
    return _Step(key, value, spelled(relaxed), partial(altered, key=key, value=relaxed), is_policy, same_shape)


def _of_plan(loaded: LoadedRequest, plan: FloorPlan) -> Iterator[_Step]:
    """Shorter ways in the hall that was used; more power and one more rack where the hall is the user's."""
    slack = plan.slack_per_end_m
    if min(slack.copper, slack.fibre) >= SHORTER_M / 2:
        less = slack.model_copy(update={"copper": slack.copper - SHORTER_M / 2, "fibre": slack.fibre - SHORTER_M / 2})
        shorter = plan.model_copy(update={"slack_per_end_m": less})
        yield _hall(shorter, "floorplan.slack_per_end_m", spelled(slack.model_dump()), "every cable 1 m shorter")
    if loaded.floor_plan is None:
        return
    racks = plan.all_racks
    powers = sorted({rack.power_kw for rack in racks if rack.power_kw is not None})
    if powers:
        stronger = tuple(
            rack if rack.power_kw is None else rack.model_copy(update={"power_kw": rack.power_kw + MORE_KW})
            for rack in racks
        )
        more = plan.model_copy(update={"racks": stronger, "rows": ()})
        written = ", ".join(f"{power:g}" for power in powers)
        yield _hall(more, "floorplan.racks.power_kw", written, f"{MORE_KW:g} kW more in every rack")
    yield _hall(with_one_more(plan), "floorplan.racks", f"{len(racks)} racks", "one more")


def _hall(plan: FloorPlan, key: str, value: str, relaxed: str) -> _Step:
    return _Step(key, value, relaxed, partial(_in, plan=plan), same_shape=True)


def _in(loaded: LoadedRequest, plan: FloorPlan) -> LoadedRequest:
    return replace(loaded, floor_plan=plan)
