"""Address pools of a request, and each device kind's share of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations

from fabric.errors import Fault, InputError
from fabric.model.request import Addressing

EIGHTHS = 8
SHARES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "loopbacks": {"leaf": (0, 4), "router": (0, 4), "spine": (4, 6), "core": (6, 8)},
    "links": {"leaf": (0, 6), "router": (0, 6), "spine": (6, 8)},
    "hosts": {"node": (0, 4), "attached": (4, 8)},
    "mgmt": {
        "node": (0, 4),
        "leaf": (4, 6),
        "router": (4, 6),
        "spine": (6, 7),
        "core": (6, 7),
        "attached": (7, 8),
    },
}
"""First and last eighth of each pool that a kind of device may use."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One IPv4 network of the request under its key."""

    key: str
    network: IPv4Network

    def is_one_share(self, one: str, other: str) -> bool:
        """Whether two kinds of devices have the same share of the pool."""
        return SHARES[self.key].get(one) == SHARES[self.key].get(other)

    def first(self, kind: str, needed: int, why: str, half: int | None = None) -> int:
        """First address, as a number, of the share of `kind`.

        Args:
            kind: kind of device: node, leaf, spine, core, router or attached.
            needed: addresses that the share must hold.
            why: the arithmetic behind `needed`, for the message.
            half: 0 or 1 where two kinds halve one share, None where the share is the kind's own.

        Raises:
            InputError: when the share holds fewer.
        """
        start, stop = SHARES[self.key][kind]
        size = self.network.num_addresses
        # A link's network starts at an even address, in a pool of any size.
        offset = size * start // EIGHTHS & ~1
        available = size * stop // EIGHTHS - offset
        kinds = 1 if half is None else 2
        available //= kinds
        offset += (half or 0) * available
        if needed > available:
            share = f"{stop - start} of {EIGHTHS} parts of {self.network}, {available} addresses"
            enough = 32 - (-(-needed * kinds * EIGHTHS // (stop - start)) - 1).bit_length()
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
