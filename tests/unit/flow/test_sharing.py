"""Links that jobs share: closed forms, and the same by filling every link bit by bit and walking every moment."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.flow import sharing
from fabric.flow.sharing import MOST_CHANGES, Claims, Cycle, fair_share, lasting_us, moments


def _cycle(*states, wanted=1.0):
    """A job on one arc: (us, whether it sends) each; it wants so much of the arc when it does."""
    lasts_us, use = zip(*states, strict=True)
    return Cycle(np.array(lasts_us, dtype=float), np.array(use, dtype=int), np.array([[0.0], [wanted]]))


def _whole_us(cycles, alone_us=100.0):
    def whole_us(uses, _):
        wanted = [cycle.wanted[use.ravel(), 0] for cycle, use in zip(cycles, uses, strict=True)]
        return (alone_us / fair_share(np.array(wanted))).reshape(uses.shape[1:])

    return whole_us


@pytest.mark.parametrize(
    ("wanted", "share"),
    [
        ([], 1.0),
        ([0.0], 1.0),
        ([0.25], 0.75),
        ([0.5], 0.5),
        ([1.0], 0.5),
        ([1.0, 1.0], 1 / 3),
        ([0.2, 1.0], 0.4),
        ([0.1, 0.2], 0.7),
        ([0.1, 0.2, 0.9], 0.35),
    ],
)
def test_shares_by_hand(wanted, share):
    """What small wishes leave, and no less than an equal part."""
    assert fair_share(np.array(wanted).reshape(-1, 1)) == pytest.approx([share])


def _filled(wanted: list[float]) -> float:
    """Share of the greedy job when all rates rise together, those with a wish until they have it."""
    have, greedy, left = [0.0] * len(wanted), 0.0, 1.0
    while left > 1e-15:
        rising = [job for job, wish in enumerate(wanted) if wish - have[job] > 1e-15]
        step = min([left / (len(rising) + 1), *(wanted[job] - have[job] for job in rising)])
        for job in rising:
            have[job] += step
        greedy += step
        left -= step * (len(rising) + 1)
    return greedy


def test_shares_of_every_link_as_by_filling_it():
    """Water filling of one link after the other; the order of the others does not count."""
    rng = np.random.default_rng(4)
    wanted = rng.random((5, 200)) * (rng.random((5, 200)) < 0.7)
    found = fair_share(wanted)
    assert found == pytest.approx([_filled(column) for column in wanted.T.tolist()])
    assert fair_share(wanted[::-1]) == pytest.approx(found)
    assert found.min() >= 1 / 6
    assert found.max() <= 1


def test_only_the_longest_link_counts():
    """A shared link that stays shorter than another costs nothing; one that becomes the longest does."""
    own_us, uses = np.array([100.0, 40.0, 0.0]), np.array([[0, 1], [0, 1]])
    wanted = [np.array([[0.0, 0.5, 1.0], [0.0, 1.0, 1.0]]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])]
    assert Claims(own_us, wanted[:1]).stretches(uses[:1]).tolist() == [1.0, 1.0]
    assert Claims(own_us * [1, 2, 1], wanted).stretches(uses) == pytest.approx([1.6, 2.4])
    assert Claims(np.zeros(3), wanted).stretches(uses).tolist() == [1.0, 1.0]
    assert Claims(np.zeros(0), [each[:, :0] for each in wanted]).stretches(uses).tolist() == [1.0, 1.0]
    assert Claims(own_us, []).stretches(uses[:0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("most", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("others", [1, 3, 12])
def test_the_longest_link_of_every_moment_is_found(monkeypatch, most, others):
    """Links idle and full, some equally long: as by filling every link at every moment, however many at once."""
    rng = np.random.default_rng(others)
    own_us = np.repeat(rng.random(20), 2) * 100
    wanted = [rng.random((3, 40)) * most * (rng.random((3, 40)) < 0.8) for _ in range(others)]
    uses = rng.integers(0, 3, size=(others, 50))
    found = Claims(own_us, wanted).stretches(uses)
    for moment, stretched in enumerate(found.tolist()):
        told = np.array([rows[use] for rows, use in zip(wanted, uses[:, moment], strict=True)])
        assert stretched == pytest.approx((own_us / fair_share(told)).max() / own_us.max(), rel=1e-12)
    monkeypatch.setattr(sharing, "_MOST_CELLS", 100)
    assert Claims(own_us, wanted).stretches(uses) == pytest.approx(found, rel=1e-12)


def test_work_alone_lasts_as_long_as_it_takes():
    """Nobody else: nothing changes, and there is nothing to draw."""
    begin_us = moments((), 4, 1)
    assert begin_us.shape == (4, 0)
    assert lasting_us((), begin_us, lambda *_: np.array([[3.0, 0.0, 5.0, 7.0]])).tolist() == [3.0, 0.0, 5.0, 7.0]


@pytest.mark.parametrize(("wanted", "lasts_us"), [(0.25, 400 / 3), (0.5, 200.0), (1.0, 200.0)])
def test_beside_one_that_never_rests(wanted, lasts_us):
    """What it leaves, or half."""
    cycles = (_cycle((50.0, 1), wanted=wanted),)
    assert lasting_us(cycles, moments(cycles, 9, 1), _whole_us(cycles)) == pytest.approx(np.full(9, lasts_us))


def test_short_work_meets_one_state_and_long_work_all():
    """Beside a job that fills the link a quarter of its time: 100 or 200 us, or 100 over the mean rate of 7/8."""
    slow, quick = (_cycle((3 * unit, 0), (unit, 1)) for unit in (1e6, 0.1))
    lasts_us = lasting_us((slow,), moments((slow,), 1000, 1), _whole_us((slow,)))
    assert np.unique(lasts_us.round(6)).tolist()[0] == 100
    assert (lasts_us > 199).mean() == pytest.approx(0.25, abs=0.002)
    assert lasting_us((quick,), moments((quick,), 1000, 1), _whole_us((quick,))) == pytest.approx(100 / 0.875, rel=0.01)


def test_work_as_by_walking_every_moment():
    """Two others with cycles of their own: as by small steps."""
    cycles = (_cycle((30.0, 0), (25.0, 1)), _cycle((7.0, 1), (40.0, 0), (11.0, 1), wanted=0.3))
    begin_us, step_us = moments(cycles, 4, 3), 0.05
    lasts_us = lasting_us(cycles, begin_us, _whole_us(cycles))
    whole_us = _whole_us(cycles)
    for sample, start_us in enumerate(begin_us):
        done, now_us = 0.0, 0.0
        while done < 1:
            uses = []
            for cycle, start in zip(cycles, start_us, strict=True):
                into_us = (start + now_us) % cycle.lasts_us.sum()
                uses.append(cycle.use[np.searchsorted(np.cumsum(cycle.lasts_us), into_us, side="right")])
            done += step_us / whole_us(np.array(uses).reshape(-1, 1, 1), None)[0, 0]
            now_us += step_us
        assert lasts_us[sample] == pytest.approx(now_us, abs=0.3)


def test_changes_seen_at_once_make_no_difference(monkeypatch):
    """As many at a time as memory allows, or each by itself."""
    cycles = (_cycle((3.0, 0), (2.5, 1)), _cycle((0.7, 1), (4.0, 0), (1.1, 1), wanted=0.3))
    begin_us = moments(cycles, 40, 3)
    found = lasting_us(cycles, begin_us, _whole_us(cycles))
    monkeypatch.setattr(sharing, "_MOST_CELLS", 1)
    assert lasting_us(cycles, begin_us, _whole_us(cycles)).tolist() == found.tolist()


def test_work_lasts_from_once_to_as_many_times_as_there_are_jobs():
    """Whatever three others do: never faster than alone, never slower than with a quarter of the link."""
    rng = np.random.default_rng(2)
    cycles = tuple(_cycle(*((us, place % 2) for place, us in enumerate(rng.random(4) * 90 + 1))) for _ in range(3))
    lasts_us = lasting_us(cycles, moments(cycles, 500, 5), _whole_us(cycles))
    assert lasts_us.min() >= 100
    assert lasts_us.max() <= 400 + 1e-9


def test_after_many_changes_work_goes_on_at_its_mean_rate():
    """A job that changes a thousand times as often as is followed costs what it costs on average."""
    cycles = (_cycle((0.0005, 0), (0.0005, 1)),)
    lasts_us = lasting_us(cycles, moments(cycles, 50, 1), _whole_us(cycles))
    assert MOST_CHANGES * 0.0005 < 1
    assert lasts_us == pytest.approx(np.full(50, 100 / 0.75), rel=0.02)


def test_moments_meet_every_state_in_proportion():
    """One in each part of a cycle, the same for the same seed, and no job's time tells another's."""
    cycles = (_cycle((1.0, 0), (3.0, 1)), _cycle((10.0, 1)))
    drawn = moments(cycles, 100, 7)
    assert np.array_equal(drawn, moments(cycles, 100, 7))
    assert not np.array_equal(drawn, moments(cycles, 100, 8))
    assert (drawn[:, 0] < 1).sum() == 25
    assert np.floor(np.sort(drawn[:, 1]) * 10).tolist() == list(range(100))
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.3
    assert cycles[0].mean == pytest.approx([0.75])
