"""`fabric design --pareto` and the limits on a search, from the command line to the files."""

from __future__ import annotations

import itertools
import json

import pytest

from fabric.cli.app import run

WIDER = "  parameters: {spines: 2}\n"
"""Line of the small request that fixes its spines; without it there is a choice of shapes."""


@pytest.fixture(scope="module")
def open_request(request_file, tmp_path_factory):
    """The small request with a choice of spines and up to 2:1."""
    path = tmp_path_factory.mktemp("open") / "request.yaml"
    text = request_file.read_text()
    assert WIDER in text
    path.write_text(
        text.replace(WIDER, "  oversubscription: 2\n").replace("media: {leaf_spine: [mmf]}", "min_spines: 2")
    )
    return path


@pytest.fixture(scope="module")
def front_folder(open_request, tmp_path_factory):
    """The folder of its design with a front."""
    folder = tmp_path_factory.mktemp("front") / "out"
    assert run(["design", str(open_request), "--pareto", "-o", str(folder), "--quiet"]) == 0
    return folder


def values_of(row):
    """Cost, power and latency of a row of the front."""
    return tuple(float(row[key]) for key in ("cost", "power_w", "p99_us"))


def test_no_point_is_as_good_as_another(front_folder, rows_of):
    """Of any two points each is better in something; they stand by rising cost and are numbered so."""
    rows = rows_of(front_folder / "pareto.csv")
    assert len(rows) >= 2
    values = [values_of(row) for row in rows]
    assert values == sorted(values)
    assert [row["point"] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
    for a, b in itertools.permutations(values, 2):
        assert any(ours < theirs for ours, theirs in zip(a, b, strict=True))


def test_the_chosen_design_is_on_the_front(front_folder, rows_of):
    """The design by capex is the first point: nothing costs less, and it has that point's value and time."""
    report = json.loads((front_folder / "report.json").read_text())
    first = rows_of(front_folder / "pareto.csv")[0]
    assert float(first["cost"]) == pytest.approx(report["optimality"]["objective"])
    assert first["cost_unit"] == report["optimality"]["unit"]
    assert float(first["known_power_w"]) == pytest.approx(report["power_w"]["total"])
    # Points are timed before their cables are chosen: propagation is in the report alone.
    assert float(first["p99_us"]) == pytest.approx(report["workloads"][0]["time_us"]["p99"], rel=2e-3)


def test_the_ends_of_the_front_are_designs_by_one_objective(open_request, front_folder, tmp_path, rows_of):
    """Asked for power alone, the design draws what the point of least power draws."""
    path = tmp_path / "request.yaml"
    path.write_text(f"{open_request.read_text()}objective: power\n")
    assert run(["design", str(path), "-o", str(tmp_path / "out"), "--quiet"]) == 0
    value = json.loads((tmp_path / "out" / "report.json").read_text())["optimality"]["objective"]
    assert min(float(row["power_w"]) for row in rows_of(front_folder / "pareto.csv")) == pytest.approx(value)


def test_the_picture_survives_rendering(front_folder, tmp_path, content_of):
    """`fabric render` draws the front again from its table, the same bytes, also into another folder."""
    before = content_of(front_folder)
    assert "plots/pareto.svg" in before
    assert run(["render", str(front_folder), "--quiet"]) == 0
    assert content_of(front_folder) == before
    assert run(["render", str(front_folder), "--only", "plots", "-o", str(tmp_path / "again"), "--quiet"]) == 0
    again = content_of(tmp_path / "again")
    assert {name: again[name] for name in ("pareto.csv", "plots/pareto.svg")} == {
        name: before[name] for name in ("pareto.csv", "plots/pareto.svg")
    }


def test_printed_table(capsys, request_file, tmp_path):
    """A heading, a line per point, and how many designs it took; then the report."""
    assert run(["design", str(request_file), "--pareto", "--work-limit", "1", "-o", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:5] == ["point", "family", "cost", "power", "kW"]
    assert lines[1].split()[:2] == ["1", "fat-tree"]
    assert "planning USD" in lines[1]
    assert lines[2].startswith("front: 1 points of 1 designs laid out")
    assert lines[3] == "small: pass"


def test_json_stays_the_report_alone(capsys, request_file, tmp_path):
    """The front is in its files; stdout holds the bytes of `report.json`."""
    words = ["design", str(request_file), "--pareto", "--work-limit", "1", "--format", "json"]
    assert run([*words, "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.encode() == (tmp_path / "out" / "report.json").read_bytes()


def test_a_limit_on_the_front_is_recorded(open_request, tmp_path, rows_of):
    """One design laid out is one point, and the report says how many candidates stayed open and by what."""
    words = ["design", str(open_request), "--pareto", "--work-limit", "1", "-o", str(tmp_path / "out"), "--quiet"]
    assert run(words) == 0
    assert len(rows_of(tmp_path / "out" / "pareto.csv")) == 1
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    (note,) = [note for note in report["assumptions"] if note.startswith("front:")]
    assert note.startswith("front: designs laid out 1, candidates left open ")
    assert note.endswith(" by the work limit")


def test_no_time_is_exit_4(capsys, request_file, tmp_path):
    """Nothing was laid out in a nanosecond: no answer, no folder, and no word of infeasible."""
    words = ["design", str(request_file), "--time-limit", "1e-9", "-o", str(tmp_path / "out")]
    assert run(words) == 4
    assert "within the limit" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_time_to_spare_changes_no_byte(request_file, designed, tmp_path, content_of):
    """A limit that was not reached leaves no trace."""
    assert run(["design", str(request_file), "--time-limit", "3600", "-o", str(tmp_path / "out"), "--quiet"]) == 0
    assert content_of(tmp_path / "out") == content_of(designed)


def test_a_work_limit_repeats(open_request, tmp_path, content_of):
    """The best design so far with its gap, exit 0, and the same bytes again."""
    for name in ("one", "two"):
        assert run(["design", str(open_request), "--work-limit", "1", "-o", str(tmp_path / name), "--quiet"]) == 0
    assert content_of(tmp_path / "one") == content_of(tmp_path / "two")


@pytest.mark.parametrize("words", [["--time-limit", "0"], ["--time-limit", "soon"], ["--time-limit", "nan"]])
def test_bad_limits(request_file, tmp_path, words):
    """Exit 2."""
    assert run(["design", str(request_file), *words, "-o", str(tmp_path / "out")]) == 2
