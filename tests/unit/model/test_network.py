"""The arrays of a plane."""

import numpy as np


def test_pipes_add_parallel_links(leaf_spine):
    """Eight uplinks to four spines: pipes of two links each, in both directions the same."""
    plane = leaf_spine(2, 3, 8, 4)
    pipes = plane.pipes
    assert pipes.a.tolist() == [0] * 4 + [1] * 4
    assert pipes.b.tolist() == [2, 3, 4, 5] * 2
    assert pipes.gbps.tolist() == [800.0] * 8
    assert (pipes.a[pipes.of_link] == plane.link_a).all()
    assert (plane.arc_from[8:] == plane.arc_to[:8]).all()


def test_what_is_down_is_gone(leaf_spine):
    """A failed link and a failed endpoint are gone with their places; switches stay."""
    plane = leaf_spine(2, 3, 4)
    smaller = plane.without(np.arange(6) == 1, np.arange(8) == 5)
    assert (smaller.endpoint_switch.size, smaller.link_a.size, smaller.switch_count) == (5, 7, 6)
    assert (smaller.link_a[5], smaller.link_b[5]) == (1, 4)


def test_one_switch_has_no_pipes(leaf_spine):
    """One tier has no link between switches, and nothing fails."""
    assert leaf_spine(1, 4, 0).pipes.gbps.size == 0
