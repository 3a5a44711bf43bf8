"""Every picture of a design."""

from __future__ import annotations

from fabric.model.design import Design
from fabric.model.report import Report
from fabric.render.canvas import Canvas
from fabric.render.failure_plot import failure_plot
from fabric.render.floor_plot import floor_plot
from fabric.render.latency_plot import latency_plot
from fabric.render.link_load_plot import link_load_plot
from fabric.render.rack_plot import rack_plot
from fabric.render.topology_plot import topology_plot

TITLES = {
    "plots/topology.svg": "Topology",
    "plots/floor_plan.svg": "Floor plan",
    "plots/rack_elevations.svg": "Network racks",
    "plots/link_load.svg": "Load of links",
    "plots/latency.svg": "Distribution of times",
    "plots/failures.svg": "Throughput against failures",
}
"""Caption of each picture."""


def render_plots(design: Design, report: Report) -> dict[str, str]:
    """SVG texts by their path in the design folder; of places, workloads and failures only where these are known."""
    drawn = {
        "plots/topology.svg": topology_plot(design),
        "plots/floor_plan.svg": floor_plot(design),
        "plots/rack_elevations.svg": rack_plot(design),
        "plots/link_load.svg": _svg(link_load_plot(design, report)),
        "plots/latency.svg": _svg(latency_plot(design, report)),
        "plots/failures.svg": failure_plot(report),
    }
    return {path: svg for path, svg in drawn.items() if svg is not None}


def _svg(canvas: Canvas | None) -> str | None:
    return canvas.svg() if canvas is not None else None
