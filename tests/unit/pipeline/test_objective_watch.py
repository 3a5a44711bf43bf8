"""What a search says while it runs, and what ends it."""

from __future__ import annotations

from fabric.layout.search import Stop, search
from fabric.layout.waiting import Bounds
from fabric.pipeline.watch import Watch

SHAPES = (((100_00,), (900_00,)), ((200_00,), (400_00,)), ((300_00,), (300_00,)))
"""Bound and value [cents] of three shapes, none of which the bound of another rules out before it is laid out."""


def run(watch, work_limit=9):
    """The search over `SHAPES`, saying what it lays out."""

    def realise(shape):
        watch.say("laying out")
        return shape[1], shape[0], None

    return search([SHAPES], Bounds(lambda shape: shape[0]), realise, Stop(work_limit, watch))


def test_progress_holds_incumbent_bound_and_gap():
    """Before the second shape: 900 found, 100 proved, so 88.9 % are open; before the third 400 and still 100."""
    lines = []
    run(Watch("capex", lines.append))
    assert lines == [
        "laying out; 0 of 3 shapes laid out",
        "laying out; 1 of 3 shapes laid out, best 900, bound 100 planning USD, gap 88.9%",
        "laying out; 2 of 3 shapes laid out, best 400, bound 100 planning USD, gap 75.0%",
    ]


def test_power_is_told_in_watts():
    """90,000 mW are 90 W."""
    lines = []
    run(Watch("power", lines.append))
    assert "best 90, bound 10 W" in lines[1]


def test_each_limit_says_that_it_ended_the_search():
    """Work: two shapes, one left open. Time: the same words but for the warning that runs may differ."""
    watch = Watch("capex", lambda _: None)
    found = run(watch, work_limit=2)
    notes = list(watch.notes(found.laid_out, found.left_open))
    assert notes == ["search: ended by the work limit, shapes laid out 2, left open 1"]
    assert list(watch.notes(3, 0)) == []


def test_time_ends_a_search_and_says_so(monkeypatch):
    """A clock that jumps 10 s a look passes 15 s before the second shape."""
    ticks = iter(range(0, 100, 10))
    monkeypatch.setattr("fabric.pipeline.watch.monotonic", lambda: float(next(ticks)))
    watch = Watch("capex", lambda _: None, 15.0)
    found = run(watch)
    assert (found.value, found.bound, found.laid_out, found.left_open) == ((900_00,), (100_00,), 1, 2)
    words = "search: ended by --time-limit 15, shapes laid out 1, left open 2; another run may end elsewhere"
    assert list(watch.notes(found.laid_out, found.left_open)) == [words]
