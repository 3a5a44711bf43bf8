"""`plots/topology.svg`: the picture that fits what a fabric is made of."""

from __future__ import annotations

from fabric.model.design import Design
from fabric.render.group_plot import group_plot
from fabric.render.pod_plot import pod_plot
from fabric.render.torus_plot import torus_plot
from fabric.render.torus_view import torus_view
from fabric.render.tree_plot import tree_plot


def topology_plot(design: Design) -> str:
    """The picture as SVG: grid of a torus, groups of a dragonfly, pods below cores, else leaves below spines."""
    grid = torus_view(design.topology)
    if grid is not None:
        return torus_plot(design, grid).svg()
    if design.topology.of_kind("global", "local"):
        return group_plot(design).svg()
    if design.topology.with_role("core"):
        return pod_plot(design).svg()
    return tree_plot(design).svg()
