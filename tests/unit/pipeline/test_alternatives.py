"""What a design remembers of the shapes that were not taken."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from fabric.layout.search import Candidate, Rules, search
from fabric.layout.waiting import Bounds
from fabric.model.outline import Outline
from fabric.model.tree_shape import FatTreeShape
from fabric.pipeline.alternatives import ALTERNATIVES, remembers, runners_up
from fabric.pipeline.provenance import _alternative

SHAPE = FatTreeShape(
    leaf_part="a",
    spine_part="a",
    planes=1,
    wiring="rail",
    node_ports=8,
    node_port_gbps=400,
    uplink_gbps=400,
    unit_nodes=8,
    units=2,
    rails_per_leaf=1,
    leaves_per_unit=8,
    extra_ports=0,
    down_ports=8,
    uplinks=8,
    last_uplinks=8,
    spines=2,
)


def lost(leaf: str, spine: str | None, unit: int) -> Candidate[FatTreeShape]:
    """A shape that was not taken."""
    return Candidate(replace(SHAPE, leaf_part=leaf, spine_part=spine, unit_nodes=unit), None, (unit,), "dearer")


def test_every_pair_of_models_comes_before_a_second_shape_of_one():
    """Ten shapes of one pair leave room for the best of three more; after these the ten go on in their order."""
    others = [
        *(lost("a", "a", unit) for unit in range(1, 21)),
        lost("b", "a", 21),
        lost("a", None, 22),
        lost("b", "a", 23),
    ]
    found = runners_up(others)
    assert [each.bound[0] for each in found[:5]] == [1, 21, 22, 2, 3]
    assert len(found) == ALTERNATIVES


def test_of_one_model_other_numbers_and_wiring_come_first():
    """Two shapes of 16 leaves and 2 spines differ in their unit alone: 24 leaves, and another wiring, go between."""
    alike = [lost("a", "a", unit) for unit in (1, 2)]
    more = Candidate(replace(SHAPE, leaf_part="a", spine_part="a", units=3), None, (3,), "dearer")
    rack = Candidate(replace(SHAPE, leaf_part="a", spine_part="a", wiring="rack"), None, (4,), "dearer")
    assert [each.bound[0] for each in runners_up([*alike, more, rack])] == [1, 3, 4, 2]
    assert _alternative(rack).switches["wiring"] == "rack"


def test_few_shapes_are_all_remembered():
    """Each once, the best of each pair first."""
    others = [lost("a", "a", 1), lost("a", "a", 2), lost("b", "b", 3)]
    assert [each.bound[0] for each in runners_up(others)] == [1, 3, 2]


def drawn(rng: random.Random) -> tuple[list[list[FatTreeShape]], dict[FatTreeShape, int]]:
    """Listings by growing number of leaves, one for each of some pairs; of each shape a bound beyond its leaves."""
    bounds: dict[FatTreeShape, int] = {}
    listings = []
    for pair in range(rng.randint(1, 16)):
        shapes = [
            replace(SHAPE, leaf_part=f"m{pair // 4}", spine_part=f"m{pair % 4}", units=units, unit_nodes=nodes)
            for units in sorted(rng.sample(range(1, 40), rng.randint(1, 9)))
            for nodes in range(8, 8 + rng.randint(1, 2))
        ]
        for shape in shapes:
            bounds[shape] = shape.leaves_total + rng.randint(0, 40)
        listings.append(shapes)
    return listings, bounds


@pytest.mark.parametrize("seed", range(60))
def test_what_is_never_listed_is_no_runner_up(seed):
    """Read as far as need be, listings leave the same best and the same runners-up as listed in full; alike or not."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    listings, least = drawn(rng)
    kinds = {shape: 0 if seed % 2 else shape for shape in least}
    more = {kind: 30 * rng.randint(0, 4) for kind in kinds.values()}
    read: list[FatTreeShape] = []

    def outlined(shapes):
        for shape in shapes:
            yield Outline(shape.leaf_part, shape.spine_part, shape.leaves_total, 0, 0)
            read.append(shape)
            yield shape

    def realise(shape):
        return (least[shape] + more[kinds[shape]],), (least[shape] + more[kinds[shape]] // 3 * 2,), shape

    bounds = Bounds(lambda each: (each.leaves_total,), (lambda shape: (least[shape],),))
    rules = Rules(alike=kinds.get, remembers=remembers)
    whole = search(listings, bounds, realise, rules=rules)
    lazily = search(map(outlined, listings), bounds, realise, rules=rules)
    assert (lazily.shape, lazily.value, lazily.bound) == (whole.shape, whole.value, whole.bound)
    assert runners_up(lazily.others) == runners_up(whole.others)
    assert len(read) == len(set(read)) <= len(least)
