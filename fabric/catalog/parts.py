"""Schemas of hardware parts. One part per YAML file; the file's name is the part's key.

None is "not known", never a guess. `planning` holds stand-ins with a reason: they bind constraints such as rack space
and power, never the bill.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fabric.catalog.constants import Spread
from fabric.catalog.record import Count, Figure, Part, PartRecord
from fabric.model.request import LinkLayer, Medium

FormFactor = Literal["osfp", "qsfp112", "qsfp-dd", "qsfp56", "qsfp28", "osfp-rhs", "mpo-12", "mmc-12", "rj45", "sfp28"]
Top = Literal["finned", "flat"]
Connector = Literal["mpo-12-apc", "mpo-16-apc", "lc-duplex-upc", "mmc-12"]

FACEPLATE_CONNECTORS: Mapping[str, Connector] = MappingProxyType({"mpo-12": "mpo-12-apc", "mmc-12": "mmc-12"})
"""Fibre connector of a faceplate hole, by its form factor, on a switch with its optics inside."""


class Cages(PartRecord):
    """Faceplate of a switch: all cages of one kind, labelled 1 … count; a count of 0 means that it is not known.

    `max_power_w` is what a module in any cage may draw, `high_power` what it may draw in the cages named.
    """

    count: Count
    form_factor: FormFactor
    top: Top | None = None
    lanes: Annotated[int, Field(ge=1)] = 8
    max_power_w: Figure | None = None
    high_power: dict[int, Figure] = Field(default_factory=dict)


class PortGroup(PartRecord):
    """Adjacent cages that share a limit on logical ports (one pipeline of the chip)."""

    cages: Annotated[int, Field(ge=1)]
    max_ports: Annotated[int, Field(ge=1)]


class Buffer(PartRecord):
    """Packet memory [bytes]."""

    total_bytes: Count | None = None
    usable_pool_bytes: Count | None = None
    ingress_lossless_pool_bytes: Count | None = None
    shared_headroom_bytes: Count | None = None


class Switch(Part):
    """A switch that can be ordered.

    `ports_by_speed_gbps` counts logical ports usable at the same time at that rate, service and RJ45 ports included;
    ports per cage and lane rate follow from it and from `cages`. `isolated_halves` is the number of switches in one
    chassis that do not forward to each other. `lossless_priorities` is what the hardware supports at once.
    """

    link_layer: LinkLayer
    chip: str | None = None
    chip_name: str | None = None
    chip_count: Count | None = None
    lane_gbps: Annotated[int, Field(ge=1)] | None = None
    switching_tbps: Figure | None = None
    cages: Cages
    ports_by_speed_gbps: dict[int, Annotated[int, Field(ge=1)]]
    max_logical_ports: Annotated[int, Field(ge=1)] | None = None
    port_group: PortGroup | None = None
    isolated_halves: Annotated[int, Field(ge=1)] = 1
    extra_ports: str | None = None
    breakouts: tuple[str, ...] = ()
    rack_units: Annotated[int, Field(ge=1)] | None = None
    typical_w: Figure | None = None
    max_w: Figure | None = None
    max_w_includes_optics: bool | None = None
    feed: Literal["ac", "dc"] | None = None
    cooling: Literal["air", "liquid"] | None = None
    airflow: str | None = None
    buffer: Buffer = Buffer()
    latency_ns: Figure | None = None
    data_virtual_lanes: Annotated[int, Field(ge=1, le=15)] | None = None
    lossless_priorities: Annotated[int, Field(ge=1, le=8)] | None = None
    max_unicast_lids: Count | None = None
    load_balancing: tuple[Spread, ...] = ()
    in_network_compute: str | None = None
    nos: tuple[str, ...] = ()
    managed: bool | None = None
    mgmt_ports: Annotated[int, Field(ge=0)] = 1
    co_packaged: bool = False
    tier_only: Literal["leaf", "spine", "oob"] | None = None

    @model_validator(mode="after")
    def _known_faceplate(self) -> Switch:
        if self.allowed_for_design and not (self.cages.count and self.ports_by_speed_gbps):
            raise ValueError("a switch without known cages and ports cannot be allowed_for_design")
        return self

    @property
    def counts_optics(self) -> bool:
        """Whether its maximum power, known or planned, has in it what is plugged."""
        return bool(self.figure("max_w_includes_optics"))

    def ports_per_cage(self, rate_gbps: int) -> int:
        """Logical ports of one cage at `rate_gbps`, 0 when the cages have no such port (a port has a lane at least)."""
        per_cage = self.ports_by_speed_gbps.get(rate_gbps, 0) // max(1, self.cages.count)
        return per_cage if per_cage <= self.cages.lanes else 0

    def usable_ports(self, rate_gbps: int) -> int:
        """Ports usable at once when every cage runs `rate_gbps`, within the limit on logical ports."""
        ports = self.ports_per_cage(rate_gbps) * self.cages.count
        return min(ports, self.max_logical_ports or ports)

    def port_lane_gbps(self, rate_gbps: int) -> int | None:
        """Signalling rate of one lane of a port at `rate_gbps`, None without such a port."""
        per_cage = self.ports_per_cage(rate_gbps)
        lanes = self.cages.lanes // per_cage if per_cage else 0
        return rate_gbps // lanes if lanes else None


class CageMode(PartRecord):
    """One way to run a host cage: how many ports of which rate on lanes of which rate."""

    rate_gbps: Annotated[int, Field(ge=1)]
    ports: Annotated[int, Field(ge=1)]
    lane_gbps: Annotated[int, Field(ge=1)]
    link_layers: tuple[LinkLayer, ...] = ("infiniband", "ethernet")


class HostPort(PartRecord):
    """One host port: where it is on the faceplate and what stands behind it; None where the map is not public."""

    rail: Annotated[int, Field(ge=0)]
    cage: str
    port_in_cage: Annotated[int, Field(ge=1)] = 1
    nic: str | None = None
    rdma_device: str | None = None
    accelerator: Annotated[int, Field(ge=0)] | None = None


class System(Part):
    """An accelerator system as the scale-out network sees it: one operating system, one node.

    `default_*` say how a node is wired per link layer where the request is silent. `rack_first_u` are the rack units
    of the nodes of a system that comes as a whole rack.
    """

    generation: str
    accelerators: Annotated[int, Field(ge=0)]
    scale_up_accelerators: Annotated[int, Field(ge=1)] | None = None
    scale_up_gbyte_s_each_direction: Figure | None = None
    nic: str | None
    cage_form_factor: FormFactor
    cage_top: Top | None = None
    cage_modes: tuple[CageMode, ...]
    default_ports: dict[LinkLayer, int] = Field(default_factory=dict)
    default_port_gbps: dict[LinkLayer, int] = Field(default_factory=dict)
    default_planes: dict[LinkLayer, int] = Field(default_factory=dict)
    host_ports: tuple[HostPort, ...]
    host_port_map: Literal["published", "confirm on site"] = "confirm on site"
    rack_units: Annotated[int, Field(ge=1)] | None = None
    node_kw: Figure | None = None
    rack_kw: Figure | None = None
    nodes_per_rack: Annotated[int, Field(ge=1)] | None = None
    whole_rack: bool = False
    rack_first_u: tuple[Annotated[int, Field(ge=1)], ...] = ()
    cooling: Literal["air", "liquid"] | None = None
    feed: Literal["ac", "dc"] | None = None
    mgmt_ports: Annotated[int, Field(ge=0)] = 1
    hbm_gb: Figure | None = None
    hbm_tbyte_s: Figure | None = None
    tdp_w: Figure | None = None
    dense_tflops: dict[Literal["bf16", "fp8", "fp4"], Figure | None] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ports_apart(self) -> System:
        places = [(port.cage, port.port_in_cage) for port in self.host_ports]
        rails = [port.rail for port in self.host_ports]
        if len(set(places)) < len(places):
            raise ValueError("two host_ports name the same port of the same cage")
        if sorted(rails) != list(range(len(rails))):
            raise ValueError("the rails of host_ports are not 0, 1, 2 … each once")
        return self


class Nic(Part):
    """A network adapter.

    `plane_balancing` says per link layer who spreads its traffic over planes: the adapter, the library, or nobody.
    """

    rates_gbps: tuple[int, ...]
    ports: str
    connectors: tuple[FormFactor, ...]
    link_layers: tuple[LinkLayer, ...]
    pcie: str | None = None
    typical_w: Figure | None = None
    max_w: Figure | None = None
    message_rate_mops: Figure | None = None
    plane_balancing: dict[LinkLayer, Literal["hardware", "software", "none"]] = Field(default_factory=dict)


class CableEnd(PartRecord):
    """One end of an assembly: the cage it plugs into (copper, AOC) or the connector it mates with (fibre)."""

    form_factor: FormFactor | None = None
    top: Top | None = None
    connector: Connector | None = None
    ports: Annotated[int, Field(ge=1)] = 1
    power_w: Figure | None = None


class CablePart(Part):
    """One orderable cable of one length.

    `head` is the single end, `tails` the far ends: one tail of as many ports for a straight cable, several for a
    splitter. `rate_gbps` is the rate of one port, `lane_gbps` of one lane; a fibre has neither.
    """

    medium: Medium
    length_m: Annotated[float, Field(gt=0)]
    link_layers: tuple[LinkLayer, ...]
    head: CableEnd
    tails: Annotated[tuple[CableEnd, ...], Field(min_length=1)]
    rate_gbps: Annotated[int, Field(ge=1)] | None = None
    lane_gbps: Annotated[int, Field(ge=1)] | None = None
    fibre_grade: Literal["OM3", "OM4", "OS2"] | None = None
    between: tuple[Literal["switch-switch", "switch-node"], ...] = ("switch-switch", "switch-node")
    qualified_with: tuple[str, ...] = ()
    outer_diameter_mm: Figure | None = None
    kg_per_m: Figure | None = None
    opn: str | None = None

    @property
    def ports(self) -> int:
        """Links that one assembly carries."""
        return self.head.ports


class Transceiver(Part):
    """One orderable pluggable: `ports` ports of `rate_gbps`, each on a connector of its own."""

    form_factor: FormFactor
    top: Top | None
    ports: Annotated[int, Field(ge=1)]
    rate_gbps: Annotated[int, Field(ge=1)]
    lane_gbps: Annotated[int, Field(ge=1)]
    medium: Literal["mmf", "smf"]
    connector: Connector
    link_layers: tuple[LinkLayer, ...]
    reach_m: dict[Literal["OM3", "OM4", "OS2"], Figure]
    min_reach_m: Figure = 0.0
    typical_w: Figure | None = None
    max_w: Figure | None = None
    fits: tuple[Literal["switch", "node"], ...] = ("switch", "node")
    qualified_with: tuple[str, ...] = ()
    optics: str | None = None
    opn: str | None = None
