"""Phase time, term by term."""

from dataclasses import replace

import pytest

from fabric.flow.latency import Loss, PhaseLoad, StackConstants, outside_fit, phase_time

CONSTANTS = StackConstants(
    name="example dispatch",
    alpha0_us=10.0,
    alpha1_us=2.0,
    bandwidth_gbyte_s=50.0,
    message_rate_mops=10.0,
    way_us=3.5,
    relative_sd=0.05,
    min_ranks=16,
    max_ranks=64,
    link_layer="infiniband",
    nic="some-nic",
)


def _load(nodes=8, way_us=3.5, port_bytes=0.0, messages=0.0, links_us=0.0, **more):
    return PhaseLoad(nodes, way_us, port_bytes, more.pop("busiest_bytes", port_bytes), messages, links_us, **more)


def test_every_term_stands_alone():
    """10 + 2·log2(8), ways 0.5 us longer than fitted on longer cables, steps, and three overlapping terms."""
    constants = replace(CONSTANTS, step_us=2.0, local_step_us=0.5)
    load = _load(8, 4, 1e6, 100, 15, cables_us=0.25, network_steps=3, local_steps=4)
    time = phase_time(constants, load)
    assert (time.alpha0_us, time.alpha1_us, time.hops_us, time.steps_us, time.cables_us) == (10, 6, 1.5, 8, 0.75)
    assert (time.bytes_us, time.skew_us, time.links_us, time.messages_us) == (20, 0, 15, 10)
    assert time.total_us == pytest.approx(26.25 + 20)
    assert time.dominant == "alpha"


@pytest.mark.parametrize(
    ("port_bytes", "messages", "links_us", "dominant", "total_us"),
    [(0, 0, 0, "alpha", 16), (0, 0, 40, "links", 56), (1e6, 500, 30, "messages", 66), (1e6, 0, 0, "bytes", 36)],
)
def test_longest_overlapping_term_counts(port_bytes, messages, links_us, dominant, total_us):
    """Whatever takes longest is added to alpha and named."""
    time = phase_time(CONSTANTS, _load(8, 3.5, port_bytes, messages, links_us))
    assert (time.dominant, time.total_us) == (dominant, total_us)


def test_shorter_ways_than_fitted_save_time():
    """One leaf instead of leaf-spine-leaf gives two hops back, in every step of a chain."""
    assert phase_time(CONSTANTS, _load(way_us=2.5, links_us=1)).hops_us == -1
    assert phase_time(CONSTANTS, _load(way_us=2.5, links_us=1, network_steps=14)).hops_us == -14
    assert phase_time(CONSTANTS, _load(way_us=2.5)).hops_us == 0, "nothing crosses the network"


def test_the_busiest_port_adds_skew():
    """A port with 2.5 times the mean takes 2.5 times as long; what the mean takes stays visible."""
    time = phase_time(CONSTANTS, _load(port_bytes=1e6, busiest_bytes=2.5e6))
    assert (time.bytes_us, time.skew_us, time.total_us) == (20, 30, 16 + 50)
    assert time.dominant == "skew"


@pytest.mark.parametrize(("links_us", "queueing_us"), [(30, 15), (18, 7), (10, 0)])
def test_collisions_add_what_passes_the_other_terms(links_us, queueing_us):
    """A link that takes 1.5 times as long costs only what it takes beyond the port's 20 us."""
    time = phase_time(CONSTANTS, _load(port_bytes=1e6, links_us=links_us, slowdown=1.5))
    assert time.queueing_us == queueing_us


@pytest.mark.parametrize(("load", "factor"), [(0.5, 0.5), (0.7, 7 / 6), (0.9, 4.5)])
def test_random_arrivals_wait_as_in_a_queue(load, factor):
    """M/D/1: rho / (2 (1 - rho)) service times, 0.5 at one half, 1.17 at 0.7, 4.5 at 0.9."""
    assert phase_time(CONSTANTS, _load(port_bytes=1e6, arrivals=load)).queueing_us == pytest.approx(20 * factor)


@pytest.mark.parametrize(
    ("selective", "efficiency"), [(True, 0.99), (False, 0.99 / (0.99 + 0.01 * 100))], ids=["selective", "go-back-n"]
)
def test_a_lost_packet_is_sent_again(selective, efficiency):
    """1 - p, or (1 - p) / (1 - p + p W) where a window of 100 goes again."""
    time = phase_time(CONSTANTS, _load(port_bytes=1e6), Loss(0.01, 100, selective))
    assert time.retransmission_us == pytest.approx(20 / efficiency - 20)


def test_constants_say_where_they_end():
    """Inside the fit nothing is said; outside each stretched dimension is."""
    assert outside_fit(CONSTANTS, 16, "infiniband", "some-nic") == ()
    assert outside_fit(CONSTANTS, 256, "ethernet", "other-nic") == (
        "256 ranks where 16 to 64 were measured",
        "link layer ethernet where infiniband was measured",
        "NIC other-nic where some-nic was measured",
    )
