"""`fabric simulate`: workloads of the request or of a file, with elements down, as text and JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fabric.cli.app import run

SKEWED = """\
workloads:
  - name: skewed
    pattern: moe_all_to_all
    model: {experts: 64, top_k: 4, payload_dim: 1024, layers: 8}
    expert_parallel: 64
    tokens_per_rank: 32
    popularity: {zipf: 0.8}
  - {name: gather, pattern: all_gather, ranks: 64, bytes_per_rank: 100000, placement: spread}
"""

TWICE = "{name: a, pattern: pipeline, ranks: 8, bytes_per_rank: 1}"


def _simulated(capsys, *words) -> dict:
    assert run(["simulate", *map(str, words), "--format", "json"]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    return json.loads(out.out)


def test_it_says_what_the_report_says(capsys, designed):
    """Times, terms, flows and changes of the request's own workload are those of the design's report."""
    found = _simulated(capsys, designed)
    report = json.loads((designed / "report.json").read_text())
    for key in ("time_us", "terms", "parts", "flows", "helps", "sensitivity", "bottleneck", "kinds"):
        assert found["workloads"][0][key] == report["workloads"][0][key], key
    assert found["throughput"]["uniform_theta"] == report["throughput"]["uniform_theta"]


def test_a_file_of_workloads(capsys, designed, tmp_path):
    """Other workloads, one of a model given by its numbers with experts of unequal popularity."""
    file = tmp_path / "work.yaml"
    file.write_text(SKEWED)
    found = _simulated(capsys, designed, "--workload", file)
    skewed, gather = found["workloads"]
    assert skewed["terms"]["dispatch_skew_us"] > 0
    for each in (skewed, gather):
        assert sum(phase["ideal_us"] for phase in each["phases"]) == pytest.approx(each["ideal_us"])
        assert [f"{phase['phase']}_us" for phase in each["phases"]] == list(each["parts"])
        assert all(phase["ideal_us"] < phase["time_us"]["p50"] < phase["time_us"]["p99"] for phase in each["phases"])
    # 63 places of a ring send 100,000 bytes of 64 ranks each; one in eight goes to the next node.
    assert gather["phases"][0]["offered_bytes"] == pytest.approx(63 * 100_000 * 8)
    (balanced,) = (each for each in skewed["helps"] if each["change"].startswith("experts balanced by load"))
    assert balanced["delta_us"] < 0
    assert skewed["token_us"]["persistent"]["p50"] == pytest.approx(8 * skewed["time_us"]["p50"])
    assert gather["parts"].keys() == {"all_gather_us"}


def test_a_single_workload_and_its_matrix(capsys, designed, tmp_path):
    """A file of one workload whose transfers stand in an NPZ file beside it: two ranks of other nodes, one way."""
    np.savez(tmp_path / "bytes.npz", source=[0], target=[8], bytes=[4.0e6])
    file = tmp_path / "work.yaml"
    file.write_text("{name: own, pattern: matrix, matrix: bytes.npz, jobs: 1}")
    (own,) = _simulated(capsys, designed, "--workload", file)["workloads"]
    assert own["ideal_us"] == pytest.approx(4.0e6 / 50_000)


def test_what_is_down_costs_throughput_and_time(capsys, designed):
    """Without one of two spines uniform traffic has half, and the workload is no faster."""
    whole, hurt = _simulated(capsys, designed), _simulated(capsys, designed, "--fail", "spine-01")
    assert hurt["failed"] == ["spine-01"]
    assert hurt["throughput"]["uniform_theta"] < whole["throughput"]["uniform_theta"]
    assert hurt["workloads"][0]["time_us"]["p99"] >= whole["workloads"][0]["time_us"]["p99"]


def test_what_is_down_is_told_against_the_whole_fabric(capsys, designed):
    """Two elements at once: changes of theta and of p99, and the fullest link with and without them."""
    links = ["node-0001.rail0", "spine-01"]
    whole = _simulated(capsys, designed)
    hurt = _simulated(capsys, designed, *(word for link in links for word in ("--fail", link)))
    assert whole["damage"] is None
    found, name = hurt["damage"], hurt["workloads"][0]["name"]
    theta = [each["throughput"]["uniform_theta"] for each in (hurt, whole)]
    assert found["theta_change"] == pytest.approx(theta[0] / theta[1] - 1, abs=1e-6)
    p99 = [each["workloads"][0]["time_us"]["p99"] for each in (hurt, whole)]
    assert found["p99_change"][name] == pytest.approx(p99[0] / p99[1] - 1, abs=1e-6)
    assert found["worst_link"]
    assert found["whole_worst_link"]
    assert run(["simulate", str(designed), "--fail", "spine-01"]) == 0
    assert "  against the whole fabric: theta -" in capsys.readouterr().out


def test_limits_are_judged(capsys, designed, tmp_path):
    """A limit that does not hold is an error finding and exit 1; one that holds says nothing."""
    file = tmp_path / "work.yaml"
    for limit, code in ((1, 1), (10**6, 0)):
        file.write_text(
            f"{{name: a, pattern: all_to_all, ranks: 64, bytes_per_rank: 1000, limit_us: {{p99: {limit}}}}}"
        )
        assert run(["simulate", str(designed), "--workload", str(file), "--format", "json"]) == code
        findings = json.loads(capsys.readouterr().out)["findings"]
        assert [one["rule"] for one in findings if one["severity"] == "error"] == ["workload-limit"] * code


def test_seed_and_samples(capsys, designed):
    """The same seed gives the same bytes; another one other tails."""
    first, again = (_simulated(capsys, designed, "--seed", 7, "--samples", 50) for _ in range(2))
    other = _simulated(capsys, designed, "--seed", 8, "--samples", 50)
    assert first == again
    assert first["workloads"][0]["time_us"] != other["workloads"][0]["time_us"]


def test_text(capsys, designed):
    """One screen: quantiles with intervals, the busiest link, every phase term by term, and what would help."""
    assert run(["simulate", str(designed), "--fail", "spine-02"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("small, with spine-02 down: uniform all-to-all theta ")
    for words in (
        "decode (moe_all_to_all, stack ",
        "p99.9",
        "95 % between",
        "busiest link ",
        "mostly ",
        "MB to the network",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fail", "spin-01"], "no element 'spin-01' in this design"),
        (["--seed", "-1"], "--seed: -1 is not allowed: a whole number from 0 to 2,147,483,647"),
        (["--samples", "0"], "--samples: 0 is not allowed: a whole number from 1 to 1,000,000"),
        (["--workload", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_bad_words(capsys, designed, words, said):
    """One line, exit 2."""
    assert run(["simulate", str(designed), *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{name: a, pattern: all_to_all}", "work.yaml:1: pattern all_to_all needs ranks, bytes_per_rank"),
        (
            "{name: a, pattern: all_to_all, ranks: 8, bytes_per_rank: 1, fan_out: 3}",
            "work.yaml:1: pattern all_to_all has no fan_out: fan_out belongs to bursts",
        ),
        (
            "{name: a, pattern: all_to_all, ranks: 8, bytes_per_rank: 1, stack: torch-all-to-all-cx7-ib}",
            "work.yaml:1: stack: torch-all-to-all-cx7-ib has no constants to predict with: the payload",
        ),
        (
            "{name: a, pattern: all_gather, ranks: 8, bytes_per_rank: 1, stack: deepep-v1-low-latency-cx7-ib}",
            "stack: deepep-v1-low-latency-cx7-ib has no constants for all_gather steps (ring)",
        ),
        ("{name: a, pattern: matrix, matrix: lost.csv}", "lost.csv: there is no such file of a matrix"),
        (
            "{name: a, pattern: moe_all_to_all, model: deepseek-v4, expert_parallel: 8, tokens_per_rank: 1}",
            "unknown MoE model 'deepseek-v4', did you mean",
        ),
        (
            f"workloads: [{TWICE}, {TWICE}]",
            "'a' stands twice; reports go by this name",
        ),
    ],
)
def test_bad_workloads(capsys, designed, tmp_path, text, said):
    """Every fault in one line with its key, exit 2."""
    file = tmp_path / "work.yaml"
    file.write_text(text)
    assert run(["simulate", str(designed), "--workload", str(file)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


TIMED = """\
workloads:
  - {name: inside, pattern: moe_all_to_all, model: deepseek-v3, expert_parallel: 8, tokens_per_rank: 8}
  - {name: good, pattern: all_to_all, ranks: 64, bytes_per_rank: 1000}
