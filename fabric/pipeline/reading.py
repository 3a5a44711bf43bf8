"""What a design folder rests on besides its tables: its catalog, and the request to judge it against."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fabric.catalog import load as catalog_file
from fabric.catalog.load import Catalog
from fabric.errors import Fault, InputError
from fabric.io import design_folder
from fabric.io.request_file import load
from fabric.model.design import Design


def catalog_of(folder: Path, overlay: Path | None, target: Path | None = None) -> Catalog:
    """The catalog that a design folder rests on: the overlay given, else the folder's own.

    Raises:
        InputError: `target` is the folder itself, whose artefacts would then belie the parts it carries.
    """
    if overlay is not None and target is not None and folder.resolve() == target.resolve():
        raise InputError(Fault("this folder rests on a catalog of its own; write elsewhere with -o", key="--catalog"))
    return catalog_file.load(overlay or design_folder.overlay_folder(folder))


def with_request(design: Design, path: Path, catalog: Catalog) -> Design:
    """The design, to be judged against another request."""
    loaded = load(path, catalog)
    return replace(design, request=loaded.request)
