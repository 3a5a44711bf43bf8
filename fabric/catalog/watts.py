"""What a part draws at most: its known power, or the planning power of its class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CableEnd, CablePart, Switch, Transceiver
from fabric.catalog.price import GBPS_PER_TBPS, capacity_gbps, optical_class
from fabric.model.request import FIBRE
from fabric.units import watts_to_milliwatts


@dataclass(frozen=True, slots=True)
class Watts:
    """Maximum power in whole milliwatts; where it is not known, a planning figure that no sum of power may hold."""

    milliwatts: int
    known: bool


NOTHING = Watts(0, known=True)
"""What glass draws, and a plug whose switch counts it already."""


def switch_watts(switch: Switch, catalog: Catalog, planned_w: float | None = None) -> Watts:
    """Power of one switch.

    Where it is not known, `planned_w` [W] of the request, the part's own planning value or that of its class stands in.
    """
    if switch.max_w is not None:
        return Watts(watts_to_milliwatts(switch.max_w), known=True)
    stand_in = planned_w if planned_w is not None else switch.figure("max_w")
    if stand_in is None:
        each_w = catalog.planning_watts.switches[switch.link_layer].watts
        stand_in = each_w * capacity_gbps(switch) / GBPS_PER_TBPS
    return Watts(watts_to_milliwatts(stand_in), known=False)


def module_watts(module: Transceiver, catalog: Catalog, *, included: bool = False) -> Watts:
    """Power of one transceiver; nothing more where the figure of its switch has it `included`."""
    if module.max_w is not None:
        return NOTHING if included else Watts(watts_to_milliwatts(module.max_w), known=True)
    classes = catalog.planning_watts
    each_w = classes.modules[optical_class(module.medium, module.connector)].watts
    planned_w = 0.0 if included else each_w * module.ports * module.rate_gbps / classes.reference_gbps
    return Watts(watts_to_milliwatts(planned_w), known=False)


def assembly_watts(cable: CablePart, catalog: Catalog, included: Sequence[bool]) -> Watts:
    """Power of one cable over its plugs in use, the head first.

    `included` says for each whether its switch counts it already. Which end of a straight cable is its head is not
    told from outside, so both of its plugs count as their mean.
    """
    if cable.medium in FIBRE:
        return NOTHING
    plugs = [_plug_watts(cable, plug, catalog) for plug in (cable.head, *cable.tails[:1] * (len(included) - 1))]
    total = sum(plug.milliwatts for plug, counted in zip(plugs, included, strict=True) if not counted)
    if len(cable.tails) == 1:
        total = sum(plug.milliwatts for plug in plugs) * included.count(False) // len(plugs)
    return Watts(total, known=all(plug.known for plug in plugs))


def _plug_watts(cable: CablePart, plug: CableEnd, catalog: Catalog) -> Watts:
    if plug.power_w is not None:
        return Watts(watts_to_milliwatts(plug.power_w), known=True)
    classes = catalog.planning_watts
    share = plug.ports * (cable.rate_gbps or 0) / classes.reference_gbps
    return Watts(watts_to_milliwatts(classes.assemblies[cable.medium].watts * share), known=False)
