"""Longer ways than the shortest: over switches of other groups, and the mix of both that fills links least."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

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
    ends = (offered.sent_bytes, offered.received_bytes)
    shortest = even_load(network, routes, offered.pair_bytes, *ends)
    if not network.position.size or shortest.unreachable.size:
        return shortest
    first, second = (even_load(network, routes, leg, *ends) for leg in over_others(network, offered.pair_bytes))
    if first.unreachable.size or second.unreachable.size:
        return shortest
    longer = (first.link_up_bytes + second.link_up_bytes, first.link_down_bytes + second.link_down_bytes)
    rate = np.tile(network.link_gbps * bytes_per_us(1.0), 2)
    near = np.concatenate([shortest.link_up_bytes, shortest.link_down_bytes])
    share = best_mix(near / rate, np.concatenate(longer) / rate)[1] if minimal_share is None else minimal_share
    up, down = np.split(share * near + (1 - share) * np.concatenate(longer), 2)
    crossing = float(offered.pair_bytes.sum())
    hops = float(up.sum() + down.sum()) / crossing if crossing else 0.0
    return ArcLoad(*ends, up, down, hops, shortest.unreachable)


def over_others(network: Network, demand: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The two legs of a demand sent over switches of other groups (Valiant), each with the same share.

    What has no other group stays as it is, in the first leg. Source: valiant-1982.
    """
    edges = network.position[: network.edge_count]
    _, group = np.unique(edges, axis=0, return_inverse=True)
    member = np.eye(int(group.max()) + 1)[group.reshape(-1)]  # (n_edges, n_groups)
    size = member.sum(axis=0)
    third = (network.edge_count - size[:, None] - size[None, :]) > 0  # (n_groups, n_groups) whether there is any other
    apart = demand * (1 - member @ member.T) * (member @ third @ member.T)
    between = member.T @ apart @ member  # (n_groups, n_groups) bytes
    left = network.edge_count - size[:, None] - size[None, :]
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
