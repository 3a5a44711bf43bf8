"""What a request says about parts, names and jobs, judged with the catalog before any design is tried.

Rates, racks and sizes are judged where they are resolved, in the topology room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from fabric.catalog.load import Catalog
from fabric.catalog.record import Part, Sourced
from fabric.errors import Fault, nearest
from fabric.model.request import FAMILY_WORDS, PARAMETERS, Names, Request
from fabric.model.workload import Workload
from fabric.yaml_file import Document
from fabric.yaml_file.scan import Path

Complaints = Iterator[tuple[Path, str]]
"""Path in the request and message of each fault."""

LEAST: Mapping[str, int] = {"sizes": 2, "groups": 2}
"""Least value of a parameter, where that is not 1."""

ARRANGEMENTS = ("absolute", "relative", "circulant", "optimized")
"""Orders in which the global ports of a dragonfly's group lead to the other groups, and what the optimizer finds."""

PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "node": ("index",),
    "leaf": ("su", "rail", "plane", "index"),
    "spine": ("group", "plane", "index"),
    "core": ("plane", "index"),
    "router": ("group", "su", "rail", "plane", "index"),
    "attached": ("role", "index"),
}
"""What a name pattern may count with, by kind of device."""

_PIECE = re.compile(r"\{[^{}]*\}|[^{}]+|[{}]")
_PLACEHOLDER = re.compile(r"\{(role|su|rail|plane|group|index)(?:(?<!role):0[1-9]d?)?\}")
_SAFE = re.compile(r"[A-Za-z0-9._-]+")
_START = re.compile(r"[A-Za-z0-9{]")
_LONGEST = 63
"""Characters of one label of a host name (RFC 1123)."""

_NEAR = 3
"""Most spellings that are offered."""

_SURE = 0.8
"""Likeness, 0 to 1, from which a spelling is offered beside others."""


def part_faults(document: Document, catalog: Catalog) -> list[Fault]:
    """Unknown parts in a request, also in one with other faults, hence from the plain values."""
    kinds: dict[str, Mapping[str, Sourced]] = {
        "system": catalog.systems,
        "switch": catalog.switches,
        "MoE model": catalog.moe_models,
        "stack": catalog.stacks,
    }
    return [
        document.fault(path, _unknown(kind, name, kinds[kind]))
        for path, kind, name in (*_parts(document.data), *_job_parts(document.data))
        if name not in kinds[kind]
    ]


def _parts(data: object) -> Iterator[tuple[Path, str, str]]:
    """Path, kind and key of every part that a request names outside its workloads."""
    if isinstance(name := _at(data, "accelerator"), str):
        yield ("accelerator",), "system", name
    choice = _at(data, "fabric", "switches")
    for path, name in _texts(choice, ("fabric", "switches")):
        if (path, name) != (("fabric", "switches"), "auto"):
            yield path, "switch", name
    planned = _at(data, "planning", "switch_w")
    for name in planned if isinstance(planned, dict) else ():
        yield ("planning", "switch_w", name), "switch", name


def _job_parts(data: object) -> Iterator[tuple[Path, str, str]]:
    """Path, kind and key of every part that workloads name, those of a list or a single one."""
    jobs = _at(data, "workloads")
    places: dict[Path, object] = (
        {("workloads", index): job for index, job in enumerate(jobs)} if isinstance(jobs, tuple) else {(): data}
    )
    for path, job in places.items():
        for key, kind in (("model", "MoE model"), ("stack", "stack")):
            if isinstance(name := _at(job, key), str):
                yield (*path, key), kind, name


