"""Kinds of links against the roles and groups of the devices that they join."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._tiers import ends, kinds_between
from fabric.model.topology import Device


@check("link-kind")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link whose devices cannot be the two ends of its kind.

    A local link stays within one group, a global one joins two.
    """
    for link, a, b in ends(ctx.topology):
        kinds = kinds_between(a, b)
        if link.kind not in kinds:
            message = f"joins {a.role} {a.name} and {b.role} {b.name}, which is no {link.kind} link"
            yield error(link.name, message, measured=link.kind, limit=" or ".join(kinds) or "no such link")
        elif (link.kind, _is_within(a, b)) in {("local", False), ("global", True)}:
            message = f"joins {a.name} of group {a.group} and {b.name} of group {b.group}, which is no {link.kind} link"
            yield error(link.name, message, measured=link.kind, limit="global" if link.kind == "local" else "local")


def _is_within(a: Device, b: Device) -> bool | None:
    """Whether two switches are of one group; None where a group is not told."""
    return None if None in (a.group, b.group) else a.group == b.group
