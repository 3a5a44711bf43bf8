"""IPv4 texts as numbers."""

from __future__ import annotations

import socket
from ipaddress import IPv4Network

Interface = tuple[int, int]
"""An address as a number, and the length of its prefix."""


def address(text: str | None) -> int | None:
    """An IPv4 address as a number, None where the text is none."""
    try:
        return int.from_bytes(socket.inet_pton(socket.AF_INET, text or ""), "big")
    except OSError:
        return None


def interface(text: str | None) -> Interface | None:
    """Address and prefix length of "10.0.0.0/31", None where the text is none."""
    host, _, prefix = (text or "").partition("/")
    number = address(host)
    return (number, int(prefix)) if number is not None and prefix.isdigit() and int(prefix) <= 32 else None  # noqa: PLR2004 -- bits of an IPv4 address


def network(interface: Interface) -> Interface:
    """First address and prefix length of an interface's network."""
    number, prefix = interface
    return number >> (32 - prefix) << (32 - prefix), prefix


def pool(text: str) -> range:
    """Addresses of a network of the request; empty where the text is none, which the request's reader refuses."""
    try:
        found = IPv4Network(text)
    except ValueError:
        return range(0)
    return range(int(found.network_address), int(found.broadcast_address) + 1)
