"""The bench beside CP-SAT: that gaps and times are those of the same problem, on one small enough for every day."""

from __future__ import annotations

import pytest

from fabric.layout.site_search import search_sites


@pytest.fixture(scope="module")
def opinion(script):
    """The bench script as a module."""
    return script("opinion")


@pytest.fixture(scope="module")
def problem(opinion):
    """Three pods of eight nodes in seven racks."""
    return opinion.problem_of(24, 1, 7)


def test_gap_counts_from_when_it_was_first_reached(opinion):
    """An answer, then a bound that halves the gap, then nothing worth telling."""
    progress = opinion.Progress()
    progress.note(None, 40.0)
    progress.note(100.0, 50.0)
    progress.note(None, 75.0)
    progress.note(100.0, 75.01)
    assert progress.end().gap == pytest.approx(0.25)
    assert progress.end().time_s == progress.gaps[1].time_s


def test_no_answer_takes_all_the_time(opinion):
    """A bound alone has no gap, however long it took."""
    progress = opinion.Progress()
    progress.note(None, 40.0)
    assert progress.end().gap is None
    assert progress.end().time_s > 0


def test_answer_is_a_hint_that_holds(opinion, problem):
    """Every variable has its value in our answer, which CP-SAT takes at once and proves not to be better."""
    best, bound_cost = search_sites(problem)
    assert bound_cost == best.cost
    reached = opinion.cp_sat(problem, best, time_s=3)
    assert reached.gap is not None
    assert len(opinion.hinted(problem, best)) == len(opinion.reference().model_of(problem).proto.variables)


def test_our_time_is_that_of_the_gap_asked(opinion, problem):
    """Any answer is enough for a gap of all there is; none is closer than what our search ends with."""
    assert opinion.ours(problem, 1.0).gap == opinion.ours(problem, opinion.ours(problem, 1.0).gap).gap < 1
    assert opinion.ours(problem, -1.0).gap == 0


def test_each_hall_is_said(opinion):
    """Two lines a hall, the second with the ratio."""
    said = []
    opinion.bench({"3 pods": (24, 1, 7)}, said.append, time_s=1)
    assert len(said) == 2
    assert "CP-SAT" in said[1]
