"""Every node reaches every node, also with any one spine down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error, warning
from fabric.checks._tiers import Plane

_ROUTERS = ("core", "router")


@check("reachability")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per leaf that shares no spine with others of its plane, or only one.

    A path goes up to a spine and down again, so two leaves have as many disjoint paths as they have spines in common.
    """
    if ctx.topology.with_role(*_ROUTERS):
        yield Gap(f"paths over devices of role {' or '.join(_ROUTERS)} are not judged")
        return
    used = {access.leaf.name for access in ctx.accesses}
    alone_is_asked = ctx.design.request is not None and ctx.design.request.fabric.min_spines == 1
    for plane in ctx.planes:
        yield from _plane(plane, used, alone_is_asked=alone_is_asked)


def _plane(plane: Plane, used: set[str], *, alone_is_asked: bool) -> Iterator[Remark]:
    rows = [row for row, leaf in enumerate(plane.leaves) if leaf.name in used]
    leaves = [plane.leaves[row].name for row in rows]
    up = (plane.trunks[rows] > 0).astype(np.float32)
    common = (up @ up.T).round().astype(np.int64)
    np.fill_diagonal(common, 2)
    for row, others in _fewest_rows(common == 0):
        message = f"shares no spine with {leaves[others[0]]}{_and_more(others)}: their nodes do not reach each other"
        yield error(leaves[row], message, measured=0, limit=1, unit="spines")
    for row, others in _fewest_rows(common == 1):
        spine = plane.spines[int((up[row] * up[others[0]]).argmax())].name
        message = f"shares only {spine} with {leaves[others[0]]}{_and_more(others)}: without it they are apart"
        say = warning if alone_is_asked else error
        yield say(leaves[row], message, measured=1, limit=2, unit="spines")


def _fewest_rows(bad: npt.NDArray[np.bool_]) -> Iterator[tuple[int, list[int]]]:
    """A symmetric table of bad pairs as few rows, each with its partners: the row with most first."""
    bad = bad.copy()
    while bad.any():
        row = int(bad.sum(axis=1).argmax())
        yield row, [int(column) for column in bad[row].nonzero()[0]]
        bad[row, :] = bad[:, row] = False


def _and_more(others: list[int]) -> str:
    return f" and {len(others) - 1} more leaves" if len(others) > 1 else ""
