"""How much fuller than the mean the fullest uplink gets when flows are hashed instead of spread."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from fabric.flow.flow_sizes import FlowSizes, settled
from fabric.flow.fullest import fullest_per_gbps
from fabric.flow.hash_ways import Seeds, link_flows
from fabric.flow.link_load import even_load
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.paths import Routes

_DIGITS = 9
"""Digits to which the sizes of flows are alike."""

_TAIL_LOG = 40.0
"""Minus the logarithm of the probability at which a tail is cut; far below the rounding of the results."""


@dataclass(frozen=True, slots=True, eq=False)
class HashedLoad:
    """Samples of one hashed placement of all flows.

    Attributes:
        slowdown: (n_samples,) fullest uplink over the fullest under even spread, ascending; 1 is ideal.
    """

    slowdown: FloatArray

    def quantile(self, probability: float) -> float:
        """Slowdown that a share `probability` of the samples does not exceed."""
        return float(np.quantile(self.slowdown, probability))


class _Draw(NamedTuple):
    """The independent hash draws that land on the links of one leaf in one direction."""

    flows: tuple[int, ...]  # (n_classes,) flows of each class
    weights: tuple[tuple[float, ...], ...]  # (n_classes, n_links) relative odds of each link
    gbps: tuple[float, ...]  # (n_links,)
    sizes: tuple[float, ...] = ()  # (n_classes,) of a flow, over the largest of all; empty where all are equal

    @property
    def is_even(self) -> bool:
        """Whether all links are equal, and all flows too, which may take any of them."""
        odds = {weight for flows, row in zip(self.flows, self.weights, strict=True) if flows for weight in row}
        return len(set(self.gbps)) == 1 and len(odds) == 1 and 0.0 not in odds and len(set(self.sizes)) <= 1


class Trunks(NamedTuple):
    """All parallel links between a leaf and a spine taken together.

    Attributes:
        gbps: (n_leaves, n_spines) their rate [Gb/s].
        reached: (n_leaves, n_spines) 1.0 where there is a link, else 0.0.
        usable_gbps: (n_leaves, n_leaves) rate of a leaf's uplinks whose spine reaches the other leaf [Gb/s].
    """

    gbps: FloatArray
    reached: FloatArray
    usable_gbps: FloatArray


def trunks_of(network: Network) -> Trunks:
    """A plane of two tiers as trunks."""
    pipes, leaves = network.pipes, network.edge_count
    gbps = np.zeros((leaves, network.switch_count - leaves))
    gbps[pipes.a, pipes.b - leaves] = pipes.gbps
    reached = (gbps > 0).astype(np.float64)
    return Trunks(gbps, reached, usable_gbps=np.asarray(gbps @ reached.T, dtype=np.float64))


def is_leaf_spine(network: Network) -> bool:
    """Whether every link of a plane joins a leaf with a spine."""
    return bool((network.tier[network.link_a] == 0).all() and (network.tier[network.link_b] == 1).all())


def hashed_load(
    network: Network,
    routes: Routes,
    leaf_flows: IntArray,
    samples: int,
    seed: int,
    *,
    seeds: Seeds = Seeds.PER_SWITCH,
    flow_bytes: FloatArray | None = None,
) -> HashedLoad:
    """Slowdown of the fullest link when each flow keeps to one hashed path.

    Flows fall independently on the links that `even_load` would use, with its shares as odds: an ideal hash, and
    a link is as full as their bytes make it. The result is what the slowest flow suffers when all start together and
    none is moved. Leaves and spines that hash apart are drawn leaf by leaf, where flows too small to matter alone
    are drawn as equal ones (`settled`); every other plane by mean and variance of each link (`link_flows`,
    `fullest_per_gbps`).

    Args:
        network: the plane.
        routes: how it is routed.
        leaf_flows: (n_edges, n_edges) flows from leaf (router) to leaf, several queue pairs counted as several, or
            (n_sizes, n_edges, n_edges) by their size; the diagonal and pairs without a way are left out.
        samples: placements to draw, at least 1.
        seed: of the draws; equal seeds give equal results.
        seeds: whether each switch hashes in its own way.
        flow_bytes: (n_sizes,) bytes of one flow of each size; None where all are equal.
    """
    flows = FlowSizes.of(leaf_flows, flow_bytes)
    if seeds is Seeds.SHARED or not is_leaf_spine(network):
        return HashedLoad(_drawn(_Question(network, routes, flows), samples, seed, seeds))
    return _of_uplinks(network, routes, flows, samples, seed)


class _Question:
    """Flows on a plane, equal to others by what they are made of, so that answers can be kept."""

    def __init__(self, network: Network, routes: Routes, flows: FlowSizes) -> None:
        self.network, self.routes, self.flows = network, routes, flows
        plane = (getattr(network, field.name) for field in fields(network))
        ways = (getattr(paths, field.name) for paths in routes for field in fields(paths))
        self._key = tuple(np.asarray(each).tobytes() for each in (flows.count, flows.size, *plane, *ways))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Question) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=64)
def _drawn(question: _Question, samples: int, seed: int, seeds: Seeds) -> FloatArray:
    """(samples,) slowdown on any plane, ascending.

    Kept, because phases, planes and trials of a design ask for the same.
    """
    network, flows = question.network, question.flows
    ideal = _ideal_flows_per_gbps(network, question.routes, flows.moment(1))
    if ideal == 0.0:
        return np.ones(samples)
    squares = None if flows.are_equal else flows.moment(2)
    found = link_flows(network, question.routes, flows.moment(1), seeds, squares)
    fullest = fullest_per_gbps(found, network.link_gbps, samples, seed)
    if not flows.are_equal:
        # Chance may leave every link that is drawn by itself below one flow: the largest is on some.
        fullest = np.maximum(fullest, 1 / float(network.link_gbps.max()))
    slowdown = fullest / ideal
    slowdown.flags.writeable = False
    return slowdown


def _of_uplinks(network: Network, routes: Routes, leaf_flows: FlowSizes, samples: int, seed: int) -> HashedLoad:
    """Slowdown of the fullest uplink of a plane of leaves and spines that hash apart."""
    trunks = trunks_of(network)
    flows = leaf_flows.where((trunks.usable_gbps > 0) & ~np.eye(network.edge_count, dtype=np.bool_))
    ideal = _ideal_flows_per_gbps(network, routes, flows.moment(1))
    if ideal == 0.0:
        return HashedLoad(np.ones(samples))
    alike: dict[_Draw, _Draw] = {}
    draws = tuple(alike.setdefault(draw, draw) for draw in _draws(network, trunks, flows))
    return HashedLoad(np.sort(_fullest_flows_per_gbps(draws, samples, seed) / ideal))


@lru_cache(maxsize=64)
def _fullest_flows_per_gbps(draws: tuple[_Draw, ...], samples: int, seed: int) -> FloatArray:
    """(samples,) flows over rate of the fullest link of all draws, one after the other from the same seed.

    Draws alike on equal links are taken together: the fullest of k of them is at most c with P(max ≤ c)ᵏ, which is
    known, so that one number draws them all. Kept, because sampling others takes nearly all of the time and phases,
    planes and trials of a design ask for the same.
    """
    rng = np.random.default_rng(seed)
    fullest = np.zeros(samples)
    for draw, times in Counter(draws).items():
        if draw.is_even:
            fewest, within = _fullest_within(sum(draw.flows), len(draw.gbps))
            count = fewest + np.searchsorted(within**times, rng.random(samples))
            np.maximum(fullest, count * max(draw.sizes, default=1.0) / draw.gbps[0], out=fullest)
            continue
        for _ in range(times):
            np.maximum(fullest, _one_by_one(draw, samples, rng), out=fullest)
    fullest.flags.writeable = False
    return fullest


def fullest_plane(flows: IntArray, flow_bytes: FloatArray, samples: int, seed: int) -> FloatArray:
    """(samples,) bytes in the fullest plane of any port when each flow is hashed to one plane for good, ascending.

    Equation: n flows on k equal planes are balls in bins (`_fullest_within`); ports are independent.

    Args:
        flows: (n_ports,) of each port, equal in size.
        flow_bytes: (n_ports, n_planes) bytes of one flow, in a slower plane as many more as that takes longer; 0
            where the port has no link.
        samples: draws, at least 1.
        seed: of the draws.
    """
    rows = np.column_stack([flows, flow_bytes])[(flows > 0) & (flow_bytes > 0).any(axis=1)]
    if not rows.size:
        return np.zeros(samples)
    scale = rows[:, 1:].max()
    rows[:, 1:] = (rows[:, 1:] / scale).round(_DIGITS)
    kinds, times = np.unique(rows[_may_be_fullest(rows[:, 0], rows[:, 1:])], axis=0, return_counts=True)
    draws: list[_Draw] = []
    for kind, count in zip(kinds.tolist(), times.tolist(), strict=True):
        sizes = tuple(size for size in kind[1:] if size > 0)
        draws += [_Draw((int(kind[0]),), ((1.0,) * len(sizes),), tuple(1 / size for size in sizes))] * count
    return np.asarray(np.sort(_fullest_flows_per_gbps(tuple(draws), samples, seed)) * scale, dtype=np.float64)


def _may_be_fullest(flows: FloatArray, flow_bytes: FloatArray) -> BoolArray:
    """(n_ports,) whether a port's fullest plane may have more than that of another port has at least."""
    planes = (flow_bytes > 0).sum(axis=1)
    mean, largest = flows / planes, flow_bytes.max(axis=1)
    strays = _TAIL_LOG / 3 + np.sqrt((_TAIL_LOG / 3) ** 2 + 2 * _TAIL_LOG * mean)
    most = np.where(planes > 1, np.minimum(flows, mean + strays), flows)
    least = mean * np.where(flow_bytes > 0, flow_bytes, np.inf).min(axis=1)
    return np.asarray(most * largest >= least.max(), dtype=np.bool_)


