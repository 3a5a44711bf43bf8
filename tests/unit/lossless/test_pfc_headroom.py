"""Headroom: terms, sizes, and what is refused or said where a chip's tables end."""

import pytest

from fabric.catalog.constants import Chip
from fabric.errors import CatalogError, InputError
from fabric.lossless.pfc_headroom import headroom

SPECTRUM = Chip(
    chip="spectrum-x",
    law="mellanox",
    cell_bytes=192,
    port_mtu_bytes=9216,
    lossless_mtu_bytes=4096,
    small_packet_pct=50.0,
    signal_speed_m_per_s=198e6,
    mac_phy_bytes=819.2,
    tile_bytes_per_gbps=15.0,
    pause_quanta={400: 905, 800: 905},
    xon_bytes=19456,
    serdes_gbps=100,
    sources=("a", "b"),
    confidence="measured",
)
TOMAHAWK = Chip(
    chip="tomahawk-x",
    law="broadcom_xgs",
    cell_bytes=254,
    port_mtu_bytes=9216,
    lossless_mtu_bytes=9216,
    signal_speed_m_per_s=200e6,
    fixed_wire_bytes={100: 48000.0, 400: 120000.0},
    xon_bytes=0,
    xon_offset_bytes=3556,
    reserved_bytes=18796,
    sources=("a",),
    confidence="measured",
)
UNKNOWN = Chip(
    chip="unknown",
    law="generic",
    port_mtu_bytes=9216,
    lossless_mtu_bytes=9216,
    signal_speed_m_per_s=200e6,
    mac_phy_bytes=800.0,
    pause_quanta={800: 1810},
    xon_bytes=18432,
    sources=("a",),
    confidence="estimate",
)


@pytest.mark.parametrize(
    "buffer",
    [
        SPECTRUM,
        TOMAHAWK,
        UNKNOWN.model_copy(update={"pause_quanta": {400: 905}}),
        SPECTRUM.model_copy(update={"margin_bytes": 2048}),
    ],
)
@pytest.mark.parametrize("cable_m", [0, 3.7, 30, 500])
def test_terms_add_up(buffer, cable_m):
    """The named terms are the whole headroom."""
    result = headroom(buffer, 400, cable_m)
    assert sum(result.terms.values()) == pytest.approx(result.xoff_bytes, abs=1e-6)
    assert min(result.terms.values()) >= 0


@pytest.mark.parametrize("buffer", [SPECTRUM, TOMAHAWK, UNKNOWN.model_copy(update={"pause_quanta": {400: 905}})])
def test_longer_cable_needs_more(buffer):
    """One metre at 400G is 500 bytes in flight both ways at 5 ns/m: 100 m need at least 49.5 kB more."""
    short, long = (headroom(buffer, 400, cable_m).xoff_bytes for cable_m in (0, 100))
    assert long - short >= 49_500


def test_generic_floor_by_hand():
    """9216 + 9216 + 84 + 2 x 5 m x 5 ns/m x 100 B/ns + 800 + 1810 x 64 = 140,156 bytes at 800G."""
    result = headroom(UNKNOWN, 800, 5)
    assert result.xoff_bytes == 140_156
    assert result.is_floor
    assert any("cell size unknown" in note for note in result.notes)


def test_generic_floor_grows_with_a_known_cell():
    """A cell of 168 bytes doubles it, because the shortest packet takes 84 bytes of wire and one cell."""
    assert headroom(UNKNOWN.model_copy(update={"cell_bytes": 168}), 800, 5).xoff_bytes == pytest.approx(
        2 * 140_156, abs=168
    )


def test_resume_threshold_doubles_on_eight_lanes():
    """800G over lanes of 100G; the group then also holds one more frame, and all of it in whole KiB."""
    wide, narrow = headroom(SPECTRUM, 800, 5), headroom(SPECTRUM, 400, 5)
    assert (wide.xon_bytes, narrow.xon_bytes) == (38912, 19456)
    assert wide.size_bytes == wide.xoff_bytes + 38912 + 9216
    assert narrow.size_bytes == narrow.xoff_bytes + 19456


def test_size_leaves_out_pooled_headroom():
    """With a shared pool only the resume part is reserved; a chip with a fixed reserve keeps that."""
    assert headroom(SPECTRUM, 400, 5, shared_headroom=True).size_bytes == 19456
    assert headroom(TOMAHAWK, 400, 5).size_bytes == 18796


def test_slower_rate_takes_next_faster_row():
    """A 200G port has no row here and takes all of the 400G row, said in a note."""
    slow, fast = headroom(TOMAHAWK, 200, 40), headroom(TOMAHAWK, 400, 40)
    assert slow.xoff_bytes == fast.xoff_bytes
    assert slow.notes == ("tomahawk-x: 200G takes the figure of 400G",)


def test_faster_rate_is_an_estimate_up_to_twice():
    """At 800G the fixed part of 400G is doubled, with a note; beyond that the known rates are listed."""
    result = headroom(TOMAHAWK, 800, 0)
    assert result.terms["fixed_wire_bytes"] == 240_000
    assert "fixed part of 400G scaled" in result.notes[0]
    with pytest.raises(InputError, match="no headroom figure at 1600 Gb/s; known rates: 100, 400"):
        headroom(TOMAHAWK, 1600, 5)


def test_unknown_rate_is_refused():
    """The law of Spectrum knows no response time outside its table."""
    with pytest.raises(
        InputError, match="port_gbps: spectrum-x: no headroom figure at 1600 Gb/s; known rates: 400, 800"
    ):
        headroom(SPECTRUM, 1600, 5)


def test_mtu_beyond_the_fitted_one_adds_both_ends():
    """16 bytes more at each end; a smaller MTU changes nothing, as the fit does not say how much it holds."""
    assert headroom(TOMAHAWK, 400, 5, mtu_bytes=9232).terms["mtu_excess_bytes"] == 32
    assert headroom(TOMAHAWK, 400, 5, mtu_bytes=1500).xoff_bytes == headroom(TOMAHAWK, 400, 5).xoff_bytes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cable_m": -1}, "cable_m: -1 m is not a cable length"),
        ({"cable_m": float("nan")}, "cable_m: nan m is not a cable length"),
        ({"mtu_bytes": 10}, "mtu: 10 bytes is below the shortest frame"),
        ({"rate_gbps": 0}, "port_gbps: 0 Gb/s is not a port rate"),
    ],
)
def test_arguments_out_of_range(arguments, message):
    """Each is refused by name."""
    with pytest.raises(InputError, match=message):
        headroom(SPECTRUM, **({"rate_gbps": 400, "cable_m": 5} | arguments))


def test_law_needs_a_cell():
    """A chip file without a cell cannot use a law that counts cells."""
    with pytest.raises(CatalogError, match="cell_bytes: tomahawk-x: law broadcom_xgs needs the cell size"):
        headroom(TOMAHAWK.model_copy(update={"cell_bytes": None}), 400, 5)


def test_shared_pool_excludes_its_headroom():
    """Micas M2-W6940: pool 162,539,680 bytes of which 33,374,584 are headroom."""
    pool = TOMAHAWK.model_copy(update={"lossless_pool_bytes": 162_539_680, "headroom_pool_bytes": 33_374_584})
    assert pool.shared_pool_bytes == 129_165_096
    assert TOMAHAWK.shared_pool_bytes is None
