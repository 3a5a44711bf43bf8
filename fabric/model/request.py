"""The request: what a deployment team asks for, as it stands in `request.yaml`. Format: contract, Request."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from fabric.model.record import NAME_PATTERN, NAME_RULE, Count, NonNegative, Positive, PositiveCount, Record
from fabric.model.workload import Workload

Medium = Literal["dac", "acc", "aec", "aoc", "mmf", "smf"]
MEDIA: tuple[Medium, ...] = ("dac", "acc", "aec", "aoc", "mmf", "smf")
COPPER: frozenset[str] = frozenset({"dac", "acc", "aec"})
"""Media whose signal runs in twinax."""

FIBRE: frozenset[str] = frozenset({"mmf", "smf"})
"""Media whose ends sit in pluggables, not in cages."""

LinkLayer = Literal["infiniband", "ethernet"]
"""Link layer as parts name it."""

Goal = Literal["capex", "tco", "power"]

PARAMETERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "fat_tree": ("leaves", "spines", "trunk", "cores"),
        "dragonfly": ("p", "a", "h", "groups", "arrangement"),
        "dragonfly_plus": ("leaves", "spines", "endpoints_per_leaf", "global_per_spine", "groups", "arrangement"),
        "torus": ("sizes", "p"),
    }
)
"""What `fabric.parameters` may fix of every family, in the order in which `family: auto` looks at them."""

Goals = Annotated[tuple[Goal, ...], Field(min_length=1)]
Rate = Annotated[int, Field(ge=1, le=6400)]
Priority = Annotated[int, Field(ge=0, le=7)]
Dscp = Annotated[int, Field(ge=0, le=63)]

FAMILY_WORDS: Mapping[str, str] = MappingProxyType(
    {"fat_tree": "fat-tree", "dragonfly": "dragonfly", "dragonfly_plus": "dragonfly+", "torus": "torus"}
)
"""Families as sentences name them."""


class Attached(Record):
    """Further endpoints of one role; a device's ports go to different leaves."""

    role: Literal["ufm", "storage", "gateway", "login"]
    count: PositiveCount
    ports: PositiveCount = 1
    gbps: Rate


class SwitchChoice(Record):
    """Allowed switch models per tier; None lets the optimizer choose from the catalog."""

    leaf: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    spine: Annotated[tuple[str, ...], Field(min_length=1)] | None = None


class MediaChoice(Record):
    """Allowed cable media per layer."""

    node_leaf: Annotated[tuple[Medium, ...], Field(min_length=1)] = MEDIA
    leaf_spine: Annotated[tuple[Medium, ...], Field(min_length=1)] = MEDIA


class Fabric(Record):
    """The fabric wanted: link layer, family, allowed parts and wiring.

    `least_support` says how far a family has to run today to be taken under `family: auto` before others.
    """

    link_layer: Literal["infiniband", "roce"]
    family: Literal["auto", "fat_tree", "dragonfly", "dragonfly_plus", "torus"] = "auto"
    least_support: Literal["shipping", "vendor_engine", "open_opensm", "research"] = "shipping"
    tiers: Literal[2, 3, "auto"] = 2
    switches: SwitchChoice = SwitchChoice()
    node_ports: PositiveCount | None = None
    node_port_gbps: Rate | None = None
    uplink_port_gbps: Rate | None = None
    planes: Annotated[int, Field(ge=1, le=16)] | None = None
    wiring: Literal["rail", "rack", "dual_homed", "auto"] | None = None
    unit_nodes: PositiveCount | Literal["auto"] = "auto"
    rails_per_leaf: PositiveCount | Literal["auto"] = "auto"
    whole_units: bool = True
    oversubscription: Positive = 1.0
    min_spines: PositiveCount = 2
    uneven_trunks: bool = False
    port_order: Literal["regular", "free"] = "regular"
    media: MediaChoice = MediaChoice()
    preload_optics: bool = False
    parameters: dict[str, Any] = Field(default_factory=dict)

    @property
    def part_layer(self) -> LinkLayer:
        """The link layer as parts name it: RoCE runs on Ethernet parts."""
        return "ethernet" if self.link_layer == "roce" else "infiniband"

    @field_validator("switches", mode="before", json_schema_input_type=str | tuple[str, ...] | SwitchChoice)
    @classmethod
    def _switches(cls, value: object) -> object:
        """Accept the short forms: `auto`, one model, or a list of models for every tier."""
        if value == "auto":
            return SwitchChoice()
        if isinstance(value, str):
            return {"leaf": (value,), "spine": (value,)}
        if isinstance(value, list | tuple):
            return {"leaf": tuple(value), "spine": tuple(value)}
        if isinstance(value, dict):
            return {tier: tuple(models) if isinstance(models, list) else models for tier, models in value.items()}
        return value


