"""Limits, workloads, failures and deadlock: what the whole design promises."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from fabric.catalog.bill import bill, totals
from fabric.catalog.power import draw
from fabric.checks import CheckContext, run
from fabric.model.deadlock import Deadlock
from fabric.model.report import Failure
from fabric.model.workload import LimitUs, Workload
from fabric.pipeline.flow_judgement import judge_flow
from fabric.pipeline.judging import evaluate


def _decode(**limits):
    return Workload(
        name="decode",
        pattern="moe_all_to_all",
        model="deepseek-v3",
        expert_parallel=64,
        tokens_per_rank=128,
        limit_us=LimitUs(**limits),
    )


@pytest.mark.parametrize(("key", "value"), [("budget_usd", 1.0), ("power_kw", 0.1), ("part_numbers", 1)])
def test_limit_of_the_whole_fabric(key, value, roce, judge, edit):
    """Each limit names its key."""
    judge.only("limits", f"limits.{key}", edit.request(roce, limits={key: value}))


def test_budget_with_unknown_prices_is_not_checked(roce, catalog, edit):
    """A budget that the known prices keep says nothing about the unknown ones; the share of the known is told."""
    _, gaps = run(CheckContext(edit.request(roce, limits={"budget_usd": 1e12, "power_kw": 1e9}), catalog))
    whys = [gap.why for gap in gaps if gap.rule == "limits"]
    assert [why.partition(";")[0] for why in whys] == [
        "budget_usd: some parts have no known price",
        "power_kw: the power of some parts is not known",
    ]
    assert all(re.search(r"known are \d+\.\d% of the sum with planning", why) for why in whys)


@pytest.mark.parametrize(("key", "unit"), [("budget_usd", "planning USD"), ("power_kw", "kW")])
def test_limit_that_planning_figures_alone_pass(key, unit, roce, catalog, judge, edit):
    """Halfway between what is known and what all comes to by planning figures: a warning with the share, no proof."""
    money, drawn = totals(bill(roce, catalog)), draw(roce, catalog)
    between = {
        "budget_usd": (money.known_cents + money.planning_cents) / 200,
        "power_kw": (drawn.known_mw + drawn.planning_mw) / 2_000_000,
    }[key]
    asked = edit.request(roce, limits={key: between})
    found = judge.only("limits", f"limits.{key}", asked, severity="warning")
    assert (found.unit, found.limit) == (unit, between)
    assert found.measured > between
    assert re.search(r"\d+\.\d% of it known", found.message)
    assert [gap.rule for gap in run(CheckContext(asked, catalog))[1] if key in gap.why] == ["limits"]


def test_proof_of_other_tables(roce, catalog, judge):
    """A design that comes to a dollar less than what was proved: the report shows no proof."""
    proof = replace(roce.provenance.optimality, objective=roce.provenance.optimality.objective + 100)
    edited = replace(roce, provenance=replace(roce.provenance, optimality=proof))
    found = judge.only("proof", "design.yaml", edited, severity="warning")
    assert found.limit - found.measured == pytest.approx(1.0)
    report = evaluate(edited, catalog)
    assert (report.optimality, report.alternatives, report.binding) == (None, (), ())
    assert evaluate(roce, catalog).optimality["objective"] == found.measured


def test_no_bound_is_above_its_objective(roce):
    """Neither a search nor `design.yaml` brings one."""
    proof = roce.provenance.optimality
    with pytest.raises(ValueError, match="is above the objective"):
        replace(proof, bound=proof.objective + 1)


def test_workload_over_its_limit(infiniband, judge, edit):
    """One microsecond for a phase that takes hundreds."""
    found = judge.only("workload-limit", "decode", edit.request(infiniband, workloads=(_decode(p99=1.0),)))
    assert found.measured > found.limit == 1.0


def test_workload_without_a_path(infiniband, judge, edit, catalog):
    """Times that are null because some endpoints do not reach each other."""
    asked = edit.request(infiniband, workloads=(_decode(p99=10_000.0),))
    flow = judge_flow(asked, catalog)
    cut = replace(flow.workloads[0], time_us=dict.fromkeys(flow.workloads[0].time_us))
    judge.only("workload-limit", "decode", asked, flow=replace(flow, workloads=(cut,)))


@pytest.mark.parametrize(("kind", "key"), [("link", "links"), ("spine", "switches"), ("leaf", "switches")])
def test_loss_that_cuts_endpoints_off(kind, key, infiniband, judge, edit, catalog):
    """A loss that the request wants survived, after which a pair has no path; not asked, it is only told."""
    flow = judge_flow(infiniband, catalog)
    flow = replace(flow, failures=(Failure(f"{kind} element", 0.0, None, kind=kind),))
    judge.only("survival", "element", edit.request(infiniband, survive={key: 1}), flow=flow)
    judge.only("survival", "element", infiniband, flow=flow, severity="info")


def test_limit_that_breaks_after_a_loss(infiniband, judge, edit, catalog):
    """A p99 that holds on the whole fabric and not without one spine."""
    asked = edit.request(infiniband, workloads=(_decode(p99=10_000.0),), survive={"switches": 1})
    lost = Failure(
        "spine spine-01", 0.5, 20_000.0, {"decode": {"p50": 19_000.0, "p99": 20_000.0, "p999": None}}, "spine"
    )
    flow = replace(judge_flow(asked, catalog), failures=(lost,))
    found = judge.only("survival", "spine-01", asked, flow=flow)
    assert (found.measured, found.limit) == (20_000.0, 10_000.0)


def test_buffers_in_a_circle(infiniband, judge, catalog):
    """A cycle of buffer waits names its first hop's device."""
    hops = ("leaf-su01-r0 > spine-01", "spine-01 > leaf-su01-r0")
    flow = replace(
        judge_flow(infiniband, catalog), deadlock=Deadlock(free=False, lanes_needed=2, lanes_available=8, cycle=hops)
    )
    judge.only("deadlock", "leaf-su01-r0", infiniband, flow=flow)


