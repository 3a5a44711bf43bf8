"""Even spread, against walking every endpoint pair link by link in exact fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fabric.flow.hashing import trunks_of
from fabric.flow.link_load import Direction, bottleneck, even_load
from fabric.model.network import Network
from fabric.routing import up_down


def load_of(plane: Network, leaf_bytes, sent, received):
    """Even load under up/down routing."""
    return even_load(plane, up_down.routes(plane), leaf_bytes, sent, received)


def walk_every_pair(plane: Network, pair_bytes: np.ndarray) -> tuple[list[Fraction], list[Fraction], set]:
    """Up and down load of each uplink, and the leaf pairs without a path, from a list of endpoint pairs."""
    links = list(zip(plane.link_a, plane.link_b, map(Fraction, plane.link_gbps), strict=True))
    up, down = [Fraction(0)] * len(links), [Fraction(0)] * len(links)
    cut = set()
    for source, a in enumerate(plane.endpoint_switch):
        for target, b in enumerate(plane.endpoint_switch):
            demand = Fraction(pair_bytes[source, target])
            if a == b or not demand:
                continue
            far_spines = {spine for leaf, spine, _ in links if leaf == b}
            usable = [i for i, (leaf, spine, _) in enumerate(links) if leaf == a and spine in far_spines]
            if not usable:
                cut.add((int(a), int(b)))
            for i in usable:
                part = demand * links[i][2] / sum(links[j][2] for j in usable)
                up[i] += part
                below = [j for j, link in enumerate(links) if link[:2] == (b, links[i][1])]
                for j in below:
                    down[j] += part * links[j][2] / sum(links[k][2] for k in below)
    return up, down, cut


@pytest.mark.parametrize("seed", range(12))
def test_equals_walking_every_pair(irregular, seed):
    """Random planes with parallel, missing and unequal links carry exactly what each pair puts on them."""
    plane = irregular(seed)
    pair_bytes = np.random.default_rng(seed).integers(0, 50, size=(12, 12))
    np.fill_diagonal(pair_bytes, 0)
    member = np.eye(plane.edge_count)[plane.endpoint_switch]
    load = load_of(plane, member.T @ pair_bytes @ member, pair_bytes.sum(axis=1) * 1.0, pair_bytes.sum(axis=0) * 1.0)
    up, down, cut = walk_every_pair(plane, pair_bytes)
    assert load.link_up_bytes == pytest.approx([float(share) for share in up], rel=1e-12, abs=1e-12)
    assert load.link_down_bytes == pytest.approx([float(share) for share in down], rel=1e-12, abs=1e-12)
    assert {tuple(pair) for pair in load.unreachable.tolist()} == cut


def test_random_planes_include_cut_pairs(irregular):
    """The planes above would prove little if all their leaves were connected."""
    cuts = [(trunks_of(irregular(seed)).usable_gbps == 0).any() for seed in range(12)]
    assert any(cuts)


def test_a_dead_link_frees_its_spine_for_nobody_else(leaf_spine):
    """Towards the leaf that lost spine 0, others use the other three; between others all four stay in use."""
    plane = leaf_spine(3, 4, 4)
    dead = (plane.link_a == 0) & (plane.link_b == 3)
    leaf_bytes = np.full((3, 3), 12.0)
    idle = np.zeros(12)
    load = load_of(plane.without(np.zeros(12, dtype=bool), dead), leaf_bytes, idle, idle)
    assert load.link_up_bytes[:3] == pytest.approx([8, 8, 8])
    assert load.link_up_bytes[3:7] == pytest.approx([3, 7, 7, 7])
    assert load.link_down_bytes[3:7] == pytest.approx([3, 7, 7, 7])


def test_traffic_inside_a_leaf_stays_there(leaf_spine):
    """The diagonal of the demand touches no uplink."""
    load = load_of(leaf_spine(2, 2, 2), np.diag([5.0, 5.0]), np.ones(4), np.ones(4))
    assert load.link_up_bytes.sum() == 0
    assert load.unreachable.size == 0


def test_bottleneck_is_time_not_bytes(leaf_spine):
    """A slow link with fewer bytes is the bottleneck: 50,000 bytes at 400 Gb/s take 1 us."""
    plane = leaf_spine(2, 1, 1)
    sent = np.array([50_000.0, 10_000.0])
    load = load_of(plane, np.array([[0, 50_000.0], [10_000.0, 0]]), sent, sent[::-1])
    worst = bottleneck(plane, load)
    assert (worst.direction, worst.index) == (Direction.ENDPOINT_UP, 0)
    assert worst.time_us == pytest.approx(1.0)
    slow = replace(plane, link_gbps=np.array([400.0, 40.0]))
    worst = bottleneck(slow, load_of(slow, np.array([[0, 50_000.0], [10_000.0, 0]]), sent, sent[::-1]))
    assert (worst.direction, worst.index) == (Direction.LINK_DOWN, 1)
    assert worst.time_us == pytest.approx(10.0)


def test_idle_plane_names_its_first_arc(leaf_spine):
    """Without demand nothing takes time."""
    plane = leaf_spine(2, 2, 2)
    worst = bottleneck(plane, load_of(plane, np.zeros((2, 2)), np.zeros(4), np.zeros(4)))
    assert (worst.direction, worst.index, worst.time_us) == (Direction.ENDPOINT_UP, 0, 0.0)
