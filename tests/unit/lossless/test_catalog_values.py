"""The catalog's lossless constants fit the records of this room and give usable settings."""

from dataclasses import fields

import pytest
import yaml

from fabric.lossless.chip_buffer import ChipBuffer
from fabric.lossless.credits import CreditChip, credit_bytes
from fabric.lossless.ecn import EcnProfile, choose_profile, grades, marking
from fabric.lossless.pfc_headroom import headroom
from fabric.resources import data_dir


def records(folder, record):
    """Each file of a catalog folder by its name, lists as tuples; an unknown key is a TypeError."""
    found = {}
    for path in sorted((data_dir("catalog") / folder).glob("*.yaml")):
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        found[path.stem] = record(
            **{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        )
    return found


CHIPS = records("chips", ChipBuffer)
CREDIT_CHIPS = records("ib_chips", CreditChip)
PROFILES = records("ecn_profiles", EcnProfile)


@pytest.mark.parametrize("found", [CHIPS, CREDIT_CHIPS, PROFILES])
def test_file_name_is_the_key(found):
    """The first field of each record is its key, and every record cites sources that the catalog describes."""
    known = yaml.safe_load((data_dir("catalog") / "sources" / "lossless.yaml").read_text(encoding="utf-8"))
    assert found
    for name, record in found.items():
        assert name == getattr(record, fields(record)[0].name)
        assert record.sources
        assert set(record.sources) <= set(known)


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
