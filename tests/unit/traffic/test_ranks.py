"""Where ranks stand: whole domains, shared domains, rails, orders, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.errors import InputError
from fabric.traffic.ranks import Order, in_order, seat

UNITS = np.array([0, 0, 0, 1, 1, 2])


def test_jobs_fill_whole_domains():
    """16 ranks on domains of 8 take two each; five domains hold two jobs."""
    ranks = seat(16, None, np.arange(5), 8)
    assert ranks.jobs == 2
    assert ranks.domain.tolist() == [0] * 8 + [1] * 8 + [2] * 8 + [3] * 8
    assert ranks.per_domain == 8


def test_small_jobs_share_a_domain():
    """4 ranks on domains of 8: two jobs a domain, the second on the upper accelerators."""
    ranks = seat(4, 2, np.arange(2), 8)
    assert ranks.domain.tolist() == [0] * 8
    assert ranks.index.tolist() == list(range(8))


def test_by_rail_takes_one_accelerator_of_every_domain():
    """Jobs of 3 on domains of 2: the first on accelerator 0 of three domains, the second on 1, then the next three."""
    ranks = seat(3, None, np.arange(6), 2, by_rail=True)
    assert ranks.jobs == 4
    assert ranks.domain.tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]
    assert ranks.index.tolist() == [0] * 3 + [1] * 3 + [0] * 3 + [1] * 3
    assert ranks.per_domain == 1


@pytest.mark.parametrize(
    ("size", "jobs", "by_rail", "said"),
    [
        (64, 1, False, "1 job of 64 ranks do not fit: 6 domains of 8 accelerators hold 0 (whole domains a job)"),
        (16, 4, False, "4 jobs of 16 ranks do not fit: 6 domains of 8 accelerators hold 3 (whole domains a job)"),
        (4, 13, False, "13 jobs of 4 ranks do not fit: 6 domains of 8 accelerators hold 12 (jobs within a domain)"),
        (7, None, True, "1 job of 7 ranks do not fit: 6 domains of 8 accelerators hold 0 (one a domain)"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_arithmetic(size, jobs, by_rail, said):
    """Jobs, ranks, domains, accelerators, and how many there is room for."""
    with pytest.raises(InputError) as caught:
        seat(size, jobs, np.arange(6), 8, by_rail=by_rail)
    assert said in str(caught.value)


def test_orders():
    """Packed by number, spread over units in turn, random by seed and a permutation."""
    assert in_order(Order.PACKED, UNITS, 1).tolist() == [0, 1, 2, 3, 4, 5]
    assert in_order(Order.SPREAD, UNITS, 1).tolist() == [0, 3, 5, 1, 4, 2]
    first, second = in_order(Order.RANDOM, UNITS, 1), in_order(Order.RANDOM, UNITS, 2)
    assert sorted(first.tolist()) == sorted(second.tolist()) == [0, 1, 2, 3, 4, 5]
    assert first.tolist() == in_order(Order.RANDOM, UNITS, 1).tolist() != second.tolist()
