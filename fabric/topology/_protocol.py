"""What a family of fabrics is, and how one registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from fabric.catalog.load import Catalog
from fabric.model.network import Network
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import Topology
from fabric.registry import Registry
from fabric.topology.size import Size

Carries: TypeAlias = Callable[[Network], bool]
"""Whether one plane carries the traffic that is asked."""


S = TypeVar("S", bound=Shape)


@dataclass(frozen=True, slots=True)
class Family(Generic[S]):
    """From a request to shapes, and from a shape to every device and link; a shape goes back to the family it is of.

    Attributes:
        shapes: every shape worth a look, each with the fewest links it may do with. Raises `InputError` for a switch
            that cannot take the ports asked, `InfeasibleError` with the arithmetic where no shape holds the endpoints.
        fitted: a shape with the links that its traffic wants; None where its ports are too few for these.
        build: every device and link of a shape, sorted by name.
    """

    shapes: Callable[[Request, Size, Catalog], tuple[S, ...]]
    fitted: Callable[[S, Request, Size, Catalog, Carries], S | None]
    build: Callable[[S, Request, Size, Catalog], Topology]


FAMILIES: Registry[Family[Any]] = Registry("fabric.topology", "family")
