"""Forwarding tables as opensm, ibroute and dump_fts write them, and what is wrong with files."""

import numpy as np
import pytest

from fabric.errors import ArtifactError
from fabric.io.opensm_tables import Subnet, read
from fabric.model.forwarding import ARRIVED, NO_WAY, Ports

# As opensm 3.3.23 dumps a leaf and a spine over ibsim; the other tables below are these in the words of ibroute.
DUMP = """\
Unicast lids [0-5] of switch Lid 1 guid 0x0000000000100000 ('leaf0'):
0x0001 000 # Switch portguid 0x0000000000100000: 'leaf0'
0x0002 003 # Switch portguid 0x0000000000100100: 'leaf1'
0x0003 003 # Switch portguid 0x0000000000100200: 'spine0'
0x0004 001 # Channel Adapter portguid 0x0000000010000001: 'host0 mlx5_0'
0x0005 003 # Channel Adapter portguid 0x0000000010000101: 'host1 mlx5_0'
5 lids dumped
Unicast lids [0-5] of switch Lid 2 guid 0x0000000000100100 ('leaf1'):
0x0004 003 # Channel Adapter portguid 0x0000000010000001: 'host0 mlx5_0'
0x0005 001 # Channel Adapter portguid 0x0000000010000101: 'host1 mlx5_0'
5 lids dumped
Unicast lids [0-5] of switch Lid 3 guid 0x0000000000100200 ('spine0'):
0x0004 001 # Channel Adapter portguid 0x0000000010000001: 'host0 mlx5_0'
0x0005 002 # Channel Adapter portguid 0x0000000010000101: 'host1 mlx5_0'
5 lids dumped
"""

IBROUTE = """\
ibwarn: [21001] sim_connect: attached as client 1 at node "S-0000000000100000"
Unicast lids [0x0-0x5] of switch Lid 1 guid 0x0000000000100000 (leaf0):
  Lid  Out   Destination
       Port     Info
0x0001 000 : (Switch portguid 0x0000000000100000: 'leaf0')
0x0004 001 : (Channel Adapter portguid 0x0000000010000001: 'host0 mlx5_0')
0x0005 003 : (Channel Adapter portguid 0x0000000010000101: 'host1 mlx5_0')
3 valid lids dumped
Unicast lids [0x0-0x5] of switch DR path slid 0; dlid 0; 0,3,2 guid 0x0000000000100100 (leaf1):
  Lid  Out   Destination
       Port     Info
0x0004 003 : (Channel Adapter portguid 0x0000000010000001: 'host0 mlx5_0')
0x0005 001 : (Channel Adapter portguid 0x0000000010000101: 'host1 mlx5_0')
2 valid lids dumped

Unicast lids [0x0-0x5] of switch Lid 3 guid 0x0000000000100200 (spine0):
0x0004 001 : (Channel Adapter portguid 0x0000000010000001: 'host0 mlx5_0')
0x0005 002 : (Channel Adapter portguid 0x0000000010000101: 'host1 mlx5_0')
2 valid lids dumped
""".replace("dumped\n", "dumped \n")  # as it ends its lines

BRIEF = "\n".join(line.partition(":")[0] if line.startswith("0x") else line for line in IBROUTE.splitlines())

BY_GUID = ["0x0000000000100000", "0x0000000000100100", "0x0000000000100200"]
BY_NAME = ["leaf0", "leaf1", "spine0"]
PORT_GUIDS = ["0x0000000010000001", "0x0000000010000101"]
EXPECTED = [[ARRIVED, 0], [1, ARRIVED], [0, 1]]


@pytest.fixture
def subnet(tree):
    """Builder of two leaves below a spine, one host each on port 1, uplinks on port 3, known by some words."""

    def build(switches=BY_GUID, endpoints=PORT_GUIDS) -> Subnet:
        network = tree([0, 1], [0, 1], [0, 0], (2, 1))
        ports = Ports(np.array([3, 3]), np.array([1, 2]), np.array([1, 1]))
        numbers = ({word: number for number, word in enumerate(words)} for words in (switches, endpoints))
        return Subnet(network, ports, *numbers)

    return build


@pytest.fixture
def table(tmp_path):
    """Reads a text as a file."""

    def load(text: str, subnet: Subnet):
        path = tmp_path / "opensm-lfts.dump"
        path.write_text(text, encoding="utf-8")
        try:
            return read(path, subnet).link.tolist()
        except ArtifactError as error:
            return [str(fault).replace(str(path), "dump") for fault in error.faults]

    return load


