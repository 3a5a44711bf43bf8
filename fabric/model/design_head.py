"""What a design is besides its tables, as it stands in `design.yaml`."""

from __future__ import annotations

from fabric.model.design import Provenance
from fabric.model.record import Record
from fabric.model.request import Request


class DesignHead(Record):
    """Name, request as read, family with its own numbers, and where the design comes from."""

    name: str
    request: Request | None = None
    family: str
    parameters: dict[str, int | str]
    provenance: Provenance | None = None
