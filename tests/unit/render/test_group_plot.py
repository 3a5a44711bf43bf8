"""Groups on a circle: each once, bundles as wide as their links are many, and readable at any size."""

from __future__ import annotations

from itertools import combinations

import pytest

from fabric.model.topology import Device, Link, Port, Topology
from fabric.render.canvas import GLOBAL
from fabric.render.group_plot import BUNDLES_MOST, GROUPS_MOST, group_plot
from fabric.render.plane_view import plane_view
from fabric.render.topology_plot import topology_plot


def dragonfly(sizes: list[int], between: dict[tuple[int, int], int], planes: int = 1) -> Topology:
    """Groups of so many routers with one node each, and so many links between two groups on their first routers."""
    devices: list[Device] = []
    links: list[Link] = []

    def join(kind: str, a: str, b: str, plane: int) -> None:
        number = str(len(links))
        links.append(Link(f"link-{number}", kind, Port(a, "1", number), Port(b, "1", number), 400, plane=plane))

    for plane in range(planes):
        for group, size in enumerate(sizes):
            names = [f"router-p{plane}-g{group + 1:03d}-{index + 1:02d}" for index in range(size)]
            for index, name in enumerate(names):
                devices.append(Device(name, "router", "model", rail="0+1", plane=plane, group=group))
                node = f"node-{group:03d}-{index:02d}"
                if plane == 0:
                    devices.append(Device(node, "node", "system", group=group))
                join("node_router", node, name, plane)
            for a, b in combinations(names, 2):
                join("local", a, b, plane)
        for (low, high), count in between.items():
            for _ in range(count):
                join("global", f"router-p{plane}-g{low + 1:03d}-01", f"router-p{plane}-g{high + 1:03d}-01", plane)
    return Topology("dragonfly", {"p": 1, "a": max(sizes), "h": 1}, tuple(devices), tuple(links))


def complete(groups: int, routers: int, links: int = 1) -> Topology:
    """Groups of one size, every two with the same number of links."""
    return dragonfly([routers] * groups, dict.fromkeys(combinations(range(groups), 2), links))


def texts(canvas) -> list[str]:
    """All words of a picture."""
    return [words for _, words, _ in canvas._texts]


def test_a_view_counts_every_link_of_a_plane_once():
    """Links within groups, between them and of nodes add up; planes that differ are said to."""
    topology = dragonfly([3, 3, 2], {(0, 1): 4, (0, 2): 2, (1, 2): 2})
    view = plane_view(topology)
    assert view.bundles == {(0, 1): 4, (0, 2): 2, (1, 2): 2}
    assert [sum(links for _, _, links in view.within(group)) for group in range(3)] == [3, 3, 1]
    assert sum(view.endpoints.values()) == 8
    assert view.nodes == {0: 3, 1: 3, 2: 2}
    assert view.words == ""
    both = dragonfly([2, 2], {(0, 1): 3}, planes=2)
    assert "plane 0 is drawn; the others are alike" in plane_view(both).words
    cut = Topology("dragonfly", both.parameters, both.devices, both.links[:-1])
    assert "others differ from it" in plane_view(cut).words


@pytest.mark.parametrize(("groups", "routers"), [(1, 4), (2, 16), (3, 1), (9, 4), (24, 9), (54, 4), (73, 12)])
def test_every_group_is_drawn_once_and_nothing_leaves_the_sheet(groups, routers, drawn_of, outside):
    """As many bundles as pairs of groups, unless these are too many; one name or disc for each group."""
    canvas = group_plot(drawn_of(complete(groups, routers)))
    assert outside(canvas) == []
    pairs = groups * (groups - 1) // 2
    bundles = [width for _, colour, width, _ in canvas._curves if colour == GLOBAL]
    assert len(bundles) == (pairs if pairs <= BUNDLES_MOST else groups - 1)
    rings = [patch for patch in canvas._boxes if hasattr(patch, "radius")]
    is_enlarged = any("enlarged" in words for words in texts(canvas))
    assert len(rings) == (groups + 1 + routers if is_enlarged else groups * (1 + routers))
    if groups <= 30:
        assert [texts(canvas).count(f"group {group + 1}") for group in range(groups)] == [1] * groups


