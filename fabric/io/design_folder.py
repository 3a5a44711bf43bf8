"""The design folder: `design.yaml`, the floor plan, catalog overlay and the five tables, written and read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from fabric import table, yaml_file
from fabric.content import Content, Streamed
from fabric.errors import ArtifactError, Fault
from fabric.io import design_joins, design_rows, workload_files
from fabric.io.atomic import MARK, mend, replace_folder
from fabric.io.design_rows import CableRow, DeviceRow, LinkRow, Tables
from fabric.model.cabling import Pluggable
from fabric.model.design import Design
from fabric.model.design_head import DesignHead
from fabric.model.floorplan import FloorPlan
from fabric.model.settings import LosslessPort

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")

FLOOR_PLAN = "floorplan.yaml"
OVERLAY = "catalog"
TABLES = ("devices.csv", "links.csv", "cables.csv", "pluggables.csv", "lossless.csv")


def write(
    design: Design,
    folder: Path,
    overlay: Mapping[str, str] | None = None,
    extra: Mapping[str, Content] | None = None,
) -> None:
    """Replace `folder` by the files of `design`, or leave it as it was.

    Args:
        design: floats with at most 9 significant digits, which is what a table keeps.
        folder: absent, empty, or a design folder.
        overlay: part files and prices of the user's own that the design rests on, by path below `catalog/`.
        extra: rendered artefacts by path below `folder`.

    Raises:
        InputError: `folder` holds something else or cannot be written.
    """
    replace_folder(folder, {**files(design), **overlay_files(overlay or {}), **(extra or {})})


def files(design: Design) -> dict[str, Content]:
    """Text of each file that makes up `design`, by its name in the folder."""
    plan = design.floor_plan
    return {
        MARK: yaml_file.dump(_head(design)),
        **({FLOOR_PLAN: yaml_file.dump(plan.model_dump(exclude_unset=True))} if plan else {}),
        "devices.csv": _table(DeviceRow, design_rows.devices, design),
        "links.csv": _table(LinkRow, design_rows.links, design),
        "cables.csv": _table(CableRow, design_rows.cables, design),
        "pluggables.csv": _table(Pluggable, design_rows.pluggables, design),
        "lossless.csv": _table(LosslessPort, design_rows.lossless, design),
        **workload_files.kept(design.request),
    }


def _table(record: type[R], rows: Callable[[Design], Iterable[R]], design: Design) -> Streamed:
    """A table whose rows are made as they are written."""
    return Streamed(lambda: table.lines(record, rows(design)))


def _head(design: Design) -> dict[str, Any]:
    """What `design.yaml` holds: only what the tables cannot tell."""
    return {
        "name": design.name,
        "request": design.request.model_dump(exclude_unset=True) if design.request else None,
        "family": design.topology.family,
        "parameters": dict(sorted(design.topology.parameters.items())),
        "provenance": asdict(design.provenance) if design.provenance else None,
    }


def overlay_files(overlay: Mapping[str, str]) -> dict[str, str]:
    """The files of a catalog overlay, given by path below it, by their name in the folder."""
    return {f"{OVERLAY}/{name}": text for name, text in overlay.items()}


def overlay_folder(folder: Path) -> Path | None:
    """The catalog overlay that a design folder carries, None without one."""
    return folder / OVERLAY if (folder / OVERLAY).is_dir() else None


def read(folder: Path) -> Design:
    """The design that a folder holds; the order of rows does not matter.

    Raises:
        ArtifactError: no design folder, files missing, or every fault of its files with file and line.
    """
    mend(folder)
    _complete(folder)
    faults: list[Fault] = []
    head = _record(DesignHead, folder / MARK, faults)
    plan = _record(FloorPlan, folder / FLOOR_PLAN, faults) if (folder / FLOOR_PLAN).exists() else None
    tables = Tables(
        devices=_rows(DeviceRow, folder / "devices.csv", faults),
        links=_rows(LinkRow, folder / "links.csv", faults),
        cables=_rows(CableRow, folder / "cables.csv", faults),
        pluggables=_rows(Pluggable, folder / "pluggables.csv", faults),
        lossless=_rows(LosslessPort, folder / "lossless.csv", faults),
    )
    if head is not None and head.request is not None:
        request, lost = workload_files.filled(head.request, workload_files.inside(folder), folder)
        head = head.model_copy(update={"request": request})
        faults += lost
    if not faults:
        faults = design_joins.faults(tables, plan, folder)
    if faults or head is None:
        rest = len(faults) - table.MAX_FAULTS
        more = [Fault(f"and {rest} more", str(folder))] if rest > 0 else []
        raise ArtifactError(*faults[: table.MAX_FAULTS], *more)
    return design_rows.design(head, plan, tables.ordered())


def _complete(folder: Path) -> None:
    """Refuse what is no design folder, or only half of one."""
    if not folder.is_dir():
        what = "a file, not a design folder" if folder.is_file() else "there is no such design folder"
        raise ArtifactError(Fault(what, str(folder)))
    if not (folder / MARK).is_file():
        raise ArtifactError(Fault(f"not a design folder: it holds no {MARK}", str(folder)))
    lost = [folder / name for name in TABLES if not (folder / name).is_file()]
    if lost:
        why = "this table is missing; the folder is only half written"
        raise ArtifactError(*(Fault(why, str(path)) for path in lost))


def _record(model: type[M], path: Path, faults: list[Fault]) -> M | None:
    """The record that a YAML file describes; its faults join `faults`."""
    record, found = yaml_file.inspect(model, yaml_file.load(path, str(path)))
    faults.extend(found)
    return record


def _rows(record: type[R], path: Path, faults: list[Fault]) -> tuple[R, ...]:
    """Rows of a table in file order; its faults join `faults`."""
    try:
        return tuple(table.read(record, path, str(path)))
    except ArtifactError as error:
        faults.extend(error.faults)
        return ()
