"""What is bought to make the links: cable assemblies and pluggables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabric.model.termination import Termination
from fabric.model.topology import COMPUTE


@dataclass(frozen=True, slots=True)
class Cable:
    """One assembly: an orderable part, its length as sold and its route as measured on the floor plan [m].

    `route` lists the places it passes ("A01 > row A > A07"); `bundle` groups cables pulled together, `run` is its
    number in the bundle. A splitter or twin-port cable is one assembly that carries several links.
    """

    name: str
    part: str
    family: str
    medium: str
    length_m: float
    route_m: float
    route: str | None = None
    bundle: str | None = None
    run: int | None = None
    fabric: str = COMPUTE


@dataclass(frozen=True, slots=True)
class Pluggable:
    """One transceiver in one cage."""

    device: str
    cage: str
    part: str
    fabric: str = COMPUTE


@dataclass(frozen=True)
class Cabling:
    """Cables sorted by name, pluggables sorted by device and cage, and the cable of every link.

    `termination` says how the search ended where a limit ties all cables together; it is not stored.
    """

    cables: tuple[Cable, ...]
    pluggables: tuple[Pluggable, ...]
    cable_of: Mapping[str, str]
    termination: Termination | None = field(default=None, compare=False)
