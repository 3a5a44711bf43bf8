"""What tests of workloads on fabrics start from."""

from __future__ import annotations

import pytest

from fabric.catalog import load as catalog_load
from fabric.pipeline.carrying import Setting
from fabric.pipeline.jobs import hosts_of
from fabric.pipeline.networks import planes_of
from fabric.topology import fat_tree, port_map
from fabric.topology.size import resolve


@pytest.fixture(scope="session")
def laid_out():
    """From a request to the setting and the planes of its first fat-tree; packets are sprayed unless it says else."""
    catalog = catalog_load.load()

    def of(request):
        size = resolve(request, catalog)
        topology = port_map.build(fat_tree.shapes(request, size, catalog)[0], request, size, catalog)
        planes = planes_of(topology)
        hosts = hosts_of([node.name for node in topology.with_role("node")], size.system, planes)
        balancing = request.transport.load_balancing
        return Setting(request, size.system, catalog, hosts, "spray" if balancing == "auto" else balancing), planes

    return of
