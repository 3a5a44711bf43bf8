"""The tables of keys in docs/extending.md say what the JSON Schemas say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fabric.io.request_file import schema


def keys(whole: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Default and allowed values of every key of a schema by its dotted path; `[]` marks a list."""
    return {path: (default, allowed) for path, default, allowed in _walk(whole, whole["$defs"], "")}


def _walk(record: dict[str, Any], defs: dict[str, Any], above: str) -> Iterator[tuple[str, str, str]]:
    for name, field in record["properties"].items():
        path = above + name
        default = "required" if name in record.get("required", ()) else _default(field.get("default"))
        inner = [_record(kind, defs) for kind in field.get("anyOf", [field])]
        items = _record(field.get("items", {}), defs)
        allowed = " or ".join(text for kind in field.get("anyOf", [field]) if (text := _allowed(kind)))
        if items or any(inner):
            yield path, _short(default), allowed or "keys below"
        else:
            yield path, default, allowed
        for part in filter(None, inner):
            yield from _walk(part, defs, f"{path}.")
        if items:
            yield from _walk(items, defs, f"{path}[].")


def _record(field: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any] | None:
    return defs[field["$ref"].rsplit("/", 1)[1]] if "$ref" in field else None


def _default(value: object) -> str:
    return "none" if value in (None, [], {}) else json.dumps(value) if isinstance(value, list | bool) else f"{value}"


def _short(default: str) -> str:
    """The default of a record stands at its keys."""
    return "see below" if default.startswith("{") else default


def _allowed(field: dict[str, Any]) -> str:
    """What one kind of value may be, in words; nothing for a record and for null."""
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    kinds = {
        "array": _list,
        "object": _mapping,
        "integer": lambda field: "whole number" + _range(field),
        "number": lambda field: "number" + _range(field),
        "boolean": lambda _: "true, false",
        "string": lambda field: field.get("const") or " like ".join(["text", *filter(None, [field.get("pattern")])]),
        "null": lambda _: "",
    }
    return kinds[field["type"]](field) if "type" in field else ""


def _list(field: dict[str, Any]) -> str:
    if "prefixItems" in field:
        return "list of " + " and ".join(_allowed(item) for item in field["prefixItems"])
    items = _allowed(field["items"])
    return f"list of {items}" if items else "list"


def _mapping(field: dict[str, Any]) -> str:
    values = field.get("additionalProperties")
    return f"keys with {_allowed(values)}" if isinstance(values, dict) else "keys"


def _range(field: dict[str, Any]) -> str:
    low = f" from {field['minimum']:g}" if "minimum" in field else ""
    low = f" above {field['exclusiveMinimum']:g}" if "exclusiveMinimum" in field else low
    return low + (f" to {_number(field['maximum'])}" if "maximum" in field else "")


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:g}"


@pytest.mark.parametrize(
    ("kind", "title"), [("request", "Every key of a request"), ("floorplan", "Every key of a floor plan")]
)
def test_keys_defaults_and_allowed_values(page, kind, title):
    """Every key of the schema, with its default and what it allows, and no other."""
    rows = page("docs/extending.md").table(title)
    written = {key: (default, allowed) for key, _, default, allowed in rows}
    assert len(written) == len(rows)
    assert written == keys(schema(kind))
    assert all(meaning for _, meaning, _, _ in rows)
