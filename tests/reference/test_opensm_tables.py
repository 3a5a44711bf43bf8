"""Our forwarding tables against those of OpenSM itself, which routes the same port maps in a simulated subnet."""

import numpy as np
import pytest

from fabric.flow.offered import Offered
from fabric.flow.table_load import table_load
from fabric.io.opensm_subnet import Subnet, read
from fabric.io.opensm_tables import parse
from fabric.model.forwarding import Forwarding, Ports
from fabric.model.network import Network
from fabric.routing import up_down
from fabric.routing._tables import local_tables, tree_tables


def ports_of(network: Network) -> Ports:
    """Ports of every switch counted from 1: endpoints, links up, links down, in their order."""
    near = np.concatenate([network.endpoint_switch, network.link_a, network.link_b])
    taken: dict[int, int] = {}
    number = []
    for switch in near.tolist():
        taken[switch] = taken.get(switch, 0) + 1
        number.append(taken[switch])
    endpoints, links = network.endpoint_switch.size, network.link_a.size
    endpoint, a, b = np.split(np.array(number), [endpoints, endpoints + links])
    return Ports(a, b, endpoint)


def listing(network: Network, ports: Ports) -> str:
    """The plane as ibnetdiscover would print it."""
    switch = [f"S-{guid:016x}" for guid in switch_guids(network)]
    node = [f"H-{guid:016x}" for guid in node_guids(network)]
    rows: dict[int, list[str]] = {number: [] for number in range(network.switch_count)}
    for e, (near, port) in enumerate(zip(network.endpoint_switch.tolist(), ports.endpoint.tolist(), strict=True)):
        rows[near].append(f'[{port}]\t"{node[e]}"[1](0x{node_guids(network)[e] + 1:x})\t\t# "host{e}" lid 0 4xHDR')
    for a, b, at_a, at_b in zip(network.link_a, network.link_b, ports.a, ports.b, strict=True):
        rows[int(a)].append(f'[{at_a}]\t"{switch[b]}"[{at_b}]\t\t# "switch{b}" lid 0 4xHDR')
        rows[int(b)].append(f'[{at_b}]\t"{switch[a]}"[{at_a}]\t\t# "switch{a}" lid 0 4xHDR')
    most = max(map(len, rows.values()))
    text = [
        f"vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{guid:x}\nswitchguid=0x{guid:x}\n"
        f'Switch\t{most} "{switch[number]}"\t\t# "switch{number}" enhanced port 0 lid 0 lmc 0\n'
        + "\n".join(rows[number])
        for number, guid in enumerate(switch_guids(network))
    ]
    text += [
        f'vendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\nCa\t1 "{node[e]}"\t\t# "host{e}"\n'
        f'[1](0x{guid + 1:x})\t"{switch[near]}"[{port}]\t\t# lid 0 lmc 0 "switch{near}" lid 0 4xHDR'
        for e, (guid, near, port) in enumerate(
            zip(node_guids(network), network.endpoint_switch.tolist(), ports.endpoint.tolist(), strict=True)
        )
    ]
    return "\n\n".join(text) + "\n"


def switch_guids(network: Network) -> list[int]:
    """In the order in which OpenSM takes switches: by the bytes of their GUIDs from the last one."""
    return [0x100000 + 0x100 * number for number in range(network.switch_count)]


def node_guids(network: Network) -> list[int]:
    """One node an endpoint, whose port has the GUID after its own."""
    return [0x10000000 + 0x100 * number for number in range(network.endpoint_switch.size)]


