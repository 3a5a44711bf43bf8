"""One question, whatever the switches do with packets: what is on every arc, and how long does the fullest take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from fabric.flow.contributions import shares_on
from fabric.flow.detours import detoured_load, detoured_shares
from fabric.flow.hash_ways import Seeds, link_flows, shared_shares
from fabric.flow.hashing import hashed_load
from fabric.flow.link_load import ArcLoad, Bottleneck, Direction, bottleneck, even_load
from fabric.flow.offered import Offered
from fabric.flow.table_load import table_bytes_on, table_load
from fabric.model.forwarding import Forwarding
from fabric.model.network import FloatArray, Network
from fabric.model.paths import Routes


@dataclass(frozen=True, slots=True)
class Even:
    """Packets take all shortest ways in proportion to their rates: spraying, and adaptive routing at its best."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """Every flow keeps to one of the shortest ways, drawn by a hash.

    Attributes:
        samples: placements of all flows to draw, at least 1.
        seed: of the draws; equal seeds give equal results.
        seeds: whether switches hash a flow each in its own way.
    """

    samples: int
    seed: int
    seeds: Seeds = Seeds.PER_SWITCH


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Every switch has one link towards each endpoint, as a subnet manager set it."""

    forwarding: Forwarding


@dataclass(frozen=True, slots=True)
class Detoured:
    """Packets take shortest ways and, in families with groups, ways over a third one.

    Attributes:
        minimal_share: share that takes the shortest; 0 is Valiant's routing, None the best mix, as UGAL strives for.
    """

    minimal_share: float | None


Way: TypeAlias = Even | Hashed | Tables | Detoured


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """What a way to spread makes of traffic.

    Attributes:
        load: bytes on every arc; under hashing the expected ones.
        fullest: the arc that takes longest, with its time; under hashing the link that is expected to, if the fullest
            link takes longer than every endpoint's in half of the draws.
        between_us: (n_samples,) times of the fullest arc between switches, ascending [us]; one where nothing is drawn.
        ends_us: time of the fullest arc of an endpoint [us].
    """

    load: ArcLoad
    fullest: Bottleneck
    between_us: FloatArray
    ends_us: float

    @property
    def fullest_us(self) -> FloatArray:
        """(n_samples,) times of the fullest arc, ascending [us]; one where nothing is drawn."""
        return np.maximum(self.between_us, self.ends_us)

    def quantile_us(self, probability: float) -> float:
        """Time that the fullest arc exceeds in no more than 1 − `probability` of the draws [us]."""
        return float(np.quantile(self.fullest_us, probability))


def carry(network: Network, routes: Routes, offered: Offered, way: Way) -> Carried:
    """Load of every arc, the fullest one and the times that it takes.

    Under hashing the fullest link takes its time under even spread times its slowdown (`hashed_load`), which is drawn;
    links of endpoints carry what they carry.

    Args:
        network: the plane.
        routes: how it is routed; where forwarding tables are the way, they are asked instead.
        offered: the traffic.
        way: how switches spread it.
    """
    if isinstance(way, Tables):
        load = table_load(network, way.forwarding, offered)
    elif isinstance(way, Detoured):
        load = detoured_load(network, routes, offered, way.minimal_share)
    else:
        load = even_load(network, routes, offered.pair_bytes, offered.sent_bytes, offered.received_bytes)
    if isinstance(way, Hashed):
        return _hashed(network, routes, offered, load, way)
    between_us, ends_us = _of_links(network, load).time_us, _of_endpoints(network, load).time_us
    return Carried(load, bottleneck(network, load), np.array([between_us]), ends_us)


def bytes_on(network: Network, routes: Routes, offered: Offered, way: Way, arc: Bottleneck) -> FloatArray:
    """(n_edges, n_edges) bytes from leaf (router) to leaf that pass an arc between switches, the expected ones.

    Args:
        network: as of `carry`, and so `routes`, `offered` and `way`.
        routes: how it is routed.
        offered: the traffic.
        way: how switches spread it.
        arc: a link, up or down.
    """
    falls = arc.direction is Direction.LINK_DOWN
    if isinstance(way, Tables):
        return table_bytes_on(network, way.forwarding, offered, arc.index, falls=falls)
    if isinstance(way, Hashed) and way.seeds is Seeds.SHARED:
        link = arc.index + (network.link_a.size if falls else 0)
        return offered.pair_bytes * shared_shares(network, routes, offered.pair_bytes, link)
    pipes, pipe = network.pipes, int(network.pipes.of_link[arc.index])
    of_trunk = offered.pair_bytes * float(network.link_gbps[arc.index] / pipes.gbps[pipe])
    pipe += pipes.gbps.size if falls else 0
    if isinstance(way, Detoured):
        return of_trunk * detoured_shares(network, routes, offered, way.minimal_share, pipe)
    return of_trunk * shares_on(network, routes, pipe)


def _hashed(network: Network, routes: Routes, offered: Offered, even: ArcLoad, way: Hashed) -> Carried:
    drawn = hashed_load(
        network, routes, offered.flows, way.samples, way.seed, seeds=way.seeds, flow_bytes=offered.flow_bytes
    )
    links_us = _of_links(network, even).time_us * drawn.slowdown
    load = even if way.seeds is Seeds.PER_SWITCH else _polarised(network, routes, offered, even)
    endpoint, link = _of_endpoints(network, load), _of_links(network, load)
    fullest = link if np.median(links_us) > endpoint.time_us else endpoint
    return Carried(load, fullest, links_us, endpoint.time_us)


def _polarised(network: Network, routes: Routes, offered: Offered, even: ArcLoad) -> ArcLoad:
    """The load that is expected where all switches hash alike."""
    up, down = np.split(link_flows(network, routes, offered.pair_bytes, Seeds.SHARED).mean, 2)
    return replace(even, link_up_bytes=up, link_down_bytes=down)


def _of_links(network: Network, load: ArcLoad) -> Bottleneck:
    """The fullest arc between switches."""
    idle = np.zeros(network.endpoint_switch.size)
    return bottleneck(network, replace(load, endpoint_up_bytes=idle, endpoint_down_bytes=idle))


def _of_endpoints(network: Network, load: ArcLoad) -> Bottleneck:
    """The fullest arc of an endpoint."""
    idle = np.zeros(network.link_a.size)
    return bottleneck(network, replace(load, link_up_bytes=idle, link_down_bytes=idle))