"""

UNSEATED = """\
  - {name: large, pattern: all_to_all, ranks: 640, bytes_per_rank: 1}
  - {name: lost, pattern: all_to_all, ranks: 8, bytes_per_rank: 1, placement: [node-9]}
  - {name: slots, pattern: moe_all_to_all, model: deepseek-v3, expert_parallel: 64, tokens_per_rank: 8,
     redundant_experts: 3}
  - {name: few, pattern: kv_transfer, ranks: 4, bytes_per_rank: 8, incast: 4}
"""


def test_one_workload_without_times_leaves_the_others_theirs(capsys, designed, tmp_path):
    """As in a report: no seats is an error finding, nothing to time it with is not checked; each names its workload."""
    file = tmp_path / "work.yaml"
    file.write_text(TIMED + UNSEATED)
    assert run(["simulate", str(designed), "--workload", str(file), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["workloads"]] == ["good"]
    assert {one["where"]: one["message"] for one in found["findings"] if one["rule"] == "workload-fit"} == {
        "large": "1 job of 640 ranks do not fit: 8 domains of 8 accelerators hold 0 (whole domains a job)",
        "lost": "'node-9' is no node of the design, did you mean node-0008?",
        "slots": "259 expert slots cannot be spread evenly over 64 ranks",
        "few": "4 senders and their receiver are more than the 4 ranks of a job",
    }
    (missing,) = (one for one in found["not_checked"] if one["rule"] == "workload-limit: inside")
    assert "was measured inside a scale-up domain" in missing["why"]
    file.write_text(TIMED)
    assert run(["simulate", str(designed), "--workload", str(file)]) == 0
    assert "not checked: workload-limit: inside: " in capsys.readouterr().out


BESIDE = """\
workloads:
  - {name: serve, pattern: all_to_all, ranks: 32, bytes_per_rank: 1000000, jobs: 1, placement: spread, beside: [learn]}
  - {name: learn, pattern: all_reduce, algorithm: ring, ranks: 32, bytes_per_rank: 100000000, placement: spread}
  - {name: apart, pattern: all_reduce, ranks: 32, bytes_per_rank: 100000000, placement: spread}
