"""Pictures: well formed, repeatable, folded, and true to the tables."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from fabric.model.cabling import Cable
from fabric.model.floorplan import FloorPlan, Row, TrayDrop, TrayNode, Trays, TraySegment
from fabric.model.workload import LimitUs, Workload
from fabric.render.canvas import CORE
from fabric.render.failure_plot import failure_plot
from fabric.render.plots import render_plots
from fabric.render.topology_plot import topology_plot
from fabric.render.tray_load import tray_load
from fabric.render.tree_view import folded, span, tree_view

PICTURES = ("topology", "floor_plan", "rack_elevations", "link_load", "latency", "failures")


def words(svg: str) -> list[str]:
    """All captions of a picture."""
    return [node.text or "" for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


def test_pictures_repeat_byte_by_byte_and_parse(design, report):
    """The same design gives the same SVG, without a date, and letters stay letters."""
    first, second = render_plots(design, report), render_plots(design, report)
    assert first == second
    assert set(first) == {f"plots/{name}.svg" for name in PICTURES}
    for svg in first.values():
        assert any("sample" in word for word in words(svg))
        assert "<dc:date>" not in svg


def test_without_places_only_the_topology_is_drawn(design, report):
    """A port map that stands nowhere has no floor picture; without workloads and failures there is none of these."""
    idle = replace(report, workloads=(), failures=())
    assert set(render_plots(replace(design, placement=None), idle)) == {"plots/topology.svg"}


def test_a_tile_says_how_busy_its_switch_is(design, report):
    """Tiles with the use of its busiest link to switches and to nodes in percent; the busiest of all is named."""
    captions = words(render_plots(design, report)["plots/link_load.svg"])
    assert [captions.count(each) for each in ("30", "20", "40")] == [2, 1, 1]
    assert {"1 leaf", "2 leaves, to nodes"} <= set(captions)
    assert "decode: busiest 40.0%, at leaf-p0-su01-r1" in captions


def test_times_are_drawn_with_their_limits(design, report):
    """A line a workload, by name; its limits are written at their height."""
    job = Workload(name="decode", pattern="all_to_all", ranks=8, bytes_per_rank=1, limit_us=LimitUs(p99=600))
    request = design.request.model_copy(update={"workloads": (job,)})
    captions = words(render_plots(replace(design, request=request), report)["plots/latency.svg"])
    assert {"decode", "limit 600", "p99.9"} <= set(captions)


def test_workloads_that_have_no_room_are_named(design, report):
    """Four in the picture of loads, eight in that of times; names of the others as far as they fit."""
    (one,) = [each for each in report.workloads if each.distribution_us and each.switches]
    many = replace(report, workloads=tuple(replace(one, name=f"job-{number:02d}") for number in range(1, 41)))
    few = replace(report, workloads=many.workloads[:10])
    loads, times = (words(render_plots(design, few)[f"plots/{name}.svg"]) for name in ("link_load", "latency"))
    rest = ", ".join(f"job-{number:02d}" for number in range(5, 11))
    assert f"The first 4 of 10 workloads; the report also has {rest}" in loads
    assert "The first 8 of 10 workloads; the report also has job-09, job-10" in times
    (foot,) = (word for word in words(render_plots(design, many)["plots/latency.svg"]) if word.startswith("The first"))
    assert foot.startswith("The first 8 of 40 workloads; the report also has job-09, job-10")
    assert foot.endswith(", …")
    assert not [word for word in words(render_plots(design, report)["plots/latency.svg"]) if "The first" in word]


def test_failures_are_drawn_kind_by_kind(report):
    """A row for each kind, the worst first, with how many there are; the worst of each is named."""
    captions = words(failure_plot(report))
    assert [word for word in captions if word in {"spine", "link", "node link"}] == ["link", "spine", "node link"]
    assert {"2", "81", "32"} <= set(captions)
    assert {"0.0%  link leaf-0.1/1", "50.0%  spine spine-01 and 1 like it"} <= set(captions)
    assert "nothing down 33.3%" in captions


def test_a_small_tree_is_drawn_whole(design):
    """Two units, both shown, with the number of links of each leaf."""
    captions = words(topology_plot(design))
    assert {"unit 1", "unit 2", "16 leaves", "2 spines", "spine-p0-01"} <= set(captions)
    assert captions.count("×2") == 16


@pytest.mark.parametrize(("units", "unit_nodes", "spines"), [(32, 32, 32), (64, 16, 64)])
def test_eight_thousand_endpoints_stay_readable(make, units, unit_nodes, spines):
    """Units beyond the sheet fold into a gap that says how many are left out; totals are those of the whole fabric."""
    design = make(units, unit_nodes, spines)
    captions = words(topology_plot(design))
    assert len(captions) < 200
    assert f"{units * 8} leaves" in captions
    assert f"unit {units}" in captions
    assert f"{units - 4} more units" in captions


def test_routers_and_cores_stand_in_halls_and_racks_under_their_names(design, report):
    """Where leaves are routers, legends and totals say so; a core has a colour of its own."""
    roles = {"leaf": "router", "spine": "core"}
    topology = replace(
        design.topology,
        devices=tuple(replace(one, role=roles.get(one.role, one.role)) for one in design.topology.devices),
    )
    plots = render_plots(replace(design, topology=topology), report)
    floor, racks = (plots[f"plots/{name}.svg"] for name in ("floor_plan", "rack_elevations"))
    assert {"routers", "cores", "nodes"} <= set(words(floor))
    assert any("16 routers, 2 cores" in word for word in words(floor))
    assert {"router", "core"} <= set(words(racks))
    assert not {"leaf", "spine", "leaves", "spines"} & {*words(floor), *words(racks)}
    assert CORE.lower() in floor
    assert CORE.lower() in racks


def test_a_tree_view_counts_every_link_once(make):
    """Trunks and drops together are all links."""
    design = make(4, 32, 16)
    view = tree_view(design.topology)
    assert sum(view.trunks.values()) + sum(view.drops.values()) == len(design.topology.links)
    assert set(view.trunks.values()) == {2}


def test_folding_keeps_the_last_and_loses_none():
    """Head, hidden and tail add up."""
    head, hidden, tail = folded(list(range(30)), 5)
    assert (len(head), hidden, list(tail)) == (4, 25, [29])
    assert folded([1, 2], 5) == ([1, 2], 0, ())
    assert span(["a"]) == "a"
    assert span([]) == ""


def test_tray_load_on_ladders_is_counted_between_neighbours():
    """Two racks of one row load the ladder between them, two of different rows a cross ladder too."""
    plan = FloorPlan(rows=(Row(name="A", racks=3), Row(name="B", racks=3, y_m=2.4)))
    cables = [_cable("1", "A01 > row A > A03"), _cable("2", "A02 > row A > cross west > row B > B01")]
    assert tray_load(plan, cables) == {
        ((0.0, 0.0), (0.0, 2.4)): 1,
        ((0.0, 0.0), (0.6, 0.0)): 2,
        ((0.6, 0.0), (1.2, 0.0)): 1,
    }


def test_tray_load_on_a_graph_follows_its_nodes():
    """With an explicit tray graph the route names its nodes; a cable in one rack loads nothing."""
    trays = Trays(
        nodes=tuple(TrayNode(name=f"t{i}", x_m=2.0 * i, y_m=0.0, z_m=3.0) for i in range(3)),
        segments=(TraySegment(a="t0", b="t1"), TraySegment(a="t1", b="t2")),
        drops=(TrayDrop(rack="A01", node="t0"), TrayDrop(rack="A02", node="t2")),
    )
    plan = FloorPlan(rows=(Row(name="A", racks=2, pitch_m=4.0),), trays=trays)
    load = tray_load(plan, [_cable("1", "A01 > t0 > t1 > t2 > A02"), _cable("2", "A01")])
    assert sum(load.values()) == len(load)
    assert {x for piece in load for x, _ in piece} >= {0.0, 4.0}
    assert tray_load(plan, [_cable("3", "nowhere > t0 > A02")]) == {}


def _cable(name: str, route: str) -> Cable:
    return Cable(name, "part", "family", "smf", 10.0, 8.0, route)
