"""The keys that a user set and that can stand against each other, and a request without one of them.

A key is dropped by what asks least in its place. That is its default where the default asks nothing; a ratio of 1
written out, say, is dropped by no limit on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel

from fabric.catalog.load import Catalog
from fabric.io.request_file import LoadedRequest
from fabric.model.floorplan import FloorPlan, Rack, Row
from fabric.model.request import MEDIA, Request, SwitchChoice
from fabric.units import RACK_UNIT_M

Kind = Literal["limit", "place", "size"]
"""What a key bears on first: sums over a finished design, where things stand and what links them, or the switches."""

UNLIMITED = 1000.0
"""An oversubscription that asks for no more uplinks than one."""

WEIGHTLESS_KW, WEIGHTLESS_W = 1e-6, 1e-3
"""Powers that bind nothing."""

SIZE: Mapping[str, object] = {
    "spare_nodes": 0,
    "growth_nodes": None,
    "attached": (),
    "fabric.node_port_gbps": None,
    "fabric.uplink_port_gbps": None,
    "fabric.planes": 1,
    "fabric.wiring": "auto",
    "fabric.unit_nodes": "auto",
    "fabric.rails_per_leaf": "auto",
    "fabric.whole_units": False,
    "fabric.min_spines": 1,
    "fabric.uneven_trunks": True,
    "fabric.oversubscription": UNLIMITED,
    "fabric.switches": SwitchChoice(),
}
"""What asks least, by key that bears on the switches."""

SIDEWAYS = ("fabric.node_port_gbps", "fabric.uplink_port_gbps", "fabric.rails_per_leaf", "fabric.unit_nodes")
"""Keys whose default asks not less but something else: a rate for another, several rails a leaf on conditions.

