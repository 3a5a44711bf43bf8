"""Leaves and spines anywhere in open halls: our search beside CP-SAT on the same model, by the gap that each reaches.

CP-SAT gets 20 s of wall clock on all cores, and on the largest hall once more with our answer as a hint. A gap is that
between a solver's own answer and its own bound. The ratio is the time after which CP-SAT first had the gap that it ends
with, building of its model aside, over the time in which our search ends with that gap or less; all of its time where
CP-SAT has no answer, for then any answer of ours with a bound says more. Our time is that of the processor, CP-SAT's
the lesser of that of all its threads and the wall clock, so that other work on the machine favours neither.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from types import MappingProxyType, ModuleType
from typing import NamedTuple

import numpy as np
from ortools.sat.python import cp_model

from fabric.catalog.load import load
from fabric.layout.assignment import Assignment, SiteProblem, any_assignment
from fabric.layout.plane_bound import prove_plane
from fabric.layout.site_bound import WORK_LIMIT
from fabric.layout.site_search import search_sites

TIME_S = 20
"""Wall clock that CP-SAT gets."""

REPEATS = 3
ROUNDING = 0.0005
"""A gap that shrinks by less than this is as good as reached."""

HALLS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {"8 pods": (64, 1, 20), "12 pods": (96, 2, 15), "16 pods": (128, 2, 20), "32 pods": (256, 4, 20)}
)
"""Nodes of 8 ports, 8 of them a pod; rows and racks of a row."""

HINTED = "32 pods"


class Reached(NamedTuple):
    """Gap of a solver, None without an answer, and the time after which it first had that [s]."""

    gap: float | None
    time_s: float


class Progress:
    """What CP-SAT has told so far: its best answer, its bound, and every gap with its time."""

    def __init__(self) -> None:
        self._begin_s = time.perf_counter(), time.process_time()
        self._value: float | None = None
        self._bound = 0.0
        self.gaps: list[Reached] = []

    @property
    def time_s(self) -> float:
        """Time since the start."""
        wall_s, cpu_s = self._begin_s
        return min(time.perf_counter() - wall_s, time.process_time() - cpu_s)

    def note(self, value: float | None, bound: float) -> None:
        """Take an answer or a bound."""
        self._value = self._value if value is None else value
        self._bound = max(self._bound, bound)
        if self._value is not None:
            self.gaps.append(Reached(1 - self._bound / self._value, self.time_s))

    def end(self) -> Reached:
        """The gap in the end and when it was first reached; none and the time by now without an answer."""
        if not self.gaps:
            return Reached(None, self.time_s)
        last = min(each.gap for each in self.gaps)
        return next(each for each in self.gaps if each.gap <= last + ROUNDING)


class _Answers(cp_model.CpSolverSolutionCallback):
    """Notes every answer."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def on_solution_callback(self) -> None:
        """Called by the solver."""
        self._progress.note(self.objective_value, self.best_objective_bound)


def cp_sat(problem: SiteProblem, hint: Assignment | None = None, time_s: float = TIME_S) -> Reached:
    """How far CP-SAT comes in its time, on the model of the reference tests."""
    model = reference().model_of(problem)
    for number, value in enumerate(hinted(problem, hint) if hint is not None else ()):
        model.add_hint(model.get_int_var_from_proto_index(number), value)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_s
    progress = Progress()
    solver.best_bound_callback = lambda bound: progress.note(None, bound)
    solver.solve(model, _Answers(progress))
    return progress.end()


def hinted(problem: SiteProblem, answer: Assignment) -> list[int]:
    """Every variable of the model in an answer, in their order there."""
    values = [*answer.leaves.ravel().tolist(), *answer.spines.ravel().tolist()]
    for plane, spines in enumerate(answer.spines):
        groups = np.flatnonzero(problem.plane == plane)
        for links in problem.weight[groups] @ answer.leaves[groups]:
            values += [int(links), *(links * spines).tolist()]
    return values


def first_answer(problem: SiteProblem) -> tuple[Assignment, int]:
    """The assignment that our search starts from, and the bound of its first box over all others."""
    proof = prove_plane(problem, any_assignment(problem), work_limit=1)
    return proof.best, proof.bound_cost


def ours(problem: SiteProblem, gap: float) -> Reached:
    """The least of our runs that ends with this gap or less: its gap, and the median of its times.

    The first is that of the first answer, others are whole searches with ever more work.
    """
    works = [min(4**step, WORK_LIMIT) for step in range(math.ceil(math.log(WORK_LIMIT, 4)) + 1)]
    for run in (first_answer, *(partial(search_sites, work_limit=work) for work in works)):
        found, took_s = _timed(run, problem)
        if found <= gap:
            break
    return Reached(found, median([took_s, *(_timed(run, problem)[1] for _ in range(REPEATS - 1))]))


def _timed(run: Callable[[SiteProblem], tuple[Assignment, int]], problem: SiteProblem) -> tuple[float, float]:
    """Gap and time [s] of a run."""
    begin_s = time.process_time()
    best, bound_cost = run(problem)
    return 1 - bound_cost / best.cost, time.process_time() - begin_s


def reference() -> ModuleType:
    """The tests that hold CP-SAT's model."""
    return _by_path(Path(__file__).parents[1] / "reference" / "test_placement_cpsat.py")


def problem_of(nodes: int, rows: int, racks: int) -> SiteProblem:
    """Pods of eight nodes in an open hall."""
    placement = _by_path(Path(__file__).with_name("placement.py"))
    case = placement.Case(placement.roce(nodes, wiring="rack"), placement.open_hall(rows, racks))
    return placement.asked(case, load())[0]


def _by_path(path: Path) -> ModuleType:
    name = f"opinion_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def bench(halls: Mapping[str, tuple[int, int, int]], say: Callable[[str], None], time_s: float = TIME_S) -> None:
    """Both on every hall, the one named with a hint too, line by line."""
    for name, hall in halls.items():
        problem = problem_of(*hall)
        gap, took_s = _timed(search_sites, problem)
        say(f"{name}: {len(problem.rack)} sites, ours ends with {gap:.2%} after {took_s:.2f} s")
        say(f"  {_compared(problem, cp_sat(problem, time_s=time_s))}")
        if name == HINTED:
            best, _ = search_sites(problem)
            say(f"  given our answer: {_compared(problem, cp_sat(problem, best, time_s))}")


def _compared(problem: SiteProblem, other: Reached) -> str:
    mine = ours(problem, 1.0 if other.gap is None else other.gap)
    ratio = other.time_s / mine.time_s
    here = f"ours {mine.gap:.2%} after {1000 * mine.time_s:,.0f} ms"
    if other.gap is None:
        return f"CP-SAT has no answer after {other.time_s:.1f} s; {here}: >= {ratio:,.0f} times faster"
    if mine.gap > other.gap:
        return f"CP-SAT {other.gap:.2%} after {other.time_s:.1f} s; {here}, not as close"
    return f"CP-SAT {other.gap:.2%} after {other.time_s:.1f} s; {here}: {ratio:,.0f} times faster"


if __name__ == "__main__":
    chosen = {name: hall for name, hall in HALLS.items() if not sys.argv[1:] or name in sys.argv[1:]}
    bench(chosen, lambda line: print(line, flush=True))  # noqa: T201 -- the table
