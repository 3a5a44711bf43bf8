"""How far the family of a request runs today, and whether that is as far as the request wants."""

from __future__ import annotations

from fabric.catalog.constants import GRADES, SHIPPING
from fabric.catalog.load import Catalog
from fabric.model.request import Request
from fabric.nos.port_names import nos_of


def grade_of(request: Request, catalog: Catalog) -> str:
    """How far the family of a request runs on the system that tables name ports by."""
    found = catalog.support_of(request.fabric.family, nos_of(request.fabric.part_layer))
    return found.grade if found is not None else "unknown"


def is_supported(request: Request, catalog: Catalog) -> bool:
    """Whether the family runs at least as far as `fabric.least_support` asks; an unknown grade is the last one."""
    order = [*GRADES, "unknown"]
    least = request.fabric.least_support
    return least == order[-2] or order.index(grade_of(request, catalog)) <= order.index(least)


def in_words(request: Request) -> str:
    """Families that run as far as a request wants, in the words of a sentence: `that is shipping`."""
    least = request.fabric.least_support
    return "that is shipping" if least == SHIPPING else f"whose support is {GRADES[least]} or better"