def _at(data: object, *path: str) -> object:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text in a value, with its path."""
    if isinstance(value, str):
        yield path, value
    inner: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, tuple):
        inner = enumerate(value)
    for key, item in inner:
        yield from _texts(item, (*path, key))


def _unknown(kind: str, name: str, parts: Mapping[str, Sourced]) -> str:
    """Why `name` is no part, with what was meant: a key, an alias or a name that looks like it."""
    keys = {
        spelling.lower(): key
        for key, part in parts.items()
        for spelling in ((*part.aliases, part.name, key) if isinstance(part, Part) else (key,))
    }
    word = name.lower()
    found = [spelling for spelling in keys if word in spelling] or (
        get_close_matches(word, keys, n=_NEAR, cutoff=_SURE) or get_close_matches(word, keys, n=1)
    )
    if near := list(dict.fromkeys(keys[spelling] for spelling in found)):
        return f"unknown {kind} {name!r}, did you mean {' or '.join(near[:_NEAR])}?"
    return f"unknown {kind} {name!r}; known: {', '.join(sorted(parts)) or 'none'}"


def faults(request: Request, catalog: Catalog, document: Document) -> list[Fault]:
    """Every fault of a request that is right in form."""
    complaints = (
        *_size(request, catalog),
        *(tuple(_parameters(request)) or _of_one_family(request)),
        *_names(request.names),
        *_jobs(request, catalog),
    )
    return [document.fault(path, message) for path, message in complaints]


def _size(request: Request, catalog: Catalog) -> Complaints:
    largest = max(request.growth_nodes or 0, (request.nodes or 0) + request.spare_nodes)
    if request.nodes == largest == 1:
        yield ("nodes",), "1 node has nobody to talk to; a fabric joins at least 2"
    system = catalog.systems.get(request.accelerator)
    if system is not None and not system.allowed_for_design:
        why = "; ".join(system.notes) or "its file does not say why"
        yield ("accelerator",), f"{request.accelerator} is in the catalog for reading only: {why}"
    if system is not None and request.accelerators and not system.accelerators:
        yield ("accelerators",), f"{request.accelerator} has no accelerators; give nodes"


def _parameters(request: Request) -> Complaints:
    family = request.fabric.family
    every = tuple(dict.fromkeys(key for keys in PARAMETERS.values() for key in keys))
    known = PARAMETERS.get(family, every)
    for key, value in request.fabric.parameters.items():
        path = ("fabric", "parameters", key)
        is_list = isinstance(value, list | tuple) and bool(value)
        numbers = value if key == "sizes" and is_list else (value,)
        if key not in known:
            hint = nearest(key, known, otherwise=f"; allowed: {', '.join(known)}")
            yield path, f"unknown parameter of family {family}{hint}"
        elif key == "arrangement":
            if value not in ARRANGEMENTS:
                yield path, f"{value!r} is not allowed: {', '.join(ARRANGEMENTS)}"
        elif (key == "sizes" and not is_list) or any(
            isinstance(number, bool) or not isinstance(number, int) or number < LEAST.get(key, 1) for number in numbers
        ):
            wanted = "a list of whole numbers from 2" if key == "sizes" else f"a whole number from {LEAST.get(key, 1)}"
            yield path, f"{value!r} is not allowed: {wanted}"


def _of_one_family(request: Request) -> Complaints:
    """Refuse parameters that no family has together, where the family is open."""
    asked = request.fabric.parameters
    if not any(asked.keys() <= set(keys) for keys in PARAMETERS.values()):
        told = "; ".join(f"a {FAMILY_WORDS[family]} has {', '.join(keys)}" for family, keys in PARAMETERS.items())
        yield ("fabric", "parameters"), f"no family has {', '.join(asked)} together; {told}"


def _names(names: Names) -> Complaints:
    for kind, known in PLACEHOLDERS.items():
        pattern = getattr(names, kind)
        if pattern is not None:
            yield from ((("names", kind), message) for message in _pattern(pattern, known))


def _pattern(pattern: str, known: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with one name pattern: names become host names, folder names and lines of configuration."""
    if not _START.match(pattern) or len(pattern) > _LONGEST:
        yield f"{pattern!r} is not allowed: 1 to {_LONGEST} characters, a letter, digit or placeholder first"
    for piece in _PIECE.findall(pattern):
        placeholder = _PLACEHOLDER.fullmatch(piece)
        if piece[0] not in "{}" and not _SAFE.fullmatch(piece):
            yield f"{piece!r} is not allowed in a name: letters, digits, dots, underscores and hyphens"
        elif piece[0] in "{}" and (placeholder is None or placeholder[1] not in known):
            allowed = ", ".join(f"{{{name}}}" for name in known)
            yield f"{piece!r} is no placeholder: {allowed}, numbers with a width such as {{index:03d}}"


def _jobs(request: Request, catalog: Catalog) -> Complaints:
    system = catalog.systems.get(request.accelerator)
    nodes = request.nodes
    have = request.accelerators or (nodes * system.accelerators if system and nodes else None)
    for index, job in enumerate(request.workloads):
        for key in ("expert_parallel", "ranks"):
            ranks = getattr(job, key)
            if have and ranks and ranks > have:
                yield ("workloads", index, key), f"{ranks} ranks are more than the {have} accelerators asked"
    for index, key, message in listed(request.workloads, catalog):
        yield ("workloads", index, key), message


def listed(workloads: Sequence[Workload], catalog: Catalog) -> Iterator[tuple[int, str, str]]:
    """What is wrong with a list of workloads wherever it stands: place in the list, key and message."""
    first: dict[str, int] = {}
    for index, job in enumerate(workloads):
        if first.setdefault(job.name, index) != index:
            yield index, "name", f"{job.name!r} stands twice; reports go by this name"
        stack = catalog.stacks.get(job.stack or "")
        if stack is not None and stack.no_constants is not None:
            yield index, "stack", f"{job.stack} has no constants to predict with: {stack.no_constants}"
        elif stack is not None and job.chain is not None and stack.figure(job.chain) is None:
            alike = ((key, each) for key, each in catalog.stacks.items() if each.scope == stack.scope)
            others = [key for key, each in alike if each.figure(job.chain) is not None]
            known = f"; {', '.join(sorted(others))} has them" if others else ""
            steps = job.chain.replace("_", "-")
            yield index, "stack", f"{job.stack} has no constants for {job.pattern} steps ({steps}){known}"
    for index, message in strangers(workloads):
        yield index, "beside", message


def strangers(workloads: Sequence[Workload]) -> Iterator[tuple[int, str]]:
    """What is wrong with the names that workloads are to run beside: place of the workload in its list, and message."""
    names = [workload.name for workload in workloads]
    for index, workload in enumerate(workloads):
        for place, name in enumerate(workload.beside):
            if name == workload.name:
                yield index, f"{name!r} is the workload itself; give it more `jobs` to run copies of it"
            elif name not in names:
                others = [each for each in names if each != workload.name]
                known = f"; the others are {', '.join(others)}" if others else "; it stands alone here"
                yield index, f"{name!r} is no other workload of this list{nearest(name, others, otherwise=known)}"
            elif name in workload.beside[:place]:
                yield index, f"{name!r} stands twice"
