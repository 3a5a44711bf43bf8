"""The strict YAML loader: scalars, places, faults in plain words, canonical text."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from fabric.errors import CatalogError, Fault, InputError
from fabric.yaml_file import decode, dump, inspect, load, parse, scan, validate
from fabric.yaml_file.scan import MAX_BYTES, MAX_DEPTH, scalar


class _Inner(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    length_m: float
    kind: Literal["copper", "fibre"] = "copper"


class _Outer(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    parts: tuple[_Inner, ...] = ()
    by_rate: dict[int, int] = {}
    by_word: dict[Literal["bf16", "fp8"], float] = {}
    pair: tuple[int, str] | None = None
    size: int | Literal["auto"] = "auto"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1.0e3", 1000.0),
        ("1e-05", 1e-05),
        ("on", "on"),
        ("yes", "yes"),
        ("True", "True"),
        ("1:30", "1:30"),
        ("010", "010"),
        ("0x1F", "0x1F"),
        ("1e9", "1e9"),
        ("1_000", "1_000"),
        ("2026-01-01", "2026-01-01"),
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("1.0e+999", "1.0e+999"),
        ("9" * 30, "9" * 30),
    ],
)
def test_a_scalar_is_what_it_looks_like(text, value):
    """Only true, false, plain whole numbers and plain numbers are not text."""
    found = scalar(text)
    assert found == value
    assert type(found) is type(value)


def test_quoted_scalars_are_text():
    """Quotes make text of everything."""
    assert parse("a: '1'\nb: \"true\"\nc: |\n  2\n", "f").data == {"a": "1", "b": "true", "c": "2\n"}


def test_keys_are_text_and_sequences_are_tuples():
    """A bare and a quoted rate are the same key; nothing that was read can be changed."""
    assert parse("400: [1, [2]]\n'800': {}\n", "f").data == {"400": (1, (2,)), "800": {}}


def test_every_value_knows_its_line():
    """Lines count from 1; a value without a line has that of the nearest value around it."""
    document = parse("a: 1\nb:\n  - x\n  - c: 2\n", "f")
    assert document.line(("a",)) == 1
    assert document.line(("b", 1, "c")) == 4
    assert document.line(("b", 1, "missing", 0)) == 4
    assert document.line(("missing",)) == 1


def test_a_fault_of_another_room_finds_its_place():
    """A fault that names only a key gets file and line; one with a file is left alone."""
    document = parse("a: 1\nb:\n  - x\n  - c: 2\n", "f")
    assert document.placed(Fault("bad", key="b.1.c")) == Fault("bad", "f", 4, "b.1.c")
    assert document.placed(Fault("bad", "other", 7, "b")) == Fault("bad", "other", 7, "b")
    assert document.placed(Fault("bad")) == Fault("bad")


def test_all_faults_of_a_text_are_raised_at_once():
    """Duplicate, anchor, alias, tag: each with its own line."""
    text = "a: &x 1\na: 2\nb: *x\nc: !!int 3\n"
    with pytest.raises(CatalogError) as caught:
        parse(text, "part.yaml", CatalogError)
    assert [(fault.line, fault.key) for fault in caught.value.faults] == [(1, "a"), (2, "a"), (3, "b"), (4, "c")]


def test_an_alias_bomb_costs_nothing():
    """Aliases are refused where they stand and never followed."""
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    document = scan("\n".join(lines), "f")
    assert len(document.faults) == 30 + 29 * 9


def test_an_alias_without_anchor_and_a_self_reference_are_refused():
    """Neither reaches a node that does not exist or itself."""
    assert "alias *b" in str(scan("a: *b\n", "f").faults[0])
    assert "anchor &a" in str(scan("a: &a [*a]\n", "f").faults[0])


def test_nesting_is_bounded():
    """The deepest allowed nesting loads; ten thousand levels are a fault and no crash."""
    assert not scan("[" * MAX_DEPTH + "]" * MAX_DEPTH, "f").faults
    assert "nested deeper" in str(scan("[" * (MAX_DEPTH + 2), "f").faults[0])
    assert "nesting depth" in str(scan("[" * 10_000, "f").faults[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "f:1: not a text file in UTF-8"),
        (b"a: 1\nb: \xff", "f:2: not a text file in UTF-8"),
        (b"a: 1\nb: \0", "f:2: not a text file: it holds zero bytes"),
        (b"\xef\xbb\xbfa: 1", "f:1: starts with a byte order mark; save it as UTF-8 without one"),
        (b" " * (MAX_BYTES + 1), f"f: {MAX_BYTES + 1} bytes; at most {MAX_BYTES} are read"),
    ],
)
def test_what_is_no_text_is_refused(content, message):
    """Each kind of non-text is named, with the line where it starts."""
    with pytest.raises(InputError) as caught:
        decode(content, "f")
    assert str(caught.value) == message


def test_load_collects_instead_of_raising(tmp_path):
    """A missing file, a folder and a binary file are faults of their documents."""
    (tmp_path / "binary").write_bytes(b"\xff")
    assert str(load(tmp_path / "none", "none").faults[0]) == "none: there is no such file"
    assert str(load(tmp_path, "folder").faults[0]) == "folder: cannot be read: Is a directory"
    assert str(load(tmp_path / "binary", "binary").faults[0]) == "binary:1: not a text file in UTF-8"


def test_a_record_is_made_of_json_values():
    """Whole-number keys, tuples of a fixed length and unions arrive as the schema says."""
    text = "parts: [{length_m: 3}]\nby_rate: {400: 1, '800': 2}\npair: [1, a]\nsize: 4\n"
    record = validate(_Outer, parse(text, "f"))
    assert record == _Outer(parts=(_Inner(length_m=3),), by_rate={400: 1, 800: 2}, pair=(1, "a"), size=4)


def test_every_fault_of_a_record_is_named_with_what_is_allowed():
    """One line per wrong value, also where a union reports one error per arm."""
    text = """\