"""


def test_jobs_beside_each_other(capsys, designed, tmp_path):
    """What they add, in JSON and in words, whole and with a spine down; a workload that nobody names runs alone."""
    file = tmp_path / "work.yaml"
    file.write_text(BESIDE)
    serve, learn, apart = _simulated(capsys, designed, "--workload", file)["workloads"]
    assert (serve["sharing"]["workload"], learn["sharing"]["workload"], apart["sharing"]) == ("learn", "serve", None)
    assert any(each["change"] == "learn silent meanwhile" for each in serve["helps"])
    hurt, _, _ = _simulated(capsys, designed, "--workload", file, "--fail", "spine-01")["workloads"]
    assert hurt["sharing"]["added_us"]["p99"] > serve["sharing"]["added_us"]["p99"]
    assert run(["simulate", str(designed), "--workload", str(file)]) == 0
    assert "    beside learn: meets learn on leaf-" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[learn]", "[leran]", "workloads.0.beside: 'leran' is no other workload of this list, did you mean learn?"),
        ("[learn]", "[serve]", "workloads.0.beside: 'serve' is the workload itself"),
    ],
)
def test_names_that_nobody_runs_beside(capsys, designed, tmp_path, old, new, said):
    """Exit 2, with the names."""
    file = tmp_path / "work.yaml"
    file.write_text(BESIDE.replace(old, new, 1))
    assert run(["simulate", str(designed), "--workload", str(file)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("jobs: 1, ", "", "serve and learn run at the same time without `jobs`"),
        ("jobs: 1", "jobs: 2", "serve: workloads.learn: 1 job of 32 ranks do not fit: 0 domains"),
        ("placement: spread, b", "placement: [node-1], b", "'node-1' is no node of the design"),
    ],
)
def test_jobs_that_cannot_run_beside_each_other(capsys, designed, tmp_path, old, new, said):
    """An error finding of both, with the names and the arithmetic, exit 1; the one apart has its times."""
    file = tmp_path / "work.yaml"
    file.write_text(BESIDE.replace(old, new, 1))
    assert run(["simulate", str(designed), "--workload", str(file)]) == 1
    out = capsys.readouterr().out
    assert said in out
    assert "  apart (all_reduce, stack " in out


def test_one_workload_has_nobody_beside_it(capsys, designed, tmp_path):
    """A file of one workload: the line of the key."""
    file = tmp_path / "work.yaml"
    file.write_text("name: a\npattern: pipeline\nranks: 8\nbytes_per_rank: 1\nbeside: [b]\n")
    assert run(["simulate", str(designed), "--workload", str(file)]) == 2
    assert ":5: beside: 'b' is no other workload of this list; it stands alone here" in capsys.readouterr().err
