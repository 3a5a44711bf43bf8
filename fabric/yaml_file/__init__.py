"""YAML files: the one strict way to read and write them.

Owns: text to plain values with the line of every key; values to a schema with every fault in plain words;
values to canonical text. Takes text and pydantic models of any room, gives documents, records and text; knows no room.

Decisions.
- Scalars are what they look like. `true` and `false` are the only truth values, whole numbers have no leading
  zero, a number has a dot or a signed exponent (as JSON writers print it); everything else (`on`, `1:30`, `010`,
  `1E5`, `2026-01-01`) is text: a rack may be called 1E5, and a count written 010 is refused by its schema.
- Keys are text, bare or quoted, so that JSON (an overlay printed by `fabric catalog show`) means the same.
- Sequences become tuples: records are frozen.
- No anchors, aliases, tags or second documents: nobody needs them here, and each has an attack or a trap.
- One pass over libyaml's events: lines are exact, recursion is bounded by us, and hundreds of part files load in
  the time that a command may take to start.
"""

from fabric.yaml_file.explain import inspect, validate
from fabric.yaml_file.scan import Document, decode, load, parse, scan
from fabric.yaml_file.write import dump

__all__ = ["Document", "decode", "dump", "inspect", "load", "parse", "scan", "validate"]
