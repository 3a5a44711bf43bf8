"""The topology in the formats of other tools."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.model.design import Design
from fabric.render.connection import CableSheet
from fabric.render.containerlab import containerlab
from fabric.render.dot_file import dot
from fabric.render.ibnetdiscover import ibnetdiscover
from fabric.render.netbox import netbox_cables
from fabric.render.slurm import slurm_topology


def render_exports(design: Design, catalog: Catalog, sheet: CableSheet) -> dict[str, str | bytes]:
    """Exports by their path in the design folder; the subnet's listing only for InfiniBand."""
    files: dict[str, str | bytes] = {
        "exports/topology.dot": dot(design),
        "exports/netbox/cables.csv": netbox_cables(sheet),
        "exports/containerlab.clab.yml": containerlab(design),
        "exports/slurm_topology.conf": slurm_topology(design),
    }
    listing = ibnetdiscover(design, catalog)
    return files if listing is None else files | {"exports/ibnetdiscover.txt": listing}
