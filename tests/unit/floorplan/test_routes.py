"""Routes against lengths worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.errors import InputError
from fabric.floorplan.routes import Routes
from fabric.model.floorplan import FloorPlan, Rack, Row, Slack, TrayDrop, TrayNode, Trays, TraySegment

U_M = 0.04445


def two_rows() -> FloorPlan:
    """Rows A and B of five racks, 3 m apart, under ladders at 2.9 m."""
    return FloorPlan(rows=(Row(name="A", racks=5), Row(name="B", racks=5, y_m=3.0)))


def between(plan: FloorPlan, a: str, a_u: float, b: str, b_u: float) -> float:
    """Length of one way, by rack names."""
    routes = Routes(plan)
    return float(routes.lengths_m(routes.index[a], a_u, routes.index[b], b_u))


def test_within_one_rack_only_the_height_counts():
    """Twenty units apart in one rack is 20 x 44.45 mm."""
    assert between(two_rows(), "A01", 1, "A01", 21) == pytest.approx(20 * U_M)


def test_along_one_row_is_up_along_and_down():
    """U40 and U1 of racks three pitches apart: 2.9 m less each port's height, and 1.8 m of ladder."""
    climbs_m = (2.9 - 39.5 * U_M) + (2.9 - 0.5 * U_M)
    assert between(two_rows(), "A01", 40, "A04", 1) == pytest.approx(climbs_m + 3 * 0.6)


def test_many_ends_at_a_few_racks_are_as_far_apart_as_one_by_one():
    """A table of ways from nine places in three racks to twelve in four, each as if asked alone."""
    routes = Routes(two_rows())
    a_rack, a_u = np.repeat([0, 1, 7], 3)[:, None], np.tile([1.0, 20.0, 40.0], 3)[:, None]
    b_rack, b_u = np.repeat([0, 2, 7, 9], 3), np.tile([5.0, 20.0, 44.0], 4)
    alone_m = [
        [float(routes.lengths_m(*a, *b)) for b in zip(b_rack.tolist(), b_u.tolist(), strict=True)]
        for a in zip(a_rack.ravel().tolist(), a_u.ravel().tolist(), strict=True)
    ]
    assert routes.lengths_m(a_rack, a_u, b_rack, b_u).tolist() == alone_m


def test_between_rows_the_shorter_cross_ladder_is_taken():
    """A02 to B02: over the west end 0.6 + 3 + 0.6 m, over the east end it would be 1.8 + 3 + 1.8 m."""
    climbs_m = 2 * (2.9 - 0.5 * U_M)
    assert between(two_rows(), "A02", 1, "B02", 1) == pytest.approx(climbs_m + 0.6 + 3.0 + 0.6)
    assert between(two_rows(), "A04", 1, "B05", 1) == pytest.approx(climbs_m + 0.6 + 3.0 + 0.0)


def test_a_short_row_still_goes_to_the_outermost_racks():
    """The cross ladders stand at the outermost racks of the plan, not of each row."""
    plan = FloorPlan(rows=(Row(name="A", racks=5), Row(name="B", racks=1, x_m=1.2, y_m=3.0)))
    assert between(plan, "A03", 1, "B01", 1) == pytest.approx(2 * (2.9 - 0.5 * U_M) + 1.2 + 3.0 + 1.2)


def test_racks_without_a_row_form_rows_by_y():
    """Two racks of equal y share a ladder; a third of other y is reached over a cross ladder."""
    plan = FloorPlan(
        racks=(
            Rack(name="a", x_m=0, y_m=0),
            Rack(name="b", x_m=1.0, y_m=0),
            Rack(name="c", x_m=2.0, y_m=0),
            Rack(name="d", x_m=1.0, y_m=2.0),
        )
    )
    climbs_m = 2 * (2.9 - 0.5 * U_M)
    assert between(plan, "a", 1, "c", 1) == pytest.approx(climbs_m + 2.0)
    assert between(plan, "b", 1, "d", 1) == pytest.approx(climbs_m + 1.0 + 2.0 + 1.0)


