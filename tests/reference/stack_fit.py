"""Fits of the stacks' constants to published rows, and their residuals.

`phase_rows.csv` beside this file holds the rows as published, each with its source. A file of the catalog says which of
its figures are free, which are borrowed and which are stated; this module finds the free ones:

    minimise Σ w² ρ((α0 + α1·log2 N + bytes/B) / measured - 1)    with ρ(e) ~ e² below 5 %, ~ |e| above

The form is linear in α0, α1 and 1/B. One row of a system with n rows weighs w ~ n^(-1/4), so that a system counts as
the square root of its rows: half way between one vote a row, where the largest collection would decide alone, and one
vote a system, where three rows would count as much as fifty. `python tests/reference/stack_fit.py` prints what it finds
beside what the catalog holds.
"""

from __future__ import annotations

import csv
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from fabric.catalog.constants import ROWS_PER_PARAMETER, Stack
from fabric.catalog.load import load
from fabric.flow.latency import PhaseLoad, StackConstants, phase_time
from fabric.traffic.moe import ExpertParallel, Mode, PhaseTraffic, moe_phase
from fabric.traffic.moe_all_to_all import LOW_LATENCY_HEADER_BYTES
from fabric.traffic.payload import copy_bytes, payload_format
from fabric.traffic.routing import ExpertRouting

Floats = npt.NDArray[np.float64]

ROWS = Path(__file__).with_name("phase_rows.csv")

MOST_GBYTE_S = 49.0
"""Most payload that maintainers expect of a 400G adapter: no fit may claim more. Source: nccl-tests-issues."""

ROBUST_ERROR = 0.05
"""Relative error from which a row counts by its size instead of its square."""

FITTED = ("alpha0_us", "alpha1_us", "bandwidth_gbyte_s")

MODES = {"low_latency": Mode.LOW_LATENCY, "normal": Mode.NODE_DEDUP, "balanced": Mode.RANK_DEDUP}


@dataclass(frozen=True)
class Row:
    """One published figure.

    Attributes:
        stack: key of the stack that predicts it, empty for none.
        campaign: source and system: what is left out together.
        phases: phases that it times together, with the type of their values.
        mode: of the kernels; `balanced` sends each token to as many ranks as it has experts, its own among them;
            `all_reduce` counts the bytes of a ring, `transfer` all that one rank sends another.
        parallel: ranks in their nodes; None where the source does not say.
        tokens: of a rank.
        shape: hidden width, experts a token, experts, most nodes a token may reach, as published.
        rank_bytes: of a plain exchange, a vector that is summed up, or a transfer.
        published: time [us], logical bandwidth [GB/s] where no time was given, time of a step before it [us].
        is_fitted: whether constants rest on it.
        note: what is special.
    """

    stack: str
    campaign: tuple[str, str]
    phases: tuple[tuple[str, str], ...]
    mode: str
    parallel: ExpertParallel | None
    tokens: int
    shape: tuple[str, str, str, str]
    rank_bytes: str
    published: tuple[str, str, str]
    is_fitted: bool
    note: str

    @property
    def has_payload(self) -> bool:
        """Whether the source says enough to count bytes."""
        return self.parallel is not None and bool(self.rank_bytes or self.shape[0])

    def message_bytes(self, phase: str, dtype: str) -> float:
        """One copy of a token, or a plain exchange's part for one peer [byte]."""
        if self.rank_bytes:
            return float(self.rank_bytes) / (1 if self.mode == "transfer" else self.parallel.ranks)
        header = LOW_LATENCY_HEADER_BYTES if self.mode == "low_latency" and phase == "dispatch" else 0
        return copy_bytes(int(self.shape[0]), payload_format(dtype), header)

    def traffic(self, phase: str, dtype: str) -> PhaseTraffic:
        """What a rank sends, by the traffic model of the product."""
        if self.mode == "all_reduce":
            around = 2 * (1 - 1 / self.parallel.ranks) * float(self.rank_bytes)
            return PhaseTraffic(1.0, 0.0, 0, 0.0, around, 0.0)
        if self.mode == "transfer":
            return PhaseTraffic(1.0, float(self.rank_bytes), 1, float(self.rank_bytes), 0.0, 1.0)
        if self.rank_bytes:
            return _plain_exchange(self.parallel, float(self.rank_bytes))
        _, top_k, experts, top_nodes = self.shape
        nodes = self.parallel.nodes
        groups = (nodes, min(nodes, int(top_nodes))) if top_nodes else (1, 1)
        routing = ExpertRouting(int(experts or 256), int(top_k), *groups)
        return moe_phase(MODES[self.mode], self.parallel, routing, self.tokens, self.message_bytes(phase, dtype))

    def sent_bytes(self, phase: str, dtype: str) -> float:
        """Bytes that the bandwidth of the stack speaks of: through the NIC, or of one node over the scale-up port."""
        if self.mode == "balanced":
            return self.tokens * min(int(self.shape[1]), self.parallel.ranks) * self.message_bytes(phase, dtype)
        traffic = self.traffic(phase, dtype)
        return traffic.nic_bytes if self.parallel.nodes > 1 else traffic.local_bytes

    @property
    def measured_us(self) -> float:
        """Its time [us]; from bytes over bandwidth where that was published, counting those that stay in the node."""
        time_us, logical_gbyte_s, before_us = self.published
        if time_us:
            return float(time_us) + float(before_us or 0)
        return self.sent_bytes(*self.phases[0]) / self.parallel.remote_share / (float(logical_gbyte_s) * 1000)