def _one_by_one(draw: _Draw, samples: int, rng: np.random.Generator) -> FloatArray:
    """(samples,) flows, each times its size, over rate of the fullest link of a draw, from the flows on each link."""
    total = np.zeros((samples, len(draw.gbps)))
    sizes = draw.sizes or (1.0,) * len(draw.flows)
    for count, size, weights in zip(draw.flows, sizes, np.array(draw.weights), strict=True):
        if count:
            total += size * rng.multinomial(count, weights / weights.sum(), size=samples)
    return np.asarray((total / np.array(draw.gbps)).max(axis=1), dtype=np.float64)


def _ideal_flows_per_gbps(network: Network, routes: Routes, flows: FloatArray) -> float:
    unused = np.zeros(network.endpoint_switch.size)
    load = even_load(network, routes, flows, unused, unused)
    per_link = np.maximum(load.link_up_bytes, load.link_down_bytes) / network.link_gbps
    return float(per_link.max(initial=0.0))


def _draws(network: Network, trunks: Trunks, flows: FlowSizes) -> Iterator[_Draw]:
    """Draws of every leaf, upwards and downwards.

    Far leaves alike in what they offer (the spines they reach, the rates to them) give equal odds, so their
    flows are one class: a regular fabric has one, a fabric with a failed link two.
    """
    reach, reach_class = np.unique(trunks.reached, axis=0, return_inverse=True)
    rates, rate_class = np.unique(trunks.gbps, axis=0, return_inverse=True)
    up_flows = _fold(flows.count, reach_class, len(reach))
    down_flows = _fold(flows.count.transpose(0, 2, 1), rate_class, len(rates))
    for leaf, links in enumerate(_links_by_leaf(network)):
        spine, gbps = network.link_b[links] - network.edge_count, network.link_gbps[links]
        if links.size:
            yield _draw(up_flows[:, leaf], flows.size, reach[:, spine] * gbps, gbps)
            in_trunk = gbps / trunks.gbps[leaf, spine]
            yield _draw(down_flows[:, leaf], flows.size, rates[:, spine] * in_trunk, gbps)


