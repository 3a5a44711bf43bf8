"""Replacing a folder: refusals, and the old or the new folder whole after a kill at any moment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fabric.content import Streamed
from fabric.errors import ArtifactError, InputError
from fabric.io.atomic import MARK, check_target, mend, replace_folder

OLD = {MARK: b"old", "links.csv": b"old"}
NEW = {MARK: b"new", "links.csv": b"new", "switches/leaf/frr.conf": b"new"}


class _KillError(BaseException):
    """Stands for a kill: nothing may catch it."""


def _content(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_an_absent_folder_is_made_with_its_parents(tmp_path):
    """Sub-folders too; nothing stays beside it."""
    target = tmp_path / "output" / "small"
    replace_folder(target, NEW)
    assert _content(target) == NEW
    assert [path.name for path in target.parent.iterdir()] == ["small"]


def test_an_empty_folder_is_taken(tmp_path):
    """A folder that was made for us is ours."""
    (tmp_path / "x").mkdir()
    replace_folder(tmp_path / "x", NEW)
    assert _content(tmp_path / "x") == NEW


def test_a_design_folder_is_replaced_whole(tmp_path):
    """Files of the old design that the new one lacks are gone."""
    replace_folder(tmp_path / "x", {**OLD, "stale.txt": b""})
    replace_folder(tmp_path / "x", NEW)
    assert _content(tmp_path / "x") == NEW


def test_the_current_folder_can_be_the_target(tmp_path, monkeypatch):
    """`-o .` means the folder by its name."""
    replace_folder(tmp_path / "x", OLD)
    monkeypatch.chdir(tmp_path / "x")
    replace_folder(Path(), NEW)
    assert _content(tmp_path / "x") == NEW


def test_something_else_is_left_alone(tmp_path):
    """A folder with other files, and a file, are refused and unchanged."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="thesis holds something else than a design; give a new or an empty folder"):
        replace_folder(tmp_path / "thesis", NEW)
    with pytest.raises(InputError, match="file is a file; the output is a folder"):
        replace_folder(tmp_path / "file", NEW)
    assert _content(tmp_path) == {"thesis/chapter.txt": b"years of work", "file": b"x"}


def test_a_folder_below_a_file_is_refused(tmp_path):
    """No folder can be made there."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written: file is a file"):
        check_target(tmp_path / "file" / "x")


def test_a_folder_without_permission_is_refused(tmp_path, monkeypatch):
    """Said before any work, in one sentence."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="cannot be written: no permission in its folder"):
        check_target(tmp_path / "x")


def test_a_full_disk_leaves_the_old_folder(tmp_path, monkeypatch):
    """An error of the operating system while writing is one sentence, and nothing is half-written."""

    def full(*_):
        raise OSError(28, "No space left on device")

    replace_folder(tmp_path / "x", OLD)
    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InputError, match="x cannot be written: No space left on device"):
        replace_folder(tmp_path / "x", NEW)
    monkeypatch.undo()
    assert _content(tmp_path / "x") == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_streamed_file_is_written_piece_by_piece(tmp_path):
    """Text and bytes, as often as the folder is written."""
    streamed = Streamed(lambda: ("a\n", b"b\n"))
    for _ in range(2):
        replace_folder(tmp_path / "x", {MARK: streamed, "links.csv": "whole"})
        assert _content(tmp_path / "x") == {MARK: b"a\nb\n", "links.csv": b"whole"}


def test_what_cannot_be_made_leaves_the_old_folder(tmp_path):
    """A fault found while a file is made goes on, and nothing is half-written."""

    def broken():
        yield "a\n"
        raise ArtifactError("no such port")

    replace_folder(tmp_path / "x", OLD)
    with pytest.raises(ArtifactError, match="no such port"):
        replace_folder(tmp_path / "x", {MARK: Streamed(broken)})
    assert _content(tmp_path / "x") == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "", "a\\b", "a\0"])
def test_a_file_name_that_leads_out_is_refused(tmp_path, name):
    """Device names become folders; none may climb out."""
    with pytest.raises(InputError, match="cannot be the name of a file"):
        replace_folder(tmp_path / "x", {name: b""})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("step", range(6))
def test_a_kill_at_any_step_leaves_one_whole_folder(tmp_path, monkeypatch, step):
    """Killed after the nth change to the disk, the old folder is whole or the new one is, at the latest once mended."""
    replace_folder(tmp_path / "x", OLD)
    done = [0]

    def counted(change):
        def run(*args, **options):
            if done[0] == step:
                raise _KillError
            done[0] += 1
            return change(*args, **options)

        return run

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", counted(Path.mkdir))
        patch.setattr(Path, "rename", counted(Path.rename))
        patch.setattr(shutil, "rmtree", counted(shutil.rmtree))
        with pytest.raises(_KillError):
            replace_folder(tmp_path / "x", {MARK: b"new", "links.csv": b"new"})
    mend(tmp_path / "x")
    assert _content(tmp_path / "x") in (OLD, {MARK: b"new", "links.csv": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_swap_cut_in_the_middle_returns_the_old_folder(tmp_path):
    """Old moved away, new not yet in place: the old one comes back."""
    replace_folder(tmp_path / "x", OLD)
    (tmp_path / "x").rename(tmp_path / ".x.old")
    (tmp_path / ".x.new").mkdir()
    mend(tmp_path / "x")
    assert _content(tmp_path / "x") == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_swap_cut_at_the_end_keeps_the_new_folder(tmp_path):
    """New in place, old not yet deleted: the old one goes."""
    replace_folder(tmp_path / "x", NEW)
    replace_folder(tmp_path / ".x.old", OLD)
    mend(tmp_path / "x")
    assert _content(tmp_path / "x") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_swap_is_undone_behind_a_symbolic_link(tmp_path):
    """Reached through a link, a swap cut in the middle gives the old folder back where the link points."""
    replace_folder(tmp_path / "disk" / "x", OLD)
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "x")
    (tmp_path / "disk" / "x").rename(tmp_path / "disk" / ".x.old")
    mend(tmp_path / "link")
    assert _content(tmp_path / "disk") == {f"x/{name}": content for name, content in OLD.items()}
    assert _content(tmp_path / "link") == OLD


_WRITER = """
import sys
from pathlib import Path
from fabric.io.atomic import replace_folder
for turn in range(10**6):
    files = {"design.yaml": b"%d" % turn, **{f"f{i}": b"%d" % turn for i in range(20)}}
    replace_folder(Path(sys.argv[1]), files)
    print("ready", flush=True) if turn == 0 else None
"""


def test_a_real_kill_leaves_one_whole_folder(tmp_path):
    """A writer that replaces a folder over and over is killed; what is left is one turn's files, all of them."""
    target = tmp_path / "x"
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", _WRITER, str(target)], stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(timeout=0.05)
            writer.send_signal(signal.SIGKILL)
        mend(target)
        content = _content(target)
        assert len(content) == 21
        assert len(set(content.values())) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["x"]
