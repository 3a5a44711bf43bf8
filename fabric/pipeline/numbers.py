"""The fewest orderable numbers that any design of a shape is made of, by counting, before any of it is laid out.

Every link is one copper or active optical assembly, or a fibre with a pluggable at each end that has a cage for one.
An assembly that fits both layers serves both, and so may a fibre; a pluggable serves every cage that takes it. What
lengths, splitters and prices ask besides is left out, so that no design has fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.layout.assembly import cable_misfit, module_misfit
from fabric.layout.cage import EndSpec, node_end, switch_end
from fabric.layout.market import media_rule
from fabric.model.request import FIBRE, Request
from fabric.model.shape import Shape
from fabric.topology.size import Size

Layer = tuple[str, tuple[EndSpec, ...], tuple[EndSpec, ...]]
"""A kind of link, and the cages that its upper and its lower end may stand in."""


@dataclass(frozen=True)
class FewestNumbers:
    """Counts orderable numbers of the shapes of one request; each pair of models and rate once."""

    request: Request
    size: Size
    catalog: Catalog
    _known: dict[tuple[tuple[str, ...], tuple[str, ...], int], int] = field(default_factory=dict)

    def refuse(self, shape: Shape) -> None:
        """Refuse a shape that takes more orderable numbers than the request allows.

        Raises:
            InfeasibleError: with the count.
        """
        most = self.request.limits.part_numbers
        if most is None:
            return
        models, links = len({tier.part for tier in shape.tiers}), self.of_links(shape)
        if models + links > most:
            why = f"{models} of switches and at least {links} of cables and pluggables are {models + links} numbers"
            raise InfeasibleError(conflict=(Conflict("limits.part_numbers", str(most), why),))

    def of_links(self, shape: Shape) -> int:
        """Fewest numbers of cables and pluggables; 0 where nothing makes the links, which is for others to say."""
        kind = tuple(tier.part for tier in shape.tiers), tuple(shape.switch_links), shape.uplink_gbps
        if kind not in self._known:
            self._known[kind] = min(self._ways(tuple(self._layers(shape))), default=0)
        return self._known[kind]

    def _layers(self, shape: Shape) -> Iterator[Layer]:
        edge, *above = shape.tiers
        down = self._switch_ends(edge.part, shape.node_port_gbps)
        yield f"node_{edge.role}", down, self._node_ends(shape.node_port_gbps)
        parts = {tier.role: tier.part for tier in shape.tiers}
        top = above[-1].role if above else edge.role
        ends = {"leaf_spine": ("spine", "leaf"), "spine_core": ("core", "spine")}
        for kind in shape.switch_links:
            upper, lower = (self._switch_ends(parts[role], shape.uplink_gbps) for role in ends.get(kind, (top, top)))
            yield kind, upper, lower

    def _switch_ends(self, key: str, rate_gbps: int) -> tuple[EndSpec, ...]:
        """The cages of a switch that differ: by what power each supplies."""
        switch = self.catalog.switches[key]
        labels = ("", *map(str, switch.cages.high_power))
        return tuple({end: None for label in labels if (end := switch_end(key, switch, label, rate_gbps)) is not None})

    def _node_ends(self, rate_gbps: int) -> tuple[EndSpec, ...]:
        """The cages of a node by how many of their ports are linked."""
        system = self.size.system
        loads = range(1, max((mode.ports for mode in system.cage_modes), default=0) + 1)
        ends = (node_end(self.size.system_key, system, (rate_gbps, links), self.size.link_layer) for links in loads)
        return tuple({end: None for end in ends if end is not None})

    def _ways(self, layers: Sequence[Layer]) -> Iterator[int]:
        """Numbers by which layers are of assemblies and which are of fibre, as far as parts make them so."""
        for optical in product((False, True), repeat=len(layers)):
            electric = [
                self._assemblies(layer) for layer, is_fibre in zip(layers, optical, strict=True) if not is_fibre
            ]
            fibre = [layer for layer, is_fibre in zip(layers, optical, strict=True) if is_fibre]
            modules = _fewest_of_each([modules for layer in fibre for modules in self._modules(layer)])
            if all(electric) and modules is not None:
                shared = set.intersection(*electric) if electric else set()
                yield (1 if shared else len(electric)) + any(optical) + modules

    def _assemblies(self, layer: Layer) -> set[str]:
        """Copper and active optical cables that make such a link, alone or with others in the same cages."""
        kind, upper, lower = layer
        media = media_rule(self.request, kind)[1]
        pairs = [pair for ends in product(upper, lower) for pair in (ends, ends[::-1])]
        return {
            key
            for key, part in self.catalog.cables.items()
            if part.medium in media
            and part.medium not in FIBRE
            and any(not cable_misfit(part, head, (tail,), self.size.link_layer) for head, tail in pairs)
        }

    def _modules(self, layer: Layer) -> Iterator[set[str]]:
        """For each end of such a link the pluggables that serve it with fibre; none where optics are in the switch."""
        kind, *sides = layer
        media = media_rule(self.request, kind)[1]
        for ends in sides:
            if not any(end.co_packaged for end in ends):
                yield {
                    key
                    for key, part in self.catalog.transceivers.items()
                    if part.medium in media and any(not module_misfit(part, end, self.size.link_layer) for end in ends)
                }


def _fewest_of_each(groups: Sequence[set[str]]) -> int | None:
    """The fewest keys of which every group has one; None where one of them is empty."""
    if not all(groups):
        return None
    keys = sorted(set[str]().union(*groups))
    counts = range(len(groups) + 1)
    return next(n for n in counts for some in combinations(keys, n) if all(group & {*some} for group in groups))
