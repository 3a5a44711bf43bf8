"""Networks of links: one network to a link, no two that overlap, all from the request's pools."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.checks._addresses import Interface, interface, network, pool
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error
from fabric.model.settings import LinkAddress


@check("link-address", "request", "settings")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link without addresses, whose ends are not neighbours, or that overlaps another's network."""
    if ctx.asked_layer != "ethernet":
        return
    rows = {row.link: row for row in ctx.settings.links}
    if not rows:
        yield Gap("no link has addresses")
        return
    below = {access.link.name for access in ctx.accesses}
    pools = {key: pool(getattr(ctx.request.addressing, key)) for key in ("hosts", "links")}
    networks: list[tuple[Interface, str]] = []
    for link in ctx.topology.links:
        row = rows.get(link.name)
        if row is None:
            yield error(link.name, "has no addresses")
            continue
        key = "hosts" if link.name in below else "links"
        ends = (interface(row.a_ip), interface(row.b_ip))
        reason = _misfit(row, ends, pools[key], key)
        if reason is not None:
            yield error(link.name, reason, measured=f"{row.a_ip} {row.b_ip}")
        elif ends[0] is not None:
            networks.append((network(ends[0]), link.name))
    yield from _overlaps(networks)


def _misfit(row: LinkAddress, ends: tuple[Interface | None, Interface | None], allowed: range, key: str) -> str | None:
    """Why the two addresses of a link cannot be, None where they can."""
    a, b = ends
    if a is None or b is None:
        return f"{row.a_ip} and {row.b_ip} are not two IPv4 addresses with prefix"
    if network(a) != network(b):
        return f"{row.a_ip} and {row.b_ip} are not in one network"
    if a == b:
        return f"both ends have {row.a_ip}"
    if a[0] not in allowed or b[0] not in allowed:
        return f"{row.a_ip} and {row.b_ip} are outside addressing.{key}"
    return None


def _overlaps(networks: list[tuple[Interface, str]]) -> Iterator[Remark]:
    """One error per link whose network begins inside the one before it."""
    last, owner = -1, ""
    for (first, prefix), link in sorted(networks):
        if first <= last:
            yield error(link, f"its network overlaps that of {owner}")
        end = first + (1 << (32 - prefix)) - 1
        if end > last:
            last, owner = end, link
