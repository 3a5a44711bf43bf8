"""Address pools of a request, and each device kind's share of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations

from fabric.errors import Fault, InputError
from fabric.model.request import Addressing

PARTS = 16
SHARES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "loopbacks": {"leaf": (0, 8), "router": (0, 8), "spine": (8, 12), "core": (12, 16)},
    "links": {"leaf": (0, 12), "router": (0, 12), "spine": (12, 16)},
    "hosts": {"node": (0, 8), "attached": (8, 16)},
    "mgmt": {
        "node": (0, 8),
        "leaf": (8, 12),
        "router": (8, 12),
        "spine": (12, 13),
        "core": (13, 14),
        "attached": (14, 16),
    },
}
"""First and last sixteenth of each pool that a kind of device may use."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One IPv4 network of the request under its key."""

    key: str
    network: IPv4Network

    def first(self, kind: str, needed: int, why: str) -> int:
        """First address, as a number, of the share of `kind`.

        Args:
            kind: kind of device: node, leaf, spine, core, router or attached.
            needed: addresses that the share must hold.
            why: the arithmetic behind `needed`, for the message.

        Raises:
            InputError: when the share holds fewer.
        """
        start, stop = SHARES[self.key][kind]
        size = self.network.num_addresses
        # A link's network starts at an even address, in a pool of any size.
        offset = size * start // PARTS & ~1
        available = size * stop // PARTS - offset
        if needed > available:
            share = f"{stop - start} of {PARTS} parts of {self.network}, {available} addresses"
            enough = 32 - (-(-needed * PARTS // (stop - start)) - 1).bit_length()
            raise InputError(
                Fault(
                    f"too small: {why} need {needed} addresses; the share of each {kind} is {share}. "
                    f"A /{max(enough, 0)} is enough",
                    key=f"addressing.{self.key}",
                )
            )
        return int(self.network.network_address) + offset


def read_pools(addressing: Addressing) -> dict[str, Pool]:
    """Pools by key.

    Raises:
        InputError: for each pool that is no IPv4 network, and each two that overlap.
    """
    faults: list[Fault] = []
    pools: dict[str, Pool] = {}
    for key in SHARES:
        text = getattr(addressing, key)
        try:
            pools[key] = Pool(key, IPv4Network(text))
        except ValueError as error:
            faults.append(Fault(f"{text!r} is no IPv4 network: {error}", key=f"addressing.{key}"))
    faults.extend(
        Fault(f"{one.network} overlaps {two.network} of addressing.{two.key}", key=f"addressing.{one.key}")
        for one, two in combinations(pools.values(), 2)
        if one.network.overlaps(two.network)
    )
    if faults:
        raise InputError(*faults)
    return pools


def dotted(address: int) -> str:
    """An IPv4 address, given as a number, in dotted form."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"