def _draw(flows: IntArray, size: FloatArray, weights: FloatArray, gbps: FloatArray) -> _Draw:
    """A draw of flows (n_sizes, n_classes) with odds (n_classes, n_links)."""
    odds, rates = tuple(map(tuple, weights.tolist())), tuple(gbps.tolist())
    if size.size == 1:
        return _Draw(tuple(flows[0].tolist()), odds, rates)
    rows = settled(flows, size, gbps.size)
    return _Draw(
        tuple(row.flows for row in rows), tuple(odds[row.kind] for row in rows), rates, tuple(row.size for row in rows)
    )


def _fold(flows: IntArray, far_class: IntArray, class_count: int) -> IntArray:
    """(n_sizes, n_leaves, n_classes) flows of each leaf with the far leaves of each class."""
    member = np.eye(class_count, dtype=np.int64)[far_class.reshape(-1)]
    return flows @ member


def _links_by_leaf(network: Network) -> list[IntArray]:
    order = np.argsort(network.link_a, kind="stable")
    ends = np.cumsum(np.bincount(network.link_a, minlength=network.edge_count))
    return np.split(order, ends[:-1])


def expected_fullest(flow_count: int, link_count: int) -> float:
    """Expected flows on the fullest of m equal links when n equal flows are hashed, E[max].

    Equation: E[max] = Σ_c P(max > c); see `_fullest_within` for P.

    Args:
        flow_count: flows n, at least 1.
        link_count: links m, at least 1.
    """
    fewest, within = _fullest_within(flow_count, link_count)
    return fewest + float((1 - within).sum())


