"""What shapes say of the links of a switch to others, against the networks that are built of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.model.dragonfly_shape import DragonflyPlusShape, DragonflyShape
from fabric.model.network import Network
from fabric.model.shape import MeshShape
from fabric.model.torus_shape import TorusShape
from fabric.topology import dragonfly, dragonfly_plus, torus
from fabric.topology.global_links import ARRANGEMENTS

COMMON = {
    "planes": 1,
    "wiring": "rack",
    "node_ports": 1,
    "node_port_gbps": 400,
    "uplink_gbps": 400,
    "unit_nodes": 1,
    "rails_per_leaf": 1,
    "leaves_per_unit": 1,
    "extra_ports": 0,
    "down_ports": 1,
}
arrangements = st.sampled_from(sorted(ARRANGEMENTS))


def holds(shape: MeshShape, network: Network) -> None:
    """No switch has more links to any k others than the ties allow, and all links are counted."""
    count = network.switch_count
    links = np.zeros((count, count), dtype=int)
    np.add.at(links, (network.link_a, network.link_b), 1)
    links += links.T
    near = -np.sort(-links, axis=1)
    most = np.sort(np.repeat(*np.array(shape.ties).T))[::-1].cumsum()
    allowed = most[np.minimum(np.arange(count), most.size - 1)]
    assert (near.cumsum(axis=1) <= allowed).all()
    assert network.link_a.size == sum(shape.switch_links.values())


@settings(max_examples=200)
@given(st.integers(2, 40), st.integers(1, 8), st.integers(1, 40), st.integers(1, 5), arrangements)
def test_dragonfly(units, per_group, between, width, arrangement):
    """Groups of routers, the last one part-filled."""
    per_group = min(per_group, units - 1)
    shape = DragonflyShape(
        **COMMON, router_part="r", units=units, units_per_group=per_group, group_links=between,
        local_width=width if per_group > 1 else 0, arrangement=arrangement,
    )  # fmt: skip
    holds(shape, dragonfly.sketch(shape, units))


@settings(max_examples=100)
@given(st.integers(2, 20), st.integers(1, 6), st.integers(1, 30), st.integers(1, 6), st.integers(1, 4), arrangements)
def test_dragonfly_plus(units, per_group, between, spines, trunk, arrangement):
    """Groups of leaves and spines, the last one part-filled."""
    shape = DragonflyPlusShape(
        **COMMON, leaf_part="l", spine_part="s", units=units, units_per_pod=min(per_group, units - 1), spines=spines,
        trunk=trunk, group_links=between, arrangement=arrangement,
    )  # fmt: skip
    holds(shape, dragonfly_plus.sketch(shape, units))


@given(st.lists(st.tuples(st.integers(2, 5), st.integers(1, 4)), min_size=1, max_size=3))
def test_torus(rings):
    """Rings of two have one neighbour."""
    sizes, widths = zip(*rings, strict=True)
    units = int(np.prod(sizes))
    shape = TorusShape(**COMMON, router_part="r", units=units, sizes=sizes, widths=widths)
    holds(shape, torus.sketch(shape, units))
