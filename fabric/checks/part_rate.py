"""Parts that run the ports of the cage: as many, as fast, on lanes of the same rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabric.checks._cages import Cage, CageKind, place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.checks._seats import cable_end
from fabric.model.request import FIBRE


@check("part-rate", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cable end and pluggable whose ports, rate or lanes are not those of its cage.

    Below a splitter fibre a pluggable runs one fast port for several slow ones of a switch cage, and at the node's end
    it falls back to some of its lanes. Source: linkx-100g-overview.
    """
    for sitting, seats in ctx.sittings.items():
        part = ctx.catalog.cables[sitting.part]
        if part.medium not in FIBRE:
            has = (cable_end(part, sitting.end).ports, part.rate_gbps, part.lane_gbps)
            yield from _compare(sitting.part, has, sitting.kind, [seat.cable.name for seat in seats])
    for (key, kind), cages in ctx.module_kinds.items():
        module = ctx.catalog.transceivers[key]
        has = (module.ports, module.rate_gbps, module.lane_gbps)
        split: dict[int, list[str]] = {}
        for cage in cages:
            split.setdefault(_legs(ctx, cage), []).append(place(cage))
        for legs, places in split.items():
            yield from _compare(key, has, _behind(kind, legs), places)


def _legs(ctx: CheckContext, cage: Cage) -> int:
    """Far ends of the fibres in a cage: 1 for straight ones, and where straight and split ones meet (`twin-kind`)."""
    parts = (ctx.catalog.cables.get(cable.part) for cable in ctx.cables_in.get(cage, ()))
    return min((len(part.tails) for part in parts if part is not None and part.medium in FIBRE), default=1)


def _behind(kind: CageKind, legs: int) -> CageKind:
    """The cage as its pluggable must see it through a splitter of so many legs."""
    if kind.side == "switch" and kind.ports % legs:
        return kind
    ports = kind.ports // legs if kind.side == "switch" else kind.ports
    return replace(kind, ports=ports, rate_gbps=kind.rate_gbps * legs)


def _compare(
    part: str, has: tuple[int, int | None, int | None], kind: CageKind, objects: list[str]
) -> Iterator[Remark]:
    """Remarks on a part of (ports, rate [Gb/s], lane rate [Gb/s]), None where it has none of its own."""
    wants = (kind.ports, kind.rate_gbps, kind.lane_gbps)
    words = ("ports a cage", "Gb/s a port", "Gb/s a lane")
    for mine, cage, word in zip(has, wants, words, strict=True):
        if mine is not None and mine != cage:
            for where in objects:
                message = f"{part} has {mine} {word}, the cage of {kind.part} {cage}"
                yield error(where, message, measured=mine, limit=cage, unit=word)
            return
