"""Conversions and physical constants; the only place where a unit changes.

Gb/s is 10^9 bit/s; KiB is binary. Quantities elsewhere carry their unit as the last word of their name.
"""

from __future__ import annotations

RACK_UNIT_M = 0.04445
"""Height of one rack unit [m]. Source: rack-unit-article."""

FIBRE_NS_PER_M = 4.9
"""One-way propagation in glass [ns/m]: group index 1.4682 over the speed of light.

Source: interconnect-latency-benchmark.
"""

COPPER_NS_PER_M = 4.5
"""One-way propagation in twinax, the vendor's informative maximum [ns/m]. Source: nvidia-mcp4y10-spec."""

KIB = 1024


def bytes_per_us(gbps: float) -> float:
    """Bytes that a rate [Gb/s] carries in one microsecond."""
    return gbps * 125.0


def gbps_to_mbps(gbps: int) -> int:
    """Rate [Mb/s] of a rate [Gb/s], as switch configurations write it."""
    return gbps * 1000


def usd_to_cents(usd: float) -> int:
    """Whole cents of an amount [USD]; money is summed in cents so that totals are exact."""
    return round(usd * 100)


def cents_to_usd(cents: int) -> float:
    """Amount [USD] of whole cents."""
    return cents / 100


def watts_to_milliwatts(watts: float) -> int:
    """Whole milliwatts of a power [W]; power is summed in milliwatts so that totals are exact."""
    return round(watts * 1000)


def milliwatts_to_watts(milliwatts: int) -> float:
    """Power [W] of whole milliwatts."""
    return milliwatts / 1000


def amount(value: int, unit: str) -> float:
    """A value as reports give it: W from whole milliwatts, else USD from whole cents."""
    return milliwatts_to_watts(value) if unit == "w" else cents_to_usd(value)
