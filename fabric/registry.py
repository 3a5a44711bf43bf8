"""A room's plug-ins: one module per entry, found by scanning the room, each registering one object under a name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from fabric.errors import InputError, nearest

T = TypeVar("T")


class Registry(Generic[T]):
    """Entries of one kind in one room; the room's modules are imported at the first look-up.

    A module that fails to import raises there and then: a broken plug-in never becomes an "unknown name".
    """

    def __init__(self, package: str, kind: str) -> None:
        self._package = package
        self._kind = kind
        self._entries: dict[str, T] = {}
        self._scanned = False

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator that files an object under `name`; the same name twice is an error."""

        def file(entry: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self._kind} {name!r} is registered twice")
            self._entries[name] = entry
            return entry

        return file

    def _scan(self) -> None:
        if not self._scanned:
            room = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(room.__path__):
                if not module.name.startswith("_"):
                    importlib.import_module(f"{self._package}.{module.name}")
            self._scanned = True

    def __getitem__(self, name: str) -> T:
        self._scan()
        if name not in self._entries:
            hint = nearest(name, self._entries, otherwise=".")
            raise InputError(f"unknown {self._kind} {name!r}{hint} Known: {', '.join(sorted(self._entries))}")
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self._scan()
        return iter(sorted(self._entries))
