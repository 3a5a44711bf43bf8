"""Matrices and histograms that workloads name: every form read, every fault told, kept in the design folder."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.content import whole
from fabric.errors import InputError
from fabric.io.workload_files import beside, fill, kept, read_matrix
from fabric.model.request import Fabric, Request
from fabric.model.workload import Workload


def _triples(matrix):
    return list(zip(matrix.source.tolist(), matrix.target.tolist(), matrix.sent_bytes.tolist(), strict=True))


def test_every_form_of_a_matrix_is_the_same(tmp_path):
    """A table with a heading, a square, and both kinds of NPZ: rank 0 sends 5 bytes to rank 2, rank 1 7 to rank 0."""
    (tmp_path / "table.csv").write_text("source,target,bytes\n0,2,5\n1,0,7\n")
    (tmp_path / "square.csv").write_text("0,0,5\n7,0,0\n0,0,0\n")
    np.savez(tmp_path / "listed.npz", source=[0, 1], target=[2, 0], bytes=[5, 7])
    np.savez(tmp_path / "square.npz", matrix=[[0, 0, 5], [7, 0, 0], [0, 0, 0]])
    for name in ("table.csv", "square.csv", "listed.npz", "square.npz"):
        found = read_matrix(tmp_path / name)
        assert (found.ranks, _triples(found)) == (3, [(0, 2, 5), (1, 0, 7)]), name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,1\n2\n", "this is no matrix of transfers"),
        ("1,2,3\n4,5,6\n", "2 x 3 numbers are no square of ranks"),
        ("source,target,bytes\n0,1.5,3\n", "ranks are whole numbers from 0"),
        ("source,target,bytes\n0,1,-3\n", "-3 bytes from rank 0 to rank 1: allowed are 0 to"),
        ("source,target,bytes\n0,inf,3\n", "ranks are whole numbers from 0"),
        ("source,target,bytes\n0,1,0\n", "no rank sends anything"),
        ("", "this is no matrix of transfers: it holds no transfer"),
        ("source,target,bytes\n\n", "this is no matrix of transfers: it holds no transfer"),
        ("source,target,bytes\n0,1,nan\n", "nan bytes from rank 0 to rank 1: allowed are 0 to"),
    ],
)
def test_faults_of_a_matrix(tmp_path, text, said):
    """One message, with the file."""
    path = tmp_path / "bytes.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_matrix(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_npz_of_something_else(tmp_path):
    """What it holds is named, and what is wanted."""
    np.savez(tmp_path / "bytes.npz", rows=[1])
    with pytest.raises(InputError, match="it holds rows, neither matrix nor source, target and bytes"):
        read_matrix(tmp_path / "bytes.npz")
    (tmp_path / "bytes.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="this is no matrix of transfers"):
        read_matrix(tmp_path / "bytes.npz")


def _moe(**changes):
    keys = {"pattern": "moe_all_to_all", "model": "deepseek-v3", "expert_parallel": 8, "tokens_per_rank": 1}
    return Workload(name="decode", **(keys | changes))


def test_a_histogram_is_kept_as_numbers(tmp_path):
    """Blank lines and comments are left out; faults have their line."""
    (tmp_path / "popular.txt").write_text("# tokens\n4\n\n2 # second\n")
    (found,), faults = fill((_moe(popularity={"file": "popular.txt"}),), beside(tmp_path), tmp_path)
    assert faults == []
    assert found.popularity.histogram == (4.0, 2.0)
    (tmp_path / "popular.txt").write_text("4\nmany\n-1\n")
    _, faults = fill((_moe(popularity={"file": "popular.txt"}),), beside(tmp_path), tmp_path)
    assert [(fault.line, fault.message) for fault in faults] == [
        (2, "'many' is no number from 0"),
        (3, "'-1' is no number from 0"),
    ]


def test_a_design_keeps_its_matrices(tmp_path):
    """Sorted by source and target, and read again as they were."""
    np.savez(tmp_path / "bytes.npz", source=[3, 0], target=[0, 1], bytes=[2.5, 1])
    work = Workload(name="own", pattern="matrix", matrix="bytes.npz")
    (full,), _ = fill((work,), beside(tmp_path), tmp_path)
    request = Request(name="x", accelerator="hgx-b200", nodes=2, fabric=Fabric(link_layer="roce"), workloads=(full,))
    files = kept(request)
    assert whole(files["workloads/own.csv"]) == b"source,target,bytes\n0,1,1\n3,0,2.5\n"
    (tmp_path / "own.csv").write_bytes(whole(files["workloads/own.csv"]))
    assert _triples(read_matrix(tmp_path / "own.csv")) == [(0, 1, 1.0), (3, 0, 2.5)]


def test_ranks_that_say_nothing_are_kept(tmp_path):
    """A square of four ranks of which the last two are quiet is four ranks in the design folder too."""
    (tmp_path / "square.csv").write_text("0,5,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n")
    work = Workload(name="own", pattern="matrix", matrix="square.csv")
    (full,), _ = fill((work,), beside(tmp_path), tmp_path)
    request = Request(name="x", accelerator="hgx-b200", nodes=2, fabric=Fabric(link_layer="roce"), workloads=(full,))
    (tmp_path / "own.csv").write_bytes(whole(kept(request)["workloads/own.csv"]))
    assert read_matrix(tmp_path / "own.csv").ranks == full.job_size == 4
