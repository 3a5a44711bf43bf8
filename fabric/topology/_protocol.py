"""What a family of fabrics is, and how one registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from fabric.catalog.load import Catalog
from fabric.model.network import Network
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import Topology
from fabric.registry import Registry
from fabric.topology.size import Size

Carries: TypeAlias = Callable[[Network], bool]
"""Whether one plane carries the traffic that is asked."""

Ends: TypeAlias = Sequence[tuple[str, str]]
"""The two switches of every global link of all planes, by name."""

S = TypeVar("S", bound=Shape)


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
        rewired: every device and link of a shape whose global links have other ends, or None where these do not carry
            its traffic; None for a family without such links.
    """

    listings: Callable[[Request, Size, Catalog], Iterable[Iterable[S | Outline]]]
    build: Callable[[S, Request, Size, Catalog], Topology]
    fitted: Callable[[S, Request, Size, Catalog], S | None] | None = None
    rewired: Callable[[S, Request, Size, Catalog, Carries, Ends], Topology | None] | None = None


FAMILIES: Registry[Family[Any]] = Registry("fabric.topology", "family")
