"""What endpoints of a plane offer to the network, as its ways to spread see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.model.network import FloatArray, IntArray, Network


@dataclass(frozen=True, slots=True, eq=False)
class EdgeDemand:
    """A demand folded to pairs of leaves or routers, in bytes, or in bytes of a microsecond.

    Attributes:
        pair_bytes: (n_edges, n_edges) demand from leaf (router) to leaf [byte]; the diagonal turns back there.
        sent_bytes: (n_endpoints,) what each endpoint sends [byte].
        received_bytes: (n_endpoints,) what each endpoint receives [byte].
    """

    pair_bytes: FloatArray
    sent_bytes: FloatArray
    received_bytes: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Offered(EdgeDemand):
    """Traffic of one phase on one plane, with what hashing and forwarding tables ask of it.

    Attributes:
        flows: (n_edges, n_edges) flows from leaf to leaf, several queue pairs counted as several, or (n_sizes, n_edges,
            n_edges) by their size; read by hashing alone.
        endpoint_bytes: (n_edges, n_endpoints) demand from each leaf to each endpoint [byte], read by forwarding tables
            alone; None where the endpoints of a leaf share what any leaf sends them as they share all that they get.
        flow_bytes: (n_sizes,) bytes of one flow of each size; None where all are equal.
    """

    flows: IntArray
    endpoint_bytes: FloatArray | None = None
    flow_bytes: FloatArray | None = None

    def towards(self, network: Network, endpoints: slice) -> FloatArray:
        """(n_edges, n) demand from each leaf to some endpoints [byte]."""
        if self.endpoint_bytes is not None:
            return self.endpoint_bytes[:, endpoints]
        leaf, received = network.endpoint_switch[endpoints], self.received_bytes[endpoints]
        of_leaf = network.per_edge(self.received_bytes)[leaf]
        share = np.divide(received, of_leaf, out=np.zeros(leaf.size), where=of_leaf > 0)
        return np.asarray(self.pair_bytes[:, leaf] * share, dtype=np.float64)
