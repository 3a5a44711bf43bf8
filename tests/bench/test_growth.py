"""The growth bench: that it measures every size, on two small ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def test_each_size_is_measured_against_the_one_before():
    """Two sizes make two lines; the second says its ratio to the first."""
    spec = importlib.util.spec_from_file_location("bench_growth", Path(__file__).with_name("growth.py"))
    growth = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(growth)
    lines = []
    growth.bench((64, 128), lines.append)
    assert ["the smallest" in line for line in lines] == [True, False]
    assert "128 endpoints" in lines[1]
    assert "times half the size; design" in lines[1]