parts:
  - {lenght_m: 3}
  - {length_m: far, kind: coper}
by_rate: {fast: 1, 400: one}
by_word: {fp9: 1}
pair: [1]
size: small
"""
    record, faults = inspect(_Outer, parse(text, "f"))
    assert record is None
    assert [str(fault) for fault in faults] == [
        "f:2: parts.0.length_m: this key is missing: a number",
        "f:2: parts.0.lenght_m: unknown key, did you mean length_m?",
        "f:3: parts.1.length_m: 'far' is not allowed: a number",
        "f:3: parts.1.kind: 'coper' is not allowed: one of copper, fibre; did you mean copper?",
        "f:4: by_rate.fast: this key is not allowed: a whole number",
        "f:4: by_rate.400: 'one' is not allowed: a whole number",
        "f:5: by_word.fp9: this key is not allowed: one of bf16, fp8",
        "f:6: pair: a list is not allowed: a list of 2: a whole number, text",
        "f:7: size: 'small' is not allowed: a whole number, or auto",
    ]


def test_validate_raises_the_error_asked_for():
    """A part file's faults are the catalog's, not the user's."""
    with pytest.raises(CatalogError):
        validate(_Outer, scan("a: [", "f"), CatalogError)


def test_faults_of_text_and_record_come_together():
    """A duplicate key does not hide an unknown one."""
    _, faults = inspect(_Outer, scan("size: 1\nsize: 2\nsizes: 3\n", "f"))
    assert [fault.line for fault in faults] == [2, 3]


def test_canonical_text():
    """Block style, keys in order, quotes only where the reader would not see text."""
    data = {"b": (1, 1.5, None, True), "a": {"800": "1e+5", "on": "on"}, "t": "010"}
    assert dump(data) == "b:\n- 1\n- 1.5\n- null\n- true\na:\n  800: '1e+5'\n  'on': 'on'\nt: '010'\n"


_TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12) | st.sampled_from(
    ["1e+5", "1:30", "010", "~", "yes", "1e9", ".5", "a: b", "# c", "*a", "- x", "1_0", "\n", " x "]
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | _TEXTS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(_VALUES)
def test_writing_and_reading_changes_nothing(value):
    """What is dumped reads back as it was, and dumps to the same text again."""
    text = dump(value)
    document = scan(text, "f")
    assert document.data == value
    assert dump(document.data) == text
