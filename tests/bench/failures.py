"""All single failures of 8,192 endpoints, in loads of the whole fabric: links, and every other kind.

The fabric is a leaf-spine plane of 128 leaves of 64 endpoints under 64 spines, once whole and once with two uplinks of
different leaves down and one host at half its rate. Times are of the processor, in this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from fabric.flow.throughput import uniform_throughput
from fabric.model.topology import Device, Link, Port, Topology
from fabric.pipeline.elements import KINDS
from fabric.pipeline.failures import Failures
from fabric.pipeline.networks import Plane, planes_of

LINKS = ("node_link", "link")
LEAVES, DOWN, SPINES = 128, 64, 64
GBPS = 400
REPEATS = 5


def plane(leaves: int = LEAVES, down: int = DOWN, spines: int = SPINES, *, is_degraded: bool = False) -> Plane:
    """One link from every leaf to every spine; degraded without two of them and with a slow host."""
    devices = [Device(f"leaf-{leaf:03d}", "leaf", None) for leaf in range(leaves)]
    devices += [Device(f"spine-{spine:03d}", "spine", None) for spine in range(spines)]
    links = []
    for leaf in range(leaves):
        for port in range(down):
            node = f"node-{leaf:03d}-{port:03d}"
            devices.append(Device(node, "node", None))
            ends = Port(node, "1", "rail0"), Port(f"leaf-{leaf:03d}", f"{port // 2}", f"{port}")
            links.append(Link(f"{node}.rail0", "node_leaf", *ends, GBPS, 0))
        for spine in range(spines):
            port = down + spine
            ends = (
                Port(f"leaf-{leaf:03d}", f"{port // 2}", f"{port}"),
                Port(f"spine-{spine:03d}", f"{leaf // 2}", f"{leaf}"),
            )
            links.append(Link(f"leaf-{leaf:03d}.{port}", "leaf_spine", *ends, GBPS))
    if is_degraded:
        missing = {f"leaf-000.{down}", f"leaf-001.{down + 1}"}
        slow = f"node-{leaves - 1:03d}-000.rail0"
        links = [
            replace(link, rate_gbps=GBPS // 2) if link.name == slow else link
            for link in links
            if link.name not in missing
        ]
    return planes_of(Topology("fat_tree", {}, tuple(devices), tuple(links)))[0]


def evaluation_s(one: Plane) -> float:
    """Time to load a plane once, code and routes loaded already [s]."""
    network, routes = one.network, one.routes
    uniform_throughput(network, routes)
    return median(_timed_s(lambda: uniform_throughput(network, routes)) for _ in range(REPEATS))


def kinds_s(one: Plane, kinds: Sequence[str]) -> tuple[float, int, int]:
    """Time to judge all elements of some kinds from the plane on [s], how many they are, and in how many classes.

    The median of some runs, of which each begins with `Failures` anew.
    """
    found = []

    def judge() -> None:
        failures = Failures((one,))
        found[:] = (loss for kind in kinds for loss in failures.of_kind(kind))

    took_s = median(_timed_s(judge) for _ in range(REPEATS if kinds == LINKS else 1))
    return took_s, sum(len(loss.alike.names) for loss in found), len(found)


def _timed_s(work: Callable[[], object]) -> float:
    begin_s = time.process_time()
    work()
    return time.process_time() - begin_s


def bench(planes: Sequence[tuple[str, Plane]], say: Callable[[str], None]) -> None:
    """Measure single failures of some planes and say it line by line."""
    for name, one in planes:
        unit_s = evaluation_s(one)
        say(f"failures, {name}: {len(one.endpoints):,} endpoints, one evaluation {1000 * unit_s:.1f} ms")
        for words, kinds in (("all links", LINKS), ("all elements", KINDS)):
            took_s, elements, classes = kinds_s(one, kinds)
            say(f"  {words}: {elements:,} in {classes} classes, {took_s / unit_s:.0f} evaluations")


if __name__ == "__main__":
    bench((("whole", plane()), ("degraded", plane(is_degraded=True))), print)
