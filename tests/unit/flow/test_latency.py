"""Phase time, term by term."""

import pytest

from fabric.flow.latency import StackConstants, outside_fit, phase_time

CONSTANTS = StackConstants(
    name="example dispatch",
    alpha0_us=10.0,
    alpha1_us=2.0,
    bandwidth_gbyte_s=50.0,
    message_rate_mops=10.0,
    hop_ns=500.0,
    fitted_hop_count=3,
    relative_sd=0.05,
    min_ranks=16,
    max_ranks=64,
    link_layer="infiniband",
    nic="some-nic",
)


def test_every_term_stands_alone():
    """10 + 2·log2(8), two hops more than fitted, and three overlapping terms."""
    time = phase_time(CONSTANTS, nodes=8, hops=5, nic_bytes=1e6, messages=100, links_us=15)
    assert (time.alpha0_us, time.alpha1_us, time.hops_us) == (10, 6, 1)
    assert (time.bytes_us, time.links_us, time.messages_us) == (20, 15, 10)
    assert time.total_us == 17 + 20
    assert time.dominant == "bytes"


@pytest.mark.parametrize(
    ("nic_bytes", "messages", "links_us", "dominant", "total_us"),
    [(0, 0, 0, "alpha", 16), (0, 0, 40, "links", 56), (1e6, 500, 30, "messages", 66)],
)
def test_longest_overlapping_term_counts(nic_bytes, messages, links_us, dominant, total_us):
    """Whatever takes longest is added to alpha and named."""
    time = phase_time(CONSTANTS, 8, 3, nic_bytes, messages, links_us)
    assert (time.dominant, time.total_us) == (dominant, total_us)


def test_fewer_hops_than_fitted_save_time():
    """One leaf instead of leaf-spine-leaf gives two hops back."""
    assert phase_time(CONSTANTS, 8, 1, 0, 0, 0).hops_us == -1


def test_constants_say_where_they_end():
    """Inside the fit nothing is said; outside each stretched dimension is."""
    assert outside_fit(CONSTANTS, 16, "infiniband", "some-nic") == ()
    assert outside_fit(CONSTANTS, 256, "ethernet", "other-nic") == (
        "256 ranks where 16 to 64 were measured",
        "link layer ethernet where infiniband was measured",
        "NIC other-nic where some-nic was measured",
    )
