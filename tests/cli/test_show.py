"""`fabric show`: what hangs where."""

from __future__ import annotations

import json

import pytest

from fabric.cli.app import run


def _shown(capsys, folder, what: str) -> dict[str, object]:
    assert run(["show", str(folder), what, "--format", "json"]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    return json.loads(out.out)


def test_device(capsys, designed, rows_of):
    """A leaf with its part, its place and a port for each of its links in the table."""
    shown = _shown(capsys, designed, "spine-01")
    rows = {row["name"]: row for row in rows_of(designed / "devices.csv")}
    links = rows_of(designed / "links.csv")
    assert (shown["part"], shown["rack"], str(shown["u"])) == (
        rows["spine-01"]["part"],
        rows["spine-01"]["rack"],
        rows["spine-01"]["u"],
    )
    assert {(port["port"], port["to"]) for port in shown["ports"]} == {
        (row["b_port"], f"{row['a_device']}:{row['a_port']}") for row in links if row["b_device"] == "spine-01"
    }


def test_both_ends_of_a_link_agree(capsys, designed):
    """What a port says of its far end, the far end says of it."""
    (near,) = _shown(capsys, designed, "node-0001:rail0")["ports"]
    (far,) = _shown(capsys, designed, near["to"])["ports"]
    assert far["to"] == "node-0001:rail0"
    assert [far[key] for key in ("link", "cable", "part", "rate_gbps")] == [
        near[key] for key in ("link", "cable", "part", "rate_gbps")
    ]


def test_ports_stand_in_the_order_of_their_numbers(capsys, designed):
    """Ethernet8 stands before Ethernet16."""
    shown = _shown(capsys, designed, "spine-01")
    numbers = [int(port["port"].removeprefix("Ethernet")) for port in shown["ports"]]
    assert numbers == sorted(numbers)


def test_text(capsys, designed):
    """One line for the device, one for each port, with cable and far end."""
    assert run(["show", str(designed), "node-0001"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("name node-0001 role node part hgx-b200")
    assert [line.split()[0] for line in lines[1:]] == ["rail0", "rail1"]
    assert all(" -> leaf-su01-r" in line for line in lines[1:])


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("node-001", "no device 'node-001' in this design; did you mean node-0001"),
        ("zzz", "no device 'zzz' in this design\n"),
        ("node-0001:rail9", "no link on port 'rail9' of node-0001; did you mean rail"),
        ("node-0001:zzz", "no link on port 'zzz' of node-0001\n"),
    ],
)
def test_unknown(capsys, designed, what, message):
    """Exit 2 with the nearest names."""
    assert run(["show", str(designed), what]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert message in out.err
