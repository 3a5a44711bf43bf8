"""`exports/slurm_topology.conf`: which nodes share switches, for Slurm's `topology/tree`. Source: slurm-topology."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from fabric.addressing.ordinals import natural
from fabric.model.design import Design
from fabric.model.topology import Topology

TOP = "fabric-top"
GROUP_WORDS = {"fat_tree": "pod", "dragonfly": "group", "dragonfly_plus": "group"}
"""What the groups of a family are called."""

NO_TREE = {
    "dragonfly": "# A dragonfly is no tree: set TopologyParam=Dragonfly beside TopologyPlugin=topology/tree.\n",
    "dragonfly_plus": "# A dragonfly is no tree: set TopologyParam=Dragonfly beside TopologyPlugin=topology/tree.\n",
    "torus": "# A torus is no tree: nodes of a router stand together, nothing is said of distances beyond it.\n",
}
"""What stands first where lines for a tree are only half the truth."""

_NUMBERED = re.compile(r"(.*?)(\d+)$")


def slurm_topology(design: Design) -> str:
    """One line per unit of nodes that share the same leaves, one per pod or group of units, and one for what is above.

    Slurm knows one switch per node. Under rail wiring the rail leaves of a unit therefore stand as one switch, named
    after the unit; where a unit has one leaf it keeps its name. Routers count as leaves.
    """
    topology = design.topology
    leaves: dict[str, set[str]] = {}
    for link in topology.links:
        if topology.device[link.a.device].role == "node":
            leaves.setdefault(link.a.device, set()).add(link.b.device)
    units: dict[tuple[str, ...], list[str]] = {}
    for node in sorted(leaves, key=natural):
        units.setdefault(tuple(sorted(leaves[node], key=natural)), []).append(node)
    names = [shared[0] if len(shared) == 1 else f"unit-{number:03d}" for number, shared in enumerate(units, start=1)]
    lines = [NO_TREE.get(topology.family, "")]
    for name, (shared, nodes) in zip(names, units.items(), strict=True):
        if len(shared) > 1:
            lines.append(f"# {name}={hostlist(shared)}\n")
        lines.append(f"SwitchName={name} Nodes={hostlist(nodes)}\n")
    groups: dict[str, list[str]] = {}
    for name, shared in zip(names, units, strict=True):
        groups.setdefault(_group(topology, shared[0]) or name, []).append(name)
    if len(groups) > 1:
        lines += [
            f"SwitchName={group} Switches={hostlist(members)}\n"
            for group, members in groups.items()
            if [group] != members
        ]
        names = list(groups)
    if len(names) > 1:
        lines.append(f"SwitchName={TOP} Switches={hostlist(names)}\n")
    return "".join(lines)


def _group(topology: Topology, switch: str) -> str | None:
    """The pod or group of a leaf or router, None where its family has none."""
    word, number = GROUP_WORDS.get(topology.family), topology.device[switch].group
    return None if word is None or number is None else f"{word}-{number + 1:03d}"


def hostlist(names: Iterable[str]) -> str:
    """Names in Slurm's short form: `node-[0001-0016,0018],login`; numbers of equal width form a range."""
    parts: list[str] = []
    for (stem, width), members in groupby(sorted(names, key=natural), key=_stem):
        if not width:
            parts.extend(members)
            continue
        ranges = _ranges([int(name[len(stem) :]) for name in members])
        texts = [f"{a:0{width}d}" if a == b else f"{a:0{width}d}-{b:0{width}d}" for a, b in ranges]
        single = len(texts) == 1 and "-" not in texts[0]
        parts.append(f"{stem}{texts[0]}" if single else f"{stem}[{','.join(texts)}]")
    return ",".join(parts)


def _stem(name: str) -> tuple[str, int]:
    """A name without its last number, and the width of that number (0 without one)."""
    found = _NUMBERED.fullmatch(name)
    return (found[1], len(found[2])) if found else (name, 0)


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for value in numbers:
        if runs and value == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return runs