def _plain_exchange(parallel: ExpertParallel, bytes_per_rank: float) -> PhaseTraffic:
    """Bytes of a plain all-to-all in which each rank splits `bytes_per_rank` [byte] evenly over all ranks."""
    pair_bytes = bytes_per_rank / parallel.ranks
    peers = parallel.ranks - parallel.ranks_per_node
    return PhaseTraffic(
        copies_per_token=1.0,
        pair_bytes=pair_bytes,
        remote_peer_count=peers,
        nic_bytes=pair_bytes * peers,
        local_bytes=pair_bytes * (parallel.ranks_per_node - 1),
        message_count=float(peers),
    )


def read(path: Path = ROWS) -> list[Row]:
    """Every row of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_row(line) for line in csv.DictReader(file)]


def _row(line: Mapping[str, str]) -> Row:
    ranks, node_ranks = int(line["ranks"] or 0), int(line["node_ranks"])
    return Row(
        stack=line["stack"],
        campaign=(line["source"], line["system"]),
        phases=tuple(zip(line["phase"].split("+"), line["dtype"].split("+"), strict=True)),
        mode=line["mode"],
        parallel=ExpertParallel(ranks, min(ranks, node_ranks)) if ranks else None,
        tokens=int(line["tokens"] or 0),
        shape=(line["hidden"], line["top_k"], line["experts"], line["top_nodes"]),
        rank_bytes=line["rank_bytes"],
        published=(line["measured_us"], line["measured_gbyte_s"], line["before_us"]),
        is_fitted=line["in_fit"] == "yes",
        note=line["note"],
    )


def predicted_us(stack: Stack, row: Row) -> float:
    """Time of the row's phases one after the other, by the latency model of the product, without links between."""
    return sum(_phase_us(stack, row, phase, dtype) for phase, dtype in row.phases)


def _phase_us(stack: Stack, row: Row, phase: str, dtype: str) -> float:
    figure = stack.phases[phase]
    constants = StackConstants(
        name=stack.name,
        alpha0_us=figure.alpha0_us,
        alpha1_us=figure.alpha1_us,
        bandwidth_gbyte_s=figure.bandwidth_gbyte_s,
        message_rate_mops=stack.message_rate_mops or math.inf,
        way_us=0.0,
        relative_sd=figure.relative_sd,
        min_ranks=stack.min_ranks,
        max_ranks=stack.max_ranks,
        link_layer=stack.link_layer or "",
        nic=stack.nic or "",
    )
    messages = row.traffic(phase, dtype).message_count
    sent_bytes = row.sent_bytes(phase, dtype)
    load = PhaseLoad(row.parallel.nodes, 0.0, sent_bytes, sent_bytes, messages, 0.0)
    return phase_time(constants, load).total_us


def error_pct(stack: Stack, row: Row) -> float:
    """Prediction over measurement, less one [%]."""
    return 100 * (predicted_us(stack, row) / row.measured_us - 1)


