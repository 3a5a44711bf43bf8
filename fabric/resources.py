"""Where the files that travel with the package lie: inside a wheel, or beside the package in a source tree."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def data_dir(name: str) -> Path:
    """Folder of `templates`, `designs` (top level of the source tree) or `catalog` (inside the package).

    Raises:
        FileNotFoundError: when the installation lacks the folder.
    """
    places = {
        "catalog": (_PACKAGE / "catalog" / "data",),
        "templates": (_PACKAGE / "_templates", _PACKAGE.parent / "templates"),
        "designs": (_PACKAGE / "_designs", _PACKAGE.parent / "designs"),
    }[name]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"the installation lacks its {name} folder; reinstall fabricwright")