def test_only_differences_of_coordinates_matter():
    """Moving the whole plan changes no length."""
    moved = FloorPlan(rows=(Row(name="A", racks=5, x_m=-70, y_m=40), Row(name="B", racks=5, x_m=-70, y_m=43.0)))
    here, there = Routes(two_rows()), Routes(moved)
    a, b = np.meshgrid(np.arange(10), np.arange(10))
    assert here.lengths_m(a, 7, b, 31) == pytest.approx(there.lengths_m(a, 7, b, 31))


def test_lengths_are_symmetric_and_ranges_bound_them():
    """A way is as long from both sides, and a range of heights never gives more than a height inside it."""
    routes = Routes(two_rows())
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 10, (2, 500))
    low, high = np.sort(rng.uniform(1, 48, (2, 500)), axis=0)
    at, other = rng.uniform(low, high), rng.uniform(1, 48, 500)
    exact_m = routes.lengths_m(a, at, b, other)
    assert exact_m == pytest.approx(routes.lengths_m(b, other, a, at))
    assert (routes.shortest_m(a, (low, high), b, (other, other)) <= exact_m + 1e-12).all()


def test_slack_is_by_class_of_medium_and_for_both_ends():
    """Copper cables take the copper slack twice; active optical cables and fibres the fibre slack twice."""
    routes = Routes(two_rows().model_copy(update={"slack_per_end_m": Slack(copper=0.4, fibre=1.1)}))
    assert [routes.slack_m(medium) for medium in ("dac", "acc", "aec")] == [0.8] * 3
    assert [routes.slack_m(medium) for medium in ("aoc", "mmf", "smf")] == [2.2] * 3


def test_course_and_bundle_name_the_places():
    """The course lists rack, ladders and rack; the bundle is the same from both sides."""
    routes = Routes(two_rows())
    a1, a4, b5 = (routes.index[name] for name in ("A01", "A04", "B05"))
    assert routes.course(a1, a1) == "A01"
    assert routes.course(a1, a4) == "A01 > row A > A04"
    assert routes.course(a4, b5) == "A04 > row A > cross east > row B > B05"
    assert routes.bundle(b5, a1) == routes.bundle(a1, b5) == "A01+B05"
    assert routes.bundle(a1, a1) == "A01"


def graph() -> FloorPlan:
    """Three racks under a triangle of trays whose direct side is longer than the way round."""
    return FloorPlan(
        racks=(Rack(name="a", x_m=0, y_m=0), Rack(name="b", x_m=4, y_m=0), Rack(name="c", x_m=2, y_m=1)),
        trays=Trays(
            nodes=(
                TrayNode(name="n1", x_m=0.0, y_m=0.5, z_m=3.0),
                TrayNode(name="n2", x_m=2.0, y_m=0.5, z_m=3.0),
                TrayNode(name="n3", x_m=4.0, y_m=0.0, z_m=3.0),
                TrayNode(name="n4", x_m=4.0, y_m=0.5, z_m=3.0),
                TrayNode(name="far", x_m=2.0, y_m=40.0, z_m=3.0),
            ),
            segments=(
                TraySegment(a="n1", b="n2"),
                TraySegment(a="n2", b="n4"),
                TraySegment(a="n4", b="n3"),
                TraySegment(a="n1", b="far"),
                TraySegment(a="far", b="n3"),
            ),
            drops=(
                TrayDrop(rack="a", node="n1"),
                TrayDrop(rack="b", node="n3"),
                TrayDrop(rack="c", node="n2"),
            ),
        ),
    )


