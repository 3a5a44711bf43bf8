"""From a design and its report to files: the whole folder, its report alone, or its artefacts again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fabric.catalog.load import Catalog
from fabric.content import Content, Streamed, whole
from fabric.io import design_folder
from fabric.io.atomic import replace_folder
from fabric.model.design import Design
from fabric.model.front import FrontPoint
from fabric.model.report import Report
from fabric.pipeline.judging import evaluate
from fabric.pipeline.watch import Say
from fabric.render.artefacts import artefacts
from fabric.render.pareto_plot import TABLE, render_front
from fabric.table import read


def write(
    design: Design,
    report: Report,
    catalog: Catalog,
    target: Path,
    *,
    front: Sequence[FrontPoint] | None = None,
    say: Say = lambda _: None,
) -> None:
    """Write the design folder with every artefact, and the front if there is one, or leave the old folder whole."""
    say("drawing and writing")
    made = artefacts(design, report, catalog)
    if front is not None:
        made |= render_front(front, design.name)
    design_folder.write(design, target, catalog.overlay, made)


def write_report(design: Design, report: Report, catalog: Catalog, folders: tuple[Path, Path]) -> None:
    """Write the report alone into the second folder, for a design read from the first.

    The tables it judged go along, so that this folder can be validated too.
    """
    _put(design, catalog, folders, artefacts(design, report, catalog, only="report"))


def render_into(
    design: Design, catalog: Catalog, folders: tuple[Path, Path], *, only: str | None, nos: str | None
) -> Mapping[str, Content]:
    """Render again from the tables of the first folder into the second; files of other kinds there stay.

    Returns:
        What was rendered, by relative path.
    """
    made = artefacts(design, evaluate(design, catalog), catalog, only=only, nos=nos)
    table = folders[0] / TABLE
    if only in (None, "plots") and table.is_file():
        made |= render_front(read(FrontPoint, table, str(table)), design.name)
    _put(design, catalog, folders, made)
    return made


def _put(design: Design, catalog: Catalog, folders: tuple[Path, Path], made: Mapping[str, Content]) -> None:
    """Put artefacts into the second folder: into the design's own nothing else, into another one the design too.

    What else it holds stays if it belongs to the same design, except in the folders that were made anew.
    """
    source, target = folders
    held = {path.relative_to(target).as_posix(): path for path in _files(target)}
    base: dict[str, Content] = {}
    if source.resolve() != target.resolve():
        base = {**design_folder.files(design), **design_folder.overlay_files(catalog.overlay)}
    if any(name not in held or held[name].read_bytes() != whole(content) for name, content in base.items()):
        held = {}
    anew = tuple({f"{name.partition('/')[0]}/" for name in made if "/" in name})
    kept = {name: _copy(path) for name, path in held.items() if not name.startswith(anew)}
    replace_folder(target, {**kept, **base, **made})


def _copy(path: Path) -> Streamed:
    """What a file holds that stays."""
    return Streamed(lambda: (path.read_bytes(),))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
