"""`exports/topology.dot`: the wiring for Graphviz and for the prescriptive topology manager (PTM)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabric.model.design import Design


def dot(design: Design) -> Iterator[str]:
    """One edge per link, `"leaf":"port" -- "spine":"port"`, in the order of the links."""
    yield f"graph {_quoted(design.name or 'fabric')} {{\n"
    for link in design.topology.links:
        yield f"  {_quoted(link.a.device)}:{_quoted(link.a.port)} -- {_quoted(link.b.device)}:{_quoted(link.b.port)}\n"
    yield "}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
