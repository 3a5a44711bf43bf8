"""Rules of fit: which parts may join two kinds of cage.

A rule answers with the reason why a part is out, so that an empty menu can be explained. Sources of the rules:
finned and flat tops are not interchangeable and lanes never downshift (linkx-200g-part-list), single-port optics stay
out of twin-port switch cages (nvidia-mms4x00-ns400-overview), fibre and module share one connector and one kind of
fibre (nvidia-structured-cabling).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabric.catalog.parts import CableEnd, CablePart, Transceiver
from fabric.layout.cage import EndSpec


class Light(NamedTuple):
    """What two modules must share to understand each other over one fibre: `optics` of one port (400G-DR4)."""

    medium: str
    optics: str


def light_of(module: Transceiver) -> Light:
    """The light of one port; without named optics, modules of equal rate and connector are taken to agree."""
    return Light(module.medium, module.optics or f"{module.rate_gbps}G {module.connector}")


def carries(module: Transceiver, fibre: CablePart) -> bool:
    """Whether the module reaches along the fibre as sold, and not too short for its receiver."""
    reach_m = module.reach_m.get(fibre.fibre_grade, 0.0) if fibre.fibre_grade else 0.0
    return module.min_reach_m <= fibre.length_m <= reach_m


def _first(*rules: tuple[bool, str]) -> str | None:
    return next((reason for broken, reason in rules if broken), None)


def sale_misfit(part: CablePart | Transceiver, link_layer: str) -> str | None:
    """Why a part is not bought for any end of a fabric of `link_layer`; None when it is."""
    return _first(
        (not part.allowed_for_design, "not released for designs"),
        (part.status == "no_longer_sold", "no longer sold"),
        (link_layer not in part.link_layers, f"not for {link_layer}"),
    )


def _hole(form_factor: str | None, top: str | None, power_w: float | None, end: EndSpec) -> str | None:
    return _first(
        (form_factor != end.form_factor, f"form factor is not {end.form_factor}"),
        (top is not None and end.top is not None and top != end.top, f"top is not {end.top}"),
        (
            power_w is not None and end.max_power_w is not None and power_w > end.max_power_w,
            f"more than the cage's {end.max_power_w} W",
        ),
    )


def _plug(plug: CableEnd, end: EndSpec) -> str | None:
    misfit = _hole(plug.form_factor, plug.top, plug.power_w, end)
    return misfit or _first((plug.ports != end.ports, f"its end has {plug.ports} ports, the cage {end.ports}"))


def cable_misfit(part: CablePart, head: EndSpec, tails: Sequence[EndSpec], link_layer: str) -> str | None:
    """Why a copper or active optical cable cannot run from `head` to `tails` (one per leg); None when it can."""
    between = "switch-switch" if {head.role, *(tail.role for tail in tails)} == {"switch"} else "switch-node"
    ends = (head, *tails)
    rules = _first(
        (between not in part.between, f"not for {between}"),
        (any(part.rate_gbps != end.rate_gbps for end in ends), f"not {head.rate_gbps}G a port"),
        (any(part.lane_gbps != end.lane_gbps for end in ends), f"not {head.lane_gbps}G a lane"),
        (len(tails) > len(part.tails), f"{len(part.tails)} legs for {len(tails)} cages"),
    )
    plugs = (_plug(plug, end) for plug in part.tails for end in tails)
    return (
        sale_misfit(part, link_layer)
        or rules
        or _plug(part.head, head)
        or next((misfit for misfit in plugs if misfit), None)
    )


def module_misfit(part: Transceiver, end: EndSpec, link_layer: str) -> str | None:
    """Why a transceiver cannot serve the cage `end`; None when it can."""
    rules = _first(
        (end.co_packaged, "the optics are inside the switch"),
        (end.role not in part.fits, f"not for a {end.role} cage"),
        (part.rate_gbps != end.rate_gbps, f"not {end.rate_gbps}G a port"),
        (part.lane_gbps != end.lane_gbps, f"not {end.lane_gbps}G a lane"),
        (part.ports != end.ports, f"{part.ports} ports, the cage {end.ports}"),
    )
    return sale_misfit(part, link_layer) or rules or _hole(part.form_factor, part.top, part.figure("max_w"), end)
