"""The growth bench: that it measures every size, on two small ones."""

from __future__ import annotations


def test_each_size_is_measured_against_the_one_before(script):
    """Two sizes make two lines; the second says its ratio to the first."""
    growth = script("growth")
    lines = []
    growth.bench((64, 128), lines.append)
    assert ["times half the size" in line for line in lines] == [False, True]
    assert "128 endpoints" in lines[1]
    assert "times half the size; design" in lines[1]
