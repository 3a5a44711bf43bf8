"""InfiniBand credit and virtual lanes."""

import pytest

from fabric.catalog.constants import IbChip
from fabric.errors import InputError
from fabric.lossless.credits import credit_bytes, reach_m, vl_plan

CHIP = IbChip(
    chip="quantum-x",
    mtu_bytes=4096,
    processing_ns=250.0,
    cable_ns_per_m=5.0,
    data_vls_count=8,
    max_credit_bytes=131_072,
    sources=("a",),
    confidence="estimate",
)


@pytest.mark.parametrize(
    ("rate_gbps", "cable_m", "by_hand_bytes"),
    [(400, 30, 31_596), (400, 100, 66_596), (800, 30, 59_096), (800, 100, 129_096)],
)
def test_credit_for_full_rate(rate_gbps, cable_m, by_hand_bytes):
    """rate/8 x (2 x 5 ns/m x length + 250 ns) + 4096, rounded up to a block of 64 bytes."""
    credit = credit_bytes(CHIP, rate_gbps, cable_m)
    assert credit % 64 == 0
    assert 0 <= credit - by_hand_bytes < 64


@pytest.mark.parametrize(("rate_gbps", "limit_m"), [(400, 262), (800, 131), (1600, 66)])
def test_reach_of_full_credit(rate_gbps, limit_m):
    """128 KiB without processing and packet: 131,072 B x 8 / rate / 10 ns/m."""
    assert reach_m(CHIP.model_copy(update={"processing_ns": 0, "mtu_bytes": 0}), rate_gbps) == pytest.approx(
        limit_m, abs=0.5
    )


def test_reach_is_where_credit_meets_the_limit():
    """A cable of exactly the reach needs exactly the limit."""
    assert credit_bytes(CHIP, 800, reach_m(CHIP, 800)) == pytest.approx(131_072, abs=64)


def test_reach_unknown_or_nil():
    """No known limit gives no reach; a limit below the fixed part reaches nowhere."""
    assert reach_m(CHIP.model_copy(update={"max_credit_bytes": None}), 400) is None
    assert reach_m(CHIP.model_copy(update={"max_credit_bytes": 4096}), 400) == 0


@pytest.mark.parametrize(("rate_gbps", "cable_m"), [(400, -1), (0, 5), (400, float("inf"))])
def test_no_link(rate_gbps, cable_m):
    """A rate or length out of range is refused."""
    with pytest.raises(InputError, match="is not a link"):
        credit_bytes(CHIP, rate_gbps, cable_m)


def test_plan_of_one_class():
    """A two-tier fat tree needs one lane: every level rides on it."""
    plan = vl_plan()
    assert (plan.vls_count, plan.sl_to_vl, plan.max_op_vls, plan.weights) == (1, (0,) * 16, 1, (1,))


def test_plan_of_classes_with_lanes():
    """Three classes of two lanes start at lanes 0, 2 and 4; six lanes need code 4 (eight lanes)."""
    plan = vl_plan(qos_levels_count=3, lanes_per_level_count=2)
    assert plan.sl_to_vl == (0, 2, 4, *(0,) * 13)
    assert (plan.vls_count, plan.max_op_vls) == (6, 4)


def test_plan_beyond_the_lanes():
    """More lanes than the switches have is refused with the arithmetic."""
    with pytest.raises(InputError, match="5 service levels x 2 lanes need 10 lanes, the switches have 8"):
        vl_plan(qos_levels_count=5, lanes_per_level_count=2)
    with pytest.raises(InputError, match="need 0 lanes"):
        vl_plan(qos_levels_count=0)