def test_bundles_are_as_wide_as_their_links_are_many(drawn_of):
    """A part-filled last group with half the links has lines of half the width, and few bundles bear their number."""
    between = {(0, 1): 8, (0, 2): 8, (1, 2): 8, (0, 3): 4, (1, 3): 4, (2, 3): 2}
    canvas = group_plot(drawn_of(dragonfly([4, 4, 4, 2], between)))
    widths = [width for _, _, width, _ in canvas._curves]
    unit = widths[0] / 8
    assert sorted(round(width / unit, 6) for width in widths) == [2, 4, 4, 8, 8, 8]
    assert [words for words in texts(canvas) if words.startswith("×")].count("×8") == 3
    assert "2 to 8 between two groups" in texts(canvas)


def test_groups_that_share_no_links_have_no_bundle(drawn_of):
    """What is missing is said."""
    canvas = group_plot(drawn_of(dragonfly([2] * 4, {(0, 1): 1, (1, 2): 1, (2, 3): 1})))
    assert len(canvas._curves) == 3
    assert "3 of 6 pairs of groups have any" in texts(canvas)


def test_sixteen_thousand_endpoints_stay_small(drawn_of, outside):
    """2,064 routers in 129 groups: few words, under a megabyte, the same bytes twice."""
    design = drawn_of(complete(129, 16))
    canvas = group_plot(design)
    svg = topology_plot(design)
    assert len(svg) < 1_000_000
    assert svg == topology_plot(design)
    assert len(texts(canvas)) < 100
    assert outside(canvas) == []
    assert "15,480 local links" in texts(canvas)
    assert "drawn: those of group 1" in texts(canvas)


def test_the_most_bundles_drawn_stay_under_a_megabyte(drawn_of):
    """54 groups have 1,431 pairs, all of them drawn."""
    assert len(topology_plot(drawn_of(complete(54, 4)))) < 1_000_000


def test_more_groups_than_the_circle_holds_are_folded(drawn_of, outside):
    """The first ones, a gap that says how many are left out, and the last one."""
    canvas = group_plot(drawn_of(dragonfly([1] * 500, {(0, group): 1 for group in range(1, 500)})))
    assert f"{500 - GROUPS_MOST} more" in texts(canvas)
    assert outside(canvas) == []


def test_leaves_lie_outside_and_spines_towards_the_other_groups(drawn_of, outside):
    """A group of leaves and spines: every spine is nearer to the middle of the circle than every leaf."""
    devices, links = [], []
    for group in range(5):
        for index in range(4):
            devices.append(Device(f"leaf-g{group}-{index}", "leaf", "model", rail=str(index), plane=0, group=group))
            devices.append(Device(f"spine-g{group}-{index}", "spine", "model", plane=0, group=group))
    for group in range(5):
        for leaf in range(4):
            for spine in range(4):
                a, b = f"leaf-g{group}-{leaf}", f"spine-g{group}-{spine}"
                links.append(Link(f"{a}-{b}", "leaf_spine", Port(a, "1", str(spine)), Port(b, "1", str(leaf)), 400))
    for low, high in combinations(range(5), 2):
        a, b = f"spine-g{low}-{high % 4}", f"spine-g{high}-{low % 4}"
        links.append(Link(f"{a}-{b}", "global", Port(a, "2", str(high)), Port(b, "2", str(low)), 400))
    canvas = group_plot(drawn_of(Topology("dragonfly_plus", {}, tuple(devices), tuple(links))))
    assert outside(canvas) == []
    middle = (sum(x for path, *_ in canvas._curves for x, _ in path.vertices[::2]) / 20,
              sum(y for path, *_ in canvas._curves for _, y in path.vertices[::2]) / 20)  # fmt: skip
    discs = [patch for patch in canvas._boxes if hasattr(patch, "radius")]
    radius = min(disc.radius for disc in discs)
    reach = {}
    for disc in (disc for disc in discs if disc.radius == radius):
        distance = ((disc.center[0] - middle[0]) ** 2 + (disc.center[1] - middle[1]) ** 2) ** 0.5
        reach.setdefault(disc.get_facecolor() == (0x3E / 255, 0xBD / 255, 0x93 / 255, 1.0), []).append(distance)
    assert len(reach[True]) == len(reach[False]) == 20
    assert max(reach[True]) < min(reach[False])
