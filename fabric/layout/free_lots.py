"""Lots of leaves with free ports: what their node links cost at least, whichever of them share a cage in the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from fabric.catalog.load import Catalog
from fabric.floorplan.routes import Routes
from fabric.layout.cage import EndSpec
from fabric.layout.cage_price import cage_shape
from fabric.layout.down_cages import KIND, leaves_apart
from fabric.layout.lots import Alone, Lots
from fabric.layout.market import Shop, media_rule
from fabric.layout.price_table import least_table, link_tables
from fabric.layout.used_cages import used_cages
from fabric.model.request import Request
from fabric.model.topology import Topology


def free_lots(
    lots: Iterable[Lots], topology: Topology, routes: Routes, request: Request, catalog: Catalog
) -> Iterator[Lots]:
    """`lots`, but each node link that may be matched by itself, at its share of a full cage of links like it.

    No filling of cages costs less. For a module is shared by no more links than its cage has ports, a splitter by no
    more than it has legs, a cable by no more than a cage has ports; a full cage of equal links reaches all three at
    once, and what serves links of several kinds together serves each kind alone.
    """
    apart, _ = leaves_apart(topology, catalog)
    shop = Shop(request, catalog, routes)
    used = used_cages(topology, catalog, shop.layer)
    alike: dict[EndSpec, list[int]] = {}
    for number in sorted(number for leaf in apart for number in leaf.links):
        alike.setdefault(used.specs_of(number)[0], []).append(number)
    free = np.array([number for numbers in alike.values() for number in numbers], dtype=np.int64)
    for each in lots:
        kept = each.links[~np.isin(each.links, free).any(axis=1)]
        if len(kept):
            yield Lots(each.kind, kept, each.cost)
    heads = tuple(dict.fromkeys(end for leaf in apart for end in leaf.cages))
    media = {KIND: media_rule(request, KIND)[1]}
    for far, numbers in alike.items():
        options = (shop.ways(cage_shape(head, [far] * head.ports), media) for head in heads)
        tables = tuple(table for ways in options if ways for table, _ in link_tables(ways))
        yield Lots(KIND, np.array(numbers, dtype=np.int64)[:, None], Alone(least_table(tables)))
