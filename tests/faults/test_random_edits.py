"""Tables with anything in their cells are judged, never a crash."""

from __future__ import annotations

import random
import typing
from dataclasses import fields, replace

import pytest

from fabric.model.topology import Port

VALUES = {
    str: ("", "x", "0", "99", "leaf-su01-r0", "node-0001", "rail0", "10.0.0.1/31"),
    int: (0, 1, -1, 1_000_000),
    float: (0.0, -5.0, 1e9),
    type(None): (None,),
}
TABLES = {
    "topology": ("devices", "links"),
    "cabling": ("cables", "pluggables"),
    "placement": ("positions",),
    "settings": ("devices", "links", "lossless"),
}


def edited(row, rng):
    """The row with one cell changed to another value of its type."""
    name = rng.choice([field.name for field in fields(row)])
    if isinstance(getattr(row, name), Port):
        return replace(row, **{name: edited(getattr(row, name), rng)})
    hint = typing.get_type_hints(type(row))[name]
    kind = rng.choice(typing.get_args(hint) or (hint,))
    return replace(row, **{name: rng.choice(VALUES[kind])})


def scrambled(made, rng):
    """The design with a few rows of one table changed, dropped or doubled."""
    part = rng.choice(sorted(TABLES))
    table = rng.choice(TABLES[part])
    rows = list(getattr(getattr(made, part), table))
    for _ in range(2 if rows else 0):
        index = rng.randrange(len(rows))
        rows[index : index + 1] = rng.choice(([edited(rows[index], rng)], [], [rows[index]] * 2))
    return replace(made, **{part: replace(getattr(made, part), **{table: tuple(rows)})})


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("name", ["roce", "infiniband", "planes"])
def test_any_tables_are_judged(name, seed, judge, request):
    """Whatever stands in the cells, every check ends with findings or without, and names an object in each."""
    rng = random.Random(seed)  # noqa: S311 -- reproducible edits, no secret
    made = request.getfixturevalue(name)
    for _ in range(3):
        made = scrambled(made, rng)
    assert all(isinstance(each.where, str) and each.message for each in judge.findings(made))
