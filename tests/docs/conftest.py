"""Pages of the documentation, with their tables and code blocks."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fabric.catalog.load import Catalog, load
from fabric.cli.app import run

ROOT = Path(__file__).parents[2]

DESIGNS = ("fabric design designs/blackwell-roce-800g", "fabric design designs/hopper-ndr-1x400g")
"""Commands that stand in the documentation, or are like those."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def text(self) -> str:
        """The whole file."""
        return self.path.read_text(encoding="utf-8")

    @property
    def links(self) -> list[str]:
        """Targets of all links and pictures outside code blocks."""
        return _LINK.findall(_FENCE.sub("", self.text))

    def blocks(self, language: str) -> list[str]:
        """Code blocks of one language."""
        return [body for word, body in _FENCE.findall(self.text) if word == language]

    def table(self, title: str) -> list[list[str]]:
        """Cells of the first table below the heading `title`, its own heading left out, backticks removed."""
        below = re.split(rf"^#+ {re.escape(title)}$", self.text, maxsplit=1, flags=re.MULTILINE)[1]
        rows = list(_first_table(below.splitlines()))
        return [[cell.replace("`", "") for cell in row] for row in rows[2:]]


def _first_table(lines: list[str]) -> Iterator[list[str]]:
    started = False
    for line in lines:
        if line.startswith("|"):
            started = True
            yield [cell.strip() for cell in line.strip("|").split("|")]
        elif started or line.startswith("#"):
            return


@pytest.fixture(scope="session")
def root() -> Path:
    """Folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the shipped examples, in which one RoCE and one InfiniBand example have been designed."""
    folder = tmp_path_factory.mktemp("workshop")
    (folder / "designs").symlink_to(ROOT / "designs")
    with contextlib.chdir(folder):
        for command in DESIGNS:
            assert run(shlex.split(command)[1:]) == 0
    return folder


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """Function from a path below the project to its page."""
    return lambda name: Page(ROOT / name)


@pytest.fixture(scope="session")
def pages() -> list[Page]:
    """README and everything below docs."""
    return [Page(ROOT / "README.md"), Page(ROOT / "CHANGELOG.md"), *map(Page, sorted((ROOT / "docs").glob("*.md")))]
