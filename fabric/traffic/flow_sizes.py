"""Queue pairs told apart by how much they carry, as hashing wants to know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabric.model.network import BoolArray, FloatArray, IntArray

_MOST_SIZES, _MOST_CELLS = 16, 2**23
"""Most sizes that are told apart, and most cells of all their matrices from leaf to leaf."""

_DIGITS = 9
"""Digits to which two sizes are alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Queue pairs that carry something on one plane, the expected number where a hash picks their plane.

    Attributes:
        by_size: (n_sizes, n_leaves, n_leaves) from leaf to leaf.
        flow_bytes: (n_sizes,) bytes of one, the mean of its class.
        sent: (n_endpoints,) that each endpoint sends on.
        received: (n_endpoints,) that it receives on.
    """

    by_size: FloatArray
    flow_bytes: FloatArray
    sent: FloatArray
    received: FloatArray

    @classmethod
    def of(
        cls,
        by_size: Sequence[FloatArray],
        flow_bytes: Sequence[float],
        leaf_count: int,
        sent: FloatArray,
        received: FloatArray,
    ) -> Flows:
        """From a matrix of every size that there is; none where nothing is carried."""
        if not by_size:
            return cls(np.zeros((1, leaf_count, leaf_count)), np.ones(1), sent, received)
        return cls(np.array(by_size), np.array(flow_bytes), sent, received)

    @property
    def pairs(self) -> FloatArray:
        """(n_leaves, n_leaves) from leaf to leaf, of all sizes."""
        return np.asarray(self.by_size.sum(axis=0), dtype=np.float64)

    @property
    def whole(self) -> IntArray:
        """(n_sizes, n_leaves, n_leaves) whole queue pairs, at least one where any are expected.

        Where a hash picks planes, a pair of leaves may expect less than one: sizes are rounded one after the other, so
        that all together are as many as one size would be.
        """
        upto = self.by_size.cumsum(axis=0)
        total = np.where(upto[-1] > 0, np.maximum(np.rint(upto[-1]), 1), 0)
        upto *= np.divide(total, upto[-1], out=np.zeros(total.shape), where=upto[-1] > 0)
        return np.asarray(np.diff(np.rint(upto), axis=0, prepend=0.0), dtype=np.int64)


def most_sizes(leaf_count: int) -> int:
    """Sizes that are told apart between so many leaves."""
    return min(_MOST_SIZES, max(1, _MOST_CELLS // max(1, leaf_count**2)))


def size_classes(amount: FloatArray, most: int) -> list[BoolArray]:
    """(n,) which of some amounts are alike, class by class from the largest on, without those of nothing.

    Each amount is a class where there are at most so many; otherwise classes are equally wide in the logarithm, at
    most by a factor of two, and what is smaller falls in the last.
    """
    largest = float(amount.max(initial=0.0))
    if largest <= 0:
        return []
    relative = (amount / largest).round(_DIGITS)
    distinct, place = np.unique(relative, return_inverse=True)
    kinds = np.arange(distinct.size)[::-1]
    if (distinct > 0).sum() > most:
        least = max(float(distinct[distinct > 0][0]), 2.0**-most)
        depth = -np.log(np.maximum(distinct, least)) / -math.log(least)
        kinds = np.minimum(depth * most, most - 1).astype(np.int64)
    of = np.where(amount > 0, kinds[place.reshape(-1)], -1)
    return [of == kind for kind in np.unique(of[of >= 0])]


def classes_of_two(amounts: tuple[FloatArray, FloatArray], most: int) -> tuple[list[BoolArray], list[BoolArray]]:
    """Classes of each of two amounts, whose products make at most so many."""
    one, other = (size_classes(amount, most) for amount in amounts)
    if len(one) * len(other) <= most:
        return one, other
    of_each = math.isqrt(most)
    return size_classes(amounts[0], of_each), size_classes(amounts[1], of_each)
