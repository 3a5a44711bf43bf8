"""Shapes of fat-trees: one switch, two tiers, and with `pod_tree` three.

Per plane, with leaves of R_l and spines of R_s ports and units of n nodes:

    d = n·ports per leaf + extra;  u ≥ d·rate / (uplink rate·oversubscription);  L = units·leaves per unit
    S spines carry every uplink:  L·ceil(u/S) ≤ R_s,  S ≥ min_spines,  and S divides u unless trunks may be uneven.

Listings come by growing number of leaves. Every unit of those that follow has all its nodes, and every uplink a port of
a spine, so their uplinks are no fewer than all node ports want and their spines no fewer than these fill.

Source: al-fares-2008 (tree), nvidia-superpod-h100 (equal spread, by its tables).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.model.outline import Outline, listed
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.model.tree_shape import FatTreeShape, PodTreeShape
from fabric.topology import pod_tree, port_map, units
from fabric.topology._protocol import FAMILIES, Family
from fabric.topology.candidates import ROUNDING, Pair, leaf_pairs
from fabric.topology.size import TWO_TIERS, Size
from fabric.topology.units import Sharing, Unit

Listed = FatTreeShape | PodTreeShape | Outline
"""What a listing holds: shapes, and what all shapes after it have at least."""


@dataclass(frozen=True, slots=True, eq=False)
class _Listing:
    """Shapes of a pair of models with one way to share leaves, by growing number of leaves, an outline before each."""

    request: Request
    size: Size
    pair: Pair
    sharing: Sharing

    def __iter__(self) -> Iterator[Listed]:
        """Outlines and shapes, worked out as they are read."""
        for unit in units.by_number(self.request, self.size, self.pair, self.sharing):
            leaves = unit.units * unit.leaves * self.size.planes
            if self.request.fabric.parameters.get("leaves", leaves) == leaves:
                yield _outline(self.request, self.size, self.pair, leaves)
                yield from _two_tiers(self.request, self.size, self.pair, unit)


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[FatTreeShape | PodTreeShape, ...]:
    """Every undominated shape that can serve the request.

    Raises:
        InputError: a switch that cannot take the ports asked, or more tiers than are built.
        InfeasibleError: no switch pair holds the endpoints; the arithmetic of each is given.
    """
    return tuple(listed(listings(request, size, catalog)))


def listings(request: Request, size: Size, catalog: Catalog) -> tuple[Iterable[Listed], ...]:
    """The same shapes in listings, each of which is worked out as it is read, and as often.

    Raises:
        InputError, InfeasibleError: as `shapes` does.
    """
    pairs = leaf_pairs(request, size, catalog)
    found = [listing for rates in pairs for listing in _at_fastest(request, size, rates)]
    if request.fabric.tiers != TWO_TIERS:
        found.extend(_pods_at_fastest(request, size, rates) for rates in pairs)
    if not _hold(found):
        roomiest = [max(rates, key=lambda pair: pair.most_down_ports * pair.spine_ports) for rates in pairs]
        tiers, why = ("two", _conflict) if request.fabric.tiers == TWO_TIERS else ("three", pod_tree.conflict)
        message = f"no fat-tree of at most {tiers} tiers holds this request"
        raise InfeasibleError(message, conflict=tuple(why(request, size, pair) for pair in roomiest))
    return tuple(found)


def _at_fastest(request: Request, size: Size, rates: tuple[Pair, ...]) -> list[Iterable[Listed]]:
    """Listings of one pair of models at the fastest uplink rate at which it holds the request, else at the slowest."""
    *faster, slowest = rates
    tried = (_of_pair(request, size, pair) for pair in faster)
    return next((found for found in tried if _hold(found)), None) or _of_pair(request, size, slowest)


def _pods_at_fastest(request: Request, size: Size, rates: tuple[Pair, ...]) -> tuple[PodTreeShape, ...]:
    """Shapes of three tiers of one pair of models at the fastest uplink rate at which it holds the request."""
    tried = (tuple(pod_tree.shapes(request, size, pair)) for pair in rates)
    return next((found for found in tried if found), ())


def _hold(found: Iterable[Iterable[Listed]]) -> bool:
    """Whether there is a shape in any listing."""
    return next(listed(found), None) is not None


def _of_pair(request: Request, size: Size, pair: Pair) -> list[Iterable[Listed]]:
    """Listings of one pair of models: one switch, if that is enough, and two tiers for every way to share leaves."""
    single = units.whole(request, size, pair)
    alone = [] if single is None else [(_shape(request, size, pair, single, spines=0, uplinks=0),)]
    return [*alone, *(_Listing(request, size, pair, sharing) for sharing in units.sharings(request, size))]


def _outline(request: Request, size: Size, pair: Pair, leaves: int) -> Outline:
    """What shapes of so many leaves or more have at least."""
    wanted = size.growth_nodes * size.node_ports * pair.fewest_uplinks_per_port - ROUNDING * leaves
    spines = size.planes * max(request.fabric.min_spines, math.ceil(wanted / pair.spine_ports))
    return Outline(pair.leaf_key, pair.spine_key, leaves, spines, size.planes * math.ceil(wanted))


def _two_tiers(request: Request, size: Size, pair: Pair, unit: Unit) -> Iterator[FatTreeShape]:
    """The unit with every spine count and trunk worth a look.

    Fewer links on no more spines are cheaper, unless it is the other trunks alone that fill their cages. Uneven trunks
    are one more way beside the even ones: they save spines, and may cost longer cables. A trunk that the request fixes
    is even.
    """
    may_differ = request.fabric.uneven_trunks and "trunk" not in request.fabric.parameters
    for uneven in (False, True) if may_differ else (False,):
        fewest = {False: math.inf, True: math.inf}
        for spines, uplinks in _spine_counts(request, size, pair, unit, uneven=uneven):
            last = _last_uplinks(request, size, pair, unit, spines=spines, uplinks=uplinks)
            links = (unit.units - 1) * uplinks + last
            fills = not uneven and uplinks // spines % pair.whole_trunk == 0
            if links * unit.leaves <= pair.spine_ports * spines and links < min(fewest[True], fewest[fills]):
                fewest[fills] = links
                larger = units.enlarged(request, size, pair, unit, uplinks)
                yield _shape(request, size, pair, larger, spines=spines, uplinks=uplinks)


def _spine_counts(request: Request, size: Size, pair: Pair, unit: Unit, *, uneven: bool) -> Iterator[tuple[int, int]]:
    """Spines and uplinks of a leaf, by growing number of spines.

    Each with the smallest trunk that is enough, and with that which fills whole cages at both ends: twin cables of one
    link more can cost less than the single one of an odd link.
    """
    fewest, room = pair.uplinks(unit.down_ports), pair.room(unit.down_ports)
    fixed = request.fabric.parameters.get("trunk")
    for spines in _worth_a_look(request, size, pair, unit, uneven=uneven):
        least = fixed or math.ceil(fewest / spines)
        whole = fixed or math.ceil(least / pair.whole_trunk) * pair.whole_trunk
        for uplinks in (max(fewest, spines),) if uneven else sorted({spines * least, spines * whole}):
            if fewest <= uplinks <= room:
                yield spines, uplinks


def _worth_a_look(request: Request, size: Size, pair: Pair, unit: Unit, *, uneven: bool) -> Iterable[int]:
    """Spine counts of a plane that no smaller one makes useless, ascending.

    Every spine has a port for every leaf. With even trunks of t links a spine has t ports for each, u uplinks want at
    least u/t spines, and more spines than that mean more switches and more links in trunks as wide. Only leaves of an
    incomplete last unit may have fewer links on more spines, and uneven trunks may, so there every count is looked at.
    """
    leaves, least = unit.units * unit.leaves, request.fabric.min_spines
    if leaves > pair.spine_ports:
        return ()
    if "spines" in request.fabric.parameters:
        spines, rest = divmod(request.fabric.parameters["spines"], size.planes)
        return (spines,) if not rest and spines >= least else ()
    if uneven or not _is_last_complete(request):
        return range(least, pair.room(unit.down_ports) + 1)
    fewest = pair.uplinks(unit.down_ports)
    trunks = range(1, min(math.ceil(fewest / least), pair.spine_ports // leaves) + 1)
    return sorted({max(least, math.ceil(fewest / trunk)) for trunk in trunks})


def _shape(request: Request, size: Size, pair: Pair, unit: Unit, *, spines: int, uplinks: int) -> FatTreeShape:
    return FatTreeShape(
        leaf_part=pair.leaf_key,
        spine_part=pair.spine_key if spines else None,
        **units.below(size, unit, pair.uplink_gbps if spines else size.node_port_gbps),
        uplinks=uplinks,
        last_uplinks=_last_uplinks(request, size, pair, unit, spines=spines, uplinks=uplinks),
        spines=spines,
    )


def _is_last_complete(request: Request) -> bool:
    """Whether leaves of the last unit have all uplinks: asked, or because attached endpoints may take free ports."""
    return request.fabric.whole_units or bool(request.attached)


def _last_uplinks(request: Request, size: Size, pair: Pair, unit: Unit, *, spines: int, uplinks: int) -> int:
    """Uplinks of a leaf of the last unit: fewer where that may stay incomplete."""
    if not spines or _is_last_complete(request):
        return uplinks
    rest = size.growth_nodes - (unit.units - 1) * unit.nodes
    need = pair.uplinks(rest * unit.ports)
    return min(uplinks, max(need, spines) if request.fabric.uneven_trunks else math.ceil(need / spines) * spines)


def _conflict(request: Request, size: Size, pair: Pair) -> Conflict:
    """Why two tiers of this pair cannot hold the request."""
    down = pair.most_down_ports
    needed = size.growth_nodes * size.node_ports + math.ceil(size.attached_ports / size.planes)
    most = down * pair.spine_ports
    ports = f"{needed} endpoints a plane ({size.growth_nodes} nodes x {size.node_ports} ports"
    ports += f" and {size.attached_ports} attached)" if size.attached_ports else ")"
    if needed > most:
        arithmetic = (
            f"{ports}; at {request.fabric.oversubscription:g}:1 a leaf of {pair.leaf_ports} ports has at most {down} "
            f"down, and a spine of {pair.spine_ports} ports reaches {pair.spine_ports} leaves: "
            f"{down} x {pair.spine_ports} = {most} endpoints"
        )
    else:
        arithmetic = (
            f"{ports} with {', '.join(_asked(request))}: no whole number of "
            f"units, uplinks and spines fits leaves of {pair.leaf_ports} ports (at most {down} down) and spines of "
            f"{pair.spine_ports}"
        )
    return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", arithmetic)


def _asked(request: Request) -> Iterator[str]:
    """What the request itself asks of a shape, in its own words."""
    fabric = request.fabric
    for key, value in (("unit_nodes", fabric.unit_nodes), ("rails_per_leaf", fabric.rails_per_leaf)):
        if value != "auto":
            yield f"{key} {value}"
    yield f"min_spines {fabric.min_spines}"
    yield from (f"{key} {value}" for key, value in sorted(fabric.parameters.items()))


def build(shape: FatTreeShape | PodTreeShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of a shape, sorted by name."""
    if isinstance(shape, PodTreeShape):
        return pod_tree.build(shape, request, size, catalog)
    return port_map.build(shape, request, size, catalog)


FAMILIES.register("fat_tree")(Family(listings, build))
