"""Plain values to a record of a schema, with every fault in plain words: place, key, what is allowed or meant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from fabric.errors import FabricError, Fault, InputError, nearest
from fabric.yaml_file.scan import Document, Path

M = TypeVar("M", bound=BaseModel)
Schema = Mapping[str, Any]

_SHOWN_CHARACTERS = 40
_SHOWN_KEYS = 12
_KEY_ITSELF = "[key]"
_UNKNOWN_KEY = ("extra_forbidden", "invalid_key")


def validate(model: type[M], document: Document, error: type[FabricError] = InputError) -> M:
    """The record of type `model` that `document` describes.

    Raises:
        FabricError: of the type `error`, with every fault of the document.
    """
    record, faults = inspect(model, document)
    if record is None or faults:
        raise error(*faults)
    return record


def inspect(model: type[M], document: Document) -> tuple[M | None, tuple[Fault, ...]]:
    """The record, or None, and every fault: for callers that collect the faults of several files."""
    if document.data is None and document.faults:
        return None, document.faults
    try:
        # As JSON, because strict JSON still makes tuples, whole-number keys and nested dataclasses.
        return model.model_validate_json(json.dumps(document.data)), document.faults
    except ValidationError as wrong:
        found = wrong.errors(include_url=False)
    first_of: dict[Path, Fault] = {}
    ruled: set[Path] = set()
    for detail in found:
        path, message = _explain(detail, document.data, _schema(model))
        # A union reports one error per arm; its description names all arms, so the first is enough: but for an arm
        # whose form is right and whose own rule is broken.
        if detail["type"] == "value_error" and path not in ruled:
            ruled.add(path)
            first_of[path] = document.fault(path, message)
        else:
            first_of.setdefault(path, document.fault(path, message))
    # Where a mapping fits one arm of a union but for some keys, only these are of interest.
    deeper = {path[:size] for path in first_of for size in range(len(path))}
    told = [fault for path, fault in first_of.items() if path not in deeper]
    return None, tuple(sorted((*document.faults, *told), key=lambda fault: fault.line or 0))


@cache
def _schema(model: type[BaseModel]) -> Schema:
    return model.model_json_schema()


def _explain(detail: ErrorDetails, data: object, schema: Schema) -> tuple[Path, str]:
    """Path and message of one error of pydantic."""
    loc = _without_arms(detail["loc"], data)
    path, value = _locate(loc, data)
    missing = loc[len(path) :]
    if detail["type"] == "value_error":
        return path, str(detail["ctx"]["error"])
    if detail["type"] == "missing" and isinstance(value, dict):
        key = (*path, missing[0])
        return key, f"this key is missing: {describe(_part(schema, key), schema)}"
    if detail["type"] in _UNKNOWN_KEY and path:
        known = [key for arm in _arms(_part(schema, path[:-1]), schema) for key in arm.get("properties", ())]
        allowed = f"; allowed: {', '.join(known)}" if known else ""
        return path, f"unknown key{nearest(str(path[-1]), known, otherwise=allowed)}"
    if missing == (_KEY_ITSELF,):
        keys = _resolve(_part(schema, path[:-1]), schema).get("propertyNames", {"type": "integer"})
        return path, f"this key is not allowed: {describe(keys, schema)}"
    wanted = _part(schema, path)
    meant = nearest(value, _options(wanted, schema), lead="; ") if isinstance(value, str) else ""
    return path, f"{_show(value)} is not allowed: {describe(wanted, schema)}{meant}"


def _locate(loc: Iterable[str | int], data: object) -> tuple[Path, object]:
    """The part of `loc` that exists in `data`, and the value there; the rest names a union's arm or a lost key."""
    path: Path = ()
    for part in loc:
        inner: Any = dict(enumerate(data)) if isinstance(data, tuple) else data
        if not isinstance(inner, dict) or part not in inner:
            break
        data = inner[part]
        path = (*path, part)
    return path, data


def _without_arms(loc: Path, data: object) -> Path:
    """A place without the names of records that are arms of a union.

    They begin with a capital or, where the record checks itself, with the kind of the check; keys of ours do not.
    """
    kept: Path = ()
    for part in loc:
        _, value = _locate(kept, data)
        is_key = isinstance(value, dict) and part in value
        is_arm = isinstance(part, str) and (part[:1].isupper() or part.startswith("function-"))
        if is_key or not is_arm:
            kept = (*kept, part)
    return kept


def _show(value: object) -> str:
    """A value as a message shows it."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list" if value else "an empty list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…")
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _resolve(schema: Schema, root: Schema) -> Schema:
    """`schema` with its reference, if it is one, followed."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _arms(schema: Schema, root: Schema) -> list[Schema]:
    """The alternatives of a schema; null says only that the key may be left out."""
    schema = _resolve(schema, root)
    arms = [_resolve(arm, root) for arm in schema.get("anyOf", (schema,))]
    return [arm for arm in arms if arm.get("type") != "null"]


def _part(root: Schema, path: Path) -> Schema:
    """Schema of the value at `path`; empty where anything is allowed."""
    schema = root
    for key in path:
        inner: list[Schema] = []
        for arm in _arms(schema, root):
            if isinstance(key, int) and arm.get("type") == "array":
                fixed = arm.get("prefixItems", ())
                inner.append(fixed[key] if key < len(fixed) else arm.get("items", {}))
            elif key in arm.get("properties", ()):
                inner.append(arm["properties"][key])
            elif isinstance(arm.get("additionalProperties"), dict):
                inner.append(arm["additionalProperties"])
        schema = inner[0] if inner else {}
    return schema


def _options(schema: Schema, root: Schema) -> list[str]:
    """The words among the values that `schema` lists."""
    listed = [value for arm in _arms(schema, root) for value in arm.get("enum", [arm.get("const")])]
    return [value for value in listed if isinstance(value, str)]


def describe(schema: Schema, root: Schema) -> str:
    """What `schema` allows, in plain words."""
    return ", or ".join(dict.fromkeys(_describe_one(arm, root) for arm in _arms(schema, root)))


def _describe_one(schema: Schema, root: Schema) -> str:
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    match schema.get("type"):
        case "integer":
            words = f"a whole number{_range(schema)}"
        case "number":
            words = f"a number{_range(schema)}"
        case "string":
            words = f"text of {schema['description']}" if "description" in schema else "text"
        case "boolean":
            words = "true or false"
        case "array":
            words = _describe_list(schema, root)
        case "object":
            words = f"a mapping{_keys(schema)}"
        case _:
            words = "a value"
    return words


def _keys(schema: Schema) -> str:
    keys = list(schema.get("properties", ()))
    more = ", …" if len(keys) > _SHOWN_KEYS else ""
    return f" with keys among {', '.join(keys[:_SHOWN_KEYS])}{more}" if keys else ""


def _describe_list(schema: Schema, root: Schema) -> str:
    if fixed := schema.get("prefixItems"):
        return f"a list of {len(fixed)}: {', '.join(describe(item, root) for item in fixed)}"
    least = f" of at least {schema['minItems']}" if "minItems" in schema else ""
    return f"a list{least}, each {describe(schema.get('items', {}), root)}"


def _range(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f", at least {least}"
    if most is not None:
        return f", at most {most}"
    return f" above {schema['exclusiveMinimum']}" if "exclusiveMinimum" in schema else ""
