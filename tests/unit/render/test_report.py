"""The report in its three forms, the bill, and the choice of artefacts."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from fabric.cli.printing import summary
from fabric.errors import InputError
from fabric.model.report import Finding, Throughput
from fabric.model.workload import LimitUs, Workload
from fabric.render.artefacts import KINDS, artefacts
from fabric.render.design_sections import _balance, standing
from fabric.render.plots import render_plots
from fabric.render.report import LEAD, render_report, report_json, verdict
from fabric.render.section import counted, kilowatt, listed, number, of_role, percent, usd


@pytest.fixture(scope="module")
def files(design, report, catalog) -> dict[str, str]:
    """What the report kind writes."""
    return render_report(design, report, catalog, render_plots(design, report))


def test_the_report_opens_with_its_limits(files):
    """The first words after the title say that only the compute fabric is covered."""
    title, _, first, *_ = files["report.md"].splitlines()
    assert title == "# sample"
    assert first == LEAD
    assert "compute fabric only" in first


def test_json_has_the_keys_of_the_contract_and_short_floats(report):
    """Nine significant digits, a new line at the end, and none of the bill, which is a table."""
    text = report_json(report)
    body = json.loads(text)
    assert text.endswith("}\n")
    assert '"uniform_theta": 0.333333333,' in text
    assert (body["schema"], body["name"], body["verdict"], body["cost"]["capex_usd"]) == (1, "sample", "pass", 591660)
    assert "bill" not in body
    assert body["optimality"]["scope"] == ["switches", "places", "cables"]


def test_json_keeps_every_cent(report):
    """Money beyond nine digits is not rounded: the sum is that of the tables."""
    dear = replace(report, cost=replace(report.cost, capex_usd=104_183_628.85))
    assert json.loads(report_json(dear))["cost"]["capex_usd"] == 104_183_628.85


def test_json_refuses_what_json_does_not_know(report):
    """Infinity in a report is a fault of ours and must not reach a reader."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        report_json(replace(report, throughput=Throughput(float("inf"), None, {})))


def test_planning_values_are_never_called_prices(files):
    """Unknown price, then the planning value in a column of its own; the sum says what it is."""
    text = files["report.md"]
    assert "| MFP7E30-N030 | MFP7E30 | cable | 64 | unknown | – | 120.50 |" in text
    assert "No price is known for 64 pieces. Planning values come to 7,712:" in text
    assert "they are no prices" in text
    assert "700,000 planning USD" in text


def test_unknown_power_is_not_nought(files):
    """Switches without a known figure show as unknown, not as 0 kW."""
    assert "| switches | unknown |" in files["report.md"]
    assert "known for 79.1% of switches, pluggables and cables" in files["report.md"]


def test_proof_tells_value_bound_gap_scope_and_what_was_fixed(files):
    """All that is needed to know how sure the choice is."""
    text = files["report.md"]
    assert "a lower bound of 693,000 planning USD, so at most 1.0% could still be saved" in text
    assert "Scope: switches, places, cables." in text
    assert "Taken as given: node places." in text
    assert "24 x nvidia-qm9700 + 4 x nvidia-qm9700" in text


def test_alternatives_tell_their_difference_to_the_design(files):
    """A bound tells the least of it, a value all of it; what is cheaper and breaks a limit has a minus."""
    text = files["report.md"]
    assert "| fat-tree | not laid out | at least +200,000 | 900,000 | cannot be cheaper |" in text
    assert "| 12 x nvidia-qm9700, wiring rack | fat-tree | 690,000 | -10,000 | 690,000 | breaks a limit |" in text
    assert "at least +200,000" in files["index.html"]


def test_a_proof_by_some_goals_says_which(design, report, catalog):
    """Best by power and by capex among equals, tco open: not a lower bound that is no different from the value."""
    rows = [("capex", 5000.0, 5000.0), ("tco", 9000.0, 8000.0)]
    later = tuple({"goal": goal, "objective": value, "bound": low, "unit": "usd"} for goal, value, low in rows)
    proof = {**report.optimality, "objective": 7000.0, "bound": 7000.0, "gap": 0.0, "unit": "w", "later": later}
    text = render_report(design, replace(report, optimality=proof), catalog, {})["report.md"]
    assert "7,000 W, proved best by the first goal and capex, open by tco: no design" in text
    assert "proved best by the first goal and capex, open by tco" in summary(replace(report, optimality=proof))
    assert "lower bound" not in text
    assert standing(proof | {"status": "optimal"}) == "optimal"
    assert standing(report.optimality) == "feasible"