@lru_cache(maxsize=256)
def _fullest_within(flow_count: int, link_count: int) -> tuple[int, FloatArray]:
    """The fewest flows c that the fullest of m equal links can have, and P(max ≤ c) from there on.

    Equation: P(max ≤ c) = n! [xⁿ] (Σ_{i≤c} xⁱ/i!)^m / mⁿ. The series carries Poisson weights of mean n/m, so that it
    neither overflows nor cancels, and its coefficient is read by a discrete Fourier transform whose period is as long
    as the sum of all links can stray, without the frequencies that a sum so wide does not have: exact but for
    rounding, below 1e-12.
    """
    mean = flow_count / link_count
    fewest = -(-flow_count // link_count)
    least, most = max(0, math.floor(mean - _strays(mean))), min(flow_count, math.ceil(mean + _strays(mean)))
    counts = np.arange(least, most + 1)
    weights = np.exp(counts * math.log(mean) - mean - gammaln(counts + 1))
    period = math.ceil(_strays(flow_count)) + 1
    turn = 2 * math.pi * np.arange(period // 2 + 1) / period
    turn = turn[flow_count * (1 - np.cos(turn)) <= 2 * _TAIL_LOG]
    parts = np.cumsum(weights[:, None] * np.exp(1j * np.outer(counts - mean, turn)), axis=0)[fewest - least :]
    is_paired = (turn > 0) & (turn < math.pi)  # with its negative, which the real part counts in
    found = (parts**link_count).real @ np.where(is_paired, 2.0, 1.0)
    within = np.clip(found / found[-1], 0.0, 1.0)
    within.flags.writeable = False
    return fewest, within


def _strays(mean: float) -> float:
    """How far from its mean a Poisson number comes, but for a chance below the tail that is cut.

    Bernstein's bound: P(number > mean + t) ≤ exp(−t² / (2 (mean + t/3))).
    """
    return _TAIL_LOG / 3 + math.sqrt((_TAIL_LOG / 3) ** 2 + 2 * _TAIL_LOG * mean)
