"""`fabric catalog`: what it prints and how it ends."""

from __future__ import annotations

import json

import pytest

from fabric.cli.app import run


def _json(capsys) -> object:
    out = capsys.readouterr()
    assert out.err == ""
    return json.loads(out.out)


def test_list_as_json(capsys):
    """A list of orderable parts, alone on stdout."""
    assert run(["catalog", "list", "--format", "json"]) == 0
    entries = _json(capsys)
    assert {"kind": "switch", "part": "nvidia-qm9700", "family": "nvidia-qm9700", "price_usd": 32870.0} in entries
    assert {entry["kind"] for entry in entries} == {"switch", "cable", "transceiver"}


def test_list_as_text(capsys):
    """One line a part, its known price at the end."""
    assert run(["catalog", "list", "switches"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("switch ") and "nvidia-qm9700" in line and line.endswith("$32,870.00") for line in lines)


def test_shown_json_is_a_valid_overlay(capsys, tmp_path):
    """What `show` prints, without `file`, replaces the shipped part."""
    assert run(["catalog", "show", "switch", "nvidia-sn5600", "--format", "json"]) == 0
    entry = _json(capsys)
    target = tmp_path / entry.pop("file")
    target.parent.mkdir()
    target.write_text(json.dumps(entry | {"price_usd": 12345}), encoding="utf-8")
    assert run(["catalog", "list", "switch", "--format", "json", "--catalog", str(tmp_path)]) == 0
    assert {"nvidia-sn5600": 12345.0}.items() <= {item["part"]: item["price_usd"] for item in _json(capsys)}.items()


def test_show_as_text(capsys):
    """The part as its file holds it, the keys of its sources included."""
    assert run(["catalog", "show", "switches", "nvidia-qm9700"]) == 0
    out = capsys.readouterr().out
    assert "rack_units: 1\n" in out
    assert "nvidia-qm97xx-interfaces" in out


def test_check_is_clean(capsys):
    """The shipped catalog has no problem."""
    assert run(["catalog", "check"]) == 0
    assert capsys.readouterr().out.endswith(", 0 problems\n")


def test_check_finds_what_an_overlay_lacks(capsys, tmp_path):
    """A part of one's own without any origin is a problem, exit 1."""
    (tmp_path / "nics").mkdir()
    text = "{name: n, vendor: v, rates_gbps: [400], ports: p, connectors: [], link_layers: [], sources: []"
    (tmp_path / "nics" / "mine.yaml").write_text(text + ", confidence: datasheet}\n", encoding="utf-8")
    assert run(["catalog", "check", "--format", "json", "--catalog", str(tmp_path)]) == 1
    assert _json(capsys) == [
        {"file": "nics/mine.yaml", "key": "sources", "message": "no source, and no note that says why"}
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show"], "show needs KIND and PART"),
        (["show", "switch", "nvidia-qm970"], "did you mean nvidia-qm9790?"),
        (["list", "swiches"], "did you mean switches?"),
        (["list", "--catalog", "no-such-folder"], "no such folder"),
    ],
)
def test_bad_words(capsys, words, message):
    """Exit 2, one line on stderr, nothing on stdout."""
    assert run(["catalog", *words]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert message in out.err