def test_a_tray_graph_takes_the_shortest_way():
    """From a to b: 0.5 m to the tray, 2 + 2 + 0.5 m along it, and both climbs to 3 m."""
    climbs_m = 2 * (3.0 - 0.5 * U_M)
    assert between(graph(), "a", 1, "b", 1) == pytest.approx(climbs_m + 0.5 + 4.5)
    routes = Routes(graph())
    assert routes.course(0, 1) == "a > n1 > n2 > n4 > n3 > b"
    assert routes.course(1, 0) == "b > n3 > n4 > n2 > n1 > a"


def test_a_second_drop_is_used_where_it_is_shorter():
    """A drop of rack a at n2 saves the way from n1 towards b, not the one towards n1's own neighbours."""
    trays = graph().trays
    more = trays.model_copy(update={"drops": (*trays.drops, TrayDrop(rack="a", node="n2"))})
    plan = graph().model_copy(update={"trays": more})
    assert between(plan, "a", 1, "c", 1) == pytest.approx(2 * (3.0 - 0.5 * U_M) + 0.5 + 2.0 + 0.5)
    assert Routes(plan).course(0, 1) in ("a > n1 > n2 > n4 > n3 > b", "a > n2 > n4 > n3 > b")


def test_two_trays_beside_each_other_are_no_longer_than_one():
    """A second tray between the same nodes takes more cables and makes no way longer."""
    one = graph()
    two = Trays(nodes=one.trays.nodes, segments=one.trays.segments + one.trays.segments[:2], drops=one.trays.drops)
    twice = one.model_copy(update={"trays": two})
    assert between(twice, "a", 1, "b", 1) == between(one, "a", 1, "b", 1)


def test_trays_under_the_floor_are_reached_downwards():
    """With trays 0.4 m under the floor a way is down from both ports."""
    trays = Trays(
        nodes=(TrayNode(name="n1", x_m=0, y_m=0, z_m=-0.4), TrayNode(name="n2", x_m=3, y_m=0, z_m=-0.4)),
        segments=(TraySegment(a="n1", b="n2"),),
        drops=(TrayDrop(rack="a", node="n1"), TrayDrop(rack="b", node="n2")),
    )
    plan = FloorPlan(racks=(Rack(name="a", x_m=0, y_m=0), Rack(name="b", x_m=3, y_m=0)), trays=trays)
    assert between(plan, "a", 24, "b", 1) == pytest.approx(23.5 * U_M + 0.5 * U_M + 0.8 + 3.0)


def test_every_fault_of_a_plan_is_told_at_once():
    """Two racks at one place, blocked units outside a rack and too low a ladder are three faults of one error."""
    plan = FloorPlan(
        racks=(
            Rack(name="a", x_m=0, y_m=0, blocked_u=((40, 60),)),
            Rack(name="b", x_m=0, y_m=0),
        ),
        trays=Trays(height_m=2.0),
    )
    with pytest.raises(InputError) as error:
        Routes(plan)
    assert [str(fault) for fault in error.value.faults] == [
        "floorplan.yaml: racks.0.blocked_u: [40, 60] is no range of units from 1 to 48",
        "floorplan.yaml: racks.1: b stands at (0, 0) m where a stands",
        "floorplan.yaml: trays.height_m: 2 m is below the top of rack a: 48 units are 2.13 m",
    ]


def test_faults_of_a_tray_graph():
    """A drop of a missing rack, a missing node, a rack without drop and an island are each named."""
    trays = graph().trays
    broken = trays.model_copy(
        update={
            "segments": trays.segments[1:3],
            "drops": (
                TrayDrop(rack="a", node="n1"),
                TrayDrop(rack="x", node="n1"),
                TrayDrop(rack="c", node="n9"),
                TrayDrop(rack="b", node="n2"),
            ),
        }
    )
    with pytest.raises(InputError) as error:
        Routes(graph().model_copy(update={"trays": broken}))
    assert [fault.message for fault in error.value.faults] == [
        "there is no rack x",
        "rack c: there is no tray node n9",
        "1 racks have no drop: c",
        "no tray joins these groups of racks: a (1 racks); b (1 racks)",
    ]
