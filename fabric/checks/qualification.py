"""Parts that their makers qualified with the devices at their ends."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.checks._cages import CageKind
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, warning
from fabric.model.request import FIBRE


@check("qualification", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one warning per part and device model that its maker does not name; no maker names a stand-in device."""
    systems = ctx.catalog.systems
    stand_ins = {key for key, system in systems.items() if system.vendor == "generic"}
    pairs = sorted({(part, kind.part) for part, kind in _unnamed(ctx) if kind.part not in stand_ins})
    for part, device in pairs:
        yield warning(
            part, f"its maker does not name {device} among the devices that it is qualified with", limit=device
        )


def _unnamed(ctx: CheckContext) -> Iterator[tuple[str, CageKind]]:
    """Parts with a list of devices, in cages of a device that the list lacks."""
    used = {(sitting.part, sitting.kind) for sitting in ctx.sittings}
    for key, kind in used:
        part = ctx.catalog.cables[key]
        if part.medium not in FIBRE and part.qualified_with and not set(kind.keys) & set(part.qualified_with):
            yield key, kind
    for key, kind in ctx.module_kinds:
        named = ctx.catalog.transceivers[key].qualified_with
        if named and not set(kind.keys) & set(named):
            yield key, kind
