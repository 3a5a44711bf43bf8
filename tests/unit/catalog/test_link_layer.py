"""Link layers: what was measured end to end, and files that contradict themselves."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from fabric.catalog.link_layer import LinkTimes
from fabric.catalog.load import load

LAYERS = load().link_layers


@pytest.mark.parametrize(("layer", "over_leaf_us", "over_spine_us"), [("infiniband", 2.8, 3.7), ("ethernet", 3.6, 5.6)])
def test_ways_are_what_was_measured(layer, over_leaf_us, over_spine_us):
    """64 bytes from end to end over one switch, and over three (isca-2025-deepseek)."""
    times = LAYERS[layer]
    assert (times.way_ns(1) / 1000, times.way_ns(3) / 1000) == pytest.approx((over_leaf_us, over_spine_us))
    rebuilt = times.ends_ns - times.link_ns + 3 * times.switch_ns(None, times.hop_ns) + 4 * times.link_ns
    assert rebuilt / 1000 == pytest.approx(over_spine_us), "the parts of a way add up to it"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fec": {}}, "fec must hold the code of the measured ports"),
        ({"hop_ns": 1200.0}, "least_hop_ns, hop_ns and most_hop_ns must ascend"),
        ({"least_hop_ns": 3.0}, "a hop and the ends hold a link, which takes 75.9 ns"),
        ({"cable_m": -1.0}, "greater than or equal to 0"),
        ({"hop": 3}, "Extra inputs are not permitted"),
    ],
)
def test_a_file_that_contradicts_itself(changes, message):
    """Each fault in its own words."""
    whole = LAYERS["ethernet"].model_dump()
    whole["fec"] = dict(LAYERS["ethernet"].fec)
    with pytest.raises(ValidationError, match=message):
        LinkTimes.model_validate(whole | changes)


def test_a_published_time_is_from_port_to_port():
    """700 ns hold codewords and first bytes; one that is shorter than these leaves nothing for the switch."""
    times = LAYERS["ethernet"]
    assert times.switch_ns(700, times.hop_ns) + times.link_ns - times.cable_ns == pytest.approx(700)
    assert times.switch_ns(10, times.hop_ns) == 0