def test_more_lanes_than_the_switches_have(infiniband, judge, catalog):
    """Nine lanes where eight are there."""
    flow = replace(
        judge_flow(infiniband, catalog), deadlock=Deadlock(free=True, lanes_needed=9, lanes_available=8, cycle=None)
    )
    judge.only("deadlock", infiniband.name, infiniband, flow=flow)


def test_more_lanes_than_priorities_that_are_set(roce, judge, catalog):
    """Two lanes where one priority is paused: a warning with the headroom that the second one takes."""
    flow = replace(
        judge_flow(roce, catalog),
        deadlock=Deadlock(free=False, lanes_needed=2, lanes_available=2, cycle=("a > b", "b > a"), lanes_set=1),
    )
    found = judge.only("deadlock", roce.name, roce, flow=flow, severity="warning")
    assert (found.measured, found.limit, found.unit) == (1, 2, "priorities")
    sums = Counter[str]()
    for row in roce.settings.lossless:
        sums[row.device] += row.xoff
    assert f"{max(sums.values()):,} bytes of headroom again" in found.message
    assert "a > b, b > a" in found.message


def test_stack_outside_its_fit_is_a_warning(roce, judge, edit):
    """Constants measured on InfiniBand say so when they are used on Ethernet."""
    judge.only("stack-range", "decode", edit.request(roce, workloads=(_decode(),)), severity="warning")


def test_traffic_that_nobody_expects_is_a_warning(infiniband, judge, edit):
    """Longer ways than the shortest are asked of a tree, which has none."""
    asked = _decode().model_copy(update={"routing": "valiant"})
    judge.only("workload-traffic", "decode", edit.request(infiniband, workloads=(asked,)), severity="warning")


def test_workload_without_seats(roce, judge, edit):
    """More copies than the nodes hold: an error with the arithmetic, whatever its limits."""
    asked = _decode().model_copy(update={"jobs": 1000})
    found = judge.only("workload-fit", "decode", edit.request(roce, workloads=(asked,)))
    assert "1000 jobs of 64 ranks do not fit" in found.message


def test_workload_beside_one_without_seats(roce, judge, edit):
    """An error at both, with the name of the one that does not fit."""
    asked = _decode().model_copy(update={"jobs": 1, "beside": ("other",)})
    other = asked.model_copy(update={"name": "other", "jobs": 1000, "beside": ()})
    found = judge.findings(edit.request(roce, workloads=(asked, other)))
    told = {each.where: each.message for each in found if each.rule == "workload-fit"}
    assert told.keys() == {"decode", "other"}
    assert told["decode"].startswith("workloads.other: 1000 jobs of 64 ranks do not fit")
