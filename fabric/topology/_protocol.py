"""What a family of fabrics is, and how one registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from fabric.catalog.load import Catalog
from fabric.model.network import Network
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import Device, Topology
from fabric.registry import Registry
from fabric.topology.size import Size

Pairs: TypeAlias = Iterable[tuple[int, int]]
"""The two switches of links of a plane, by number."""

S = TypeVar("S", bound=Shape)


@dataclass(frozen=True, slots=True)
class Joining(Generic[S]):
    """Global links of a family, whose ends may be others than a shape says.

    Attributes:
        switches: those that end them, of all planes, in the order in which a plane numbers them.
        sketch: one plane of a shape with the endpoints of so many nodes, given the switches of every global link.
        ports: the parameter that says how many of them a switch has.
    """

    switches: Callable[[S, Request], Iterable[Device]]
    sketch: Callable[[S, int, Pairs], Network]
    ports: str


@dataclass(frozen=True, slots=True)
class Family(Generic[S]):
    """From a request to shapes, and from a shape to every device and link; a shape goes back to the family it is of.

    Attributes:
        listings: every shape worth a look, each with the fewest links it may do with, behind outlines where a listing
            is long. Raises `InputError` for a switch that cannot take the ports asked, `InfeasibleError` with the
            arithmetic where no shape holds the endpoints.
        build: every device and link of a shape, sorted by name.
        fitted: a shape with the links that its traffic wants, or None where its ports are too few for these; None for
            a family whose shapes come with their links.
        joining: its global links; None for a family without.
    """

    listings: Callable[[Request, Size, Catalog], Iterable[Iterable[S | Outline]]]
    build: Callable[[S, Request, Size, Catalog], Topology]
    fitted: Callable[[S, Request, Size, Catalog], S | None] | None = None
    joining: Joining[S] | None = None


FAMILIES: Registry[Family[Any]] = Registry("fabric.topology", "family")
