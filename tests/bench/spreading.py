"""What 1,000 placements of hashed flows cost, in plain evaluations, and what forwarding tables cost.

A plain evaluation is the even spread of the same demand on the same plane, of the same run. Times are of the CPU.
Planes: EP256 on 256 endpoints in two and in three tiers, and whole fabrics. The samples of a design are taken so that
100 evaluations pay for them: ratios below 100 meet that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from fabric.flow.hash_ways import Seeds
from fabric.flow.hashing import hashed_load
from fabric.flow.link_load import even_load
from fabric.flow.offered import Offered
from fabric.flow.table_load import table_load
from fabric.model.network import Network
from fabric.routing import up_down
from fabric.routing._tables import local_tables, tree_tables

SAMPLES = 1000
QUEUE_PAIRS = 4
GBPS = 400.0


def tree(leaves: int, endpoints: int, links: tuple[np.ndarray, np.ndarray], above: tuple[int, ...]) -> Network:
    """Leaves with so many endpoints each below tiers of so many switches."""
    tier = np.repeat(np.arange(1 + len(above)), [leaves, *above])
    return Network(
        endpoint_switch=np.repeat(np.arange(leaves), endpoints),
        endpoint_gbps=np.full(leaves * endpoints, GBPS),
        link_a=links[0],
        link_b=links[1],
        link_gbps=np.full(links[0].size, GBPS),
        tier=tier,
        position=np.zeros((tier.size, 0), dtype=np.int64),
        edge_count=leaves,
    )


def two_tiers(leaves: int, spines: int, endpoints: int) -> Network:
    """One link from every leaf to every spine."""
    leaf, spine = np.divmod(np.arange(leaves * spines), spines)
    return tree(leaves, endpoints, (leaf, leaves + spine), (spines,))


def three_tiers(pods: int, leaves: int, spines: int, cores: int, endpoints: int) -> Network:
    """Pods of leaves and spines; spine j of every pod has a link to each core of its number."""
    edge, middle = pods * leaves, pods * spines
    leaf, spine = np.divmod(np.arange(edge * spines), spines)
    below, core = np.divmod(np.arange(middle * cores), cores)
    ends = (
        np.concatenate([leaf, edge + below]),
        np.concatenate([edge + leaf // leaves * spines + spine, edge + middle + below % spines * cores + core]),
    )
    return tree(edge, endpoints, ends, (middle, spines * cores))


PLANES: Mapping[str, Callable[[], Network]] = {
    "EP256, 8 x 32 leaves and spines": lambda: two_tiers(8, 32, 32),
    "EP256, 16 x 16 leaves and spines": lambda: two_tiers(16, 16, 16),
    "EP256, three tiers of 16 leaves": lambda: three_tiers(2, 8, 16, 16, 16),
    "2,048 endpoints, 64 x 32": lambda: two_tiers(64, 32, 32),
    "8,192 endpoints, three tiers of 256 leaves": lambda: three_tiers(8, 32, 32, 32, 32),
    "10,368 endpoints, 144 x 72": lambda: two_tiers(144, 72, 72),
}


def all_to_all(network: Network) -> Offered:
    """Every endpoint sends one byte to every other, on some queue pairs."""
    count = network.endpoint_switch.size
    below = np.bincount(network.endpoint_switch, minlength=network.edge_count)
    pairs = np.outer(below, below) - np.diag(below)
    each = np.full(count, count - 1.0)
    return Offered(pairs * 1.0, each, each, pairs * QUEUE_PAIRS)


def cpu_s(work: Callable[[], object], at_least_s: float = 0.3) -> float:
    """CPU time of one run, the mean of as many as fill some time [s]."""
    runs, begin_s = 0, time.process_time()
    while runs == 0 or time.process_time() - begin_s < at_least_s:
        work()
        runs += 1
    return (time.process_time() - begin_s) / runs


def measure(network: Network) -> dict[str, float]:
    """Plain evaluations that each of the others costs."""
    traffic, routes = all_to_all(network), up_down.routes(network)
    seeds = iter(range(1, 1_000_000))  # another seed every time, or the draws would be kept

    def hashed(kind: Seeds) -> Callable[[], object]:
        return lambda: hashed_load(network, up_down.routes(network), traffic.flows, SAMPLES, next(seeds), seeds=kind)

    tables = tree_tables(network, routes)
    plain_s = cpu_s(lambda: even_load(network, routes, traffic.pair_bytes, traffic.sent_bytes, traffic.received_bytes))
    work = {
        "hashed, a seed per switch": hashed(Seeds.PER_SWITCH),
        "hashed, one seed": hashed(Seeds.SHARED),
        "local tables": lambda: local_tables(network, routes),
        "tree tables": lambda: tree_tables(network, routes),
        "load under tables": lambda: table_load(network, tables, traffic),
    }
    return {name: cpu_s(each) / plain_s for name, each in work.items()}


def bench(planes: Mapping[str, Callable[[], Network]], say: Callable[[str], None]) -> None:
    """Measure every plane and say it line by line."""
    for name, build in planes.items():
        ratios = ", ".join(f"{kind} {ratio:.1f}" for kind, ratio in measure(build()).items())
        say(f"{name}, in plain evaluations: {ratios}")


if __name__ == "__main__":
    bench(PLANES, lambda line: print(line, flush=True))  # noqa: T201 -- the table
