"""`fabric simulate --tables`: the forwarding tables of a running subnet instead of computed ones."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from fabric.addressing.port_numbers import PortNumbers
from fabric.catalog.load import load
from fabric.cli.app import run
from fabric.io import design_folder
from fabric.model.forwarding import ARRIVED
from fabric.pipeline.networks import planes_of
from fabric.render.ibnetdiscover import ibnetdiscover

REQUEST = """\
name: subnets
accelerator: dgx-h100
nodes: 8
fabric:
  family: fat_tree
  link_layer: infiniband
  switches: [nvidia-qm9700]
  node_ports: 4
  planes: 2
  unit_nodes: 2
  parameters: {spines: 4}
transport: {load_balancing: ecmp}
workloads:
  - {name: shuffle, pattern: all_to_all, ranks: 64, bytes_per_rank: 1000000}
samples: 20
"""
"""Four leaves under two spines in each of two planes."""


@pytest.fixture(scope="module")
def subnets(tmp_path_factory):
    """The folder of the design."""
    folder = tmp_path_factory.mktemp("subnets")
    (folder / "request.yaml").write_text(REQUEST, encoding="utf-8")
    assert run(["design", str(folder / "request.yaml"), "-o", str(folder / "out"), "--quiet"]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def planes(subnets):
    """Its planes."""
    return planes_of(design_folder.read(subnets).topology)


@pytest.fixture
def dump(subnets, planes):
    """Text of the tables of a plane in the words of `ibroute -n`: `dump(plane, links by switch and endpoint)`."""
    numbers = PortNumbers(design_folder.read(subnets).topology, load())

    def text(number: int, tables=None) -> str:
        plane = planes[number]
        tables = plane.forwarding.link if tables is None else tables
        lines = []
        for switch, device in enumerate(plane.switches):
            lines.append(f"Unicast lids [0x0-0xff] of switch Lid {switch + 1} guid 0xe41d2d0300{number}{switch:05x}")
            lines[-1] += f" (MF0;{device.name}:MQM9700/U1):"
            for endpoint, link in enumerate(tables[switch].tolist()):
                used = plane.endpoints[endpoint] if link == ARRIVED else plane.links[link]
                port = next(end for end in (used.a, used.b) if end.device == device.name)
                lines.append(f"0x{endpoint + 100:04x} {numbers.of(port, used):03d} ")
            lines.append(f"{len(plane.endpoints)} valid lids dumped ")
        return "\n".join(lines) + "\n"

    return text


@pytest.fixture
def simulated(capsys, subnets):
    """Exit code and what `fabric simulate` says, as JSON or, where nothing is found, as its lines of errors."""

    def simulate(*words) -> tuple[int, dict | list[str]]:
        code = run(["simulate", str(subnets), *map(str, words), "--format", "json"])
        found = json.loads(capsys.readouterr().out)
        errors = found.get("errors")
        return code, [f"{each['line']}: {each['message']}" for each in errors] if errors is not None else found

    return simulate


def test_computed_tables_read_back_change_nothing(simulated, dump, tmp_path):
    """Every plane's own file: the same times, loads and flows as without, and nothing that new tables would help."""
    for number in range(2):
        (tmp_path / f"plane{number}.lft").write_text(dump(number))
    _, expected = simulated()
    code, found = simulated("--tables", tmp_path)
    assert code == 0
    for key in ("time_us", "terms", "kinds", "bottleneck", "flows"):
        assert found["workloads"][0][key] == expected["workloads"][0][key], key
    assert found["throughput"]["uniform_theta"] == pytest.approx(1.0)
    assert [use["plane"] for use in found["tables"]] == [0, 1]
    assert all(use["uniform_theta"] == use["computed_theta"] for use in found["tables"])
    (anew,) = (each for each in found["workloads"][0]["helps"] if each["change"].startswith("forwarding tables"))
    assert anew["delta_us"] == 0


def test_all_ways_over_one_uplink(simulated, dump, planes, tmp_path):
    """Tables that send everything from a leaf up one link are as slow as that link, and new ones would help."""
    plane = planes[0]
    tables = plane.forwarding.link.copy()
    up = np.flatnonzero(plane.network.link_a == 0)
    tables[0, tables[0] != ARRIVED] = up[0]
    (tmp_path / "0.lft").write_text(dump(0, tables))
    (tmp_path / "1.lft").write_text(dump(1))
    _, found = simulated("--tables", tmp_path)
    # 8 endpoints a leaf send 24 of 31 parts to other leaves, over one link.
    assert found["tables"][0]["uniform_theta"] == pytest.approx(31 / (8 * 24))
    assert found["tables"][1]["uniform_theta"] == pytest.approx(1.0)
    assert found["throughput"]["uniform_theta"] == pytest.approx(31 / 192)
    assert found["throughput"]["worst_permutation_theta"] is None
    (result,) = found["workloads"]
    assert result["bottleneck"]["link"] == plane.links[up[0]].name
    leaf = plane.switches[0].name
    assert {flow["source"] for flow in result["flows"]} == {leaf}
    assert sum(flow["share"] for flow in result["flows"]) == pytest.approx(1.0)
    (anew,) = (each for each in result["helps"] if each["change"].startswith("forwarding tables"))
    assert anew["delta_us"] < 0


