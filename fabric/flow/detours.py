"""Longer ways than the shortest: over switches of other groups, and the mix of both that fills links least."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from fabric.flow.contributions import shares_on
from fabric.flow.link_load import ArcLoad, even_load
from fabric.flow.offered import Offered
from fabric.model.network import FloatArray, Network
from fabric.model.paths import Routes
from fabric.units import bytes_per_us


def detoured_load(network: Network, routes: Routes, offered: Offered, minimal_share: float | None) -> ArcLoad:
    """Load of every arc when a part of the bytes goes over switches of other groups.

    Args:
        network: the plane; without positions there are no other groups, and all bytes go the shortest way.
        routes: how it is routed.
        offered: the traffic.
        minimal_share: share that goes the shortest way; None is the one that makes the fullest link emptiest, the best
            that adaptive routing can do.
    """
    shortest, longer, share = _legs(network, routes, offered, minimal_share)
    if longer is None:
        return shortest
    near = np.concatenate([shortest.link_up_bytes, shortest.link_down_bytes])
    up, down = np.split(share * near + (1 - share) * longer, 2)
    crossing = float(offered.pair_bytes.sum())
    hops = float(up.sum() + down.sum()) / crossing if crossing else 0.0
    return ArcLoad(offered.sent_bytes, offered.received_bytes, up, down, hops, shortest.unreachable)


def detoured_shares(
    network: Network, routes: Routes, offered: Offered, minimal_share: float | None, arc: int
) -> FloatArray:
    """(n_edges, n_edges) share of the bytes from leaf to leaf that take an arc, on their way or on a longer one.

    Equation: with f the shares of shortest ways, the longer ways of a pair (s, t) take the arc with the mean of
    f(s, w) + f(w, t) over the switches w of third groups.

    Args:
        network: as of `detoured_load`, and so `routes`, `offered` and `minimal_share`.
        routes: how it is routed.
        offered: the traffic, of which the best mix depends.
        minimal_share: share that goes the shortest way.
        arc: number of the arc.
    """
    _, longer, share = _legs(network, routes, offered, minimal_share)
    near = shares_on(network, routes, arc)
    if longer is None:
        return near
    member, left = _groups(network)
    group = member.argmax(axis=1)
    to_group, from_group = near @ member, member.T @ near
    out = near.sum(axis=1, keepdims=True) - to_group[np.arange(group.size), group][:, None] - to_group[:, group]
    back = near.sum(axis=0) - from_group[group] - from_group[group, np.arange(group.size)]
    others = left[np.ix_(group, group)]
    apart = (others > 0) & (group[:, None] != group)
    far = np.divide(out + back, others, out=near.copy(), where=apart)
    return np.asarray(share * near + (1 - share) * far, dtype=np.float64)


def _legs(
    network: Network, routes: Routes, offered: Offered, minimal_share: float | None
) -> tuple[ArcLoad, FloatArray | None, float]:
    """All bytes on shortest ways, (2 n_links,) all on longer ones, up and then down, and the share on the former.

    Without longer ways there is nothing but the first.
    """
    ends = (offered.sent_bytes, offered.received_bytes)
    shortest = even_load(network, routes, offered.pair_bytes, *ends)
    if not network.position.size or shortest.unreachable.size:
        return shortest, None, 1.0
    first, second = (even_load(network, routes, leg, *ends) for leg in over_others(network, offered.pair_bytes))
    if first.unreachable.size or second.unreachable.size:
        return shortest, None, 1.0
    longer = np.concatenate(
        [first.link_up_bytes + second.link_up_bytes, first.link_down_bytes + second.link_down_bytes]
    )
    if minimal_share is not None:
        return shortest, longer, minimal_share
    rate = np.tile(network.link_gbps * bytes_per_us(1.0), 2)
    near = np.concatenate([shortest.link_up_bytes, shortest.link_down_bytes])
    return shortest, longer, best_mix(near / rate, longer / rate)[1]


def _groups(network: Network) -> tuple[FloatArray, FloatArray]:
    """(n_edges, n_groups) 1 for the group of each switch, and (n_groups, n_groups) switches beside two groups."""
    _, group = np.unique(network.position[: network.edge_count], axis=0, return_inverse=True)
    member = np.eye(int(group.max()) + 1)[group.reshape(-1)]
    size = member.sum(axis=0)
    return member, network.edge_count - size[:, None] - size[None, :]


def over_others(network: Network, demand: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The two legs of a demand sent over switches of other groups (Valiant), each with the same share.

    What has no other group stays as it is, in the first leg. Source: valiant-1982.
    """
    member, left = _groups(network)
    apart = demand * (1 - member @ member.T) * (member @ (left > 0) @ member.T)
    between = member.T @ apart @ member  # (n_groups, n_groups) bytes
    per_switch = np.divide(between > 0, left, out=np.zeros(left.shape), where=left > 0)
    first = apart @ member * (member @ per_switch)  # (n_edges, n_groups): per switch of any third group
    out = (first.sum(axis=1, keepdims=True) - first) @ member.T * (1 - member @ member.T)
    second = (apart.T @ member) * (member @ per_switch.T)
    back = (second.sum(axis=1, keepdims=True) - second) @ member.T * (1 - member @ member.T)
    return out + (demand - apart), back.T


def best_mix(shortest: FloatArray, longer: FloatArray) -> tuple[float, float]:
    """Least time of the fullest link over all mixes of two loads, and the share of the first in it.

    minimise t  subject to  s a + (1 - s) b <= t  on every link,  0 <= s <= 1
    """
    rows = np.column_stack([shortest - longer, -np.ones(shortest.size)])
    found = linprog([0.0, 1.0], A_ub=rows, b_ub=-longer, bounds=[(0.0, 1.0), (0.0, None)], method="highs")
    share = float(np.clip(np.asarray(found.x)[0], 0.0, 1.0))
    return float((share * shortest + (1 - share) * longer).max(initial=0.0)), share
