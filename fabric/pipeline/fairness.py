"""Max-min fair rates of the transfers of a phase: how slow the slowest is, and how many others are as slow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabric.flow.max_min import fair_rates
from fabric.model.network import FloatArray, IntArray
from fabric.model.report import FairShare
from fabric.pipeline.carried import Carried
from fabric.pipeline.networks import Plane
from fabric.traffic.demand import Transfers, labels
from fabric.traffic.fold import fold
from fabric.traffic.planes import Balancing, Dealing

MOST_CLASSES = 1_024
"""Classes of ports up to which rates are filled: their pairs, some numbers each, are held at once."""


def fair_share(carried: Carried) -> FairShare | None:
    """Fair rates on the plane with the fullest link; None without traffic and where ports are of too many classes.

    A transfer is what one rank sends another from one port to one, in every plane in which they meet. Ports of one leaf
    or router that send to and hear from the same others are one class; those of listed transfers are one each.
    """
    at = carried.fullest
    load = carried.loads[at]
    network = load.plane.network
    group = _classes(carried, at, network.endpoint_switch, labels(np.rint(network.endpoint_gbps).astype(np.int64)))
    count = int(group.max(initial=-1)) + 1
    if load.worst is None or count > MOST_CLASSES:
        return None
    places = [np.zeros(len(each.plane.endpoints), dtype=np.int64) for each in carried.loads]
    places[at] = np.maximum(group, 0)
    counts = [count if plane == at else 1 for plane in range(len(places))]
    carriers = replace(carried.carriers, leaves=places, leaf_counts=counts)
    flows = list(fold(carried.phase.demand, carried.job.ranks, carriers, _ONCE, flows=True))[at].flows
    if flows is None or not flows.pairs.any():
        return None
    return _share(load.plane, group, flows.pairs)


def _share(plane: Plane, group: IntArray, flows: FloatArray) -> FairShare:
    """Rates of transfers (n_classes, n_classes) between the classes (n_endpoints,) of a plane's ports."""
    network, used = plane.network, group >= 0
    found = fair_rates(network, plane.routes, group, flows)
    rate, weight = found.gbps[flows > 0], flows[flows > 0]
    slowest = float(rate.min())
    port_gbps = np.zeros(len(flows))
    port_gbps[group[used]] = network.endpoint_gbps[used]
    busiest = np.maximum(flows.sum(axis=0), flows.sum(axis=1)) / np.bincount(group[used], minlength=len(flows))
    return FairShare(
        transfers=round(float(weight.sum())),
        slowest_gbps=slowest,
        mean_gbps=float(rate @ weight / weight.sum()),
        ports_gbps=float((port_gbps[busiest > 0] / busiest[busiest > 0]).min()),
        at_slowest=float(weight[rate <= slowest * (1 + _EQUAL)].sum() / weight.sum()),
    )


_ONCE = Dealing(Balancing.HARDWARE, 1)
"""Dealing under which two ranks count once in every plane in which they meet."""

_EQUAL = 1e-6
"""Relative difference below which two rates are equal."""


def _classes(carried: Carried, at: int, leaf: IntArray, rate: IntArray) -> IntArray:
    """(n_endpoints,) class of each port, −1 for one that no rank uses."""
    ports = carried.carriers.planes[at]
    used = np.unique(ports.port)
    found = np.full(leaf.size, -1, dtype=np.int64)
    demand = carried.phase.demand
    if isinstance(demand, Transfers):
        found[used] = np.arange(used.size)
        return found
    entry = labels(
        demand.group[ports.rank],
        (demand.sent_bytes[ports.rank] > 0).astype(np.int64),
        (demand.share[ports.rank] > 0).astype(np.int64),
        carried.carriers.meet.of_rank[ports.rank],
    )
    # Ports that several ranks share are alike where these are the same by number.
    first, last = (np.zeros(leaf.size, dtype=np.int64) for _ in range(2))
    first[ports.port[::-1]], last[ports.port] = entry[::-1], entry
    found[used] = labels(leaf[used], rate[used], first[used], last[used], np.bincount(ports.port)[used])
    return found
