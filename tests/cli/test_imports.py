"""What each command loads: a command that answers at once must not wait for solvers or drawing code."""

import subprocess
import sys

import pytest

HEAVY = ("ortools", "matplotlib", "scipy", "networkx", "xlsxwriter")


def _loaded(module: str) -> set[str]:
    """Heavy packages that importing a module loads, in a process of its own."""
    code = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("command", ["app", "catalog", "schema"])
def test_answers_without_heavy_packages(command):
    """Help, catalog and schema load none of them. Source of the rule: `fabric --help` answers at once."""
    assert not _loaded(f"fabric.cli.{command}")


def test_judging_needs_no_solver_and_no_drawing():
    """A design is judged without any code that designs or draws: SciPy alone, for graphs and tails.

    OR-Tools is loaded when a routing is to be found that is better than the one judged, and not before.
    """
    assert _loaded("fabric.cli.validate") <= {"scipy"}


def test_designing_solves_and_draws():
    """The list above names packages that a design does load, so that the tests mean something."""
    assert _loaded("fabric.cli.design") >= {"ortools", "matplotlib", "scipy", "xlsxwriter"}