@pytest.mark.parametrize("text", [DUMP, IBROUTE])
@pytest.mark.parametrize(
    ("switches", "endpoints"), [(BY_GUID, PORT_GUIDS), (BY_NAME, ["host0 mlx5_0", "host1 mlx5_0"])]
)
def test_words_are_guids_or_descriptions(subnet, table, text, switches, endpoints):
    """Every program's words, with devices known by GUID or by name."""
    assert table(text, subnet(switches, endpoints)) == EXPECTED


def test_without_destinations_lids_tell(subnet, table):
    """`ibroute -n` names nothing but LIDs."""
    assert table(BRIEF, subnet(endpoints=["0x0004", "0x0005"])) == EXPECTED


def test_further_paths_and_strangers_are_passed_over(subnet, table):
    """The first of several LIDs counts; adapters and switches that the plane has not carry nothing that is modelled."""
    more = """\
0x0006 003 : (path #2 out of 2: portguid 0x0000000010000101)
0x0007 009 : (Channel Adapter portguid 0x0000000099000001: 'Mellanox Technologies Aggregation Node')
0x0008 255 : (illegal port)
5 valid lids dumped"""
    first = IBROUTE.replace("0x0001 000 : (Switch portguid 0x0000000000100000: 'leaf0')\n", "")
    assert table(first.replace("3 valid lids dumped ", more, 1), subnet()) == EXPECTED


def test_row_that_leads_nowhere_is_no_way(subnet, table):
    """Port 255, and a row that is not there."""
    text = DUMP.replace("0x0005 003 #", "0x0005 255 #").replace(DUMP.splitlines()[8] + "\n", "")
    assert table(text, subnet()) == [[ARRIVED, NO_WAY], [NO_WAY, ARRIVED], [0, 1]]


HEADS = {
    "leaf0": "Unicast lids [0-5] of switch Lid 1 guid 0x0000000000100000 ('leaf0'):",
    "leaf1": "Unicast lids [0-5] of switch Lid 2 guid 0x0000000000100100 ('leaf1'):",
}
TO_SPINE = "0x0005 003 #"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (TO_SPINE, "0x0005 three #", "6: no line of a forwarding table: '0x0005 three # Channel Adapter"),
        (HEADS["leaf1"], "Multicast mlids", "8: no line of a forwarding table: 'Multicast mlids'"),
        (HEADS["leaf0"] + "\n", "", "1: a row before the first switch"),
        (HEADS["leaf1"], HEADS["leaf1"].replace("1001", "9999"), "8: the plane has no switch 0x0000000000999900"),
        (HEADS["leaf1"], HEADS["leaf0"], "8: second table of switch 0x0000000000100000 (leaf0)"),
        (TO_SPINE, "0x0005 007 #", "6: no link of the plane is on port 7 of switch 0x0000000000100000"),
        (TO_SPINE, "0x0005 001 #", "6: another endpoint hangs on port 1 of switch 0x0000000000100000"),
    ],
)
def test_faults_of_lines(subnet, table, old, new, message):
    """Every fault has its line and says what is wrong there."""
    assert old in DUMP
    assert table(DUMP.replace(old, new, 1), subnet())[0].startswith(f"dump:{message}")


def test_table_cut_short(subnet, table):
    """Tables of ibroute count their rows."""
    text = IBROUTE.replace(IBROUTE.splitlines()[6] + "\n", "", 1)
    assert table(text, subnet()) == ["dump:7: 2 rows stand where 3 are counted; the table is cut short"]


def test_what_is_not_told(subnet, table):
    """Switches without a table and endpoints that no table names, once the lines themselves are right."""
    leaf1 = DUMP.index("Unicast lids [0-5] of switch Lid 2")
    assert table(DUMP[:leaf1], subnet()) == [
        "dump: no table of switch 0x0000000000100100",
        "dump: no table of switch 0x0000000000100200",
    ]
    assert table(DUMP, subnet(endpoints=[PORT_GUIDS[0], "0x0000000077000001"])) == [
        "dump: no table has endpoint 0x0000000077000001"
    ]
    assert len(table("", subnet())) == 5


def test_many_faults_are_counted(subnet, table):
    """Fifty are told, the rest counted."""
    found = table("nonsense\n" * 60, subnet())
    assert len(found) == 51
    assert found[-1] == "dump: and 10 more"


def test_missing_file(subnet, tmp_path):
    """A file that is not there is told, not thrown."""
    with pytest.raises(ArtifactError, match="cannot be read: No such file"):
        read(tmp_path / "nothing", subnet())
