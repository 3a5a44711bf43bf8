"""The bench itself: that it measures what it says, on sizes small enough for every day."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture(scope="module")
def run(script):
    """The bench script as a module."""
    return script("run")


def test_yardstick_writes_and_reads_one_row_a_link(run, tmp_path):
    """The table holds as many lines as rows were asked, and its time is positive."""
    assert run.yardstick_s(tmp_path, rows=100) > 0
    assert len((tmp_path / "yardstick.csv").read_text().splitlines()) == 100


def test_case_runs_the_whole_command(run, tmp_path):
    """A case is designed in a process of its own: 2 nodes of 8 ports are 16 links."""
    usage, links = run.run_case(run.roce(2), tmp_path, repeats=1)
    assert links == 16
    assert usage.wall_s > 0
    assert usage.peak_bytes > run.MEBIBYTE
    assert (tmp_path / "roce-16" / "cabling" / "connections.xlsx").is_file()


def test_failing_command_is_no_measurement(run):
    """A run that stops on an error raises instead of counting as a fast one."""
    with pytest.raises(subprocess.CalledProcessError):
        run.run_command(("design", "no-such-request"))


def test_phases_cover_the_whole_job(run, tmp_path):
    """Every phase is timed once, in the order of the work."""
    took_s = run.phases_s(run.infiniband(2), tmp_path)
    assert list(took_s) == ["catalog", "request", "shapes", "layout", "settings", "judge", "write"]
    assert all(seconds > 0 for seconds in took_s.values())


def test_growth_is_the_exponent(run):
    """Eight times the links in eight times the time are linear, in 64 times quadratic."""
    assert run.growth((1.0, 1000), (8.0, 8000)) == pytest.approx(1.0)
    assert run.growth((1.0, 1000), (64.0, 8000)) == pytest.approx(2.0)


def test_shipped_cases_have_the_promised_sizes(run):
    """128, 1,024 and 8,192 endpoints on RoCE, 10,368 on InfiniBand."""
    assert [case.nodes * 8 for case in run.CASES] == [128, 1024, 8192, 10368]
