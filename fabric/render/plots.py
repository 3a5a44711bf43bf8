"""Every picture of a design."""

from __future__ import annotations

from fabric.model.design import Design
from fabric.render.floor_plot import floor_plot
from fabric.render.rack_plot import rack_plot
from fabric.render.topology_plot import topology_plot

TITLES = {
    "plots/topology.svg": "Topology",
    "plots/floor_plan.svg": "Floor plan",
    "plots/rack_elevations.svg": "Network racks",
}
"""Caption of each picture."""


def render_plots(design: Design) -> dict[str, str]:
    """SVG texts by their path in the design folder; without places there is only the topology."""
    drawn = {
        "plots/topology.svg": topology_plot(design),
        "plots/floor_plan.svg": floor_plot(design),
        "plots/rack_elevations.svg": rack_plot(design),
    }
    return {path: svg for path, svg in drawn.items() if svg is not None}
