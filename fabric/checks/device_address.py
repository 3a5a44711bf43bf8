"""Numbers of devices: loopback, autonomous system, GUID and management address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabric.checks._addresses import address, pool
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error
from fabric.model.settings import DeviceAddress
from fabric.model.topology import EDGE_ROLES


@check("device-address", "request", "settings")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per switch without a number that its link layer needs, and per number that two devices have."""
    rows = {row.device: row for row in ctx.settings.devices if row.device in ctx.topology.device}
    needed = ("loopback", "asn") if ctx.asked_layer == "ethernet" else ("guid",)
    switches = [device for device in ctx.topology.devices if device.is_switch]
    for field in needed:
        without = [device.name for device in switches if getattr(rows.get(device.name), field, None) is None]
        if switches and len(without) == len(switches):
            yield Gap(f"no switch has a number in column {field}")
        else:
            for name in without:
                yield error(name, f"has no {field}", measured="none", limit=field)
    for field in ("loopback", "guid", "mgmt_ip"):
        yield from _shared(field, rows.values())
    yield from _shared(
        "asn", (rows[device.name] for device in ctx.topology.with_role(*EDGE_ROLES) if device.name in rows)
    )
    yield from _neighbours_apart(ctx, rows)
    for field, key in (("loopback", "loopbacks"), ("mgmt_ip", "mgmt")):
        allowed = getattr(ctx.request.addressing, key)
        yield from _outside(field, key, allowed, rows.values())


def _shared(field: str, rows: Iterable[DeviceAddress]) -> Iterator[Remark]:
    """One error per device whose number another has already."""
    first: dict[object, str] = {}
    for row in rows:
        value = getattr(row, field)
        other = first.setdefault(value, row.device) if value is not None else row.device
        if other != row.device:
            yield error(row.device, f"has {field} {value}, and so has {other}", measured=value)


def _neighbours_apart(ctx: CheckContext, rows: dict[str, DeviceAddress]) -> Iterator[Remark]:
    """One error per link between two switches of one autonomous system: eBGP would not come up."""
    for each in ctx.switch_links:
        low, high = rows.get(each.low.name), rows.get(each.high.name)
        if low is not None and high is not None and low.asn is not None and low.asn == high.asn:
            place = "beside" if each.low.role == each.high.role else "above"
            yield error(
                low.device, f"has the autonomous system {low.asn} of {high.device} {place} it", measured=low.asn
            )


def _outside(field: str, key: str, allowed: str, rows: Iterable[DeviceAddress]) -> Iterator[Remark]:
    """One error per address that is none, or outside the pool of the request."""
    inside = pool(allowed)
    for row in rows:
        text = getattr(row, field)
        if text is not None and address(text) not in inside:
            yield error(row.device, f"has {field} {text}, addressing.{key} is {allowed}", measured=text, limit=allowed)
