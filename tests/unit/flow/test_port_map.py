"""The port map's leaf-spine pipes."""

import numpy as np


def test_pipes_add_parallel_links(irregular):
    """A pipe is the sum of its links, and usable rate that of the uplinks towards common spines."""
    plane = irregular(3)
    pipes = plane.pipes
    for leaf in range(plane.leaf_count):
        for spine in range(plane.spine_count):
            links = (plane.uplink_leaf == leaf) & (plane.uplink_spine == spine)
            assert pipes.gbps[leaf, spine] == plane.uplink_gbps[links].sum()
            assert pipes.reached[leaf, spine] == links.any()
        for far in range(plane.leaf_count):
            common = pipes.gbps[far] > 0
            assert pipes.usable_gbps[leaf, far] == pipes.gbps[leaf, common].sum()


def test_keep_uplinks_drops_the_others(leaf_spine):
    """A failed uplink is gone with its index; endpoints stay."""
    plane = leaf_spine(2, 3, 4)
    kept = np.arange(8) != 5
    smaller = plane.keep_uplinks(kept)
    assert smaller.uplink_leaf.size == 7
    assert smaller.pipes.gbps[1, 1] == 0
    assert smaller.endpoint_leaf.size == 6


def test_a_plane_without_spines_has_empty_pipes(leaf_spine):
    """One tier: nothing is usable, and nothing fails."""
    plane = leaf_spine(1, 4, 0)
    assert plane.pipes.gbps.shape == (1, 0)
    assert plane.pipes.usable_gbps.tolist() == [[0.0]]
