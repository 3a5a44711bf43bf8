"""Flows from leaf to leaf that are not equally large, and which of them may be drawn as if they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fabric.model.network import BoolArray, FloatArray, IntArray

_SMALL = 0.25
"""Share of what a link carries on average up to which a single flow does not decide how full the fullest is."""


@dataclass(frozen=True, slots=True, eq=False)
class FlowSizes:
    """Flows by their size.

    Attributes:
        count: (n_sizes, n_edges, n_edges) from leaf (router) to leaf.
        size: (n_sizes,) bytes of one flow over those of the largest.
    """

    count: IntArray
    size: FloatArray

    @classmethod
    def of(cls, count: IntArray, flow_bytes: FloatArray | None = None) -> FlowSizes:
        """Flows (n_sizes, n_edges, n_edges) of so many bytes (n_sizes,), or one matrix of equal ones."""
        if flow_bytes is None or flow_bytes.size == 1:
            return cls(count.reshape(-1, *count.shape[-2:]).astype(np.int64), np.ones(1))
        used = count.any(axis=(1, 2)) & (flow_bytes > 0)
        if not used.any():
            return cls(np.zeros((1, *count.shape[-2:]), dtype=np.int64), np.ones(1))
        return cls(count[used].astype(np.int64), flow_bytes[used] / flow_bytes[used].max())

    @property
    def are_equal(self) -> bool:
        """Whether there is one size."""
        return self.size.size == 1

    def where(self, kept: BoolArray) -> FlowSizes:
        """Those of the pairs of leaves (n_edges, n_edges) that are kept."""
        return FlowSizes(np.where(kept, self.count, 0), self.size)

    def moment(self, power: int) -> FloatArray:
        """(n_edges, n_edges) sum of the sizes, each to a power."""
        return np.asarray(np.tensordot(self.size**power, self.count, axes=1), dtype=np.float64)


class Row(NamedTuple):
    """Equal flows of one class of far leaves."""

    flows: int
    size: float
    kind: int


def settled(flows: IntArray, size: FloatArray, links: int) -> list[Row]:
    """Flows of some classes of far leaves by size, small ones as equal ones.

    Equation: of independent flows the sums on a link have mean and variance of n equal flows of size u = Σs²/Σs
    where n u = Σs. That stands for flows that are each no more than a quarter of the mean of a link; larger ones keep
    their size.

    Args:
        flows: (n_sizes, n_classes) how many.
        size: (n_sizes,) of one.
        links: on which they fall.
    """
    amount = flows * size[:, None]
    is_small = size <= _SMALL * amount.sum() / links
    rows = [
        Row(int(flows[number, kind]), float(size[number]), int(kind))
        for number, kind in np.argwhere((flows > 0) & ~is_small[:, None])
    ]
    small = amount[is_small].sum(axis=0)
    if small.any():
        mean = float((amount[is_small].sum(axis=1) @ size[is_small]) / small.sum())
        counts = np.rint(small / mean).astype(np.int64)
        rows += [Row(int(counts[kind]), mean, int(kind)) for kind in np.flatnonzero(counts)]
    return rows
