"""Who spreads a node's traffic over planes: as asked, as its adapter is known to, else the library."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.catalog.parts import System
from fabric.model.request import LinkLayer

ASSUMED = "software"
"""Where nothing is known of the adapter: libraries give queue pairs to ports in turn. Source: nccl-connect."""


def plane_balancing(asked: str, system: System, layer: LinkLayer, catalog: Catalog) -> tuple[str, str]:
    """`hardware`, `software` or `none`, and why.

    Args:
        asked: `transport.plane_balancing`.
        system: of the nodes.
        layer: of their links.
        catalog: with their adapter.
    """
    if asked != "auto":
        return asked, "as asked"
    nic = catalog.nics.get(system.nic or "")
    known = nic.plane_balancing.get(layer) if nic is not None else None
    if nic is None or known is None:
        adapter = nic.name if nic is not None else "the adapter"
        return ASSUMED, f"assumed: the catalog does not say how {adapter} uses planes on {layer}"
    return known, f"how {nic.name} uses planes on {layer}"