@pytest.fixture
def routed(opensm, tmp_path):
    """The tables that an engine of OpenSM sets, read from its dump: `routed(plane, ports, engine)`."""

    def run(network: Network, ports: Ports, engine: str) -> Forwarding:
        top = network.tier.max()
        roots = [guid for guid, tier in zip(switch_guids(network), network.tier, strict=True) if tier == top]
        (tmp_path / "roots.txt").write_text("".join(f"0x{guid:016x}\n" for guid in roots))
        options = ("-R", engine, "-a", str(tmp_path / "roots.txt"), "--dump_files_dir", str(tmp_path))
        folder = opensm(listing(network, ports), *options)
        assert f"{engine} tables configured on all switches" in (folder / "osm.log").read_text()
        subnet = Subnet(
            name="plane 0",
            network=network,
            ports=ports,
            switches=tuple(f"switch{number}" for number in range(network.switch_count)),
            guids={f"0x{guid:016x}": number for number, guid in enumerate(switch_guids(network))},
            endpoints=tuple((f"host{number}", "") for number in range(network.endpoint_switch.size)),
            switch_is_up=np.ones(network.switch_count, dtype=bool),
            endpoint_is_up=np.ones(network.endpoint_switch.size, dtype=bool),
        )
        (dumped,) = read(parse(folder / "opensm-lfts.dump"), [subnet])
        return dumped.forwarding

    return run


def load_of(network: Network, forwarding: Forwarding) -> np.ndarray:
    """Load of every arc of links when each endpoint sends one byte to every other."""
    count = network.endpoint_switch.size
    below = np.bincount(network.endpoint_switch, minlength=network.edge_count)
    pairs = np.outer(below, below) - np.diag(below) * 1.0
    all_to_all = Offered(pairs, np.full(count, count - 1.0), np.full(count, count - 1.0), pairs.astype(int))
    found = table_load(network, forwarding, all_to_all)
    assert not found.unreachable.size
    return np.concatenate([found.link_up_bytes, found.link_down_bytes])


def damaged(network: Network, links: list[int], endpoints: list[int]) -> Network:
    """The plane without some links and endpoints."""
    return network.without(
        np.isin(np.arange(network.endpoint_switch.size), endpoints), np.isin(np.arange(network.link_a.size), links)
    )


@pytest.fixture
def plane(leaf_spine, pods):
    """A plane by the words of a case."""
    whole = {
        "two tiers": leaf_spine(8, 8, 8),
        "half the spines": leaf_spine(6, 8, 8, 4),
        "oversubscribed": leaf_spine(8, 8, 3),
        "three tiers": pods(4, 2, 2, 2, 2),
        "larger pods": pods(3, 3, 3, 3, 3),
    }
    return whole | {
        "lost uplinks": damaged(whole["half the spines"], [0, 17, 18], []),
        "lost endpoints": damaged(whole["two tiers"], [], [1, 2, 3, 20, 33]),
        "damaged pods": damaged(whole["larger pods"], [0, 5, 30], [4]),
    }


CASES = ("two tiers", "half the spines", "oversubscribed", "three tiers", "larger pods", "lost endpoints")


@pytest.mark.engine
@pytest.mark.parametrize("name", [*CASES, "lost uplinks", "damaged pods"])
def test_local_rule_is_that_of_updn(plane, routed, name):
    """Every entry of every switch equals OpenSM's, on whole trees and on damaged ones."""
    network = plane[name]
    ports = ports_of(network)
    expected = routed(network, ports, "updn")
    assert (local_tables(network, up_down.routes(network), ports).link == expected.link).all()


@pytest.mark.engine
@pytest.mark.parametrize("name", CASES)
def test_tree_rule_is_that_of_ftree(plane, routed, name):
    """All entries of leaves equal OpenSM's on whole trees, and so the load of every link."""
    network = plane[name]
    ports = ports_of(network)
    expected = routed(network, ports, "ftree")
    found = tree_tables(network, up_down.routes(network), ports)
    edges = slice(network.edge_count)
    assert (found.link[edges] == expected.link[edges]).all()
    assert load_of(network, found) == pytest.approx(load_of(network, expected))


@pytest.mark.engine
@pytest.mark.parametrize("name", ["lost uplinks", "damaged pods"])
def test_damaged_trees_are_as_full_under_ftree(plane, routed, name):
    """Where a tree is damaged the tables differ, the fullest link by less than a quarter."""
    network = plane[name]
    ports = ports_of(network)
    expected = load_of(network, routed(network, ports, "ftree"))
    found = load_of(network, tree_tables(network, up_down.routes(network), ports))
    assert found.max() == pytest.approx(expected.max(), rel=0.25)
