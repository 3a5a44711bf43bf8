"""Power of every rack with all its devices and pluggables at maximum."""

from __future__ import annotations

from collections import defaultdict

from fabric.catalog.parts import Switch, System
from fabric.checks._cages import Cage
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error
from fabric.model.request import Planning
from fabric.model.topology import Device

WATT_SLIP = 0.5
"""Sums of powers may miss an exact limit by this much [W]."""


@check("rack-power", "floor_plan", "placement")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per rack over its limit less what is reserved, and say whose power is not known."""
    drawn_w: defaultdict[str, float] = defaultdict(float)
    budget = _Budget(ctx)
    for position in ctx.placement.positions:
        device, rack = ctx.topology.device.get(position.device), ctx.racks.get(position.rack)
        if device is None or rack is None or rack.power_kw is None:
            continue
        power_w = budget.power_w(device)
        if power_w is None:
            yield Gap(f"the power of {device.part or device.name} is not known")
        else:
            drawn_w[rack.name] += power_w
    for name, power_w in sorted(drawn_w.items()):
        rack = ctx.racks[name]
        limit_w = 1000 * ((rack.power_kw or 0.0) - rack.reserved_kw)
        if power_w > limit_w + WATT_SLIP:
            message = f"its devices draw up to {power_w / 1000:.6g} kW, the rack has {limit_w / 1000:g} kW for them"
            yield error(name, message, measured=round(power_w, 1), limit=limit_w, unit="W")


class _Budget:
    """Power of devices; the request's planning values go before the catalog's."""

    def __init__(self, ctx: CheckContext) -> None:
        self._ctx = ctx
        self._planning = ctx.design.request.planning if ctx.design.request is not None else Planning()
        self._modules: defaultdict[str, list[tuple[Cage, str]]] = defaultdict(list)
        if ctx.design.cabling is not None:
            for cage, part in ctx.modules.items():
                self._modules[cage[0]].append((cage, part))

    def power_w(self, device: Device) -> float | None:
        """Power of one device with its pluggables [W], None where nobody knows."""
        switch, system = self._ctx.switch(device), self._ctx.system(device)
        if switch is not None:
            return self._switch_w(device, switch)
        return self._system_w(device, system) if system is not None else None

    def _switch_w(self, device: Device, switch: Switch) -> float | None:
        planned_w = self._planning.switch_w.get(device.part or "")
        if planned_w is not None:
            return planned_w
        max_w = switch.figure("max_w")
        if max_w is None or switch.counts_optics:
            return float(max_w) if max_w is not None else None
        total_w = float(max_w)
        for _, part in self._modules[device.name]:
            module = self._ctx.catalog.transceivers.get(part)
            total_w += (module.figure("max_w") if module is not None else None) or switch.cages.max_power_w or 0.0
        return total_w

    def _system_w(self, device: Device, system: System) -> float | None:
        rack_kw, per_rack = system.figure("rack_kw"), system.figure("nodes_per_rack")
        if device.role == "node" and system.whole_rack and rack_kw and per_rack:
            return 1000 * float(rack_kw) / int(per_rack)
        node_kw = (self._planning.node_kw if device.role == "node" else None) or system.figure("node_kw")
        return 1000 * float(node_kw) if node_kw is not None else None
