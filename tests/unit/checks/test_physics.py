"""Floors of lossless settings against figures worked by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from fabric.catalog.load import load
from fabric.checks._physics import credit_floor_bytes, headroom_floor_bytes, loop_bytes

MTU_BYTES = 9216


@pytest.fixture(scope="module")
def chips():
    """Buffer constants of the shipped chips."""
    return load().chips


@pytest.mark.parametrize(("rate_gbps", "bytes_per_m"), [(100, 122.5), (400, 490.0), (800, 980.0)])
def test_bytes_on_a_metre_of_fibre_there_and_back(rate_gbps, bytes_per_m):
    """2 x 4.9 ns/m at R/8 bytes per ns; 4.9 ns/m is group index 1.4682 over the speed of light. Source: smf-28."""
    assert loop_bytes(rate_gbps, 1.0, "smf") == pytest.approx(bytes_per_m)


def test_headroom_floor_without_a_chip():
    """400G, 100 m: two frames, a pause frame's 84 bytes, 49,000 bytes of cable, 905 quanta of 64 bytes.

    Source of 905 quanta at 400G: ieee-802.3, annex 31B.
    """
    expected = 2 * MTU_BYTES + 84 + 49_000 + 905 * 64
    assert headroom_floor_bytes(400, 100.0, "smf", MTU_BYTES, None) == pytest.approx(expected)


def published_rows():
    """Rows of vendors' tables from 100G up, as (chip, packets, rate, cable, xoff); each row's source stands in it."""
    path = Path(__file__).parents[2] / "reference" / "pfc_headroom_rows.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["rate_gbps"]) >= 100:
                yield row["chip"], row["packets"], int(row["rate_gbps"]), float(row["cable_m"]), int(row["xoff_bytes"])


def test_floor_admits_what_vendors_ship(chips):
    """Of 165 published rows only the 100G rows of 250 m of two tables lie below the floor, by less than one frame.

    These are the rows that lie one frame below their own vendor's formula too (see the notes of the chip's file).
    """
    refused = {
        (chip, rate_gbps, cable_m, xoff)
        for chip, _, rate_gbps, cable_m, xoff in published_rows()
        if headroom_floor_bytes(rate_gbps, cable_m, "smf", MTU_BYTES, chips[chip]) > xoff
    }
    assert refused == {("spectrum-4", 100, 250.0, 68608)}


def test_floor_refuses_half_of_what_vendors_ship(chips):
    """Half of a row for the packets that the chip assumes is refused, but for a few rows of the shortest cables."""
    shipped = [row for row in published_rows() if row[1] == "default"]
    admitted = {
        (chip, rate_gbps, cable_m)
        for chip, _, rate_gbps, cable_m, xoff in shipped
        if headroom_floor_bytes(rate_gbps, cable_m, "smf", MTU_BYTES, chips[chip]) <= xoff / 2
    }
    assert len(admitted) == 4
    assert {cable_m for _, _, cable_m in admitted} == {5.0}


@pytest.mark.parametrize(
    ("rate_gbps", "cable_m", "credit_bytes"),
    [(400, 30, 31_600), (400, 100, 66_600), (800, 30, 59_100), (800, 100, 129_100)],
)
def test_credit_floor(rate_gbps, cable_m, credit_bytes):
    """R/8·(2τL + 250 ns) + 4,096 with τ of 5 ns/m is the figure; τ of 4.9 ns/m lies at most 2 % below it."""
    floor = credit_floor_bytes(rate_gbps, cable_m, "smf", load().ib_chips["quantum-2"])
    assert 0.97 * credit_bytes < floor < credit_bytes
