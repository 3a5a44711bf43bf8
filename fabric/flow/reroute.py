"""Loads of a plane with one pipe lost or slower, from the flows of the whole plane: only what passes it moves.

All amounts are by case, target and state: a case is one pipe with another rate. Steps of the whole plane that a case
has lost can make states farther from a target; those, and the states before them, are *changed*. First the flow through
changed states is taken off the ways it had, then it is sent again over the ways that are left, both layer by layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from fabric.flow.walk import blocks_of, layers
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.paths import Paths, Routes

FAR = 1 << 20
"""Steps to a target without a way."""

_ROUNDING = 1e-12
"""Share of a flow below which a difference is none."""

Amounts: TypeAlias = tuple[IntArray, FloatArray]
"""Keys of case, target and state, and an amount for each."""

_NOTHING: Amounts = np.zeros(0, dtype=np.int64), np.zeros(0)


class _Graph:
    """Steps of one route by the state that they leave, and by the one that they reach.

    Attributes:
        walked: steps that were looked at so far, a measure of the work done.
    """

    def __init__(self, network: Network, paths: Paths) -> None:
        self.states, self.targets = paths.state_switch.size, network.edge_count
        self.start = paths.start
        self.source, self.target, self.arc = paths.step_from, paths.step_to, paths.step_arc
        self.gbps = np.tile(network.pipes.gbps, 2)
        self._out = _Fans(self.source, self.states)
        self._into = _Fans(self.target, self.states)
        self.walked = 0
        self.steps = np.full((self.states, self.targets), FAR, dtype=np.int64)
        blocks = blocks_of(network, paths)
        for layer in layers(paths, blocks, np.arange(self.targets)):
            self.steps[:, layer.targets] = np.where(layer.steps < 0, FAR, layer.steps.astype(np.int64))

    @cached_property
    def _nearer(self) -> tuple[_Fans, IntArray]:
        """Steps that begin a shortest way, by target and state, and which step each of them is."""
        before, after = self.steps[self.source], self.steps[self.target]
        step, target = np.nonzero((before == after + 1) & (before < FAR))
        return _Fans(target * self.states + self.source[step], self.states * self.targets), step

    def shortest(self, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Place in `keys` and step, for every step of the whole plane that begins a shortest way from there."""
        fans, step = self._nearer
        place, entry = fans.of(keys % (self.states * self.targets))
        return place, step[entry]

    def leaving(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Place in `states` and step, for every step that leaves one of them."""
        return self._out.of(states)

    def reaching(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Place in `states` and step, for every step that ends in one of them."""
        return self._into.of(states)

    def split(self, keys: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Case, target and state of keys."""
        pair, state = np.divmod(keys, self.states)
        case, target = np.divmod(pair, self.targets)
        return case, target, state


class _Fans:
    """Steps by state."""

    def __init__(self, state: IntArray, count: int) -> None:
        self._order = np.argsort(state, kind="stable")
        self._size = np.bincount(state, minlength=count)
        self._first = np.cumsum(self._size) - self._size

    def of(self, states: IntArray) -> tuple[IntArray, IntArray]:
        size = self._size[states]
        place = np.repeat(np.arange(states.size), size)
        turn = np.arange(place.size) - np.repeat(np.cumsum(size) - size, size)
        return place, self._order[self._first[states][place] + turn]


class _Cases:
    """Some cases on one route: which pipe has another rate in each, and which states that makes farther."""

    def __init__(self, graph: _Graph, pipes: IntArray, left_gbps: FloatArray, wanted: BoolArray) -> None:
        self.graph, self._pipes, self._left = graph, pipes, left_gbps
        self._arcs = graph.gbps.size // 2
        self._farther: Amounts = _NOTHING
        self.changed = self._spread(wanted)

    @classmethod
    def of_whole(cls, graph: _Graph, count: int) -> _Cases:
        """So many cases in which nothing has changed."""
        nothing = np.zeros((count, graph.targets), dtype=np.bool_)
        return cls(graph, np.full(count, -1), np.zeros(count), nothing)

    def gbps(self, case: IntArray, steps: IntArray) -> FloatArray:
        """Rate of some steps in their cases."""
        arc = self.graph.arc[steps]
        return np.where(arc % self._arcs == self._pipes[case], self._left[case], self.graph.gbps[arc])

    def steps(self, keys: IntArray) -> IntArray:
        """Steps that are left to the target."""
        _, target, state = self.graph.split(keys)
        found = self.graph.steps[state, target]
        farther, steps = self._farther
        if farther.size:
            place = np.minimum(np.searchsorted(farther, keys), farther.size - 1)
            found = np.where(farther[place] == keys, steps[place].astype(np.int64), found)
        return found

    def ways(self, keys: IntArray) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
        """Place in `keys`, step, rate and key reached, for every step that is left from them and has a rate."""
        case, _, state = self.graph.split(keys)
        place, steps = self.graph.leaving(state)
        gbps = self.gbps(case[place], steps)
        self.graph.walked += place.size
        left = gbps > 0
        place, steps = place[left], steps[left]
        return place, steps, gbps[left], keys[place] - state[place] + self.graph.target[steps]

    def shortest(self, keys: IntArray) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
        """As `ways`, for steps that begin a shortest way; those of states that are not changed are known."""
        is_changed = np.isin(keys, self.changed)
        same, other = np.flatnonzero(~is_changed), np.flatnonzero(is_changed)
        place, step = self.graph.shortest(keys[same])
        ahead = keys[same][place] - self.graph.source[step] + self.graph.target[step]
        known = same[place], step, self.graph.gbps[self.graph.arc[step]], ahead
        place, step, gbps, ahead = self.ways(keys[other])
        is_nearer = self.steps(ahead) == self.steps(keys[other])[place] - 1
        tried = other[place[is_nearer]], step[is_nearer], gbps[is_nearer], ahead[is_nearer]
        self.graph.walked += same.size
        gbps = np.concatenate([known[2], tried[2]])
        place, step, ahead = (np.concatenate([known[part], tried[part]]) for part in (0, 1, 3))
        return place, step, gbps, ahead

    def _spread(self, wanted: BoolArray) -> IntArray:
        """Keys of all changed states, of targets that are wanted (n_cases, n_targets); notes which are farther."""
        graph = self.graph
        touched = found = self._at_the_pipes(wanted)
        farther = np.zeros(0, dtype=np.int64)
        while found.size:
            place, _, _, ahead = self.ways(found)
            nearer = self._base(ahead) == self._base(found)[place] - 1
            nearer &= ~np.isin(ahead, farther)
            lost = found[np.bincount(place[nearer], minlength=found.size) == 0]
            farther = np.union1d(farther, lost)
            case_target = lost - lost % graph.states
            place, steps = graph.reaching(lost % graph.states)
            behind = case_target[place] + graph.source[steps]
            behind = behind[self._base(behind) == self._base(lost)[place] + 1]
            found = np.setdiff1d(behind, farther)
            touched = np.union1d(touched, found)
        self._remeasure(farther)
        return touched

    def _at_the_pipes(self, wanted: BoolArray) -> IntArray:
        """Keys of states one step of a shortest way from which takes the pipe of the case."""
        graph = self.graph
        pipe = graph.arc % self._arcs
        order = np.argsort(pipe, kind="stable")
        first, last = (np.searchsorted(pipe[order], self._pipes, side) for side in ("left", "right"))
        case = np.repeat(np.arange(self._pipes.size), last - first)
        steps = np.concatenate([order[a:b] for a, b in zip(first, last, strict=True)] or [order[:0]])
        before, after = graph.steps[graph.source[steps]], graph.steps[graph.target[steps]]
        row, target = np.nonzero((before == after + 1) & (before < FAR) & wanted[case])
        return np.unique((case[row] * graph.targets + target) * graph.states + graph.source[steps[row]])

    def _base(self, keys: IntArray) -> IntArray:
        """Steps to the target in the whole plane."""
        _, target, state = self.graph.split(keys)
        return np.asarray(self.graph.steps[state, target], dtype=np.int64)

    def _remeasure(self, farther: IntArray) -> None:
        """Find the steps that are left from states that are farther, until none gets nearer."""
        self._farther = farther, np.full(farther.size, float(FAR))
        if not farther.size:
            return
        place, _, _, ahead = self.ways(farther)
        while True:
            steps = np.full(farther.size, float(FAR))
            np.minimum.at(steps, place, np.minimum(self.steps(ahead) + 1.0, FAR))
            if (steps == self._farther[1]).all():
                return
            self._farther = farther, steps


class Rerouting:
    """A whole plane, and what its arcs carry when a pipe has another rate."""

    def __init__(self, network: Network, routes: Routes, demand: FloatArray) -> None:
        self._graphs = [_Graph(network, paths) for paths in routes]
        self._edges = demand.shape[0]
        self._waiting: list[FloatArray] = []
        self._total = np.zeros((1, 2 * network.pipes.gbps.size))
        left = demand.copy()
        np.fill_diagonal(left, 0.0)
        for graph in self._graphs:
            sources, targets = np.nonzero(left)
            sent = _summed(targets * graph.states + graph.start[sources], left[sources, targets])
            moved = _push(_Cases.of_whole(graph, 1), sent, self._total)
            _, target, state = graph.split(moved.passed[0])
            waiting = np.zeros((graph.states, graph.targets))
            waiting[state, target] = moved.passed[1]
            self._waiting.append(waiting)
            left = np.zeros_like(left)
            _, target, state = graph.split(moved.stuck[0])
            left[np.searchsorted(graph.start, state), target] = moved.stuck[1]
        self._cut: IntArray = np.flatnonzero(left > 0).astype(np.int64)

    @property
    def walked(self) -> int:
        """Steps that were looked at so far."""
        return sum(graph.walked for graph in self._graphs)

    def without(self, pipes: IntArray, left_gbps: FloatArray) -> tuple[FloatArray, list[IntArray]]:
        """(n_cases, n_arcs) bytes on every arc with another rate of one pipe, and the (n, 2) pairs without a way."""
        load = np.repeat(self._total, pipes.size, axis=0)
        spill: Amounts = _NOTHING
        edges = self._edges
        for graph, waiting in zip(self._graphs, self._waiting, strict=True):
            wanted = np.tile((waiting > 0).any(axis=0), (pipes.size, 1))
            case, pair = np.divmod(spill[0], edges * edges)
            wanted[case, pair // edges] = True
            sent = (case * edges + pair // edges) * graph.states + graph.start[pair % edges]
            stuck = _moved(_Cases(graph, pipes, left_gbps, wanted), waiting, (sent, spill[1]), load)
            case, target, state = graph.split(stuck[0])
            spill = _summed((case * edges + target) * edges + np.searchsorted(graph.start, state), stuck[1])
        case, pair = np.divmod(spill[0], edges * edges)
        cut = pair % edges * edges + pair // edges
        pairs = [np.union1d(self._cut, cut[case == each]) for each in range(pipes.size)]
        return np.maximum(load, 0.0), [np.stack(np.divmod(each, edges), axis=1) for each in pairs]


class _Moved(NamedTuple):
    """Where amounts went: through which states, to which without a way on, and into which that stop them."""

    passed: Amounts
    stuck: Amounts
    stopped: Amounts


def _moved(cases: _Cases, waiting: FloatArray, spill: Amounts, load: FloatArray) -> Amounts:
    """Take what passes changed states off `load` (n_cases, n_arcs) and send it, and what is spilled, on what is left.

    Gives what finds no way, by the states where it starts.
    """
    graph, changed = cases.graph, cases.changed
    _, target, state = graph.split(changed)
    passing = waiting[state, target]
    off = np.zeros_like(load)
    taken = _push(_Cases.of_whole(graph, load.shape[0]), (changed, passing), off, stop=changed)
    load -= off
    first = passing.copy()
    first[np.searchsorted(changed, taken.stopped[0])] -= taken.stopped[1]
    first[first < _ROUNDING * passing] = 0.0
    sent = _summed(np.concatenate([changed, spill[0]]), np.concatenate([first, spill[1]]))
    return _push(cases, sent, load).stuck


def _push(cases: _Cases, sent: Amounts, load: FloatArray, stop: IntArray | None = None) -> _Moved:
    """Send amounts to their targets over all shortest ways, adding to `load` (n_cases, n_arcs), farthest first.

    What reaches a key of `stop` ends there.
    """
    sent = sent[0][sent[1] > 0], sent[1][sent[1] > 0]
    steps = cases.steps(sent[0])
    passed, stopped = [_NOTHING], [_NOTHING]
    arriving = _NOTHING
    for level in range(int(steps[steps < FAR].max(initial=0)), 0, -1):
        here = steps == level
        keys, amounts = _summed(
            *(np.concatenate(pair) for pair in zip(arriving, (sent[0][here], sent[1][here]), strict=True))
        )
        passed.append((keys, amounts))
        place, step, gbps, ahead = cases.shortest(keys)
        usable = np.bincount(place, weights=gbps, minlength=keys.size)
        carried = amounts[place] / usable[place] * gbps
        case = keys[place] // (cases.graph.states * cases.graph.targets)
        cells = case * load.shape[1] + cases.graph.arc[step]
        load += np.bincount(cells, weights=carried, minlength=load.size).reshape(load.shape)
        arriving = _summed(ahead, carried)
        if stop is not None:
            is_held = np.isin(arriving[0], stop)
            stopped.append((arriving[0][is_held], arriving[1][is_held]))
            arriving = arriving[0][~is_held], arriving[1][~is_held]
    return _Moved(_joined(passed), (sent[0][steps >= FAR], sent[1][steps >= FAR]), _joined(stopped))


def _joined(parts: Sequence[Amounts]) -> Amounts:
    keys, values = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(values)


def _summed(keys: IntArray, values: FloatArray) -> Amounts:
    """Amounts of equal keys added up."""
    unique, place = np.unique(keys, return_inverse=True)
    return unique, np.bincount(place.reshape(-1), weights=values, minlength=unique.size).astype(np.float64)
