"""The description of one network operating system, read from `templates/<nos>/nos.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from fabric.errors import InputError, nearest
from fabric.resources import data_dir
from fabric.yaml_file import parse


@dataclass(frozen=True, slots=True)
class NamePattern:
    """How a port is named: `whole` when it fills its cage, `split` when several share the cage."""

    whole: str
    split: str

    def of(self, ports_in_cage: int) -> str:
        """The pattern for a port in a cage of `ports_in_cage` ports."""
        return self.whole if ports_in_cage == 1 else self.split


@dataclass(frozen=True, slots=True)
class Platform:
    """What a system does differently on one chip family: number of its first lane, and who sizes the buffers."""

    first_lane: int = 0
    buffer_model: str = "traditional"


@dataclass(frozen=True, slots=True)
class Nos:
    """One network operating system.

    Attributes:
        name: Its key, the folder under `templates/`.
        link_layer: What its switches speak.
        port: Pattern of port names.
        alias: Pattern of faceplate names, None if the system has none.
        files: Configuration file per switch -> template that prints it.
        words: The system's words for roles and modes.
        numbers: The system's own defaults, each with its unit in the key.
        platforms: Differences per chip family; `default` stands for all others.
    """

    name: str
    link_layer: str
    port: NamePattern
    alias: NamePattern | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    platforms: Mapping[str, Platform] = field(default_factory=dict)

    def platform(self, chip: str | None) -> Platform:
        """What holds on switches with chip family `chip`."""
        return self.platforms.get(chip or "", self.platforms.get("default", Platform()))


def known() -> tuple[str, ...]:
    """Keys of all systems that are described, sorted."""
    return tuple(sorted(path.parent.name for path in data_dir("templates").glob("*/nos.yaml")))


@cache
def load(name: str) -> Nos:
    """The description of system `name`.

    Raises:
        InputError: when no such system is described; names the known ones.
    """
    if name not in known():
        hint = nearest(name, known(), otherwise=".")
        raise InputError(f"unknown network operating system {name!r}{hint} Known: {', '.join(known())}")
    path = data_dir("templates") / name / "nos.yaml"
    body = cast("dict[str, Any]", parse(path.read_text(encoding="utf-8"), f"{name}/nos.yaml").data)
    alias = body.pop("alias", None)
    platforms = body.pop("platforms", {})
    return Nos(
        name=name,
        port=NamePattern(**body.pop("port")),
        alias=NamePattern(**alias) if alias else None,
        platforms={chip: Platform(**words) for chip, words in platforms.items()},
        **body,
    )
