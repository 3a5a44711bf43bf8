"""The flow model against the same model in plain Python, its growth, and its memory.

One MoE dispatch in groups of 64 ranks with Zipf 0.6, two uplinks down and one slow host, on two-tier rail fabrics: the
time of demand, loads and fullest link, on the CPU. The plain model walks every pair of ranks and every way between
them; loads must agree to 1e-9. Growth is that of the time in links. Memory is the peak of what Python and NumPy
allocate. Run it as `make bench` does, with OPENBLAS_NUM_THREADS=1, which is what the command sets.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np

from fabric.flow.link_load import ArcLoad, bottleneck, even_load
from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.model.workload import MoeNumbers, Workload
from fabric.routing.up_down import routes
from fabric.traffic._protocol import PATTERNS, Job
from fabric.traffic.demand import Exchange, Ports
from fabric.traffic.fold import Carriers, fold
from fabric.traffic.planes import Balancing, Dealing
from fabric.traffic.ranks import Ranks, seat

RAILS, GBPS = 8, 400.0
GROUP = 64
MODEL = MoeNumbers(experts=256, top_k=8, payload_dim=7168)
WORK = Workload(
    name="decode",
    pattern="moe_all_to_all",
    model=MODEL,
    expert_parallel=GROUP,
    tokens_per_rank=128,
    popularity={"zipf": 0.6},
)
SLOW = 0.8
"""Rate of the slow host's ports as a share of the others'."""

COMPARED = 2048
"""Endpoints at which the plain model runs."""

SIZES = (512, 2048, 8192, 32768)
LARGEST = 100_352
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A damaged fabric with its routes and jobs: ranks, their ports, and the demand of one dispatch."""

    network: Network
    routes: Routes
    ranks: Ranks
    ports: Ports
    demand: Exchange


