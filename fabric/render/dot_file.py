"""`exports/topology.dot`: the wiring for Graphviz and for the prescriptive topology manager (PTM)."""

from __future__ import annotations

import json

from fabric.model.design import Design


def dot(design: Design) -> str:
    """One edge per link, `"leaf":"port" -- "spine":"port"`, in the order of the links."""
    lines = (
        f"  {_quoted(link.a.device)}:{_quoted(link.a.port)} -- {_quoted(link.b.device)}:{_quoted(link.b.port)}\n"
        for link in design.topology.links
    )
    return f"graph {_quoted(design.name or 'fabric')} {{\n{''.join(lines)}}}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
