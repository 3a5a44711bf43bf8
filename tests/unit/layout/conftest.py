"""A made-up catalog and hall, small enough to check a cabling by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Switch, System, Transceiver
from fabric.floorplan.routes import Routes
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement, Position
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port, Topology
from fabric.nos.port_names import nos_of, port_name

_COMMON: dict[str, Any] = {"name": "made up", "vendor": "test", "sources": ("test",), "confidence": "estimate"}
_BOTH = ("infiniband", "ethernet")
_FINNED = {"form_factor": "osfp", "top": "finned"}
_FLAT = {"form_factor": "osfp", "top": "flat"}
_MPO = {"connector": "mpo-12-apc"}


def copper(
    medium: str, length_m: float, usd: float, head: Mapping[str, Any], *tails: Mapping[str, Any], **more: object
) -> CablePart:
    """A 400G cable on lanes of 100G."""
    fields = _COMMON | {"link_layers": _BOTH, "rate_gbps": 400, "lane_gbps": 100} | more
    return CablePart(
        medium=medium,
        length_m=length_m,
        price_usd=usd,
        head={**head},
        tails=tuple({**tail} for tail in tails),
        **fields,
    )


def fibre(
    grade: str, length_m: float, usd: float, head: str = "mpo-12-apc", tail: str = "mpo-12-apc", legs: int = 1
) -> CablePart:
    """A straight fibre, or a splitter of so many legs."""
    return CablePart(
        **_COMMON,
        medium="smf" if grade == "OS2" else "mmf",
        length_m=length_m,
        link_layers=_BOTH,
        price_usd=usd,
        head={"connector": head, "ports": legs},
        tails=({"connector": tail},) * legs,
        fibre_grade=grade,
    )


def module(optics: str, reach_m: Mapping[str, float], usd: float, top: str, ports: int, **more: object) -> Transceiver:
    """A 400G module on lanes of 100G: twin-port ones are 2 x 400G."""
    fields: dict[str, Any] = {
        **_COMMON,
        "link_layers": _BOTH,
        "form_factor": "osfp",
        "rate_gbps": 400,
        "lane_gbps": 100,
        "connector": "mpo-12-apc",
        **more,
    }
    medium = "smf" if "OS2" in reach_m else "mmf"
    return Transceiver(
        optics=optics, reach_m=dict(reach_m), price_usd=usd, top=top, ports=ports, medium=medium, **fields
    )


def made_up_cables() -> dict[str, CablePart]:
    """Copper up to 3 m, active optical to 30 m, multimode to 50 m, single mode to 500 m."""
    twin, twin_flat, single = _FINNED | {"ports": 2}, _FLAT | {"ports": 2}, _FLAT | {"ports": 1}
    return {
        "dac-1": copper("dac", 1.0, 100, twin, twin),
        "dac-2": copper("dac", 2.0, 120, twin, twin),
        "dac-dgx-2": copper("dac", 2.0, 130, twin_flat, twin),
        "split-1": copper("dac", 1.0, 140, twin, single, single),
        "split-3": copper("dac", 3.0, 180, twin, single, single),
        "aoc-10": copper("aoc", 10.0, 900, twin, twin),
        "om3-3": fibre("OM3", 3.0, 30),
        "om3-30": fibre("OM3", 30.0, 60),
        "om4-50": fibre("OM4", 50.0, 90),
        "os2-30": fibre("OS2", 30.0, 40),
        "os2-100": fibre("OS2", 100.0, 110),
        "os2-300": fibre("OS2", 300.0, 310),
        "split-os2-50": fibre("OS2", 50.0, 75, legs=2),
        "mmc-30": fibre("OS2", 30.0, 70, "mmc-12"),
    }


def made_up_modules() -> dict[str, Transceiver]:
    """Multimode and single mode for a finned twin cage, a flat twin cage and a flat single cage."""
    multi = {"OM3": 30.0, "OM4": 50.0}
    return {
        "sr4-twin": module("400G-SR4", multi, 700, "finned", 2, max_w=15.0),
        "sr4-twin-flat": module("400G-SR4", multi, 750, "flat", 2),
        "sr4": module("400G-SR4", multi, 400, "flat", 1),
        "dr4-twin-100": module("400G-DR4", {"OS2": 100.0}, 900, "finned", 2, max_w=17.0),
        "dr4-twin-500": module("400G-DR4", {"OS2": 500.0}, 1100, "finned", 2, max_w=17.0),
        "dr4-twin-flat": module("400G-DR4", {"OS2": 500.0}, 1150, "flat", 2),
        "dr4": module("400G-DR4", {"OS2": 500.0}, 600, "flat", 1),
        "fr4-twin": module("400G-FR4", {"OS2": 2000.0}, 1500, "finned", 2, connector="lc-duplex-upc"),
    }


def made_up_switches() -> dict[str, Switch]:
    """A switch of 8 finned twin cages, and one whose optics are inside."""
    common = _COMMON | {"link_layer": "infiniband", "lane_gbps": 100}
    finned = {"count": 8, "form_factor": "osfp", "top": "finned", "lanes": 8}
    inside = {"count": 16, "form_factor": "mmc-12", "lanes": 4}
    return {
        "twin": Switch(**common, cages=finned, ports_by_speed_gbps={400: 16, 200: 32}),
        "inside": Switch(**common, cages=inside, ports_by_speed_gbps={400: 16}, co_packaged=True),
    }


def made_up_systems() -> dict[str, System]:
    """A node of single-port cages and one of twin-port cages."""
    common = _COMMON | {
        "generation": "test",
        "accelerators": 8,
        "nic": "adapter",
        "cage_form_factor": "osfp",
        "cage_top": "flat",
        "host_ports": (),
    }
    mode = {"rate_gbps": 400, "lane_gbps": 100}
    single = mode | {"ports": 1}
    return {
        "hgx": System(**common, cage_modes=(single, single | {"rate_gbps": 200})),
        "dgx": System(**common, cage_modes=(mode | {"ports": 2},)),
    }


@dataclass
class Bench:
    """Builds topologies from short texts, and a hall of racks 10 m apart in one row."""

    cables: dict[str, CablePart] = field(default_factory=made_up_cables)
    modules: dict[str, Transceiver] = field(default_factory=made_up_modules)
    switches: dict[str, Switch] = field(default_factory=made_up_switches)
    systems: dict[str, System] = field(default_factory=made_up_systems)
    part_of: Mapping[str, str] = field(
        default_factory=lambda: {"n": "hgx", "d": "dgx", "l": "twin", "s": "twin", "p": "inside"}
    )

    @property
    def catalog(self) -> Catalog:
        """The catalog of the parts as they stand now."""
        empty: dict[str, Any] = {"nics": {}, "moe_models": {}, "stacks": {}, "chips": {}, "sources": {}, "overlay": {}}
        return Catalog(
            systems=self.systems,
            switches=self.switches,
            cables=self.cables,
            transceivers=self.modules,
            digest="test",
            **empty,
        )

    def topology(self, *ends: str, rate_gbps: int = 400, **parameters: int) -> Topology:
        """A topology from texts such as "n1:A l1:3"; the first letter says what a device is (`part_of`).

        "l1:3.1" is the second of four ports of the cage, named as the system of InfiniBand switches names it.
        """
        links = []
        for number, text in enumerate(ends):
            (a, a_cage), (b, b_cage) = (end.split(":") for end in text.split())
            kind = "node_leaf" if a[0] in "nd" else "leaf_spine"
            port = b_port = f"p{number:03d}"
            b_cage, _, slot = b_cage.partition(".")
            if slot:
                b_port = port_name(nos_of("infiniband"), int(b_cage), int(slot), 4, 8)
            links.append(Link(f"{a}.{port}", kind, Port(a, a_cage, port), Port(b, b_cage, b_port), rate_gbps))
        roles = {"n": "node", "d": "node", "l": "leaf", "s": "spine", "p": "spine"}
        names = sorted({port.device for link in links for port in (link.a, link.b)})
        devices = tuple(Device(name, roles[name[0]], self.part_of[name[0]]) for name in names)
        return Topology("fat_tree", parameters, devices, tuple(sorted(links, key=lambda link: link.name)))

    def hall(self, topology: Topology, racks: Mapping[str, int] | None = None) -> tuple[Placement, Routes]:
        """Every device in rack 0 unless `racks` says otherwise; units ascend by name, no slack."""
        racks = racks or {}
        plan = FloorPlan.model_validate(
            {
                "racks": tuple(
                    {"name": f"R{index}", "x_m": 10.0 * index, "y_m": 0.0, "row": "R", "units": 100}
                    for index in range(max(racks.values(), default=0) + 1)
                ),
                "trays": {"height_m": 5.0},
                "slack_per_end_m": 0.0,
            }
        )
        positions = tuple(
            Position(device.name, f"R{racks.get(device.name, 0)}", 1 + 2 * index, 1)
            for index, device in enumerate(topology.devices)
        )
        return Placement(positions), Routes(plan)

    @staticmethod
    def request(media: Sequence[str] | None = None, **fabric: object) -> Request:
        """An InfiniBand request that allows `media` on every link."""
        if media is not None:
            fabric["media"] = {"node_leaf": tuple(media), "leaf_spine": tuple(media)}
        return Request.model_validate(
            {"name": "test", "accelerator": "hgx", "nodes": 1, "fabric": {"link_layer": "infiniband", **fabric}}
        )


@pytest.fixture
def bench() -> Bench:
    """A fresh bench; a test may change its parts."""
    return Bench()
