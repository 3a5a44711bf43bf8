"""Marking thresholds: choice, rounding, bounds."""

import math

import pytest

from fabric.catalog.constants import EcnProfile
from fabric.errors import CatalogError, InputError
from fabric.lossless.ecn import (
    alpha,
    choose_profile,
    dynamic_threshold_bytes,
    equal_share_bytes,
    grades,
    marking,
    static_pause_bound_bytes,
    strict_kmin_bound_bytes,
)

ROCE = EcnProfile(
    profile="roce",
    kmin_bytes=150_000,
    kmax_bytes=1_500_000,
    pmax_pct=100.0,
    preferred_chips=("spectrum-4",),
    sources=("a", "b"),
    confidence="datasheet",
)
FALLBACK = ROCE.model_copy(update={"profile": "fallback", "preferred_chips": (), "is_fallback": True})


def test_profile_preferred_for_the_chip_wins():
    """A chip without its own profile gets the fallback."""
    assert choose_profile([FALLBACK, ROCE], "spectrum-4") is ROCE
    assert choose_profile([FALLBACK, ROCE], "tomahawk-6") is FALLBACK


def test_ambiguous_profiles_are_refused():
    """Two profiles for one chip, or none at all, is a fault of the catalog."""
    with pytest.raises(CatalogError, match="spectrum-4: exactly one ECN profile must apply, found roce, again"):
        choose_profile([ROCE, ROCE.model_copy(update={"profile": "again"})], "spectrum-4")
    with pytest.raises(CatalogError, match="found none"):
        choose_profile([ROCE], "tomahawk-6")


def test_thresholds_are_whole_cells():
    """150,000 bytes is 781.25 cells of 192 bytes: 782 cells; without a known cell it stays."""
    marks = marking(ROCE, 400, 192)
    assert (marks.kmin_bytes, marks.kmax_bytes) == (782 * 192, 7813 * 192)
    assert marking(ROCE, 400, None).kmin_bytes == 150_000


def test_thresholds_grow_with_the_rate_where_the_profile_says_so():
    """HPCC's set: 100 kB and 400 kB per 25 Gb/s, so 1.6 and 6.4 MB at 400G.

    Source: alibaba-edu/High-Precision-Congestion-Control simulation/mix/config_doc.txt.
    """
    hpcc = ROCE.model_copy(
        update={"kmin_bytes": 100_000, "kmax_bytes": 400_000, "pmax_pct": 20.0, "reference_gbps": 25}
    )
    marks = marking(hpcc, 400, None)
    assert (marks.kmin_bytes, marks.kmax_bytes, marks.pmax_pct) == (1_600_000, 6_400_000, 20.0)


@pytest.mark.parametrize("wrong", [{"kmin_bytes": 0}, {"kmax_bytes": 100}, {"pmax_pct": 0.0}, {"pmax_pct": 101.0}])
def test_senseless_profile_is_refused(wrong):
    """Thresholds must rise and the probability lie in (0, 100]."""
    with pytest.raises(CatalogError, match="needs 0 < kmin <= kmax and 0 < pmax <= 100 %"):
        marking(ROCE.model_copy(update=wrong), 400, 192)


@pytest.mark.parametrize(("exponent", "factor"), [(-8, 0.0), (-3, 0.125), (0, 1.0), (6, 64.0), (7, math.inf)])
def test_alpha(exponent, factor):
    """2^n; -8 means nothing and 7 no limit. Source: opencomputeproject/SAI@91e6b860 inc/saibuffer.h."""
    assert alpha(exponent) == factor


@pytest.mark.parametrize("factor", [0.125, 1.0, 8.0])
@pytest.mark.parametrize("queues_count", [1, 7])
def test_equal_share_is_where_the_threshold_meets_the_queue(factor, queues_count):
    """Queues that each hold the equal share leave exactly a threshold of that share."""
    share = equal_share_bytes(1e6, queues_count, factor)
    assert dynamic_threshold_bytes(1e6, queues_count * share, factor) == pytest.approx(share)


def test_share_at_the_ends():
    """No limit: the pool divided; factor 0: nothing; an overfull pool has no threshold left."""
    assert equal_share_bytes(1e6, 4, math.inf) == 250_000
    assert equal_share_bytes(1e6, 4, 0.0) == 0
    assert dynamic_threshold_bytes(100, 200, 1.0) == 0


def test_bounds_of_dcqcn():
    """12 MB, 32 ports, 8 priorities, 22.4 kB in flight, beta 8: 24.475 and 21.756 kB (text 24.47 and 21.75).

    Source: Zhu et al., DCQCN (Congestion Control for Large-Scale RDMA Deployments), as public notes quote it.
    """
    assert static_pause_bound_bytes(12e6, 32, 22_400) == pytest.approx(24_475)
    shared_bytes = 12e6 - 8 * 32 * 22_400
    assert strict_kmin_bound_bytes(shared_bytes, 32, 8, factor=8 / 8) == pytest.approx(21_756, abs=0.5)


def test_strict_bound_without_a_share():
    """A group that gets nothing from the pool pauses at once."""
    assert strict_kmin_bound_bytes(1e6, 32, 2, 0.0) == 0


def test_grades_of_a_shipped_configuration():
    """Arista 7260CX3: pool 33.3 MB, xoff 7.8 MB, 64 ports, 2 priorities, alpha 1: bound 0.13 MB, Kmin 2 MB.

    Source: sonic-net/sonic-buildimage@086b03bd device/arista/x86_64-arista_7260cx3_64.
    """
    marks = marking(ROCE.model_copy(update={"kmin_bytes": 2_000_000, "kmax_bytes": 10_000_000}), 100, None)
    found = grades(marks, 33.3e6 - 7.8e6, 0, ports_count=64, priorities_count=2)
    assert found.pause_bytes == pytest.approx(12.75e6)
    assert found.strict_bytes == pytest.approx(0.13e6, abs=0.005e6)
    assert (found.must, found.should, found.strict) == (True, True, False)


def test_grades_fail_one_by_one():
    """As the pool shrinks, the strict bound goes first, then Kmax, then Kmin."""
    marks = marking(ROCE, 400, None)
    pools = (1e9, 1e7, 2.9e6, 2.9e5)
    found = [grades(marks, pool, 0, ports_count=64, priorities_count=1) for pool in pools]
    assert [(grade.must, grade.should, grade.strict) for grade in found] == [
        (True, True, True),
        (True, True, False),
        (True, False, False),
        (False, False, False),
    ]


def test_grades_need_a_pool():
    """Without a shared pool nothing can be judged."""
    with pytest.raises(InputError, match="need a shared pool"):
        grades(marking(ROCE, 400, None), 0, 0, ports_count=64, priorities_count=1)