def test_the_report_says_in_a_sentence_what_it_is(files):
    """Switches first, then what they connect, each in the plural where there are several."""
    made_of = files["report.md"].split("## What it is")[1].split("|")[0].strip()
    assert made_of == (
        "A fat-tree of 16 nvidia-qm9700 leaves and 2 nvidia-qm9700 spines, which connects 4 hgx-b200 nodes."
    )


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ({"p": 2, "a": 4, "h": 2}, "Its groups are balanced, a = 2p = 2h."),
        ({"p": 64, "a": 4, "h": 56}, "here a is 4, 2p is 128 and 2h is 112."),
        ({}, ""),
    ],
)
def test_a_dragonfly_tells_how_balanced_it_is(design, numbers, told):
    """By its own numbers, where it has them; a tree has no such word."""
    made = replace(design.topology, family="dragonfly", parameters=numbers)
    assert told in " ".join(_balance(made))
    assert bool(list(_balance(made))) is bool(told)
    assert not list(_balance(replace(made, family="fat_tree")))


def test_racks_are_counted_in_words(files):
    """One rack is no "1 racks", and what stands in it is in the plural too."""
    assert "Devices stand in 4 racks." in files["report.md"]
    assert "| 4 nodes | 1 | A01 |" in files["report.md"]


def test_times_stand_beside_their_limits(design, report, catalog):
    """A limit that holds, one that is passed, and one for a time that nobody knows; without any the time alone."""
    asked = {"pattern": "all_to_all", "ranks": 32, "bytes_per_rank": 1024}
    limits = Workload(name="decode", **asked, limit_us=LimitUs(p50=500, p99=500, p999=800))
    limited = replace(design, request=design.request.model_copy(update={"workloads": (limits,)}))
    text = render_report(limited, report, catalog, {})["report.md"]
    assert "| 499 (limit 500) | 512.5 (over limit 500) | unknown (limit 800) | 389.7 |" in text
    assert "| 499 | 512.5 | unknown | 389.7 |" in render_report(design, report, catalog, {})["report.md"]


def test_markdown_tables_stay_tables(files):
    """A bar or a bracket in a message ends no cell and starts no markup."""
    assert "| warning | reach | c-1 | a &lt;b> \\| c (31 against 30 m) | – |" in files["report.md"]
    rows = [line for line in files["report.md"].splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in rows)


