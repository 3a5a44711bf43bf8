"""Stored outputs, compared byte by byte and written anew by `pytest --update-golden` (then read the diff); Hypothesis.

Properties run the same examples everywhere, and none fails because a machine was busy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

UPDATE = "--update-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let stored outputs be written anew."""
    parser.addoption(UPDATE, action="store_true", help="write stored outputs anew instead of comparing them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, Path], None]:
    """Compares a text with a stored file, or stores it when asked to."""

    def compare(text: str, path: Path) -> None:
        if request.config.getoption(UPDATE):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_bytes().decode(), f"{path.name} differs; {UPDATE} writes it anew"

    return compare