def scene(endpoints: int) -> Scene:
    """Nodes of 8 ports, one leaf per rail and unit, each with an uplink to every spine; two uplinks and a host hurt."""
    down = min(256, max(16, endpoints // 64))
    node, rail = np.divmod(np.arange(endpoints), RAILS)
    leaf = node // down * RAILS + rail
    leaves = int(leaf.max()) + 1
    link_a, link_b = (
        each.reshape(-1) for each in np.meshgrid(np.arange(leaves), leaves + np.arange(down), indexing="ij")
    )
    gbps = np.where(node == 0, SLOW * GBPS, GBPS)
    whole = Network(
        endpoint_switch=leaf,
        endpoint_gbps=gbps,
        link_a=link_a,
        link_b=link_b,
        link_gbps=np.full(link_a.size, GBPS),
        tier=np.repeat([0, 1], [leaves, down]),
        position=np.zeros((leaves + down, 0), dtype=np.int64),
        edge_count=leaves,
    )
    lost = np.isin(np.arange(link_a.size), (0, link_a.size // 2))
    network = whole.without(np.zeros(endpoints, dtype=np.bool_), lost)
    ranks = seat(GROUP, None, np.arange(endpoints // RAILS), RAILS)
    (dispatch, _) = PATTERNS["moe_all_to_all"](Job(WORK, ranks, MODEL))
    return Scene(
        network,
        routes(network),
        ranks,
        Ports(np.arange(endpoints), np.arange(endpoints), np.ones(endpoints)),
        dispatch.demand,
    )


def evaluate(here: Scene) -> tuple[ArcLoad, float]:
    """Loads of every arc and the time of the fullest one [us]."""
    network = here.network
    carriers = Carriers.of(here.ranks, [here.ports], [network.endpoint_switch], [network.edge_count])
    (folded,) = fold(here.demand, here.ranks, carriers, Dealing(Balancing.HARDWARE, 1))
    load = even_load(network, here.routes, folded.pair_bytes, folded.sent_bytes, folded.received_bytes)
    return load, bottleneck(network, load).time_us


def plain(here: Scene) -> tuple[list[float], list[float], list[float], list[float]]:
    """The same in plain Python, pair by pair and way by way: sent, received, up and down [byte]."""
    network, demand = here.network, here.demand
    leaf, domain = network.endpoint_switch.tolist(), here.ranks.domain.tolist()
    sent, share = demand.sent_bytes.tolist(), demand.share.tolist()
    uplinks: dict[int, dict[int, int]] = defaultdict(dict)
    for link, (a, b) in enumerate(zip(network.link_a.tolist(), network.link_b.tolist(), strict=True)):
        uplinks[a][b] = link
    members: dict[int, list[int]] = defaultdict(list)
    for rank, group in enumerate(demand.group.tolist()):
        members[group].append(rank)
    out, into = [0.0] * len(leaf), [0.0] * len(leaf)
    up, down = [0.0] * network.link_a.size, [0.0] * network.link_a.size
    for ranks in members.values():
        for source in ranks:
            for target in ranks:
                if domain[source] == domain[target]:
                    continue
                byte_count = sent[source] * share[target]
                out[source] += byte_count
                into[target] += byte_count
                here_up, there = uplinks[leaf[source]], uplinks[leaf[target]]
                if leaf[source] == leaf[target]:
                    continue
                ways = [spine for spine in here_up if spine in there]
                for spine in ways:
                    up[here_up[spine]] += byte_count / len(ways)
                    down[there[spine]] += byte_count / len(ways)
    return out, into, up, down


def cpu_s(work: Callable[[], object], repeats: int) -> float:
    """Median CPU time of some runs [s]."""
    took = []
    for _ in range(repeats):
        begin_s = time.process_time()
        work()
        took.append(time.process_time() - begin_s)
    return median(took)


def difference(here: Scene) -> float:
    """Largest difference between the two models over all arcs, relative to the fullest."""
    load, _ = evaluate(here)
    ours = (load.endpoint_up_bytes, load.endpoint_down_bytes, load.link_up_bytes, load.link_down_bytes)
    return max(
        float(np.abs(one - np.array(other)).max()) / float(one.max())
        for one, other in zip(ours, plain(here), strict=True)
    )


def compare(endpoints: int, repeats: int) -> float:
    """Time of the plain model over ours.

    Raises:
        ArithmeticError: their loads differ.
    """
    here = scene(endpoints)
    if difference(here) > CLOSE:
        raise ArithmeticError(f"loads differ by {difference(here):.2g} of the fullest")
    return cpu_s(lambda: plain(here), 1) / cpu_s(lambda: evaluate(here), repeats)


def growth(sizes: tuple[int, ...], repeats: int) -> list[tuple[int, float]]:
    """Links of each size and the time of an evaluation [s]."""
    scenes = [scene(size) for size in sizes]
    return [
        (here.network.link_a.size + here.ranks.count, cpu_s(lambda here=here: evaluate(here), repeats))
        for here in scenes
    ]


def peak_bytes(endpoints: int) -> int:
    """Peak of what building and evaluating a fabric allocates [byte]."""
    tracemalloc.start()
    evaluate(scene(endpoints))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> None:
    """Measure and say."""
    say = sys.stdout.write
    say(f"flow model, {COMPARED:,} endpoints: plain Python takes {compare(COMPARED, 9):,.0f} times as long\n")
    steps = growth(SIZES, 9)
    for (links, took_s), (more, longer_s), size in zip(steps, steps[1:], SIZES[1:], strict=False):
        exponent = math.log(longer_s / took_s) / math.log(more / links)
        say(f"growth to {size:,} endpoints: {longer_s / took_s:.2f} times for {more / links:.2f} times the links")
        say(f" (links^{exponent:.2f})\n")
    say(f"{LARGEST:,} endpoints, damaged and skewed: {peak_bytes(LARGEST) / 2**20:,.0f} MiB at most\n")


if __name__ == "__main__":
    main()
