"""The topology in the formats of other tools."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.content import Content, Streamed
from fabric.model.design import Design
from fabric.render.connection import CableSheet
from fabric.render.containerlab import containerlab
from fabric.render.dot_file import dot
from fabric.render.ibnetdiscover import ibnetdiscover, is_discoverable
from fabric.render.netbox import netbox_cables
from fabric.render.slurm import slurm_topology


def render_exports(design: Design, catalog: Catalog, sheet: CableSheet) -> dict[str, Content]:
    """Exports by their path in the design folder; the subnet's listing only for InfiniBand."""
    files: dict[str, Content] = {
        "exports/topology.dot": Streamed(lambda: dot(design)),
        "exports/netbox/cables.csv": Streamed(lambda: netbox_cables(sheet)),
        "exports/containerlab.clab.yml": Streamed(lambda: containerlab(design)),
        "exports/slurm_topology.conf": slurm_topology(design),
    }
    if is_discoverable(design):
        files["exports/ibnetdiscover.txt"] = Streamed(lambda: ibnetdiscover(design, catalog))
    return files
