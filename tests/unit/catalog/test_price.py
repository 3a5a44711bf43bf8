"""Prices: known ones as quoted, and planning prices in the order of their classes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from fabric.catalog.load import load
from fabric.catalog.parts import CablePart, Transceiver
from fabric.catalog.price import capacity_gbps, price

CATALOG = load()
COMMON: dict[str, Any] = {"name": "made up", "vendor": "test", "sources": ("test",), "confidence": "estimate"}
BOTH = ("infiniband", "ethernet")
TWIN = {"form_factor": "osfp", "ports": 2}


def _cable(medium: str, length_m: float, rate_gbps: int) -> CablePart:
    return CablePart(
        **COMMON,
        medium=medium,
        length_m=length_m,
        link_layers=BOTH,
        rate_gbps=rate_gbps,
        lane_gbps=100,
        head=TWIN,
        tails=(TWIN,),
    )


def _optical_cents(medium: str, length_m: float, rate_gbps: int) -> int:
    """A pair of twin-port modules and the fibre of each of their two links [cents]."""
    reach_m = {"OS2": 500.0} if medium == "smf" else {"OM4": 50.0}
    module = Transceiver(
        **COMMON,
        form_factor="osfp",
        top="finned",
        ports=2,
        rate_gbps=rate_gbps,
        lane_gbps=100,
        medium=medium,
        connector="mpo-12-apc",
        link_layers=BOTH,
        reach_m=reach_m,
    )
    end = {"connector": "mpo-12-apc"}
    fibre = CablePart(**COMMON, medium=medium, length_m=length_m, link_layers=BOTH, head=end, tails=(end,))
    return 2 * price(module, CATALOG).cents + 2 * price(fibre, CATALOG).cents


@pytest.mark.parametrize(
    ("key", "usd"),
    [
        ("nvidia-qm9700", 32_870),  # Router-switch list of 2026-07-04
        ("nvidia-sn5610", 51_999),  # NADDOD product 102969, 2026-07-04
        ("nvidia-q3400-ra", 149_939),  # NADDOD listing
        ("chaoqing-n9500-64oc", 36_999),  # supplier list
    ],
)
def test_quoted_prices(key, usd):
    """A price quoted for exactly this product is known, and weak evidence is called so."""
    switch = CATALOG.switches[key]
    found = price(switch, CATALOG)
    assert (found.cents, found.known) == (usd * 100, True)
    assert found.source in CATALOG.sources
    assert switch.evidence["price_usd"].confidence == "estimate"


def test_only_quoted_prices_are_known():
    """No other part has a price: a class figure never passes for one."""
    parts = (*CATALOG.switches.values(), *CATALOG.cables.values(), *CATALOG.transceivers.values())
    assert sum(part.price_usd is not None for part in parts) == 4


@pytest.mark.parametrize("rate_gbps", [200, 400, 800])
@pytest.mark.parametrize("length_m", [0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 30.0, 50.0])
def test_order_of_the_media(length_m, rate_gbps):
    """For complete links of equal length and rate: dac < acc < aec < aoc < multimode < single mode."""
    reach_m = {"dac": 3.0, "acc": 5.0, "aec": 7.0, "aoc": 50.0}
    cents = [price(_cable(m, length_m, rate_gbps), CATALOG).cents for m in reach_m if length_m <= reach_m[m]]
    cents += [_optical_cents(medium, length_m, rate_gbps) for medium in ("mmf", "smf")]
    assert all(cheaper < dearer for cheaper, dearer in pairwise(cents))


@pytest.mark.parametrize("medium", ["dac", "acc", "aec", "aoc"])
def test_longer_is_never_cheaper(medium):
    """Planning prices rise with length, in whole cents."""
    cents = [price(_cable(medium, length / 10, 400), CATALOG).cents for length in range(5, 500)]
    assert all(shorter <= longer for shorter, longer in pairwise(cents))


def test_listed_ranges_are_met():
    """The class figures lie in the ranges that lists give for 800G: DAC 2 m 165–299, AEC 5 m 650–1,055 USD."""
    assert 165_00 <= price(_cable("dac", 2.0, 400), CATALOG).cents <= 299_00
    assert 650_00 <= price(_cable("aec", 5.0, 400), CATALOG).cents <= 1055_00


def test_switches_by_capacity():
    """Twice the capacity costs twice as much; optics inside come on top."""
    small, large = (CATALOG.switches[key] for key in ("nvidia-sn5600", "nvidia-sn6600"))
    assert capacity_gbps(large) == 2 * capacity_gbps(small)
    assert price(large, CATALOG).cents == 2 * price(small, CATALOG).cents
    assert price(CATALOG.switches["nvidia-sn6810-ld"], CATALOG).cents > price(large, CATALOG).cents
    assert not price(small, CATALOG).known


def test_capacity_without_a_stated_one():
    """Without a stated capacity the ports count: 18 x 800G."""
    assert capacity_gbps(CATALOG.switches["arista-7700r4c-38pe"]) == 18 * 800


def test_every_class_says_why():
    """Each planning price has a reason and sources that exist."""
    planning = CATALOG.planning_prices
    for group in (planning.switches, planning.assemblies, planning.modules, planning.fibres):
        for item in group.values():
            assert item.reason
            assert set(item.sources) <= set(CATALOG.sources)
