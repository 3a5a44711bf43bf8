"""How queue pairs are told apart by what they carry."""

import numpy as np
import pytest

from fabric.traffic.flow_sizes import Flows, classes_of_two, most_sizes, size_classes


def test_few_sizes_are_classes_of_their_own():
    """Three sizes and nothing: from the largest on, idle entries in none."""
    classes = size_classes(np.array([2.0, 0.0, 5.0, 1.0, 2.0]), 4)
    assert [np.flatnonzero(each).tolist() for each in classes] == [[2], [0, 4], [3]]
    assert size_classes(np.zeros(3), 4) == []


@pytest.mark.parametrize(("least", "width"), [(0.5, 2 ** (1 / 8)), (1e-6, 2.0)])
def test_many_sizes_share_classes_equally_wide(least, width):
    """At most eight: no two of one class are farther apart than a class is wide, but for those of the last."""
    amount = np.geomspace(least, 1.0, 500)
    classes = size_classes(amount, 8)
    assert len(classes) <= 8
    assert sum(each.sum() for each in classes) == 500
    assert all(amount[each].max() <= amount[each].min() * width * (1 + 1e-6) for each in classes[:-1])


def test_classes_of_senders_and_takers_multiply():
    """Senders alike leave all classes to takers; where both differ, products stay within the most."""
    one, other = classes_of_two((np.ones(50), np.geomspace(0.1, 1, 50)), 16)
    assert (len(one), len(other) <= 16) == (1, True)
    one, other = classes_of_two((np.geomspace(0.1, 1, 50), np.geomspace(0.1, 1, 50)), 16)
    assert len(one) * len(other) <= 16
    assert (most_sizes(8), most_sizes(1024), most_sizes(10_000)) == (16, 8, 1)


def test_whole_queue_pairs_are_as_many_as_of_one_size():
    """Expected numbers below one of several sizes: rounded together, at least one in all."""
    by_size = np.array([[[0.3, 0.0], [0.1, 2.6]], [[0.3, 0.0], [0.1, 2.6]], [[0.3, 0.0], [0.1, 2.6]]])
    found = Flows(by_size, np.ones(3), np.ones(2), np.ones(2)).whole
    assert found.sum(axis=0).tolist() == [[1, 0], [1, 8]]
    assert (found >= 0).all()
