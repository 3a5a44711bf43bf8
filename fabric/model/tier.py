"""Switches of a shape by tier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one role in all planes, and their model."""

    role: str
    part: str
    count: int


def switches_of(tiers: Sequence[Tier]) -> dict[str, str | int]:
    """Model and number of the switches of every tier, as a summary of a shape has them."""
    return {key: value for tier in tiers for key, value in ((f"{tier.role}_part", tier.part), (tier.role, tier.count))}


def in_words(tiers: Sequence[Tier]) -> str:
    """Switches by role, as a progress line says it."""
    plural = {"leaf": "leaves"}
    return " + ".join(f"{tier.count} {plural.get(tier.role, tier.role + 's')}" for tier in tiers)
