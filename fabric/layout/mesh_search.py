"""Good sites for switches that are linked in any way: groups put where they are cheapest, then moves and swaps.

A single switch gains little by moving towards its group while the group is elsewhere; so a start puts down group after
group, each where it is cheapest as a whole: in neighbouring racks, or switch by switch. Moves and swaps of switches
follow until none gains. Then groups and rings of switches are taken up and put down anew while there is work left.
Numbers that look random come from a fixed seed and effort is counted, so runs repeat.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fabric.layout.mesh import CLOSED_COST, Cluster, MeshProblem
from fabric.layout.mesh_standing import LOOK_WORK, Standing, stand
from fabric.layout.transport import Ints

KICK_SEED = 1

MOST_GROUPS = 3
"""Most groups that are put down anew at once."""

MOST_IN_RING = 12
"""Most switches that change sites in a ring."""

ROOMY_SHARES = (1, 2, 3)
"""Neighbouring racks count as such if they hold so large a part of a group, or anything."""


def first_look(problem: MeshProblem) -> Ints | None:
    """(switches,) the better sites of two starts; None where the switches have no room.

    One start gives each switch the site where it alone costs least, the other puts down group after group.
    """
    alone = problem.linear(problem.own)
    if alone is None:
        return None
    starts = [stand(problem, alone)]
    together = Standing(problem)
    if all(_put_down(together, cluster) for cluster in problem.clusters):
        starts.append(together)
    for standing in starts:
        standing.settle()
    return min((standing.site for standing in starts), key=problem.cost_of)


def best_sites(problem: MeshProblem, first: Ints, work_limit: int) -> Ints:
    """(switches,) the best sites found, from `first` on, while there is work left."""
    chance = np.random.default_rng(KICK_SEED)
    best, cost, work = stand(problem, first), problem.cost_of(first), 0
    while len(first) > 1 and work < work_limit:
        tried = best.copy()
        if _kick(tried, chance):
            tried.settle()
            found = problem.cost_of(tried.site)
            if found <= cost:
                best, cost = tried, found
        work += tried.work
    return best.site


def _kick(standing: Standing, chance: np.random.Generator) -> bool:
    """Put some groups down anew, or let some switches change sites in a ring; whether all have a site still."""
    clusters, count = standing.problem.clusters, len(standing.site)
    if len(clusters) > 1 and chance.integers(2):
        most = min(MOST_GROUPS, len(clusters))
        chosen = chance.choice(len(clusters), size=int(chance.integers(1, most + 1)), replace=False).tolist()
        for number in chosen:
            for switch in clusters[number].members.tolist():
                standing.lift(switch)
        return all(_put_down(standing, clusters[number]) for number in chosen)
    most = min(MOST_IN_RING, count)
    ring = chance.choice(count, size=int(chance.integers(2, most + 1)), replace=False).tolist()
    for one, other in pairwise(ring):
        if standing.may_swap(one, other):
            standing.swap(one, other)
    return True


def _put_down(standing: Standing, cluster: Cluster) -> bool:
    """Put the switches of a group where they are cheapest together; whether they find room."""
    windows = np.array(_windows(standing, len(cluster.members)), dtype=np.int64).reshape(-1, len(cluster.members))
    rise = standing.at[cluster.members, windows].sum(axis=1) + standing.problem.inside_cost(cluster, windows)
    standing.work += LOOK_WORK * len(windows)
    choices = [(int(rise[best]), windows[best]) for best in ([rise.argmin()] if len(rise) else [])]
    choices += _one_by_one(standing, cluster.members)
    cost, target = min(choices, key=lambda choice: choice[0], default=(CLOSED_COST, cluster.members))
    if cost >= CLOSED_COST:
        return False
    for switch, site in zip(cluster.members.tolist(), target.tolist(), strict=True):
        standing.put(switch, site)
    return True


def _windows(standing: Standing, count: int) -> list[Ints]:
    """Sites of `count` free slots that lie side by side, from every rack on; over all racks, or over roomy ones."""
    rack, found = standing.problem.rack, []
    room = np.bincount(rack, weights=standing.free).astype(np.int64)
    for least in sorted({1, *(-(-count // share) for share in ROOMY_SHARES)}):
        sites = np.flatnonzero(room[rack] >= least)
        slots = np.repeat(sites, standing.free[sites])
        new_rack = np.append(True, rack[slots][1:] != rack[slots][:-1])[: len(slots)]
        starts = np.flatnonzero(new_rack)
        found += [slots[start : start + count] for start in starts[starts + count <= len(slots)].tolist()]
    return found


def _one_by_one(standing: Standing, members: Ints) -> list[tuple[int, Ints]]:
    """Cost and sites of a group whose switches are put down in order, each where it is cheapest by then.

    None of either where some find no room.
    """
    total, done = 0, []
    for switch in members.tolist():
        cost = np.where(standing.free > 0, standing.at[switch], 2 * CLOSED_COST)
        target = int(cost.argmin())
        if cost[target] >= CLOSED_COST:
            break
        total += int(cost[target])
        standing.put(switch, target)
        done.append(switch)
    site = standing.site[members]
    for switch in done:
        standing.lift(switch)
    return [(total, site)] if len(done) == len(members) else []