def test_ways_that_end_nowhere(simulated, dump, planes, tmp_path):
    """A switch without an entry that others send to, and two switches that send a packet to each other."""
    plane = planes[0]
    (tmp_path / "1.lft").write_text(dump(1))
    first = f"{plane.endpoints[0].a.device} {plane.endpoints[0].a.port}"
    used = int(plane.forwarding.link[1, 0])
    spine = int(plane.network.link_b[used])
    # A head, 32 rows and a count stand for every switch.
    line = 34 * spine + 2
    lines = dump(0).splitlines()
    lines[line - 1] = f"{lines[line - 1].split()[0]} 255 "
    (tmp_path / "0.lft").write_text("\n".join(lines))
    code, found = simulated("--tables", tmp_path)
    assert (code, found) == (2, [f"{line}: {plane.switches[spine].name} has no entry for {first}"])
    tables = plane.forwarding.link.copy()
    tables[spine, 0] = used
    (tmp_path / "0.lft").write_text(dump(0, tables))
    code, found = simulated("--tables", tmp_path)
    turn = " > ".join(plane.switches[each].name for each in (1, spine, 1))
    assert (code, found) == (2, [f"{34 + 2}: packets for {first} go round: {turn}"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tables", "nowhere"], "nowhere: cannot be read: No such file or directory"),
        (["--workload", "work.yaml"], "--tables"),
    ],
)
def test_bad_words(subnets, capsys, tmp_path, monkeypatch, dump, words, said):
    """One line, exit 2: no such file; a workload that goes its own ways."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work.yaml").write_text("{name: a, pattern: all_to_all, ranks: 8, bytes_per_rank: 1, routing: spray}")
    (tmp_path / "0.lft").write_text(dump(0))
    more = [] if "--tables" in words else ["--tables", "0.lft"]
    assert run(["simulate", str(subnets), *words, *more]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_roce_has_none(designed, capsys, tmp_path):
    """An Ethernet fabric has no subnet manager."""
    assert run(["simulate", str(designed), "--tables", str(tmp_path)]) == 2
    assert "--tables: forwarding tables belong to InfiniBand" in capsys.readouterr().err


def test_what_is_down_under_old_tables(simulated, dump, planes, tmp_path):
    """Entries that lead over a link that is down are told, and its pairs have no path before the tables are new."""
    for number in range(2):
        (tmp_path / f"{number}.lft").write_text(dump(number))
    code, found = simulated("--tables", tmp_path, "--fail", planes[0].links[0].name)
    assert code == 1
    rules = {finding["rule"]: finding for finding in found["findings"] if finding["severity"] == "error"}
    assert rules["forwarding-tables"]["where"] == "plane 0"
    assert found["workloads"][0]["time_us"]["p99"] is None


def test_a_plane_that_is_down_needs_no_tables(simulated, dump, tmp_path):
    """Tables of the other plane are enough, if the user says so."""
    (tmp_path / "0.lft").write_text(dump(0))
    code, errors = simulated("--tables", tmp_path / "0.lft")
    assert (code, errors) == (2, ["None: no table of any switch of plane 1, such as leaf-p1-su01-r0"])
    code, found = simulated("--tables", tmp_path / "0.lft", "--fail", "plane 1")
    assert code == 0
    assert [use["plane"] for use in found["tables"]] == [0]


@pytest.fixture
def routed(opensm, subnets, tmp_path):
    """Folder of dumps that OpenSM writes of every plane, with some devices not there: `routed(*names)`."""

    def build(*gone: str):
        design, catalog = design_folder.read(subnets), load()
        (tmp_path / "dumps").mkdir()
        for number in range(2):
            others = {device.name for device in design.topology.devices if device.plane not in {None, number}}
            absent = others | set(gone)
            devices = tuple(device for device in design.topology.devices if device.name not in absent)
            links = tuple(link for link in design.topology.links if not {link.a.device, link.b.device} & absent)
            one = replace(design, topology=replace(design.topology, devices=devices, links=links))
            # The simulator knows no faster word; the word decides nothing here.
            listing = "".join(ibnetdiscover(one, catalog)).replace("4xNDR", "4xHDR")
            roots = [row.guid for row in design.settings.devices if row.device.startswith("spine")]
            (tmp_path / "roots.txt").write_text("".join(f"{guid}\n" for guid in roots if guid))
            options = ("-R", "ftree", "-a", str(tmp_path / "roots.txt"), "--dump_files_dir", str(tmp_path))
            folder = opensm(listing, *options)
            (folder / "opensm-lfts.dump").rename(tmp_path / "dumps" / f"plane{number}.dump")
            (folder / "opensm.fdbs").rename(tmp_path / "dumps" / f"plane{number}.fdbs")
        return tmp_path / "dumps"

    return build


@pytest.mark.engine
def test_opensm_as_computed(simulated, routed):
    """A real subnet manager on our listings: its tables carry what ours do, link by link as busy."""
    _, expected = simulated()
    code, found = simulated("--tables", routed())
    assert code == 0
    for use in found["tables"]:
        assert use["uniform_theta"] == pytest.approx(use["computed_theta"])
    (result,), (computed,) = found["workloads"], expected["workloads"]
    assert result["time_us"] == pytest.approx(computed["time_us"])
    for use, other in zip(result["kinds"], computed["kinds"], strict=True):
        assert use["worst"] == pytest.approx(other["worst"])


@pytest.mark.engine
def test_opensm_on_what_is_left(simulated, routed, planes):
    """Dumped with a spine down: read with the spine named down, refused without."""
    spine = planes[1].switches[-1].name
    dumps = routed(spine)
    code, found = simulated("--tables", dumps, "--fail", spine)
    assert code == 0
    assert found["failed"] == [spine]
    assert 0 < found["tables"][1]["uniform_theta"] < found["tables"][0]["uniform_theta"] + 1e-9
    code, errors = simulated("--tables", dumps)
    assert code == 2
    assert errors == [f"None: no table of {spine}; if it is down, name it with --fail"]
