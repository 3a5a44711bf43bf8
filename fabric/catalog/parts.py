"""Schemas of catalog parts. One part per YAML file; the file's name is the part's key.

Every figure of a part has the part's `sources` and `confidence` unless `evidence` says otherwise for that field
(a dotted path). None is "not known", never a guess. `planning` holds stand-ins with a reason: they bind constraints
such as rack space and power, never the bill.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fabric.model.request import Medium

Confidence = Literal["datasheet", "standard", "measured", "estimate", "unconfirmed"]
LinkLayer = Literal["infiniband", "ethernet"]
FormFactor = Literal[
    "osfp", "qsfp112", "qsfp-dd", "qsfp56", "qsfp28", "osfp-rhs", "mpo-12", "mmc-12", "rj45", "sfp28"
]
Top = Literal["finned", "flat"]
Connector = Literal["mpo-12-apc", "mpo-16-apc", "lc-duplex-upc", "mmc-12"]
Count = Annotated[int, Field(ge=0)]
Figure = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PartRecord(BaseModel):
    """Base of all part files: frozen, strict types, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Evidence(PartRecord):
    """Where one figure comes from, when not from the part's own sources."""

    source: str | None = None
    confidence: Confidence | None = None
    note: str | None = None


class PlanningValue(PartRecord):
    """A stand-in for a figure nobody published, and why it is reasonable."""

    value: float | int | str
    reason: str


class Part(PartRecord):
    """What every part file holds."""

    name: str
    vendor: str
    family: str | None = None
    aliases: tuple[str, ...] = ()
    allowed_for_design: bool = True
    status: Literal["active", "planned", "prototype", "no_longer_sold", "unknown"] = "active"
    price_usd: Figure | None = None
    sources: tuple[str, ...]
    confidence: Confidence
    evidence: dict[str, Evidence] = {}
    planning: dict[str, PlanningValue] = {}
    notes: tuple[str, ...] = ()

    def figure(self, field: str) -> Any:  # noqa: ANN401 -- the type is the named field's
        """The field's value, or its planning value where the field is None."""
        value = getattr(self, field)
        if value is None and field in self.planning:
            return self.planning[field].value
        return value


class Cages(PartRecord):
    """Faceplate of a switch: all cages of one kind, labelled 1 … count."""

    count: Annotated[int, Field(ge=1)]
    form_factor: FormFactor
    top: Top | None = None
    lanes: Annotated[int, Field(ge=1)] = 8
    max_power_w: Figure | None = None
    high_power: dict[int, Figure] = {}


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

    `ports_by_speed_gbps` counts logical ports usable at the same time when every cage runs that rate; ports per cage
    and lane rate follow from it and from `cages`. `isolated_halves` is the number of switches in one chassis that do
    not forward to each other.
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
    load_balancing: tuple[Literal["ecmp", "dlb", "adaptive", "spray"], ...] = ()
    in_network_compute: str | None = None
    nos: tuple[str, ...] = ()
    managed: bool | None = None
    mgmt_ports: Annotated[int, Field(ge=0)] = 1
    co_packaged: bool = False
    tier_only: Literal["leaf", "spine", "oob"] | None = None

    def ports_per_cage(self, rate_gbps: int) -> int:
        """Logical ports of one cage at `rate_gbps`, 0 when the switch has no such port."""
        return self.ports_by_speed_gbps.get(rate_gbps, 0) // self.cages.count

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
    """An accelerator system as the scale-out network sees it: one operating system, one node."""

    generation: str
    accelerators: Annotated[int, Field(ge=0)]
    scale_up_accelerators: Annotated[int, Field(ge=1)] | None = None
    scale_up_gbyte_s_each_direction: Figure | None = None
    nic: str | None
    cage_form_factor: FormFactor
    cage_top: Top | None = None
    cage_modes: tuple[CageMode, ...]
    default_ports: dict[LinkLayer, int] = {}
    default_port_gbps: dict[LinkLayer, int] = {}
    default_planes: dict[LinkLayer, int] = {}
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
    dense_tflops: dict[Literal["bf16", "fp8", "fp4"], Figure | None] = {}


class Nic(Part):
    """A network adapter."""

    rates_gbps: tuple[int, ...]
    ports: str
    connectors: tuple[FormFactor, ...]
    link_layers: tuple[LinkLayer, ...]
    pcie: str | None = None
    typical_w: Figure | None = None
    max_w: Figure | None = None
    message_rate_mops: Figure | None = None


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


class MoeModel(Part):
    """Shape of a mixture-of-experts model, as far as its traffic depends on it."""

    layers: Annotated[int, Field(ge=1)]
    moe_layers: Annotated[int, Field(ge=1)]
    hidden: Annotated[int, Field(ge=1)]
    dispatch_payload_dim: Annotated[int, Field(ge=1)]
    routed_experts: Annotated[int, Field(ge=1)]
    shared_experts: Annotated[int, Field(ge=0)]
    top_k: Annotated[int, Field(ge=1)]
    n_group: Annotated[int, Field(ge=1)] | None = None
    topk_group: Annotated[int, Field(ge=1)] | None = None
    expert_intermediate: Annotated[int, Field(ge=1)] | None = None
    dense_intermediate: Annotated[int, Field(ge=1)] | None = None
    attention: str | None = None
    kv_bytes_per_token_bf16: Annotated[int, Field(ge=1)] | None = None
    vocab: Annotated[int, Field(ge=1)] | None = None
    params_total_computed_b: Figure | None = None
    params_active_computed_b: Figure | None = None
    params_total_published_b: Figure | None = None
    params_active_published_b: Figure | None = None
