"""How checks are run: order, limits and gaps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.checks import CheckContext, _run, run
from fabric.checks._protocol import Check, Gap, error, info, warning
from fabric.model.design import Design
from fabric.model.report import NotChecked
from fabric.model.topology import Device, Topology

EMPTY = Design(None, None, Topology("fat_tree", {}, (), ()), name="empty")


def only_check(monkeypatch, *answers, needs=()):
    """Make one check that gives `answers` the only one of the room."""
    check = Check("made-up", frozenset(needs), lambda _ctx: iter(answers))
    monkeypatch.setattr(_run, "CHECKS", {"made-up": check})


def test_errors_stand_before_warnings_and_infos_by_object(monkeypatch):
    """Findings are sorted by severity, then by object."""
    only_check(monkeypatch, info("a", "…"), warning("a", "…"), error("b", "…"), error("a", "…"))
    findings, _ = run(CheckContext(EMPTY, None))
    assert [(each.severity, each.where) for each in findings] == [
        ("error", "a"),
        ("error", "b"),
        ("warning", "a"),
        ("info", "a"),
    ]
    assert {each.rule for each in findings} == {"made-up"}


def test_devices_stand_before_their_cables(monkeypatch):
    """What a rule says of a device explains what it says of cables, whatever their names."""
    only_check(monkeypatch, error("c-1", "…"), error("node", "…"))
    topology = Topology("fat_tree", {}, (Device("node", "node", None),), ())
    findings, _ = run(CheckContext(replace(EMPTY, topology=topology), None))
    assert [each.where for each in findings] == ["node", "c-1"]


def test_flood_is_counted(monkeypatch):
    """Of 1,000 errors of a rule 20 are listed, and one says how many more there are."""
    only_check(monkeypatch, *(error(f"link-{number:04d}", "…") for number in range(1000)))
    findings, _ = run(CheckContext(EMPTY, None))
    assert len(findings) == 21
    assert findings[-1].where == "link-0020"
    assert findings[-1].message.startswith("and 980 more")


def test_equal_answers_are_one(monkeypatch):
    """The same remark and the same gap twice are said once."""
    only_check(monkeypatch, error("a", "…"), Gap("unknown"), error("a", "…"), Gap("unknown"))
    findings, gaps = run(CheckContext(EMPTY, None))
    assert len(findings) == 1
    assert gaps == (NotChecked("made-up", "unknown"),)


def test_missing_need_is_named(monkeypatch):
    """A check that lacks a part of the design answers not checked, and is not run."""
    only_check(monkeypatch, error("a", "…"), needs=("floor_plan", "flow"))
    findings, gaps = run(CheckContext(EMPTY, None))
    assert findings == ()
    assert gaps == (NotChecked("made-up", "the design has no floor plan and no flow"),)


def test_undeclared_need_is_a_programming_error():
    """A part that a check did not name as its need is refused loudly, not passed over."""
    with pytest.raises(LookupError, match="did not name"):
        _ = CheckContext(EMPTY, None).cabling
