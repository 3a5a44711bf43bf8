"""What shapes say of the links of a switch to others, against the networks that are built of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.layout.global_ends import Spread, join
from fabric.model.dragonfly_shape import DragonflyPlusShape, DragonflyShape
from fabric.model.network import Network
from fabric.model.shape import MeshShape
from fabric.model.torus_shape import TorusShape
from fabric.topology import dragonfly, dragonfly_plus, torus
from fabric.topology.global_links import ARRANGEMENTS, numbered

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


def holds(shape: MeshShape, network: Network, bundle: int = 1) -> None:
    """No switch has more links to any k others than the ties allow, and all links are counted.

    Global links, of which the last ties are, may go in bundles.
    """
    *ties, (across, others) = shape.ties
    ties.append((-(-across // bundle) * bundle, others))
    count = network.switch_count
    links = np.zeros((count, count), dtype=int)
    np.add.at(links, (network.link_a, network.link_b), 1)
    links += links.T
    near = -np.sort(-links, axis=1)
    most = np.sort(np.repeat(*np.array(ties).T))[::-1].cumsum()
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
@given(st.integers(2, 20), st.integers(1, 5), st.integers(1, 30), st.integers(1, 2), st.integers(0, 99))
def test_dragonfly_with_other_ends(units, per_group, between, bundle, seed):
    """Even ends, in bundles or one by one, at prices that look random."""
    shape = DragonflyShape(
        **COMMON, router_part="r", units=units, units_per_group=min(per_group, units - 1), group_links=between,
        local_width=int(min(per_group, units - 1) > 1), arrangement="absolute",
    )  # fmt: skip
    dealt = list(numbered(shape.group_routers, shape.links_between, "absolute"))
    held = np.bincount(np.ravel(dealt), minlength=units)
    group, names = np.repeat(np.arange(shape.groups), shape.group_routers), tuple(map(str, range(units)))
    spread = Spread(names, group, held, held, np.array(shape.links_between)).bundled(bundle)
    price = np.random.default_rng(seed).integers(0, 99, (units, units))
    found = None if spread is None else join(spread, np.arange(units), price + price.T)
    if found is not None:
        across = [(int(a), int(b)) for a, b in found.ends]
        holds(shape, dragonfly.sketch(shape, units, across), bundle)


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
