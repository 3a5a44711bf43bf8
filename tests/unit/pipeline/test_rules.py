"""Candidates that break a limit of the request are passed over, with their reason, while any other is left."""

from __future__ import annotations

import pytest
import yaml

from fabric.catalog.bill import bill
from fabric.catalog.load import load as load_catalog
from fabric.errors import InfeasibleError
from fabric.io import request_file
from fabric.model.design import Design
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose
from fabric.pipeline.flow_judgement import judge_flow
from fabric.pipeline.judging import evaluate
from fabric.pipeline.rules import broken_workload
from fabric.topology import fat_tree, port_map
from fabric.topology.size import resolve

CATALOG = load_catalog()

OVERSUBSCRIBED = {
    "name": "case",
    "accelerator": "hgx-h100",
    "nodes": 64,
    "fabric": {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-qm9700"], "oversubscription": 4},
}


@pytest.fixture
def ask(tmp_path):
    """Loads a request."""

    def load(**keys):
        (tmp_path / "request.yaml").write_text(yaml.safe_dump(OVERSUBSCRIBED | keys), encoding="utf-8")
        return request_file.load(tmp_path, CATALOG)

    return load


def exchange(**limit_us):
    """An all-to-all of 128 ranks."""
    return [{"name": "job", "pattern": "all_to_all", "ranks": 128, "bytes_per_rank": 1_000_000, "limit_us": limit_us}]


def p99_us(loaded):
    """Uplinks of a leaf, p99 of the job and verdict."""
    made = design(loaded, CATALOG)
    report = evaluate(made, CATALOG)
    return int(made.topology.parameters["uplinks"]), report.workloads[0].time_us["p99"], report.verdict


def test_a_shape_too_slow_for_a_workload_makes_way_for_one_with_more_uplinks(ask):
    """Without a limit the fewest uplinks win; below their time more are bought, no more than needed, and it passes."""
    uplinks, slow_us, _ = p99_us(ask(workloads=exchange()))
    assert uplinks == 8
    more, fast_us, verdict = p99_us(ask(workloads=exchange(p99=slow_us - 1)))
    assert (more, verdict) == (12, "pass")
    assert fast_us < slow_us
    outcome = choose(ask(workloads=exchange(p99=slow_us - 1)), CATALOG).choice.outcome
    (reason,) = (other.why_not for other in outcome.others if other.shape.uplinks == 8 and other.shape.spines == 2)
    # A shape is judged before it has cables: their propagation, a tenth of a microsecond, is missing there.
    assert reason.startswith("job: takes ")
    assert reason.endswith(f" us at p99, the limit is {slow_us - 1:g} us")
    assert float(reason.split()[2]) == pytest.approx(slow_us, abs=0.3)


def test_a_loss_counts_before_the_layout_only_where_it_must_be_survived(ask):
    """A limit between the times with and without a link rules a shape out only if a lost link is to be survived."""
    loaded = ask(workloads=exchange())
    size = resolve(loaded.request, CATALOG)
    topology = port_map.build(fat_tree.shapes(loaded.request, size, CATALOG)[0], loaded.request, size, CATALOG)
    flow = judge_flow(Design(loaded.request, None, topology), CATALOG)
    (lost,) = (failure for failure in flow.failures if failure.kind == "link")
    whole_us, lost_us = flow.workloads[0].time_us["p99"], lost.p99_us
    assert whole_us < lost_us
    limit = exchange(p99=(whole_us + lost_us) / 2)
    reasons = [
        broken_workload(topology, ask(workloads=limit, survive={"links": links}).request, CATALOG) for links in (0, 1)
    ]
    where = lost.element.removeprefix("link ")
    assert reasons[0] is None
    message = f"{where}: without this link or any of {lost.count - 1:,} like it job takes {lost_us:.6g} us at p99"
    assert reasons[1].startswith(message)


def test_the_steps_of_oversubscription_are_said_to_be_given(ask):
    """The bound covers the steps alone, so the proof says so; without a refusal there are no steps."""
    assert choose(ask(workloads=exchange(p99=1)), CATALOG).choice.fixed[0].startswith("oversubscription: as asked, or")
    assert choose(ask(workloads=exchange(p99=1000)), CATALOG).choice.fixed == ()


def test_where_every_shape_is_too_slow_the_best_is_written_with_its_errors(ask):
    """Nothing is faster than 1 us; the answer is the shape without the limit, and its report fails."""
    uplinks, _, verdict = p99_us(ask(workloads=exchange(p99=1)))
    assert (uplinks, verdict) == (8, "fail")


def part_numbers(ask, **limits):
    """What a choice costs, the orderable numbers on its bill, and why cheaper shapes were not taken."""
    loaded = ask(limits=limits)
    outcome = choose(loaded, CATALOG).choice.outcome
    layout = outcome.result.layout
    lines = bill(Design(loaded.request, None, layout.topology, cabling=layout.cabling), CATALOG)
    reasons = [other.why_not for other in outcome.others if other.value is not None and other.value < outcome.value]
    return outcome.value, len(lines), reasons


def test_a_limit_on_orderable_numbers_is_kept_by_the_same_shape(ask):
    """The fewer numbers are allowed, the dearer: one length serves several routes, then optics all of them."""
    cheapest, count, _ = part_numbers(ask)
    costs = [cheapest]
    for limit in (count - 1, 6, 5, 4):
        value, fewer, reasons = part_numbers(ask, part_numbers=limit)
        costs.append(value)
        assert fewer <= limit
        assert reasons == []
    assert costs == sorted(set(costs))
    assert evaluate(design(ask(limits={"part_numbers": 4}), CATALOG), CATALOG).verdict == "pass"


def test_where_every_design_is_above_a_limit_the_best_is_written(ask):
    """Three orderable numbers are no proved contradiction, so the cheapest design comes, and its report fails."""
    cheapest, _, _ = part_numbers(ask)
    assert part_numbers(ask, part_numbers=3)[0] == cheapest
    others = choose(ask(limits={"part_numbers": 3}), CATALOG).choice.outcome.others
    why = "limits.part_numbers: 11 orderable numbers are bought, at most 3 are allowed"
    assert f"laid out in full and breaks a limit: {why}" in {other.why_not for other in others}
    assert evaluate(design(ask(limits={"part_numbers": 3}), CATALOG), CATALOG).verdict == "fail"


@pytest.mark.parametrize("limit", [1, 2])
def test_fewer_part_numbers_than_any_links_take_are_none(ask, limit):
    """A switch and a cable is a proof of its own; no cable that serves nodes lies between two switches, so two more."""
    with pytest.raises(InfeasibleError) as error:
        choose(ask(limits={"part_numbers": limit}), CATALOG)
    assert [each.key for each in error.value.conflict] == ["limits.part_numbers"]
