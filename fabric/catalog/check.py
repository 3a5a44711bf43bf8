"""`fabric catalog check`: what a valid catalog may still lack. Loading has already judged each file and each link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric.catalog.load import SCHEMAS, Catalog
from fabric.catalog.parts import FACEPLATE_CONNECTORS, CableEnd, Switch, System
from fabric.catalog.record import Part, Sourced
from fabric.errors import Fault
from fabric.model.request import LinkLayer

WEAK = ("estimate", "unconfirmed")
"""Confidence that has to be explained."""


@dataclass(frozen=True, slots=True)
class _Cage:
    """A cage in one way of use; rates in Gb/s."""

    form_factor: str
    top: str | None
    ports: int
    rate_gbps: int
    lane_gbps: int | None
    layer: LinkLayer


def check(catalog: Catalog) -> tuple[Fault, ...]:
    """Every problem of the catalog, by file."""
    problems: list[Fault] = []
    for kind in SCHEMAS:
        parts: Mapping[str, Sourced] = getattr(catalog, kind)
        for key, part in sorted(parts.items()):
            file = f"{kind}/{key}.yaml"
            problems.extend(Fault(message, file, key=at) for at, message in _origin(part))
            problems.extend(Fault(message, file, key=at) for at, message in _design(part, catalog))
    return (*problems, *_default_stacks(catalog), *_borrowed(catalog))


def _origin(part: Sourced) -> Iterator[tuple[str, str]]:
    """Figures whose origin is missing."""
    if not part.sources and (part.confidence not in WEAK or not part.notes):
        yield "sources", "no source, and no note that says why"
    for at, evidence in part.evidence.items():
        if evidence.confidence in WEAK and not (evidence.source or evidence.note):
            yield f"evidence.{at}", f"{evidence.confidence}, but neither a source nor a note says why"
        if not (evidence.source or evidence.confidence or evidence.note):
            yield f"evidence.{at}", "says nothing"
    if isinstance(part, Part) and part.price_usd is not None and "price_usd" not in part.evidence:
        yield "price_usd", "no evidence says who quoted this price"


def _design(part: Sourced, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """What a part that a design may choose lacks: space, power and a cable that fits."""
    if not isinstance(part, Switch | System) or not part.can_be_bought or (isinstance(part, Switch) and part.tier_only):
        return
    needed = ("rack_units", "max_w") if isinstance(part, Switch) else ("rack_units", "node_kw")
    for field in needed:
        if part.figure(field) is None:
            yield field, "not known, and no planning value stands in"
    cages = list(_switch_cages(part) if isinstance(part, Switch) else _node_cages(part))
    role = "switch" if isinstance(part, Switch) else "node"
    if not any(_can_be_cabled(cage, role, catalog) for cage in cages):
        yield "cages" if role == "switch" else "cage_modes", "no cable and no transceiver plugs into its cages"


def _switch_cages(switch: Switch) -> Iterator[_Cage]:
    for rate_gbps in switch.ports_by_speed_gbps:
        if ports := switch.ports_per_cage(rate_gbps):
            lane_gbps = switch.port_lane_gbps(rate_gbps)
            cages = switch.cages
            yield _Cage(cages.form_factor, cages.top, ports, rate_gbps, lane_gbps, switch.link_layer)


def _node_cages(system: System) -> Iterator[_Cage]:
    for mode in system.cage_modes:
        for layer in mode.link_layers:
            form, top = system.cage_form_factor, system.cage_top
            yield _Cage(form, top, mode.ports, mode.rate_gbps, mode.lane_gbps, layer)


def _can_be_cabled(cage: _Cage, role: str, catalog: Catalog) -> bool:
    """Whether a cable's end, a transceiver, or (with optics inside) a fibre goes into the cage."""
    return any(
        part.can_be_bought
        and cage.layer in part.link_layers
        and part.rate_gbps in {None, cage.rate_gbps}
        and any(_plugs(end, cage) for end in (part.head, *part.tails))
        for part in catalog.cables.values()
    ) or any(
        part.can_be_bought
        and role in part.fits
        and cage.layer in part.link_layers
        and (part.form_factor, part.top, part.ports) == (cage.form_factor, cage.top, cage.ports)
        and (part.rate_gbps, part.lane_gbps) == (cage.rate_gbps, cage.lane_gbps)
        for part in catalog.transceivers.values()
    )


def _plugs(end: CableEnd, cage: _Cage) -> bool:
    if end.connector is not None:
        return end.connector == FACEPLATE_CONNECTORS.get(cage.form_factor)
    return (end.form_factor, end.top, end.ports) == (cage.form_factor, cage.top, cage.ports)


def _default_stacks(catalog: Catalog) -> Iterator[Fault]:
    """A workload that names no stack must find exactly one."""
    chosen: dict[tuple[str, str], str] = {}
    for key, stack in sorted(catalog.stacks.items()):
        for mode in stack.serves:
            for layer in stack.default_for:
                if (mode, layer) in chosen:
                    message = f"default for {mode} on {layer}, as is {chosen[mode, layer]}"
                    yield Fault(message, f"stacks/{key}.yaml", key="default_for")
                chosen[mode, layer] = key


def _borrowed(catalog: Catalog) -> Iterator[Fault]:
    """A borrowed constant must be that of its lender."""
    for key, stack in sorted(catalog.stacks.items()):
        for path, lender in stack.fit.borrowed.items():
            ours, theirs = stack.constant(path), catalog.stacks[lender].constant(path)
            if ours != theirs:
                message = f"{ours} where {lender}, which lends it, has {theirs}"
                yield Fault(message, f"stacks/{key}.yaml", key=f"phases.{path}")
