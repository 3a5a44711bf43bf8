"""The port map of one plane as arrays: the leaf of every endpoint, the leaf and spine of every uplink."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Pipes:
    """All parallel links between a leaf and a spine taken together.

    Attributes:
        gbps: (n_leaves, n_spines) their rate [Gb/s].
        reached: (n_leaves, n_spines) 1.0 where there is a link, else 0.0.
        usable_gbps: (n_leaves, n_leaves) rate of a leaf's uplinks whose spine reaches the other leaf [Gb/s].
    """

    gbps: FloatArray
    reached: FloatArray
    usable_gbps: FloatArray


@dataclass(frozen=True, eq=False)
class PortMap:
    """Endpoints, leaves and spines of one plane; every link carries its rate in both directions.

    Attributes:
        endpoint_leaf: (n_endpoints,) leaf of each endpoint link.
        endpoint_gbps: (n_endpoints,) its rate [Gb/s].
        uplink_leaf: (n_uplinks,) lower end of each leaf-spine link.
        uplink_spine: (n_uplinks,) its upper end.
        uplink_gbps: (n_uplinks,) its rate [Gb/s].
        leaf_count: leaves, those without any link included.
        spine_count: spines; 0 in one tier.
    """

    endpoint_leaf: IntArray
    endpoint_gbps: FloatArray
    uplink_leaf: IntArray
    uplink_spine: IntArray
    uplink_gbps: FloatArray
    leaf_count: int
    spine_count: int

    def per_leaf(self, values: FloatArray) -> FloatArray:
        """(n_leaves,) sum of the values (n_endpoints,) over the endpoints of each leaf."""
        return np.bincount(self.endpoint_leaf, weights=values, minlength=self.leaf_count).astype(np.float64)

    @cached_property
    def pipes(self) -> Pipes:
        """The plane as leaf-spine pipes."""
        pair = self.uplink_leaf * self.spine_count + self.uplink_spine
        flat = np.bincount(pair, weights=self.uplink_gbps, minlength=self.leaf_count * self.spine_count)
        gbps = flat.reshape(self.leaf_count, self.spine_count).astype(np.float64)
        reached = (gbps > 0).astype(np.float64)
        return Pipes(gbps, reached, usable_gbps=np.asarray(gbps @ reached.T, dtype=np.float64))

    def keep_uplinks(self, kept: BoolArray) -> PortMap:
        """The same plane with only the uplinks where the mask (n_uplinks,) is true."""
        return replace(
            self,
            uplink_leaf=self.uplink_leaf[kept],
            uplink_spine=self.uplink_spine[kept],
            uplink_gbps=self.uplink_gbps[kept],
        )
