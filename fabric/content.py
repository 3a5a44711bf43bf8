"""What a file holds: text or bytes, whole or made while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Streamed:
    """Text or bytes made piece by piece whenever they are asked for, so that a long file never exists as a whole."""

    pieces: Callable[[], Iterable[str | bytes]]


Content: TypeAlias = str | bytes | Streamed


def pieces(content: Content) -> Iterator[bytes]:
    """The bytes of a file, piece by piece."""
    for piece in content.pieces() if isinstance(content, Streamed) else (content,):
        yield piece.encode() if isinstance(piece, str) else piece


def whole(content: Content) -> bytes:
    """The bytes of a file."""
    return b"".join(pieces(content))
