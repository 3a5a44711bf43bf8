"""Headroom against the tables that vendors ship in `sonic-net/sonic-buildimage`, commit 086b03bd."""

import csv
from pathlib import Path

import pytest

from fabric.catalog import load as catalog_load
from fabric.lossless.pfc_headroom import headroom

ROWS = list(csv.DictReader((Path(__file__).parent / "pfc_headroom_rows.csv").read_text().splitlines()))

# What a table assumes about lossless packets, where it is not the catalog's assumption. Half of the *bytes*
# in short packets (an older version of the vendor's model) is 98.4 % of the packets when full ones have 4096.
PACKETS = {
    "default": {},
    "short": {"small_packet_pct": 100.0, "lossless_mtu_bytes": 1024},
    "half_of_bytes": {"small_packet_pct": 100 * (4096 - 128) / (4096 - 64)},
}


CHIPS = catalog_load.load().chips


def residual_bytes(row):
    """Published minus computed headroom of one row [bytes]."""
    buffer = CHIPS[row["chip"]].model_copy(update=PACKETS[row["packets"]])
    return int(row["xoff_bytes"]) - headroom(buffer, int(row["rate_gbps"]), int(row["cable_m"])).xoff_bytes


@pytest.mark.parametrize(("family", "rows_count", "exact_count"), [("spectrum-4", 176, 136), ("spectrum-6", 28, 28)])
def test_nvidia_rows(family, rows_count, exact_count):
    """All rows up to 1 km are exact but those of 250 and 1000 m that lie one frame (8-9 KiB) low."""
    residuals = [(int(row["cable_m"]), residual_bytes(row)) for row in ROWS if row["chip"] == family]
    assert len(residuals) == rows_count
    assert sum(residual == 0 for _, residual in residuals) == exact_count
    assert all(cable_m in {250, 1000} and -9216 <= residual <= -8192 for cable_m, residual in residuals if residual)


@pytest.mark.parametrize(
    ("family", "rows_count", "exact_count", "copies_count"),
    [("tomahawk-4", 21, 19, 0), ("tomahawk-5", 48, 40, 8), ("tomahawk-6", 28, 27, 0)],
)
def test_broadcom_rows(family, rows_count, exact_count, copies_count):
    """All rows are within one cell but those of 10G to 50G at 300 m that repeat the 100G row."""
    rows = [row for row in ROWS if row["chip"] == family]
    residuals = {id(row): residual_bytes(row) for row in rows}
    off = [row for row in rows if abs(residuals[id(row)]) > CHIPS[family].cell_bytes]
    assert len(rows) == rows_count
    assert list(residuals.values()).count(0) == exact_count
    assert len(off) == copies_count
    assert all(int(row["rate_gbps"]) <= 50 and row["cable_m"] == "300" and row["xoff_bytes"] == "258572" for row in off)


@pytest.mark.parametrize(
    ("short_pct", "margin_bytes", "rate_gbps", "expected_bytes"),
    [
        (50.0, 2048, 400, (98304, 113664, 157696)),
        (50.0, 2048, 800, (108544, 139264, 227328)),
        (100.0, 0, 400, (230400, 268288, 374784)),
        (100.0, 0, 800, (256000, 331776, 543744)),
    ],
)
def test_dynamic_buffer_model_of_sonic(short_pct, margin_bytes, rate_gbps, expected_bytes):
    """Spectrum-4 with SONiC's defaults at 5, 30 and 100 m.

    Source: run of `cfgmgr/buffer_headroom_mellanox.lua`, sonic-net/sonic-swss@e6b0c5b5: lossless MTU
    1024, port MTU 9100; without a shared headroom pool the model adds 2 KiB where not all packets are short.
    """
    buffer = CHIPS["spectrum-4"].model_copy(
        update={"lossless_mtu_bytes": 1024, "small_packet_pct": short_pct, "margin_bytes": margin_bytes}
    )
    found = tuple(headroom(buffer, rate_gbps, cable_m, mtu_bytes=9100).xoff_bytes for cable_m in (5, 30, 100))
    assert found == expected_bytes
