"""Replacing a folder so that a kill at any moment leaves the old one or the new one, never a mixture."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from fabric.content import Content, pieces
from fabric.errors import FabricError, InputError

MARK = "design.yaml"
"""A folder that holds this file is ours to replace."""


def replace_folder(target: Path, files: Mapping[str, Content]) -> None:
    """Make `target` hold exactly `files` (relative path with forward slashes to content), in their order.

    The files are written to `.NAME.new` beside it, then `target` moves to `.NAME.old`, the new folder takes its
    place and the old one is deleted.

    Raises:
        InputError: `target` holds something else, a file name leads out of it, or it cannot be written.
        FabricError: what the making of a streamed file raises.
    """
    outside = [name for name in files if _leads_out(name)]
    if outside:
        raise InputError(f"{outside[0]!r} cannot be the name of a file of a design folder")
    place = target.resolve()
    fresh, old = _beside(place)
    check_target(target)
    try:
        _write(fresh, files)
        if place.exists():
            place.rename(old)
        fresh.rename(place)
    except FabricError:
        mend(place)
        raise
    except OSError as error:
        mend(place)
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    shutil.rmtree(old, ignore_errors=True)


def check_target(target: Path) -> None:
    """Refuse, before any work, a folder that may not be replaced; mend it if a run was killed there.

    Raises:
        InputError: `target` is no folder, holds something else than a design, or cannot be written.
    """
    place = target.resolve()
    mend(place)
    if place.exists() and not place.is_dir():
        raise InputError(f"{target} is a file; the output is a folder")
    if not _is_free(place) and not (place / MARK).is_file():
        raise InputError(f"{target} holds something else than a design; give a new or an empty folder")
    parent = next(folder for folder in place.parents if folder.exists())
    if not parent.is_dir():
        raise InputError(f"{target} cannot be written: {parent.name} is a file")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"{target} cannot be written: no permission in its folder")


def mend(target: Path) -> None:
    """Finish or undo a swap that was interrupted: the whole old folder returns unless the new one is in place."""
    place = target.resolve()
    fresh, old = _beside(place)
    if old.is_dir():
        if _is_free(place):
            old.replace(place)
        else:
            shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(fresh, ignore_errors=True)


def _beside(place: Path) -> tuple[Path, Path]:
    """Where the new folder grows and where the old one waits."""
    return place.parent / f".{place.name}.new", place.parent / f".{place.name}.old"


def _is_free(place: Path) -> bool:
    return not place.exists() or (place.is_dir() and not any(place.iterdir()))


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name or "\0" in name


def _write(folder: Path, files: Mapping[str, Content]) -> None:
    folder.mkdir(parents=True)
    for parent in sorted({str(PurePosixPath(name).parent) for name in files}):
        (folder / parent).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with (folder / name).open("wb") as file:
            file.writelines(pieces(content))
