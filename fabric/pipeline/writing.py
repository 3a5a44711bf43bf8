"""From a design and its report to files: the whole folder, its report alone, or its artefacts again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from fabric.catalog import load as catalog_file
from fabric.catalog.load import Catalog
from fabric.io import design_folder
from fabric.io.atomic import replace_folder
from fabric.io.request_file import load
from fabric.model.design import Design
from fabric.model.report import Report
from fabric.pipeline.judging import evaluate
from fabric.render.artefacts import artefacts

Say = Callable[[str], None]
"""Takes one line of progress."""


def write(design: Design, report: Report, catalog: Catalog, target: Path, *, say: Say = lambda _: None) -> None:
    """Write the design folder with every artefact, or leave the old folder whole."""
    say("drawing and writing")
    design_folder.write(design, target, catalog.overlay, artefacts(design, report, catalog))


def write_report(design: Design, report: Report, catalog: Catalog, target: Path) -> None:
    """Write the report alone, beside the tables it judged so that the folder can be validated again."""
    design_folder.write(design, target, catalog.overlay, artefacts(design, report, catalog, only="report"))


def render_into(
    design: Design, catalog: Catalog, folders: tuple[Path, Path], *, only: str | None, nos: str | None
) -> Mapping[str, str | bytes]:
    """Render again from the tables of the first folder into the second; files of other kinds there stay.

    Returns:
        What was rendered, by relative path.
    """
    source, target = folders
    made = artefacts(design, evaluate(design, catalog), catalog, only=only, nos=nos)
    kept = {}
    if target.is_dir():
        kept = {path.relative_to(target).as_posix(): path.read_bytes() for path in _files(target)}
    design_texts = {} if source.resolve() == target.resolve() else design_folder.files(design)
    overlay = {f"{design_folder.OVERLAY}/{name}": text for name, text in catalog.overlay.items()}
    texts = {**design_texts, **overlay, **made}
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in texts.items()}
    replace_folder(target, {**kept, **contents})
    return made


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def catalog_of(folder: Path, overlay: Path | None) -> Catalog:
    """The catalog that a design folder rests on: the overlay given, else the folder's own."""
    return catalog_file.load(overlay or design_folder.overlay_folder(folder))


def with_request(design: Design, path: Path, catalog: Catalog) -> Design:
    """The design, to be judged against another request."""
    loaded = load(path, catalog)
    return replace(design, request=loaded.request)