class _Page(HTMLParser):
    """Tags, ids and references of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.seen.append(tag)
        self.references += [value for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_self_contained(files):
    """Every tag closes, the pictures are inside, and nothing is fetched from elsewhere."""
    page = _Page()
    page.feed(files["index.html"])
    assert page.open == []
    assert page.seen.count("svg") == 6
    assert not [one for one in page.references if "://" in one or one.startswith("data:")]
    assert "script" not in page.seen
    assert "<?xml" not in files["index.html"]
    assert "a &lt;b&gt; | c" in files["index.html"]


def test_the_bill_sums_lines_and_keeps_estimates_apart(files):
    """18 x 32,870 = 591,660 known; 64 x 120.50 = 7,712 planned; no column mixes the two."""
    known, planned = list(csv.DictReader(io.StringIO(files["bom.csv"])))
    assert (known["line_usd"], known["planning_usd"], known["price_source"]) == ("591660", "", "router-switch-qm9700")
    assert (planned["price_usd"], planned["line_usd"], planned["line_planning_usd"]) == ("", "", "7712")


def test_the_verdict_counts_findings(report):
    """One sentence, in the singular where it is one."""
    assert verdict(report) == "The design passes: 0 errors, 1 warning, 0 notes, 1 rule not checked."
    failed = replace(report, findings=(Finding("reach", "error", "c-1", "too long"),) * 2)
    assert verdict(failed) == "The design fails: 2 errors, 0 warnings, 0 notes, 1 rule not checked."


def test_bounds_stand_in_order(design, report, catalog):
    """The least bound first, the best routing before its equals; what rounding alone sets apart is equal."""
    bounds = {"host_links": 1.0, "hops": 0.8, "uplinks": 0.7 - 1e-12, "lp": 0.7, "worst_permutation_tub": 0.6}
    carried = Throughput(0.65, 0.5, bounds)
    text = render_report(design, replace(report, throughput=carried), catalog, {})["report.md"]
    rows = [line for line in text.splitlines() if line.startswith(("| uniform", "| worst"))]
    assert rows == [
        "| uniform all-to-all | as routed | 0.65 |",
        "| uniform all-to-all | at most, by any routing (LP) | 0.7 |",
        "| uniform all-to-all | at most, by uplinks | 0.7 |",
        "| uniform all-to-all | at most, by hops | 0.8 |",
        "| uniform all-to-all | at most, by host links | 1 |",
        "| worst permutation | as routed | 0.5 |",
        "| worst permutation | at most, by the farthest matching (TUB) | 0.6 |",
    ]


def test_an_empty_report_renders_too(design, report, catalog):
    """A bare proposal has no proof, no flow, no settings and no bill."""
    bare = replace(
        report,
        optimality=None,
        alternatives=(),
        throughput=Throughput(None, None, {}),
        workloads=(),
        failures=(),
        lossless={},
        deadlock=None,
        findings=(),
        not_checked=(),
        assumptions=(),
        provenance={},
        bill=(),
    )
    text = render_report(replace(design, placement=None), bare, catalog, {})["report.md"]
    assert "nothing was proved" in text
    assert "None: every rule that could be judged holds." in text


def test_failures_are_told_worst_first_and_equals_are_counted(files):
    """Three classes of each kind, the worst kind first; what else there is is counted with its best and worst."""
    text = files["report.md"]
    section = text[text.index("## Failures") : text.index("## Lossless")]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert [row.split(" | ")[0] for row in rows] == [
        "| link leaf-0.1/1",
        "| link leaf-1.1/1 and 7 like it",
        "| link leaf-2.1/1 and 15 like it",
        "| spine spine-01 and 1 like it",
        "| link node-1.rail0 and 31 like it",
    ]
    assert rows[3] == "| spine spine-01 and 1 like it | 0.5 | -50.0% | 600 | +25.0% | leaf-1.1/1 |"
    assert rows[4].endswith("| 1 | none | 512.5 | none | node-2.rail0 |")
    assert "- link: 56 more elements in 2 classes, throughput from 0.6 up" in section


def test_numbers_read_well():
    """Separators for thousands, no false precision, and no share rounded up to all."""
    assert [number(value) for value in (1234567, 12.34567, 12345.6, None, True, "x")] == [
        "1,234,567",
        "12.35",
        "12,346",
        "unknown",
        "yes",
        "x",
    ]
    assert (usd(12.5), usd(1200.0), usd(None)) == ("$12.50", "$1,200", "unknown")
    assert (kilowatt(612.0), kilowatt(2.5e6)) == ("0.6 kW", "2.50 MW")
    assert (percent(1.0), percent(0.99999), percent(0.0)) == ("100%", "99.9%", "0%")
    assert (counted(1, "leaf", "leaves"), counted(1024, "leaf", "leaves")) == ("1 leaf", "1,024 leaves")
    assert [of_role(count, role, "x") for count, role in ((1, "leaf"), (2, "leaf"), (2, "ufm"))] == [
        "1 x leaf",
        "2 x leaves",
        "2 x ufm endpoints",
    ]
    assert [listed("abc"[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_one_kind_writes_its_own_files_alone(design, report, catalog):
    """Kinds do not overlap, and together they are everything."""
    by_kind = {kind: set(artefacts(design, report, catalog, only=kind)) for kind in KINDS}
    everything = set(artefacts(design, report, catalog))
    assert set().union(*by_kind.values()) == everything
    assert sum(len(paths) for paths in by_kind.values()) == len(everything)
    assert by_kind["report"] == {"report.json", "report.md", "index.html", "bom.csv"}


def test_a_system_that_we_do_not_write_is_refused(design, report, catalog):
    """The message says which system the port names of the tables belong to."""
    with pytest.raises(InputError, match="no configurations for 'junos' here; known: nvos"):
        artefacts(design, report, catalog, only="configs", nos="junos")