Small units that are asked share their leaves between rails, and units of any size do not.
"""

NOT_THEIR_DEFAULT = (
    "fabric.planes",
    "fabric.wiring",
    "fabric.whole_units",
    "fabric.min_spines",
    "fabric.uneven_trunks",
    "planning.node_units",
)
"""Keys that are dropped by another value than they have when nobody writes them."""

PLACE: Mapping[str, object] = {
    "fabric.media.node_leaf": MEDIA,
    "fabric.media.leaf_spine": MEDIA,
    "placement.leaf": "free",
    "placement.spine": "free",
    "placement.max_switches_per_rack": "auto",
    "planning.node_kw": WEIGHTLESS_KW,
    "planning.node_units": 1,
    "planning.nodes_per_rack": None,
}

LIMIT: Mapping[str, object] = {
    "fabric.preload_optics": False,
    "limits.budget_usd": None,
    "limits.power_kw": None,
    "limits.part_numbers": None,
}

RACK: Mapping[str, object] = {
    "power_kw": None,
    "reserved_kw": 0.0,
    "use": "any",
    "cooling": "any",
    "feed": "any",
    "blocked_u": (),
    "place": (),
    "nodes": None,
}
"""What asks least of a rack; its height besides is bounded by the tray above it."""

HIGHEST_UNITS = 100
"""Highest rack that a plan may have."""

WIDE = 1e6
"""Times as wide as any tray has to be."""

EXAMPLES_COUNT = 4
"""Values of one key of many racks that are named."""

Drop = Callable[[LoadedRequest], LoadedRequest]


@dataclass(frozen=True, slots=True)
class Key:
    """A key with its value as the user wrote it, and how a request is without it, in records and in words."""

    name: str
    value: str
    kind: Kind
    drop: Drop
    without: str = "without it"

    @property
    def absent(self) -> str:
        """How a request is without the key, told beside another one."""
        return f"{self.without.removesuffix(' it')} {self.name}" if self.without.endswith(" it") else self.without

    @property
    def is_looser(self) -> bool:
        """Whether a request without it has every design that it has with it."""
        return self.name not in SIDEWAYS


def keys_of(loaded: LoadedRequest, catalog: Catalog) -> tuple[Key, ...]:
    """Every key set in request and floor plan that asks more than nothing, the number of nodes first."""
    tables: tuple[tuple[Kind, Mapping[str, object]], ...] = (("size", SIZE), ("place", PLACE), ("limit", LIMIT))
    plain = [
        _plain(loaded.request, name, kind, loose)
        for kind, table in tables
        for name, loose in table.items()
        if is_set(loaded.request, name) and value_at(loaded.request, name) != loose
    ]
    return (_nodes(loaded.request, catalog), *plain, *_more(loaded.request), *_plan_keys(loaded.floor_plan))


def _plain(request: Request, name: str, kind: Kind, loose: object) -> Key:
    without = f"with {name} {spelled(loose)}" if name in NOT_THEIR_DEFAULT else "without it"
    if name in {"fabric.oversubscription", "planning.node_kw"}:
        without = "with more of it" if name == "fabric.oversubscription" else "with less of it"
    return Key(name, said(request, name), kind, partial(altered, key=name, value=loose), without)


def said(request: Request, key: str) -> str:
    """The value under a dotted key as a person writes it, with the unit of money and power."""
    value = spelled(value_at(request, key))
    units = {"limits.budget_usd": " USD", "limits.power_kw": " kW", "planning.node_kw": " kW"}
    return value + units.get(key, "") if value != "none" else value


def _nodes(request: Request, catalog: Catalog) -> Key:
    """The number of nodes in whatever it is counted; a fabric has two nodes, or a whole rack of them, at least."""
    name = next(name for name in ("nodes", "accelerators", "units") if getattr(request, name) is not None)
    fewest = step_nodes(request, catalog, 2)
    drop = partial(resized, nodes=fewest)
    return Key(name, spelled(getattr(request, name)), "size", drop, f"with {fewest} nodes")


def step_nodes(request: Request, catalog: Catalog, otherwise: int = 1) -> int:
    """Nodes that come together: those of a whole rack, else `otherwise`."""
    system = catalog.systems[request.accelerator]
    return (system.nodes_per_rack or otherwise) if system.whole_rack else otherwise


def _more(request: Request) -> Iterator[Key]:
    """Keys that the user names: fixed parameters and planned powers of switches."""
    for name, value in sorted(request.fabric.parameters.items()):
        key = f"fabric.parameters.{name}"
        yield Key(key, spelled(value), "size", partial(altered, key=key, value=None))
    if request.planning.switch_w:
        key, watts = "planning.switch_w", dict.fromkeys(request.planning.switch_w, WEIGHTLESS_W)
        drop = partial(altered, key=key, value=watts)
        yield Key(key, spelled(request.planning.switch_w), "place", drop, "with less of it")


def _plan_keys(plan: FloorPlan | None) -> Iterator[Key]:
    if plan is None:
        return
    form = "racks" if plan.racks else "rows"
    written: tuple[Rack | Row, ...] = (*plan.racks, *plan.rows)
    for field, loose in {"units": _highest_units(plan), **RACK}.items():
        values = [getattr(each, field) for each in written if _asks(each, field, loose)]
        if values:
            words = [spelled(value) for value in dict.fromkeys(values)]
            more = ["…"] if len(words) > EXAMPLES_COUNT else []
            drop = partial(of_racks, field=field, value=loose)
            without = f"with racks of {loose} U" if field == "units" else "without it"
            yield Key(f"floorplan.{form}.{field}", ", ".join([*words[:EXAMPLES_COUNT], *more]), "place", drop, without)
    if plan.trays.segments:
        drop, segments = partial(with_wider_trays, times=WIDE), f"{len(plan.trays.segments)} segments"
        yield Key("floorplan.trays", segments, "place", drop, "with wider trays")
    if "slack_per_end_m" in plan.model_fields_set:
        slack = spelled(plan.slack_per_end_m.model_dump())
        yield Key("floorplan.slack_per_end_m", slack, "place", _without_slack, "with no slack")


def _highest_units(plan: FloorPlan) -> int:
    """Height of the highest racks that stand below the trays."""
    lowest_m = min((node.z_m for node in plan.trays.nodes), default=plan.trays.height_m)
    return min(HIGHEST_UNITS, int(lowest_m / RACK_UNIT_M))


def _asks(each: Rack | Row, field: str, loose: object) -> bool:
    return field in each.model_fields_set and getattr(each, field) != loose


def with_wider_trays(loaded: LoadedRequest, times: float) -> LoadedRequest:
    """The request on a plan whose trays are so many times as wide."""
    plan = _given(loaded.floor_plan)
    segments = tuple(each.model_copy(update={"width_mm": each.width_mm * times}) for each in plan.trays.segments)
    trays = plan.trays.model_copy(update={"segments": segments})
    return replace(loaded, floor_plan=plan.model_copy(update={"trays": trays}))


def _without_slack(loaded: LoadedRequest) -> LoadedRequest:
    plan = _given(loaded.floor_plan)
    slack = plan.slack_per_end_m.model_copy(update={"copper": 0.0, "fibre": 0.0})
    return replace(loaded, floor_plan=plan.model_copy(update={"slack_per_end_m": slack}))


def of_racks(loaded: LoadedRequest, field: str, value: object) -> LoadedRequest:
    """The request on racks that all have `value` in `field`."""
    plan = _given(loaded.floor_plan)
    racks = tuple(rack.model_copy(update={field: value}) for rack in plan.all_racks)
    return replace(loaded, floor_plan=plan.model_copy(update={"racks": racks, "rows": ()}))


def _given(plan: FloorPlan | None) -> FloorPlan:
    if plan is None:
        raise LookupError("a key of a floor plan without one")
    return plan


def resized(loaded: LoadedRequest, nodes: int) -> LoadedRequest:
    """The request for another number of nodes."""
    counts = {"nodes": nodes, "accelerators": None, "units": None}
    return replace(loaded, request=loaded.request.model_copy(update=counts))


def altered(loaded: LoadedRequest, key: str, value: object) -> LoadedRequest:
    """The request with another value under a dotted key; None takes a fixed parameter out."""
    return replace(loaded, request=_with(loaded.request, key.split("."), value))


def _with(record: Any, path: list[str], value: object) -> Any:  # noqa: ANN401 -- a record or a mapping of any values
    head, *rest = path
    if isinstance(record, dict):
        others = {key: item for key, item in record.items() if key != head}
        return others if value is None else others | {head: value}
    inner = _with(getattr(record, head), rest, value) if rest else value
    return record.model_copy(update={head: inner})


def value_at(request: Request, key: str) -> object:
    """The value under a dotted key."""
    found: Any = request
    for name in key.split("."):
        found = found.get(name) if isinstance(found, dict) else getattr(found, name)
    return found


def is_set(request: Request, key: str) -> bool:
    """Whether the user wrote the key."""
    found: Any = request
    for name in key.split("."):
        if name not in found.model_fields_set:
            return False
        found = getattr(found, name)
    return True


def spelled(value: object) -> str:
    """A value as a person writes it."""
    if isinstance(value, SwitchChoice):
        tiers = {tier: ", ".join(models) for tier, models in value if models is not None}
        same = len(tiers) > 1 and len(set(tiers.values())) == 1
        return tiers["leaf"] if same else spelled(tiers) if tiers else "auto"
    if isinstance(value, BaseModel):
        return spelled(value.model_dump(exclude_unset=True))
    if isinstance(value, dict):
        return ", ".join(f"{key} {spelled(item)}" for key, item in value.items()) or "none"
    if isinstance(value, tuple | list):
        return ", ".join(spelled(item) for item in value) or "none"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return f"{value:,.15g}" if isinstance(value, float) else str(value)
