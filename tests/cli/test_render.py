"""`fabric render`: the same artefacts again, one kind at a time, and nothing else touched."""

from __future__ import annotations

import json
import shutil

import pytest

from fabric.cli.app import run
from fabric.cli.render import KINDS

PLACES = {
    "configs": ("switches/",),
    "cabling": ("cabling/", "management.csv"),
    "plots": ("plots/",),
    "report": ("report.json", "report.md", "index.html", "bom.csv"),
    "exports": ("exports/",),
}
"""Where the files of each kind stand."""


@pytest.mark.parametrize("kind", KINDS)
def test_only_one_kind(capsys, folder, content_of, kind):
    """The files of a kind come back byte for byte, and no other file is missed or touched."""
    before = content_of(folder)
    ours = {name for name in before if name.startswith(PLACES[kind])}
    assert ours
    for name in ours:
        (folder / name).unlink()
    assert run(["render", str(folder), "--only", kind]) == 0
    assert capsys.readouterr().out == f"{len(ours)} files written to {folder}\n"
    assert content_of(folder) == before


def test_all_kinds(folder, content_of):
    """Every file is of one kind or makes up the design."""
    before = content_of(folder)
    for name in before:
        if name.startswith(tuple(place for places in PLACES.values() for place in places)):
            (folder / name).unlink()
    assert len(content_of(folder)) == 7
    assert run(["render", str(folder), "--quiet"]) == 0
    assert content_of(folder) == before


def test_stale_files_of_a_kind_go_and_notes_stay(folder, content_of):
    """What an earlier design left among the artefacts goes; a file of the user's own stays."""
    before = content_of(folder)
    (folder / "switches" / "gone").mkdir()
    (folder / "switches" / "gone" / "frr.conf").write_text("old")
    (folder / "notes.txt").write_text("mine")
    assert run(["render", str(folder), "--quiet"]) == 0
    assert content_of(folder) == {**before, "notes.txt": b"mine"}


def test_into_another_folder(capsys, designed, tmp_path, content_of):
    """Kinds gather in a folder of their own that is a design again; the source stays."""
    target = tmp_path / "out"
    for kind in ("plots", "exports"):
        assert run(["render", str(designed), "-o", str(target), "--only", kind, "--format", "json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["folder"] == str(target)
        assert all(name.startswith(PLACES[kind]) for name in answer["files"])
    source = content_of(designed)
    expected = {name for name in source if name.startswith(("plots/", "exports/")) or name == "design.yaml"}
    assert expected <= content_of(target).keys()
    assert content_of(target).items() <= source.items()
    assert run(["validate", str(target), "--quiet"]) == 0


def test_no_mixture_of_two_designs(designed, folder, content_of):
    """Artefacts of another design do not stay beside these tables."""
    head = folder / "design.yaml"
    head.write_text(head.read_text().replace("name: small", "name: other", 1))
    assert run(["render", str(designed), "-o", str(folder), "--only", "exports", "--quiet"]) == 0
    assert not any(name.startswith(("switches/", "plots/")) for name in content_of(folder))
    assert content_of(folder).items() <= content_of(designed).items()


def test_other_parts_go_elsewhere(capsys, folder, tmp_path, content_of):
    """A folder is complete: its artefacts are never rendered from parts it does not carry."""
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    (overlay / "prices.csv").write_text("part,price_usd\nchaoqing-n9500-64oc,1000\n")
    before = content_of(folder)
    assert run(["render", str(folder), "--catalog", str(overlay)]) == 2
    assert "write elsewhere with -o" in capsys.readouterr().err
    assert content_of(folder) == before
    target = tmp_path / "elsewhere"
    assert run(["render", str(folder), "--catalog", str(overlay), "-o", str(target), "--quiet"]) == 0
    assert (target / "catalog" / "prices.csv").read_bytes() == (overlay / "prices.csv").read_bytes()


def test_unknown_operating_system(capsys, designed):
    """`--nos` takes what can be written."""
    assert run(["render", str(designed), "--only", "configs", "--nos", "eos"]) == 2
    assert "no configurations for 'eos' here; known: sonic" in capsys.readouterr().err


def test_something_else_is_refused(capsys, designed, tmp_path):
    """Neither source nor target may be some other folder."""
    (tmp_path / "thesis.txt").write_text("mine")
    assert run(["render", str(tmp_path)]) == 2
    assert "not a design folder" in capsys.readouterr().err
    assert run(["render", str(designed), "-o", str(tmp_path)]) == 2
    assert "holds something else than a design" in capsys.readouterr().err
    shutil.rmtree(tmp_path)
