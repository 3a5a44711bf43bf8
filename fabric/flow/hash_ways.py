"""How many flows hashing puts on each link, on average and by how much that varies, on any topology."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.sparse import csr_array

from fabric.flow.walk import blocks_of, layers
from fabric.model.network import FloatArray, IntArray, Network
from fabric.model.paths import Paths, Routes

_MOST_VALUES = 4096
"""Values of a shared hash that are told apart where the sizes of groups have no smaller common multiple."""

_SCATTER = 2654435761
"""Odd number near 2^32 divided by the golden ratio: its multiples spread evenly over what is divided off."""


class Seeds(StrEnum):
    """Whether switches hash a flow each in its own way or all alike."""

    PER_SWITCH = "per_switch"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, eq=False)
class LinkFlows:
    """Flows on every arc of every link, first from end a to end b of all links, then back.

    Attributes:
        mean: (2 n_links,) expected flows, each times its size.
        variance: (2 n_links,) variance of that sum.
        size: (2 n_links,) size of a flow, the mean over what they carry; None where all are 1.
    """

    mean: FloatArray
    variance: FloatArray
    size: FloatArray | None = None


def link_flows(
    network: Network,
    routes: Routes,
    flows: IntArray | FloatArray,
    seeds: Seeds,
    squares: FloatArray | None = None,
) -> LinkFlows:
    """Flows on every link when each flow keeps to one way, of those that `even_load` would use, drawn by a hash.

    Equation: flows are independent, so a link that a flow from a to t takes with probability p carries Σ F p of them,
    with variance Σ F p (1 − p) over all pairs; of flows of sizes s it carries Σ s p with variance Σ s² p (1 − p). With
    a seed per switch p is the product of the shares of rate at every
    switch on the way. With one seed and one function everywhere each switch takes member h mod n of its group of n
    links, in the order of links, with the same hash h of the flow (polarisation): what the first switch chose
    decides of h what the next one sees, and where their groups have a common divisor, part of the links stay empty.
    p is then the share of the values of h that lead over the link.

    Assumption: an ideal hash. Source of h mod n: singh-ecmp-2024.

    Args:
        network: the plane.
        routes: how it is routed.
        flows: (n_edges, n_edges) flows from leaf (router) to leaf, each times its size; pairs without a way are left
            out.
        seeds: of the switches.
        squares: (n_edges, n_edges) each times the square of its size; None where all sizes are 1.
    """
    total = _sums(network, routes, flows, seeds)
    if squares is None:
        return LinkFlows(total[0], np.maximum(total[0] - total[1], 0.0))
    again = _sums(network, routes, squares, seeds)
    size = np.divide(again[0], total[0], out=np.ones(total[0].size), where=total[0] > 0)
    return LinkFlows(total[0], np.maximum(again[0] - again[1], 0.0), size)


def _sums(network: Network, routes: Routes, flows: IntArray | FloatArray, seeds: Seeds) -> FloatArray:
    """(2, 2 n_links) Σ F p and Σ F p² on every arc."""
    total = np.zeros((2, 2 * network.link_a.size))
    spread = _apart if seeds is Seeds.PER_SWITCH else _alike
    for hops, steps, target, sources, start in _ways(network, routes, flows):
        total += spread(hops, steps, start, flows[sources, target].astype(np.float64))
    return total


def shared_shares(network: Network, routes: Routes, demand: FloatArray, arc: int) -> FloatArray:
    """(n_edges, n_edges) share of the flows from leaf to leaf that take an arc where all switches hash alike.

    Args:
        network: the plane.
        routes: how it is routed.
        demand: (n_edges, n_edges) what goes from leaf to leaf; shares of pairs without any stay 0.
        arc: link, plus n_links where it is taken from end b.
    """
    found = np.zeros(demand.shape)
    for hops, steps, target, sources, start in _ways(network, routes, demand):
        for source, arcs, share in _walked(hops, steps, start):
            here = arcs == arc
            found[sources[source[here]], target] += share[here]
    return found


def _ways(
    network: Network, routes: Routes, flows: FloatArray | IntArray
) -> Iterator[tuple[_Hops, IntArray, int, IntArray, IntArray]]:
    """Target by target, on the first routes that have a way: hops, steps left, target, sources, and their states."""
    left = flows > 0
    np.fill_diagonal(left, val=False)
    for paths in routes:
        targets = np.flatnonzero(left.any(axis=0))
        hops = _Hops.of(network, paths)
        for layer in layers(paths, blocks_of(network, paths), targets) if targets.size else ():
            for column, target in enumerate(layer.targets.tolist()):
                steps = layer.steps[:, column].astype(np.int64)
                sources = np.flatnonzero(left[:, target] & (steps[paths.start] > 0))
                left[sources, target] = False
                if sources.size:
                    yield hops, steps, target, sources, paths.start[sources]


@dataclass(frozen=True, slots=True, eq=False)
class _Hops:
    """Steps by link, in the order of the states they leave and there of the links.

    Attributes:
        before: (n_hops,) state before each.
        after: (n_hops,) state after it.
        arc: (n_hops,) link, plus n_links where it is taken from end b.
        weight: (n_hops,) its rate in units of the greatest common divisor of all rates.
        arc_count: twice the links.
    """

    before: IntArray
    after: IntArray
    arc: IntArray
    weight: IntArray
    arc_count: int

    @staticmethod
    def of(network: Network, paths: Paths) -> _Hops:
        """All steps of some paths, each once for every link of its pipe."""
        links, pipes = network.link_a.size, network.pipes.gbps.size
        by_pipe = np.argsort(network.pipes.of_link, kind="stable")
        size = np.bincount(network.pipes.of_link, minlength=pipes)
        falls, pipe = np.divmod(paths.step_arc, max(1, pipes))
        step = np.repeat(np.arange(pipe.size), size[pipe])
        nth = np.arange(step.size) - np.repeat(np.cumsum(size[pipe]) - size[pipe], size[pipe])
        link = by_pipe[(np.cumsum(size) - size)[pipe[step]] + nth]
        order = np.lexsort((link, paths.step_from[step]))
        gbps = np.rint(network.link_gbps).astype(np.int64)
        weight = gbps // max(1, int(np.gcd.reduce(gbps, initial=0)))
        arc = link + links * falls[step]
        return _Hops(
            paths.step_from[step][order], paths.step_to[step][order], arc[order], weight[link][order], 2 * links
        )

    def towards(self, steps: IntArray) -> _Hops:
        """Those that begin a shortest way, by the steps left (n_states,) from each state."""
        on = (steps[self.before] > 0) & (steps[self.after] == steps[self.before] - 1)
        return _Hops(self.before[on], self.after[on], self.arc[on], self.weight[on], self.arc_count)


def _apart(hops: _Hops, steps: IntArray, start: IntArray, flows: FloatArray) -> FloatArray:
    """(2, n_arcs) Σ F p and Σ F p² over the sources, which start in states (n_sources,), with a seed per switch."""
    here = hops.towards(steps)
    states = steps.size
    share = here.weight / np.bincount(here.before, weights=here.weight, minlength=states)[here.before]
    onward = csr_array((share, (here.before, here.after)), shape=(states, states))
    onto = csr_array((share, (here.before, here.arc)), shape=(states, hops.arc_count))
    at = csr_array((np.ones(start.size), (np.arange(start.size), start)), shape=(start.size, states))
    total = np.zeros((2, hops.arc_count))
    for hop in range(int(steps[start].max(initial=0))):
        chance = csr_array(at @ onto)  # of a flow of each source for each arc, over all states in which it takes that
        for row, each in enumerate((chance, chance.power(2))):
            total[row] += np.asarray(flows @ each)
        at = csr_array(at @ onward)
        if hop == 0:
            at, flows = _merged(at, flows)
    return total


def _merged(at: csr_array, flows: FloatArray) -> tuple[csr_array, FloatArray]:
    """Sources that have come to the same states with the same shares as one, which leaves of a pod have in one hop."""
    at.sort_indices()
    number: dict[bytes, int] = {}
    rows = zip(np.split(at.indices, at.indptr[1:-1]), np.split(at.data, at.indptr[1:-1]), strict=True)
    alike = np.array([number.setdefault(states.tobytes() + share.tobytes(), len(number)) for states, share in rows])
    return at[np.unique(alike, return_index=True)[1]], np.bincount(alike, weights=flows).astype(np.float64)


def _alike(hops: _Hops, steps: IntArray, start: IntArray, flows: FloatArray) -> FloatArray:
    """(2, n_arcs) Σ F p and Σ F p² over the sources, with one hash of a flow for all switches."""
    total = np.zeros((2, hops.arc_count))
    for source, arc, share in _walked(hops, steps, start):
        for row, each in enumerate((share, share**2)):
            total[row] += np.bincount(arc, weights=flows[source] * each, minlength=hops.arc_count)
    return total


def _walked(hops: _Hops, steps: IntArray, start: IntArray) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Sources, arcs and shares p of what all switches with one hash make of a step of all ways, step by step."""
    here = hops.towards(steps)
    member = np.repeat(np.arange(here.before.size), here.weight)
    size = np.bincount(here.before[member], minlength=steps.size)
    first = np.cumsum(size) - size
    value = _values(size)
    at, number = np.repeat(start[:, None], value.size, axis=1), np.arange(start.size)
    while at.size:
        taken = member[first[at] + value % size[at]]
        place, count = np.unique(number[:, None] * hops.arc_count + here.arc[taken], return_counts=True)
        source, arc = np.divmod(place, hops.arc_count)
        yield source, arc, count / value.size
        at = here.after[taken]
        on_way = steps[at[:, 0]] > 0
        at, number = at[on_way], number[on_way]


def _values(size: IntArray) -> IntArray:
    """Values that stand for all of a hash where it is divided by the sizes (n_states,) of groups."""
    common = int(np.lcm.reduce(np.unique(size[size > 0]).astype(object)))
    if common <= _MOST_VALUES:
        return np.arange(common)
    return np.arange(_MOST_VALUES) * _SCATTER % 2**32