def refit(stack: Stack, rows: Sequence[Row]) -> Stack:
    """The stack with its free figures fitted to the rows; every other figure stays as it is."""
    paths = [f"{phase}.{figure}" for phase in stack.phases for figure in FITTED]
    now = np.array([_linear(path, stack.constant(path)) for path in paths])
    groups = np.array([[path in group for group in stack.fit.free] for path in paths], dtype=np.float64)
    terms = np.array([_terms(row, paths) for row in rows]) / np.array([[row.measured_us] for row in rows])
    weights = _weights(rows)
    given = terms @ np.where(groups.any(axis=1), 0.0, now)
    free = terms @ groups
    scale = groups.T @ np.array([0.02 if path.endswith(FITTED[2]) else 10.0 for path in paths]) / groups.sum(axis=0)
    least = [1 / MOST_GBYTE_S if stack.scope == "network" and _is_bandwidth(group) else 0.0 for group in stack.fit.free]
    found = least_squares(
        lambda values: weights * (free @ values + given - 1),
        np.maximum(scale, least) * 1.01,
        bounds=(least, np.inf),
        x_scale=scale,
        loss="soft_l1",
        f_scale=ROBUST_ERROR,
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    ).x
    phases = {name: phase.model_dump() for name, phase in stack.phases.items()}
    for group, value in zip(stack.fit.free, found, strict=True):
        for path in group:
            name, figure = path.split(".")
            phases[name][figure] = float(_linear(path, value))
    return stack.model_copy(
        update={"phases": {name: type(stack.phases[name])(**values) for name, values in phases.items()}}
    )


def _is_bandwidth(group: Sequence[str]) -> bool:
    return group[0].endswith(FITTED[2])


def _linear(path: str, value: float) -> float:
    """A bandwidth as the time of 1000 bytes and back; the model is linear in that."""
    return 1 / value if _is_bandwidth((path,)) else value


def _terms(row: Row, paths: Sequence[str]) -> list[float]:
    """What each figure is multiplied with."""
    terms = dict.fromkeys(paths, 0.0)
    for phase, dtype in row.phases:
        terms[f"{phase}.alpha0_us"] = 1.0
        terms[f"{phase}.alpha1_us"] = math.log2(row.parallel.nodes)
        terms[f"{phase}.bandwidth_gbyte_s"] = row.sent_bytes(phase, dtype) / 1000
    return list(terms.values())


def _weights(rows: Sequence[Row]) -> Floats:
    count = Counter(row.campaign for row in rows)
    weights = np.array([count[row.campaign] ** -0.25 for row in rows])
    return weights / weights.mean()


def left_out(stack: Stack, rows: Sequence[Row]) -> Iterator[tuple[Row, float]]:
    """Rows of every system, each with the error [%] of a fit to the other systems alone.

    A system is passed over where the others would hold fewer rows than its fit needs.
    """
    for campaign in dict.fromkeys(row.campaign for row in rows):
        rest = [row for row in rows if row.campaign != campaign]
        if all(_is_fittable(stack, group, rest) for group in stack.fit.free) and stack.fit.free and rest:
            fitted = refit(stack, rest)
            yield from ((row, error_pct(fitted, row)) for row in rows if row.campaign == campaign)


def _is_fittable(stack: Stack, group: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether the phases of a free figure keep enough rows for all that is free in them."""
    phases = {path.split(".")[0] for path in group}
    free = sum(bool(phases & {path.split(".")[0] for path in other}) for other in stack.fit.free)
    have = sum(any(phase in phases for phase, _ in row.phases) for row in rows)
    return have >= ROWS_PER_PARAMETER * free


def report() -> Iterator[str]:
    """For every stack with free figures: what the fit finds, what the catalog holds, and both residuals [%]."""
    rows = read()
    for key, stack in sorted(load().stacks.items()):
        mine = [row for row in rows if row.stack == key and row.is_fitted]
        if stack.fit.free:
            fitted = refit(stack, mine)
            yield f"{key}: {len(mine)} rows, {len(stack.fit.free)} free"
            for path in (path for group in stack.fit.free for path in group):
                yield f"  {path} {fitted.constant(path):.4g}, stored {stack.constant(path):g}"
            outside = [abs(error) for _, error in left_out(stack, mine)]
            inside = median(abs(error_pct(stack, row)) for row in mine)
            yield f"  in sample {inside:.2f}, left out {f'{median(outside):.2f}' if outside else 'none'}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in report())
