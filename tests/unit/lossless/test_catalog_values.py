"""The catalog's lossless constants give usable settings."""

import pytest

from fabric.catalog import load as catalog_load
from fabric.lossless.credits import credit_bytes
from fabric.lossless.ecn import choose_profile, grades, marking
from fabric.lossless.pfc_headroom import headroom

CATALOG = catalog_load.load()
CHIPS, CREDIT_CHIPS, PROFILES = CATALOG.chips, CATALOG.ib_chips, CATALOG.ecn_profiles


@pytest.mark.parametrize("found", [CHIPS, CREDIT_CHIPS, PROFILES])
def test_every_record_names_its_sources(found):
    """Constants without a source would be guesses."""
    assert found
    assert all(record.sources for record in found.values())


@pytest.mark.parametrize("chip", CHIPS.values(), ids=CHIPS)
def test_chip_gives_headroom_and_marking(chip):
    """At 400G over 30 m every chip needs more than what the wire and one frame hold (24,216 bytes)."""
    result = headroom(chip, 400, 30)
    assert result.xoff_bytes > 24_216
    marks = marking(choose_profile(list(PROFILES.values()), chip.chip), 400, chip.cell_bytes)
    if chip.shared_pool_bytes is not None:
        found = grades(marks, chip.shared_pool_bytes, chip.dynamic_th, ports_count=64, priorities_count=1)
        assert found.must
        assert found.should


@pytest.mark.parametrize("name", ["tomahawk-4", "tomahawk-5", "tomahawk-6"])
def test_fixed_part_grows_less_than_the_rate(name):
    """What makes scaling to a faster rate an upper estimate: doubling a rate never doubles the fixed part."""
    rows = CHIPS[name].fixed_wire_bytes
    assert all(rows[2 * rate] < 2 * rows[rate] for rate in rows if 2 * rate in rows)


@pytest.mark.parametrize("chip", CREDIT_CHIPS.values(), ids=CREDIT_CHIPS)
def test_credit_chip_reaches_across_a_hall(chip):
    """50 m at 800G stay within the credit limit."""
    assert credit_bytes(chip, 800, 50) <= chip.max_credit_bytes
