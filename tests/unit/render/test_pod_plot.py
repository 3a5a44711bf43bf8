"""Three tiers: pods side by side, cores in blocks, every trunk counted."""

from __future__ import annotations

import pytest

from fabric.model.topology import Device, Link, Port, Topology
from fabric.render.canvas import GLOBAL
from fabric.render.pod_plot import pod_plot
from fabric.render.pod_view import pod_view
from fabric.render.topology_plot import topology_plot


def pods(count: int, leaves: int, spines: int, cores_each: int, planes: int = 1) -> Topology:
    """Pods of leaves with one node each; spine i of every pod has two links to each core of its own."""
    devices: list[Device] = []
    links: list[Link] = []

    def join(kind: str, a: str, b: str, plane: int) -> None:
        number = str(len(links))
        links.append(Link(f"link-{number}", kind, Port(a, "1", number), Port(b, "1", number), 400, plane=plane))

    for plane in range(planes):
        for pod in range(count):
            for leaf in range(leaves):
                name = f"leaf-p{plane}-{pod:02d}-{leaf:02d}"
                devices.append(Device(name, "leaf", "model", rail=str(leaf), plane=plane, group=pod))
                if plane == 0:
                    devices.append(Device(f"node-{pod:02d}-{leaf:02d}", "node", "system"))
                join("node_leaf", f"node-{pod:02d}-{leaf:02d}", name, plane)
                for spine in range(spines):
                    join("leaf_spine", name, f"spine-p{plane}-{pod:02d}-{spine:02d}", plane)
            for spine in range(spines):
                name = f"spine-p{plane}-{pod:02d}-{spine:02d}"
                devices.append(Device(name, "spine", "model", plane=plane, group=pod))
                for core in range(cores_each):
                    for _ in range(2):
                        join("spine_core", name, f"core-p{plane}-{spine:02d}-{core:02d}", plane)
        devices.extend(
            Device(f"core-p{plane}-{spine:02d}-{core:02d}", "core", "model", plane=plane)
            for spine in range(spines)
            for core in range(cores_each)
        )
    return Topology("fat_tree", {"tiers": 3}, tuple(devices), tuple(links))


def texts(canvas) -> list[str]:
    """All words of a picture."""
    return [words for _, words, _ in canvas._texts]


def test_blocks_are_cores_of_the_same_spines_and_trunks_count_every_link():
    """Four spines a pod with three cores each: four blocks of three, six links from each spine to its own."""
    topology = pods(5, 4, 4, 3)
    view = pod_view(topology)
    assert [len(block) for block in view.blocks] == [3] * 4
    assert sum(view.trunks.values()) == len(topology.of_kind("spine_core"))
    assert set(view.trunks.values()) == {6}
    assert {(name[-2:], f"{block:02d}") for name, block in view.trunks} == {(f"{i:02d}", f"{i:02d}") for i in range(4)}
    assert [(pod.name, len(pod.leaves), len(pod.spines), pod.nodes) for pod in view.pods][4] == ("pod 5", 4, 4, 4)


@pytest.mark.parametrize(
    ("count", "leaves", "spines", "cores"), [(2, 2, 2, 1), (3, 8, 8, 4), (16, 8, 8, 8), (64, 32, 32, 4)]
)
def test_pods_and_blocks_are_drawn_once_or_folded(count, leaves, spines, cores, drawn_of, outside):
    """Every shown pod has its name, the others are counted; so are blocks; nothing leaves the sheet."""
    canvas = pod_plot(drawn_of(pods(count, leaves, spines, cores)))
    assert outside(canvas) == []
    words = texts(canvas)
    shown = [pod for pod in range(count) if f"pod {pod + 1}" in words]
    hidden = sum(int(each.split()[0]) for each in words if each.endswith("more pods"))
    assert len(shown) + hidden == count
    assert all(words.count(f"pod {pod + 1}") == 1 for pod in shown)
    blocks = words.count(f"{cores} cores") if cores > 1 else sum(each.startswith("core-") for each in words)
    assert blocks + sum(int(each.split()[0]) for each in words if each.endswith("more blocks")) == spines
    assert len(words) < 250


def test_a_block_with_half_the_links_has_lines_of_half_the_width(drawn_of):
    """Widths of lines between spines and blocks follow their links."""
    topology = pods(2, 2, 2, 2)
    kept = tuple(
        link
        for number, link in enumerate(topology.links)
        if not (link.kind == "spine_core" and link.b.device.startswith("core-p0-01") and number % 2)
    )
    canvas = pod_plot(drawn_of(Topology("fat_tree", {}, topology.devices, kept)))
    widths = sorted(width for _, colour, width, _ in canvas._curves if colour == GLOBAL)
    assert widths == pytest.approx([widths[-1] / 2] * 2 + [widths[-1]] * 2)


def test_sixty_five_thousand_endpoints_stay_small(drawn_of):
    """2,048 spines below 256 cores: two hundred kilobytes are plenty, the same bytes twice, totals of the whole."""
    design = drawn_of(pods(64, 32, 32, 8))
    svg = topology_plot(design)
    assert len(svg) < 200_000
    assert svg == topology_plot(design)
    assert "2,048 spines" in svg
    assert "65,536 links up" in svg


def test_one_plane_of_two_is_drawn_and_said_to_be(drawn_of):
    """Captions are of both planes."""
    canvas = pod_plot(drawn_of(pods(2, 2, 2, 2, planes=2)))
    assert any("2 planes, of which plane 0 is drawn; the others are alike" in words for words in texts(canvas))
    assert "8 cores" in texts(canvas)
    assert texts(canvas).count("2 cores") == 2