class PlacementPolicy(Record):
    """Where switches may stand."""

    leaf: Literal["free", "own_rack", "network_rack", "row_middle", "row_end"] = "free"
    spine: Literal["free", "network_row", "spread"] = "free"
    max_switches_per_rack: PositiveCount | Literal["auto"] = "auto"


class Planning(Record):
    """Figures that stand in where the catalog has none; they bind constraints, never the bill."""

    node_kw: Positive | None = None
    node_units: PositiveCount | None = None
    nodes_per_rack: PositiveCount | None = None
    switch_w: dict[str, Positive] = Field(default_factory=dict)


class Cost(Record):
    """Terms of the total cost of ownership."""

    years: Positive = 5
    usd_per_kwh: NonNegative = 0.12
    pue: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 1.3


class Limits(Record):
    """Upper limits on the whole fabric; None is no limit."""

    budget_usd: Positive | None = None
    power_kw: Positive | None = None
    part_numbers: PositiveCount | None = None


class Transport(Record):
    """How packets are spread and paced, and what happens to one that is lost.

    `hash_seeds` says whether switches that hash flows have a seed each or all the same.
    `loss_rate` is the probability that a packet is lost; a lost one is noticed after `round_trip_us`.
    """

    load_balancing: Literal["auto", "ecmp", "dlb", "adaptive", "spray"] = "auto"
    plane_balancing: Literal["auto", "hardware", "software", "none"] = "auto"
    congestion_control: Literal["auto", "dcqcn", "spectrum_x", "none"] = "auto"
    hash_seeds: Literal["per_switch", "shared"] = "per_switch"
    queue_pairs: PositiveCount = 4
    rail_forwarding: bool = False
    loss_rate: Annotated[float, Field(ge=0, le=0.1)] = 0.0
    retransmission: Literal["go_back_n", "selective_repeat"] = "go_back_n"
    round_trip_us: Positive = 10.0


class Qos(Record):
    """One chain from DSCP to priority, the same on NIC, leaf and spine."""

    rdma_dscp: Dscp = 26
    rdma_priority: Priority = 3
    cnp_dscp: Dscp = 48
    cnp_priority: Priority = 6
    mtu: Annotated[int, Field(ge=1280, le=9216)] = 9216

    @model_validator(mode="after")
    def _apart(self) -> Qos:
        if self.rdma_priority == self.cnp_priority:
            raise ValueError("rdma_priority and cnp_priority are equal; a CNP must not wait behind lossless data")
        if self.rdma_dscp == self.cnp_dscp:
            raise ValueError("rdma_dscp and cnp_dscp are equal; one code point maps to one priority")
        return self


class Names(Record):
    """Name patterns; `{su} {rail} {plane} {group} {index}` and format widths such as `{index:03d}` may be used."""

    node: str = "node-{index:04d}"
    leaf: str | None = None
    spine: str | None = None
    core: str | None = None
    router: str | None = None
    attached: str = "{role}-{index:02d}"


class Addressing(Record):
    """Address pools. Blocks are reserved for the fabric's full size, so growth renumbers nothing."""

    loopbacks: str = "10.254.0.0/16"
    links: str = "10.240.0.0/13"
    hosts: str = "10.0.0.0/10"
    asn_base: Annotated[int, Field(ge=1, le=4294967294)] = 4200000000
    mgmt: str = "172.16.0.0/16"


class Survive(Record):
    """How many elements of each kind may be down at once with the limits still held."""

    links: Annotated[int, Field(ge=0, le=1)] = 0
    switches: Annotated[int, Field(ge=0, le=1)] = 0


class Request(Record):
    """A whole request. Exactly one of `nodes`, `accelerators` and `units` says how large."""

    name: Annotated[str, Field(pattern=NAME_PATTERN, description=NAME_RULE)]
    accelerator: str
    nodes: PositiveCount | None = None
    accelerators: PositiveCount | None = None
    units: PositiveCount | None = None
    spare_nodes: Count = 0
    growth_nodes: PositiveCount | None = None
    attached: tuple[Attached, ...] = ()
    fabric: Fabric
    placement: PlacementPolicy = PlacementPolicy()
    planning: Planning = Planning()
    objective: Goals = ("capex",)
    cost: Cost = Cost()
    limits: Limits = Limits()
    transport: Transport = Transport()
    qos: Qos = Qos()
    names: Names = Names()
    addressing: Addressing = Addressing()
    workloads: tuple[Workload, ...] = ()
    survive: Survive = Survive()
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    samples: Annotated[int, Field(ge=1, le=1_000_000)] = 1000

    @field_validator("objective", mode="before", json_schema_input_type=Goal | Goals)
    @classmethod
    def _objective(cls, value: object) -> object:
        if isinstance(value, str):
            return (value,)
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _one_size(self) -> Request:
        given = [key for key in ("nodes", "accelerators", "units") if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"exactly one of nodes, accelerators and units is needed; found {found}")
        return self
