"""Tables and picture of docs/models.md on the constants of the stacks, worked out again from the published rows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from statistics import median

import numpy as np
import pytest
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fabric.catalog.constants import Stack
from fabric.flow.sampling import slowest_of

LOW_LATENCY = "deepep-v1-low-latency-cx7-ib"
SHOWN = {"deepep-readme", "pplx-garden"}
"""Sources whose low-latency rows the page prints one by one."""

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C7A00", "#6A51A3", "#1F2933", "#9FB3C8")
MARKS = "os^D"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fabric",
    "font.family": ["DejaVu Sans"],
    "font.size": 8,
    "axes.axisbelow": True,
}


@pytest.fixture(scope="module")
def tables(page):
    """Function from a heading of the page to the rows of its table."""
    return page("docs/models.md").table


@pytest.fixture(scope="module")
def rows(stack_fit):
    """Every published row."""
    return stack_fit.read()


@pytest.fixture(scope="module")
def predicted(rows, catalog):
    """Every row whose stack has constants, with its stack."""
    found = [(row, catalog.stacks[row.stack]) for row in rows if row.stack]
    return [(row, stack) for row, stack in found if stack.phases]


@pytest.fixture(scope="module")
def left_out(stack_fit, rows, catalog):
    """Error of each row [%] predicted from the other systems of its stack, by stack and row."""
    return {
        (key, row): error
        for key, stack in catalog.stacks.items()
        for row, error in stack_fit.left_out(stack, [row for row in rows if row.stack == key and row.is_fitted])
    }


def _constants(stack: Stack) -> Iterator[list[str]]:
    """A line for each phase: its constants, each with where it comes from."""
    free = {path for group in stack.fit.free for path in group}
    for phase in stack.phases:
        paths = [f"{phase}.{figure}" for figure in ("alpha0_us", "alpha1_us", "bandwidth_gbyte_s")]
        ways = ["fitted" if path in free else "borrowed" if path in stack.fit.borrowed else "stated" for path in paths]
        yield [phase, *(f"{stack.constant(path):g} {way}" for path, way in zip(paths, ways, strict=True))]


def test_constants_of_the_stacks(tables, catalog):
    """All of them, and which are fitted, borrowed or stated."""
    expected = [[key, *cells] for key, stack in sorted(catalog.stacks.items()) for cells in _constants(stack)]
    assert tables("Constants of the stacks") == expected


def _pair(errors: list[float]) -> list[str]:
    """Median and largest size of errors [%]; dashes where there are none."""
    return [f"{median(map(abs, errors)):.1f}", f"{max(map(abs, errors)):.1f}"] if errors else ["–", "–"]


def test_residuals_of_the_stacks(tables, catalog, predicted, left_out, stack_fit):
    """Of every stack with free constants: rows, parameters, errors within the fit and with one system left out."""
    expected = []
    for key, stack in sorted(catalog.stacks.items()):
        if stack.fit.free:
            mine = [row for row, _ in predicted if row.stack == key and row.is_fitted]
            inside = [stack_fit.error_pct(stack, row) for row in mine]
            outside = [left_out[key, row] for row in mine if (key, row) in left_out]
            systems = len({row.campaign for row in mine})
            size = [str(len(mine)), str(len(stack.fit.free)), str(systems)]
            expected.append([key, *size, *_pair(inside), str(len(outside)), *_pair(outside)])
    assert tables("Residuals of the stacks") == expected


def test_residuals_by_system(tables, catalog, predicted, left_out, stack_fit):
    """Median signed error of each system, where a stack was measured on several."""
    expected = []
    for key, stack in sorted(catalog.stacks.items()):
        mine = [row for row, _ in predicted if row.stack == key and row.is_fitted]
        campaigns = sorted({row.campaign for row in mine})
        for source, system in campaigns if len(campaigns) > 1 else ():
            some = [row for row in mine if row.campaign == (source, system)]
            inside = median(stack_fit.error_pct(stack, row) for row in some)
            outside = [left_out[key, row] for row in some if (key, row) in left_out]
            cells = [str(len(some)), f"{inside:+.1f}", f"{median(outside):+.1f}" if outside else "–"]
            expected.append([key, source, system, *cells])
    assert tables("Residuals by system") == expected


def test_predicted_against_measured(tables, predicted, left_out, stack_fit):
    """Low-latency rows of published tables one by one, with the errors of both kinds side by side."""
    expected = []
    for row, stack in predicted:
        if row.stack in {LOW_LATENCY, "pplx-garden-cx7-ib"} and row.campaign[0] in SHOWN:
            outside = left_out.get((row.stack, row), None if row.is_fitted else stack_fit.error_pct(stack, row))
            inside = f"{stack_fit.error_pct(stack, row):+.1f}" if row.is_fitted else "–"
            cells = [f"{row.measured_us:g}", f"{stack_fit.predicted_us(stack, row):.1f}", inside, f"{outside:+.1f}"]
            expected.append([row.campaign[1], str(row.parallel.ranks), row.phases[0][0], *cells])
    order = {"dispatch": 0, "combine": 1}
    expected.sort(key=lambda cells: (cells[0], order[cells[2]], int(cells[1])))
    assert tables("Predicted against measured") == expected


def test_rows_outside_the_fits(tables, predicted, stack_fit):
    """Rows that have a prediction and no part in a fit: why, and how far off."""
    groups: dict[tuple[str, str, str, str], list[float]] = {}
    for row, stack in predicted:
        if not row.is_fitted:
            phases = "+".join(phase for phase, _ in row.phases)
            errors = groups.setdefault((row.stack, row.campaign[1], phases, row.note), [])
            errors.append(stack_fit.error_pct(stack, row))
    expected = [
        [*group, str(len(errors)), f"{min(errors):+.0f}", f"{max(errors):+.0f}"]
        for group, errors in sorted(groups.items())
    ]
    assert tables("Rows outside the fits") == expected


def test_rows_without_a_prediction(tables, rows, catalog):
    """Rows that no stack predicts: how many, and why."""
    groups: dict[tuple[str, str, str], int] = {}
    for row in rows:
        if not row.stack or not catalog.stacks[row.stack].phases:
            group = (row.campaign[0], row.campaign[1], row.note)
            groups[group] = groups.get(group, 0) + 1
    assert tables("Rows without a prediction") == [[*group, str(count)] for group, count in sorted(groups.items())]


def test_sentences_about_all_rows(page, rows, predicted, left_out, stack_fit):
    """How many rows there are, the median error over those of InfiniBand and RoCE, and how far clusters differ."""
    text = " ".join(page("docs/models.md").text.split())
    systems: dict[tuple[str, str], list[float]] = {}
    for row, stack in predicted:
        if row.stack == LOW_LATENCY and row.is_fitted:
            error = left_out.get((row.stack, row), stack_fit.error_pct(stack, row))
            systems.setdefault(row.campaign, []).append(error)
    medians = [100 / (1 + median(errors) / 100) - 100 for errors in systems.values()]
    assert f"from {-min(medians):.0f} % less to {max(medians):.0f} % more time than predicted" in text
    most = max(100 / (1 + error / 100) - 100 for (key, _), error in left_out.items() if key == LOW_LATENCY)
    assert f"two nodes took up to {most:.0f} % more" in text
    errors = [
        abs(stack_fit.error_pct(stack, row))
        for row, stack in predicted
        if stack.scope == "network" and stack.nic != "aws-efa"
    ]
    assert f"{len(rows)} published rows, {len(predicted)} of them with a prediction" in text
    assert f"{median(errors):.1f} % over the {len(errors)} rows of InfiniBand and RoCE" in text
    slowest = [
        100 * (_slowest(row, stack) * (1 + stack_fit.error_pct(stack, row) / 100) - 1)
        for row, stack in predicted
        if stack.scope == "network" and stack.nic != "aws-efa"
    ]
    assert f"{median(map(abs, slowest)):.1f} % where rows are judged by what the command prints" in text
    more = [100 * (_slowest(row, stack) - 1) for row, stack in predicted if row.stack == LOW_LATENCY and row.is_fitted]
    assert f"of {min(more):.1f} to {max(more):.1f} points in the low-latency kernels" in text


def _slowest(row, stack: Stack) -> float:
    """Median time of the slowest of a row's ranks over a rank's mean."""
    relative_sd = stack.phases[row.phases[0][0]].relative_sd
    return float(np.median(slowest_of(np.ones(2001), relative_sd, row.parallel.ranks, np.random.default_rng(1))))


def test_picture_of_all_rows(predicted, stack_fit, root, golden):
    """The stored picture shows every row that has a prediction, hits and misses."""
    kinds = {
        "between nodes, InfiniBand and RoCE": [
            (row, stack) for row, stack in predicted if stack.scope == "network" and stack.nic != "aws-efa"
        ],
        "between nodes, EFA": [(row, stack) for row, stack in predicted if stack.nic == "aws-efa"],
        "inside one node or rack": [(row, stack) for row, stack in predicted if stack.scope == "node"],
    }
    assert sum(map(len, kinds.values())) == len(predicted)
    with style.context(["default", STYLE]):
        figure = Figure(figsize=(9.5, 10.5), layout="constrained")
        figure.suptitle("Predicted over measured time. Filled: fitted; open: in no fit; shaded: 20 % under to 5 % over")
        for axes, (title, some) in zip(figure.subplots(3, 1), kinds.items(), strict=True):
            _draw(axes, title, some, stack_fit)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    golden("\n".join(lines) + "\n", root / "docs" / "predicted_measured.svg")


def _draw(axes: Axes, title: str, some: list, stack_fit) -> None:
    """Prediction over measurement against measurement, one colour and mark per stack; open marks are in no fit."""
    for number, key in enumerate(sorted({row.stack for row, _ in some})):
        look = {"marker": MARKS[number // len(COLOURS)], "s": 16, "linewidths": 0.8}
        colour = COLOURS[number % len(COLOURS)]
        for is_fitted in (True, False):
            mine = [(row, stack) for row, stack in some if row.stack == key and row.is_fitted == is_fitted]
            measured = [row.measured_us for row, _ in mine]
            ratio = [1 + stack_fit.error_pct(stack, row) / 100 for row, stack in mine]
            face = colour if is_fitted else "none"
            axes.scatter(measured, ratio, facecolors=face, edgecolors=colour, **look)
        axes.scatter([], [], facecolors=colour, edgecolors=colour, label=key, **look)
    axes.axhspan(0.8, 1.05, color="#F0F4F8", zorder=0)
    axes.axhline(1, color="#616E7C", linewidth=0.8, zorder=1)
    axes.set(xscale="log", yscale="log", ylim=(0.12, 2.2), title=title)
    axes.set(xlabel="measured [us]", ylabel="predicted / measured")
    ticks = (0.2, 0.5, 0.8, 1, 1.2, 2)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
    axes.set_yticks([], minor=True)
    axes.grid(color="#E4E7EB", linewidth=0.5)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=7)
