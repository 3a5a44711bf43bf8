"""The Pareto front of a request: designs of which none is as good as another in everything and better in something."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.model.topology import COMPUTE


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """One design of the front, laid out in full; one row of `pareto.csv`.

    Its parts were chosen by `goals` out of the `media` named. `cost` is capex in `cost_unit` (`usd` or
    `planning_usd`), `power_w` the maximum power with planning watts for what is not known, `known_power_w` without;
    `uplinks` are those of a leaf, 0 where there is none; `p99_us` is that of the first workload, None without one that
    has a model.
    """

    point: int
    family: str
    goals: str
    media: str
    leaf_part: str
    leaf: int
    spine_part: str | None
    spine: int
    unit_nodes: int
    uplinks: int
    oversubscription: float | None
    cost: float
    cost_unit: str
    power_w: float
    known_power_w: float
    p99_us: float | None
    fabric: str = COMPUTE


@dataclass(frozen=True, slots=True)
class Front:
    """Points by rising cost, how many designs were laid out for them, and how many candidates a limit left open.

    `out_of_time` says that it was the limit on time, so that another run may find other points.
    """

    points: tuple[FrontPoint, ...]
    laid_out: int
    left_open: int
    out_of_time: bool
