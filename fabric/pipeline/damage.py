"""Planes with elements down that a user names: links, devices, cages of a device, whole planes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from fabric.errors import Fault, InputError, nearest
from fabric.pipeline.elements import SWITCH_KINDS, Element, elements, gone
from fabric.pipeline.networks import Gone, Plane

ALLOWED = "a link, a device, DEVICE:CAGE or plane N"
"""What a name may be."""


def damage(planes: Sequence[Plane], names: Iterable[str]) -> dict[int, Gone]:
    """What is down in which plane without some elements, one or several.

    Args:
        planes: of a design.
        names: LINK, DEVICE (a switch, a node or an attached device), DEVICE:CAGE or `plane N`, as the tables spell
            them.

    Raises:
        InputError: for every name that nothing here has, with what is allowed and what looks like it.
    """
    book = _Book(planes)
    found: list[Element] = []
    faults: list[Fault] = []
    for name in names:
        element = book.find(name)
        if element is None:
            faults.append(Fault(f"no element {name!r} in this design: {ALLOWED}{book.near(name)}"))
        else:
            found.append(element)
    if faults:
        raise InputError(*faults)
    return gone(planes, found)


class _Book:
    """Elements by the names that users give them."""

    def __init__(self, planes: Sequence[Plane]) -> None:
        self._planes = planes

    def find(self, name: str) -> Element | None:
        """The element of a name; None without one."""
        for part in (self._links, self._devices, self._numbers, self._cages):
            if name in part:
                return part[name]
        return None

    def near(self, name: str) -> str:
        """How a message on an unknown name ends: with the cages of its device, or with names that look like it."""
        device, colon, _ = name.partition(":")
        if colon and device in self._devices:
            cages = sorted(cage.partition(":")[2] for cage in self._cages if cage.startswith(f"{device}:"))
            return f"; cages of {device} with links: {', '.join(cages) or 'none'}"
        if colon:
            return nearest(device, self._devices, lead="; ", most=3)
        return nearest(name, [*self._devices, *self._numbers, *self._links], lead="; ", most=3)

    @cached_property
    def _links(self) -> Mapping[str, Element]:
        return self._named("node_link", "link")

    @cached_property
    def _cages(self) -> Mapping[str, Element]:
        return self._named("cage")

    @cached_property
    def _numbers(self) -> Mapping[str, Element]:
        return self._named("plane")

    @cached_property
    def _devices(self) -> Mapping[str, Element]:
        """Switches, and what hangs on them by the links of all planes."""
        down: dict[str, dict[int, list[int]]] = {}
        for at, plane in enumerate(self._planes):
            for index, link in enumerate(plane.endpoints):
                down.setdefault(link.a.device, {}).setdefault(at, []).append(index)
        nodes = {
            name: Element("node", name, -1, tuple((at, tuple(indices), ()) for at, indices in by_plane.items()))
            for name, by_plane in down.items()
        }
        return nodes | self._named(*SWITCH_KINDS)

    def _named(self, *kinds: str) -> dict[str, Element]:
        return {element.name: element for kind in kinds for element in elements(self._planes, kind)}
