"""What a routing scheme is, and how one registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.registry import Registry

Route: TypeAlias = Callable[[Network], Routes]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to route: the families that are routed so unless something else is asked, and what makes its routes."""

    families: frozenset[str]
    routes: Route


SCHEMES: Registry[Scheme] = Registry("fabric.routing", "routing scheme")


def scheme(name: str, *families: str) -> Callable[[Route], Route]:
    """Decorator that files a routing scheme under its name, as the default of `families`."""

    def file(routes: Route) -> Route:
        SCHEMES.register(name)(Scheme(frozenset(families), routes))
        return routes

    return file


def default_scheme(family: str) -> str | None:
    """The scheme by which a family is routed; None for a family without one."""
    return next((name for name in SCHEMES if family in SCHEMES[name].families), None)
