"""Files that workloads name: histograms of expert popularity, and matrices of transfers between ranks.

A matrix is a table `source,target,bytes` of ranks, a square of numbers without a heading, or an NPZ file with arrays
`source`, `target` and `bytes` or with one square array `matrix`. A design folder keeps each as a table of its own.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabric import table, yaml_file
from fabric.catalog.load import Catalog
from fabric.content import Streamed
from fabric.errors import Fault, InputError
from fabric.io.request_check import listed, part_faults
from fabric.model.request import Request
from fabric.model.workload import Popularity, RankMatrix, Workload, WorkloadFile

FOLDER = "workloads"
"""Folder of a design that holds its matrices, by name of the workload."""

_LARGEST = 10**15
"""Most bytes of one transfer."""

_HEADING = ("source", "target", "bytes")


@dataclass(frozen=True, slots=True)
class TransferRow:
    """One transfer, as a design folder keeps it."""

    source: int
    target: int
    bytes: float


def filled(request: Request, matrix_of: Callable[[Workload], Path], folder: Path) -> tuple[Request, list[Fault]]:
    """The request with the files of its workloads read, and every fault of these.

    Args:
        request: whose workloads name files.
        matrix_of: where the matrix of a workload is.
        folder: that the names of histograms are relative to.
    """
    workloads, faults = fill(request.workloads, matrix_of, folder)
    return (request.model_copy(update={"workloads": workloads}) if workloads else request), faults


def beside(folder: Path) -> Callable[[Workload], Path]:
    """Where matrices are that a file in a folder names: relative to it."""
    return lambda workload: folder / (workload.matrix or "")


def inside(folder: Path) -> Callable[[Workload], Path]:
    """Where a design folder keeps its matrices."""
    return lambda workload: folder / _name(workload)


def fill(
    workloads: tuple[Workload, ...], matrix_of: Callable[[Workload], Path], folder: Path
) -> tuple[tuple[Workload, ...], list[Fault]]:
    """The workloads with their files read, and every fault of these; arguments as of `filled`."""
    faults: list[Fault] = []
    found = []
    for workload in workloads:
        try:
            full = workload
            if workload.popularity.file is not None:
                popularity = Popularity(histogram=tuple(_histogram(folder / workload.popularity.file)))
                full = workload.model_copy(update={"popularity": popularity})
            found.append(full.with_matrix(read_matrix(matrix_of(workload))) if workload.matrix is not None else full)
        except InputError as error:
            faults += error.faults
    return tuple(found), faults


def load(path: Path, catalog: Catalog) -> tuple[Workload, ...]:
    """The workloads that a file describes: one, or a list under `workloads` as in a request.

    Raises:
        InputError: every fault of the file, each with line and key.
    """
    document = yaml_file.load(path, str(path))
    is_list = isinstance(document.data, dict) and "workloads" in document.data
    record, found = yaml_file.inspect(WorkloadFile if is_list else Workload, document)
    faults = [*found, *part_faults(document, catalog)]
    workloads = (
        record.workloads if isinstance(record, WorkloadFile) else (record,) if isinstance(record, Workload) else ()
    )
    faults += [
        document.fault(("workloads", index, key) if is_list else (key,), message)
        for index, key, message in listed(workloads, catalog)
    ]
    filled_in, lost = fill(workloads, beside(path.parent), path.parent)
    if faults or lost:
        raise InputError(*faults, *lost)
    return filled_in


def kept(request: Request | None) -> dict[str, Streamed]:
    """The tables of matrices that a design folder keeps, by name in the folder."""
    workloads = request.workloads if request is not None else ()
    return {_name(each): _streamed(each.listed) for each in workloads if each.listed is not None}


def _name(workload: Workload) -> str:
    return f"{FOLDER}/{workload.name}.csv"


def _streamed(matrix: RankMatrix) -> Streamed:
    last = matrix.ranks - 1
    columns: tuple[NDArray[Any], ...] = (matrix.source, matrix.target, matrix.sent_bytes)
    if max(matrix.source.max(initial=-1), matrix.target.max(initial=-1)) < last:
        # Ranks that say and hear nothing are ranks: the last one is written, so that they are counted again.
        columns = tuple(np.append(column, end) for column, end in zip(columns, (last, last, 0.0), strict=True))
    order = np.lexsort((columns[1], columns[0]))
    columns = tuple(column[order] for column in columns)
    return Streamed(
        lambda: table.lines(
            TransferRow, (TransferRow(*row) for row in zip(*map(np.ndarray.tolist, columns), strict=True))
        )
    )


def read_matrix(path: Path) -> RankMatrix:
    """The transfers that a file lists.

    Raises:
        InputError: no such file, or what it holds is no matrix, with the place.
    """
    if not path.is_file():
        raise InputError(Fault("there is no such file of a matrix", str(path)))
    try:
        found = _npz(path) if path.suffix == ".npz" else _csv(path)
    except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(Fault(f"this is no matrix of transfers: {error}", str(path))) from None
    return _judged(found, path)


def _csv(path: Path) -> RankMatrix:
    with path.open(encoding="utf-8-sig") as lines:
        heading = tuple(word.strip() for word in lines.readline().split(","))
        is_empty = not any(line.strip() for line in lines)
    if is_empty and heading in {_HEADING, ("",)}:
        raise ValueError("it holds no transfer")
    if heading == _HEADING:
        columns = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
        if columns.shape[1] != len(_HEADING):
            raise ValueError(f"a row has {columns.shape[1]} values, not source, target and bytes")
        return _listed(*columns.T)
    return _square(np.loadtxt(path, delimiter=",", ndmin=2))


def _npz(path: Path) -> RankMatrix:
    with np.load(path, allow_pickle=False) as arrays:
        if "matrix" in arrays:
            return _square(np.asarray(arrays["matrix"], dtype=np.float64))
        missing = [name for name in _HEADING if name not in arrays]
        if missing:
            raise ValueError(f"it holds {', '.join(arrays) or 'nothing'}, neither matrix nor source, target and bytes")
        return _listed(*(np.asarray(arrays[name], dtype=np.float64) for name in _HEADING))


def _listed(source: NDArray[np.float64], target: NDArray[np.float64], sent: NDArray[np.float64]) -> RankMatrix:
    if {source.ndim, target.ndim, sent.ndim} != {1}:
        raise ValueError("source, target and bytes are no lists of numbers")
    if not source.size == target.size == sent.size:
        raise ValueError(f"{source.size} sources, {target.size} targets and {sent.size} bytes differ in number")
    ends = np.concatenate([source, target])
    if not np.isfinite(ends).all() or (ends != np.floor(ends)).any() or (ends < 0).any():
        raise ValueError("ranks are whole numbers from 0")
    ranks = int(ends.max(initial=-1)) + 1
    return RankMatrix(ranks, source.astype(np.int64), target.astype(np.int64), sent.astype(np.float64))


def _square(matrix: NDArray[np.float64]) -> RankMatrix:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:  # noqa: PLR2004 - rows and columns
        raise ValueError(f"{' x '.join(map(str, matrix.shape))} numbers are no square of ranks")
    source, target = np.nonzero(matrix)
    return RankMatrix(matrix.shape[0], source, target, matrix[source, target])


def _judged(matrix: RankMatrix, path: Path) -> RankMatrix:
    """A matrix with something in it, all of it possible."""
    sent = matrix.sent_bytes
    wrong = np.flatnonzero(~((sent >= 0) & (sent <= _LARGEST)))
    if wrong.size:
        first = int(wrong[0])
        place = f"from rank {matrix.source[first]} to rank {matrix.target[first]}"
        raise InputError(Fault(f"{sent[first]:g} bytes {place}: allowed are 0 to {_LARGEST:,}", str(path)))
    if not (sent > 0).any():
        raise InputError(Fault("no rank sends anything", str(path)))
    return matrix


def _histogram(path: Path) -> list[float]:
    """The numbers of a histogram file, one a line; blank lines and what follows a # are left out.

    Raises:
        InputError: every line that holds no number from 0.
    """
    if not path.is_file():
        raise InputError(Fault("there is no such file of a histogram", str(path)))
    found, faults = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        text = line.partition("#")[0].strip()
        value = _number(text)
        if text and value is None:
            faults.append(Fault(f"{text[:40]!r} is no number from 0", str(path), number))
        elif value is not None:
            found.append(value)
    if not faults and not sum(found):
        faults.append(Fault("the histogram holds no token at all", str(path)))
    if faults:
        raise InputError(*faults)
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < _LARGEST else None
