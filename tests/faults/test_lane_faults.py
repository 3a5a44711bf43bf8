"""Lanes: routing that needs more than the switches have, or than the settings use, and ways that none of them takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.checks import CheckContext, deadlock, family_support
from fabric.checks._protocol import Gap
from fabric.model.settings import LosslessPort, Settings
from fabric.model.workload import Workload
from fabric.pipeline.balancing import balancing_of
from fabric.pipeline.flow_judgement import judge_flow

SWITCH = "nvidia-qm9700"


def _asking(made, edit, key, value):
    """The design with a way to route asked for the whole fabric or for a workload."""
    if key == "transport":
        return edit.request(made, transport={"load_balancing": value})
    workload = Workload(name="v", pattern="all_to_all", ranks=8, bytes_per_rank=1_000_000, routing=value)
    return edit.request(made, workloads=(workload,))


def _lossless(made, **fields):
    """The design with lossless rows of one port a switch."""
    rows = tuple(
        LosslessPort(device.name, "1", 400, 2.0, **fields) for device in made.topology.devices if device.is_switch
    )
    return replace(made, settings=Settings((), (), rows))


def _remarks(made, catalog):
    """What the flow model and the rule of deadlocks say."""
    flow = judge_flow(made, catalog, kinds=())
    return flow.deadlock, list(deadlock.judge(CheckContext(made, catalog, flow)))


@pytest.mark.parametrize(
    ("key", "value", "lanes"),
    [
        ("transport", "auto", 2),
        ("transport", "spray", 2),
        ("transport", "adaptive", 3),
        ("workload", "minimal", 2),
        ("workload", "valiant", 3),
        ("workload", "ugal", 3),
    ],
)
def test_lanes_are_those_of_the_ways_loaded(key, value, lanes, dragonfly, judge, catalog, edit):
    """Two lanes carry shortest ways; longer ones, whoever asks for them, are an error with one circle, hop by hop."""
    asked = _asking(dragonfly, edit, key, value)
    two = edit.part(catalog, "switches", SWITCH, data_virtual_lanes=2)
    verdict, remarks = _remarks(asked, two)
    assert (verdict.lanes_needed, verdict.lanes_available, verdict.free) == (lanes, 2, lanes == 2)
    if lanes == 2:
        assert remarks == []
        return
    found = judge.only("deadlock", dragonfly.name, asked, catalog=two)
    assert (found.measured, found.limit) == (3, 2)
    assert f"{value})" in found.message
    assert len(verdict.cycle) > 2
    assert ", ".join(verdict.cycle) in found.message
    links = {frozenset((link.a.device, link.b.device)) for link in dragonfly.topology.links}
    assert all(frozenset(hop.split(" > ")) in links for hop in verdict.cycle)


def test_missing_lane_is_one_finding(dragonfly, catalog, edit):
    """One lane where two are needed: one error, which names the circle."""
    one = edit.part(catalog, "switches", SWITCH, data_virtual_lanes=1)
    verdict, remarks = _remarks(_lossless(dragonfly, virtual_lanes=1), one)
    assert not verdict.free
    assert [(each.severity, each.measured, each.limit) for each in remarks] == [("error", 2, 1)]
    assert verdict.cycle[0] in remarks[0].message


def test_fewer_lanes_set_than_the_switches_have(dragonfly, catalog):
    """InfiniBand ports set to one lane of eight deadlock as if there were no more."""
    verdict, remarks = _remarks(_lossless(dragonfly, virtual_lanes=1), catalog)
    assert (verdict.free, verdict.lanes_available, verdict.lanes_set) == (False, 8, 1)
    assert [(each.severity, each.limit) for each in remarks] == [("error", 1)]


def test_one_priority_is_a_circle(rail_dragonfly, catalog, edit):
    """What the switches could do is not known, what is set is: a warning with the circle, and the number unchecked."""
    made = _lossless(rail_dragonfly, priority=3, xoff=100_000)
    verdict, (gap, remark) = _remarks(made, catalog)
    assert (verdict.free, verdict.lanes_needed, verdict.lanes_available, verdict.lanes_set) == (False, 2, None, 1)
    assert isinstance(gap, Gap)
    assert "needs 2 lossless lanes" in gap.why
    assert (remark.severity, remark.measured, remark.limit) == ("warning", 1, 2)
    assert ", ".join(verdict.cycle) in remark.message
    known = edit.part(catalog, "switches", "chaoqing-n9500-64oc", lossless_priorities=1)
    assert [each.severity for each in _remarks(made, known)[1]] == ["error"]


def test_two_priorities_on_every_port_are_none(rail_dragonfly, catalog):
    """A second priority that pauses on all ports opens the circle; on one port it does not."""
    made = _lossless(rail_dragonfly, priority=3, xoff=100_000)
    more = tuple(replace(row, priority=4) for row in made.settings.lossless)
    for rows, is_free in ((more, True), (more[:1], False)):
        settings = replace(made.settings, lossless=made.settings.lossless + rows)
        assert _remarks(replace(made, settings=settings), catalog)[0].free is is_free


def test_balancing_is_what_the_routing_has(dragonfly, torus, infiniband, catalog, edit):
    """A switch that routes adaptively does so where its subnet manager has an engine for the family that does."""
    assert [balancing_of(made, catalog) for made in (dragonfly, torus, infiniband)] == ["ecmp", "ecmp", "adaptive"]
    auto, asked = (
        judge_flow(_asking(dragonfly, edit, "transport", way), catalog, kinds=()).throughput
        for way in ("auto", "adaptive")
    )
    assert auto.worst_permutation_theta < asked.worst_permutation_theta
    assert auto.uniform_theta == asked.uniform_theta


def test_ways_that_the_routing_lacks_are_a_warning(dragonfly, infiniband, catalog, edit):
    """Figures follow what is asked, and the report says that the configuration does less."""

    def said(made):
        ctx = CheckContext(made, catalog)
        return [each.message.partition(" asks")[0] for each in family_support.judge(ctx) if "asks for" in each.message]

    assert said(_asking(dragonfly, edit, "transport", "auto")) == []
    assert said(_asking(dragonfly, edit, "transport", "adaptive")) == ["transport.load_balancing"]
    assert said(_asking(dragonfly, edit, "workload", "valiant")) == ["workloads.v.routing"]
    assert said(_asking(dragonfly, edit, "workload", "minimal")) == []
    assert said(_asking(infiniband, edit, "transport", "spray")) == []
