"""Every node reaches every node, also with any one switch above the leaves down, or any one router."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error, warning
from fabric.checks._tiers import Plane, plane_of
from fabric.checks._ways import MANY, NONE, ONE, CoreWays, Joined, Mesh

Cut: TypeAlias = Callable[[int, int], str]
"""The switch whose loss parts two leaves, given by their rows."""


@check("reachability")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per leaf that shares no spine or core with others of its plane, or only one.

    A path in a tree goes up and down again, so leaves have as many disjoint paths as they have switches above them in
    common. Routers reach each other over any links between switches; there the error is per part that is apart, and per
    switch whose loss parts others: a warning, unless the request wants the loss of a switch survived.
    """
    request = ctx.design.request
    used = frozenset(access.leaf.name for access in ctx.accesses)
    alone_is_asked = request is not None and request.fabric.min_spines == 1
    loss_is_asked = request is not None and request.survive.switches > 0
    joined_in = _joined(ctx)
    for plane in ctx.planes:
        joined = joined_in[plane.fabric, plane.number]
        if plane.leaves[0].role == "router" or any(joined.values()):
            names = _switches(ctx, plane)
            mesh = Mesh(names, joined, used.intersection(names))
            yield from _mesh(plane, mesh, loss_is_asked=loss_is_asked)
        else:
            yield from _tree(plane, joined, used, alone_is_asked=alone_is_asked)


def _joined(ctx: CheckContext) -> Mapping[tuple[str, int], dict[Joined, bool]]:
    """Per plane every two switches that links join, and whether the two are of one tier."""
    found: defaultdict[tuple[str, int], dict[Joined, bool]] = defaultdict(dict)
    for each in ctx.switch_links:
        if plane_of(each.low) == plane_of(each.high):
            found[plane_of(each.low)][each.low.name, each.high.name] = each.low.role == each.high.role
    return found


def _tree(plane: Plane, joined: Iterable[Joined], used: frozenset[str], *, alone_is_asked: bool) -> Iterator[Remark]:
    rows = [row for row, leaf in enumerate(plane.leaves) if leaf.name in used]
    leaves = [plane.leaves[row].name for row in rows]
    spines = {spine.name for spine in plane.spines}
    over_cores = [pair for pair in joined if pair[0] in spines]
    common, cut = _over_cores(plane, rows, over_cores) if over_cores else _over_spines(plane, rows)
    what = "spine or core" if over_cores else "spine"
    for row, others in _fewest_rows(common == NONE):
        message = f"shares no {what} with {leaves[others[0]]}{_and_more(others)}: their nodes do not reach each other"
        yield error(leaves[row], message, measured=0, limit=1, unit="spines")
    for row, others in _fewest_rows(common == ONE):
        message = (
            f"shares only {cut(row, others[0])} with {leaves[others[0]]}{_and_more(others)}: without it they are apart"
        )
        say = warning if alone_is_asked else error
        yield say(leaves[row], message, measured=1, limit=2, unit="spines")


def _over_spines(plane: Plane, rows: list[int]) -> tuple[npt.NDArray[np.int64], Cut]:
    """(n_rows, n_rows) spines that leaves have in common, and the one that they share alone."""
    up = (plane.trunks[rows] > 0).astype(np.float32)
    common = (up @ up.T).round().astype(np.int64)
    np.fill_diagonal(common, MANY)
    return common, lambda row, other: plane.spines[int((up[row] * up[other]).argmax())].name


def _over_cores(plane: Plane, rows: list[int], joined: Sequence[Joined]) -> tuple[npt.NDArray[np.int64], Cut]:
    """(n_rows, n_rows) whether none, one or several switches join leaves, and the one; like leaves are asked once."""
    spines_of = {
        plane.leaves[row].name: frozenset(plane.spines[int(column)].name for column in plane.trunks[row].nonzero()[0])
        for row in rows
    }
    ways = CoreWays(spines_of, joined)
    kinds = {spines: name for name, spines in reversed(spines_of.items())}
    names = list(kinds.values())
    kind = np.array([list(kinds).index(spines) for spines in spines_of.values()], dtype=np.int64)
    answers = [[ways.cut(one, other) for other in names] for one in names]
    common = np.array([[count for count, _ in row] for row in answers], dtype=np.int64).reshape(len(names), -1)
    table = common[kind][:, kind]
    np.fill_diagonal(table, MANY)
    return table, lambda row, other: str(answers[kind[row]][kind[other]][1])


def _mesh(plane: Plane, mesh: Mesh, *, loss_is_asked: bool) -> Iterator[Remark]:
    for part in mesh.parts[1:]:
        rest = f" and {len(part) - 1} more {plane.what}" if len(part) > 1 else ""
        message = f"is apart{rest}: their nodes do not reach those of {mesh.parts[0][0]}"
        yield error(part[0], message, measured=0, limit=1, unit="ways")
    say = error if loss_is_asked else warning
    for name, beyond, count in mesh.cuts:
        rest = f" and {count - 1} more {plane.what}" if count > 1 else ""
        yield say(name, f"without it {beyond}{rest} and the others are apart", measured=1, limit=2, unit="ways")


def _switches(ctx: CheckContext, plane: Plane) -> list[str]:
    return [
        each.name for each in ctx.topology.devices if each.is_switch and plane_of(each) == (plane.fabric, plane.number)
    ]


def _fewest_rows(bad: npt.NDArray[np.bool_]) -> Iterator[tuple[int, list[int]]]:
    """A symmetric table of bad pairs as few rows, each with its partners: the row with most first."""
    bad = bad.copy()
    while bad.any():
        row = int(bad.sum(axis=1).argmax())
        yield row, [int(column) for column in bad[row].nonzero()[0]]
        bad[row, :] = bad[:, row] = False


def _and_more(others: list[int]) -> str:
    return f" and {len(others) - 1} more leaves" if len(others) > 1 else ""
