"""Names of switch ports as the switch's system writes them, and the way back to cage and slot."""

from __future__ import annotations

import re
from functools import cache
from string import ascii_lowercase

from fabric.errors import InputError
from fabric.nos.spec import NamePattern, load

_TABLE_SYSTEM = {"infiniband": "nvos", "ethernet": "sonic", "roce": "sonic"}
_FIELD = re.compile(r"\{(\w+)\}")
_PLACES = {"cage": r"[1-9]\d*", "slot": r"\d+", "port": r"[1-9]\d*", "letter": "[a-z]", "lane": r"\d+"}


def nos_of(link_layer: str) -> str:
    """Key of the system whose port names the tables use for a link layer (infiniband, ethernet or roce)."""
    return _TABLE_SYSTEM[link_layer]


@cache
def port_name(nos: str, cage: int, slot: int, ports_in_cage: int, lanes_per_cage: int) -> str:
    """Name of one port.

    Args:
        nos: key of the network operating system.
        cage: number of the cage, from 1.
        slot: place of the port in its cage, from 0.
        ports_in_cage: how many ports the cage is split into.
        lanes_per_cage: electrical lanes of the cage.
    """
    return _name(load(nos).port, cage, slot, ports_in_cage, lanes_per_cage)


def port_alias(nos: str, cage: int, slot: int, ports_in_cage: int, lanes_per_cage: int) -> str:
    """Faceplate name of one port, or its name where the system has no aliases; arguments as `port_name`."""
    system = load(nos)
    return _name(system.alias or system.port, cage, slot, ports_in_cage, lanes_per_cage)


@cache
def cage_and_slot(nos: str, port: str, ports_in_cage: int, lanes_per_cage: int) -> tuple[int, int]:
    """Cage (from 1) and slot (from 0) of a port; the inverse of `port_name`.

    Raises:
        InputError: when the system has no such port in a cage split that way.
    """
    pattern = load(nos).port.of(ports_in_cage)
    match = _reader(pattern).fullmatch(port)
    place = match.groupdict() if match else {}
    cage, slot = 0, 0
    if "lane" in place:
        cage, rest = divmod(int(place["lane"]), lanes_per_cage)
        cage, slot = cage + 1, rest * ports_in_cage // lanes_per_cage
    elif place:
        cage = int(place["cage"])
        slot = int(place.get("slot", int(place.get("port", 1)) - 1))
    if not place or port != port_name(nos, cage, slot, ports_in_cage, lanes_per_cage):
        raise InputError(f"{port!r} is no {nos} port of a cage with {ports_in_cage} ports; pattern {pattern}")
    return cage, slot


def _name(pattern: NamePattern, cage: int, slot: int, ports_in_cage: int, lanes_per_cage: int) -> str:
    if not (cage >= 1 and 0 <= slot < ports_in_cage <= lanes_per_cage):
        raise InputError(f"no port at cage {cage}, slot {slot}: {ports_in_cage} ports on {lanes_per_cage} lanes")
    return pattern.of(ports_in_cage).format(
        cage=cage,
        slot=slot,
        port=slot + 1,
        letter=ascii_lowercase[slot],
        lane=(cage - 1) * lanes_per_cage + slot * lanes_per_cage // ports_in_cage,
    )


@cache
def _reader(pattern: str) -> re.Pattern[str]:
    """Regular expression that reads names of `pattern` back."""
    pieces = _FIELD.split(pattern)
    return re.compile(
        "".join(
            f"(?P<{piece}>{_PLACES[piece]})" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces)
        )
    )
