"""Schemas of what is no hardware part: constants of chips, marking profiles, support of families, models, stacks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fabric.catalog.record import Count, Figure, PartRecord, Sourced
from fabric.model.request import LinkLayer

Law = Literal["mellanox", "broadcom_xgs", "generic"]
StackMode = Literal["low_latency", "normal", "rank_dedup", "plain"]
Positive = Annotated[int, Field(ge=1)]

Spread = Literal["ecmp", "dlb", "adaptive", "spray"]
"""Ways to spread packets."""

ROWS_PER_PARAMETER = 3
"""Fewest measured rows behind each free parameter of a fit."""

CONSTANTS = ("alpha0_us", "alpha1_us", "bandwidth_gbyte_s", "relative_sd")
"""Figures of a phase that a fit gives, borrows or states."""

SHIPPING = "shipping"
"""The grade below which something is missing."""

Grade = Literal["shipping", "vendor_engine", "open_opensm", "research"]
"""Runs on what is shipped; on the vendor's subnet manager alone; on open OpenSM alone; nowhere but in papers."""

GRADES: Mapping[str, str] = MappingProxyType(
    {
        "shipping": "shipping",
        "vendor_engine": "vendor engine only",
        "open_opensm": "open OpenSM only",
        "research": "research",
    }
)
"""Every grade in words."""


class Chip(Sourced):
    """Buffer constants of an Ethernet chip family, for every headroom law: a new chip is a file, not code.

    Attributes:
        chip: key of the chip family.
        law: which formula the chip follows.
        port_mtu_bytes: largest frame that the law's constants assume, in both directions.
        lossless_mtu_bytes: largest frame of the lossless class.
        signal_speed_m_per_s: propagation speed in the cable.
        xon_bytes: resume threshold; on `mellanox` also the reserved pipeline latency.
        cell_bytes: allocation unit of the buffer; None if unknown.
        small_packet_pct: share of 64-byte packets by count, `mellanox` law [%].
        mac_phy_bytes: bytes in the MAC and PHY of both ends.
        tile_bytes_per_gbps: bytes that cross between the tiles of the chip, per Gb/s of the port.
        pause_quanta: peer's response per rate [Gb/s] in quanta of 512 bit times.
        fixed_wire_bytes: `broadcom_xgs`: wire bytes per rate [Gb/s] that do not depend on the cable.
        xon_offset_bytes: how far below the XOFF point a port resumes.
        reserved_bytes: size of a priority group whose headroom lies in a pool; None: `xon_bytes`.
        margin_bytes: fixed bytes added to the law's XOFF.
        serdes_gbps: rate of one lane; None if it does not matter to the law.
        lossless_pool_bytes: ingress lossless pool of a published configuration, None if not known.
        headroom_pool_bytes: part of that pool that is headroom shared by all ports.
        dynamic_th: exponent n of the priority group's dynamic threshold, alpha = 2^n.
    """

    chip: str
    law: Law
    port_mtu_bytes: Positive
    lossless_mtu_bytes: Positive
    signal_speed_m_per_s: Figure
    xon_bytes: Count
    cell_bytes: Positive | None = None
    small_packet_pct: Annotated[float, Field(ge=0, le=100)] = 100.0
    mac_phy_bytes: Figure = 0.0
    tile_bytes_per_gbps: Figure = 0.0
    pause_quanta: dict[int, Positive] = Field(default_factory=dict)
    fixed_wire_bytes: dict[int, Figure] = Field(default_factory=dict)
    xon_offset_bytes: Count = 0
    reserved_bytes: Count | None = None
    margin_bytes: Count = 0
    serdes_gbps: Positive | None = None
    lossless_pool_bytes: Count | None = None
    headroom_pool_bytes: Count = 0
    dynamic_th: Annotated[int, Field(ge=-8, le=7)] = 0

    @property
    def shared_pool_bytes(self) -> int | None:
        """Bytes that dynamic thresholds share: the pool without its headroom; None if not known."""
        return None if self.lossless_pool_bytes is None else self.lossless_pool_bytes - self.headroom_pool_bytes


class IbChip(Sourced):
    """Credit constants of an InfiniBand chip family.

    Attributes:
        chip: key of the chip family.
        mtu_bytes: largest packet payload of the link.
        processing_ns: time from a packet's arrival to the return of its credit, without the cable.
        cable_ns_per_m: one-way propagation in the cable.
        data_vls_count: operational data lanes.
        max_credit_bytes: most credit outstanding on one lane; None if not known.
    """

    chip: str
    mtu_bytes: Positive
    processing_ns: Figure
    cable_ns_per_m: Figure
    data_vls_count: Annotated[int, Field(ge=1, le=15)]
    max_credit_bytes: Count | None = None


class EcnProfile(Sourced):
    """A published set of marking thresholds.

    Attributes:
        profile: key of the profile.
        kmin_bytes: queue at which marking starts.
        kmax_bytes: queue from which every packet is marked.
        pmax_pct: share of packets marked just below `kmax_bytes` [%].
        reference_gbps: rate at which the thresholds hold if they grow with the rate; None: the same at every rate.
        preferred_chips: chip families whose vendor publishes this profile for lossless traffic.
        is_fallback: whether it is the profile of chips that no other prefers.
    """

    profile: str
    kmin_bytes: Count
    kmax_bytes: Count
    pmax_pct: Annotated[float, Field(gt=0, le=100)]
    reference_gbps: Positive | None = None
    preferred_chips: tuple[str, ...] = ()
    is_fallback: bool = False


class FamilySupport(Sourced):
    """How far a family of fabrics runs on the switches of a network operating system.

    Attributes:
        family: key of the family.
        link_layer: what the switches speak.
        nos: key of the system, a folder of `templates/`.
        grade: how far.
        missing: what is not there, in words that end a sentence; None where nothing is.
        load_balancing: ways to spread packets that its routing has; None: all that the switches have.
    """

    family: str
    link_layer: LinkLayer
    nos: str
    grade: Grade
    missing: str | None = None
    load_balancing: tuple[Spread, ...] | None = None


class MoeModel(Sourced):
    """Shape of a mixture-of-experts model, as far as its traffic depends on it; parameters in 10⁹."""

    name: str
    vendor: str
    layers: Positive
    moe_layers: Positive
    hidden: Positive
    dispatch_payload_dim: Positive
    routed_experts: Positive
    shared_experts: Count
    top_k: Positive
    n_group: Positive | None = None
    topk_group: Positive | None = None
    expert_intermediate: Positive | None = None
    dense_intermediate: Positive | None = None
    attention: str | None = None
    kv_bytes_per_token_bf16: Positive | None = None
    vocab: Positive | None = None
    params_total_computed_b: Figure | None = None
    params_active_computed_b: Figure | None = None
    params_total_published_b: Figure | None = None
    params_active_published_b: Figure | None = None


PhaseName = Literal[
    "dispatch",
    "combine",
    "exchange",
    "ring",
    "ring_ll",
    "ring_ll128",
    "tree",
    "tree_ll",
    "tree_ll128",
    "in_network",
]
"""Phases with constants of their own: of MoE layers, of plain exchanges, of chains by algorithm and protocol."""

CHAINS = frozenset({"ring", "tree", "in_network"})
"""Phases whose time is that of steps in series, which no constants of a single exchange hold."""


class StackPhase(PartRecord):
    """Constants of one phase: time = alpha0 + alpha1·log2(nodes) + steps + bytes/bandwidth, spread by `relative_sd`.

    Attributes:
        alpha0_us: fixed time [us].
        alpha1_us: further time per doubling of the nodes [us].
        bandwidth_gbyte_s: payload through one adapter; on a `node` stack through one scale-up port [GB/s].
        relative_sd: standard deviation of one rank's time over its mean.
        step_us: one step in series between nodes [us], in phases that are chains.
        local_step_us: one step in series within a node [us].
        min_message_bytes: smallest copy of a token, or part of a plain exchange for one peer, that was measured.
        max_message_bytes: largest.
        optimistic_nodes: up to so many nodes, measured times of the phase were far longer than predicted; the notes say
            why.
    """

    alpha0_us: Figure
    alpha1_us: Figure
    bandwidth_gbyte_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    relative_sd: Figure
    step_us: Figure = 0.0
    local_step_us: Figure = 0.0
    min_message_bytes: Positive | None = None
    max_message_bytes: Positive | None = None
    optimistic_nodes: Count = 0


class StackFit(PartRecord):
    """What the constants of a stack rest on.

    Attributes:
        modes: modes that the constants were measured in; another mode is outside the fit.
        rows: measured rows fitted, by source; empty where every constant is borrowed or stated.
        free: figures fitted, by dotted path below `phases`; those of one group share one number.
        borrowed: figures taken from another stack as they are, with its key.
        in_sample_pct: median size of the error over the fitted rows [%]; None without rows.
        left_out_pct: the same with each measured system predicted from the others; None where they are too few.
    """

    modes: tuple[StackMode, ...] = ()
    rows: dict[str, Positive] = Field(default_factory=dict)
    free: tuple[tuple[str, ...], ...] = ()
    borrowed: dict[str, str] = Field(default_factory=dict)
    in_sample_pct: Figure | None = None
    left_out_pct: Figure | None = None

    @model_validator(mode="after")
    def _few_parameters(self) -> StackFit:
        rows = sum(self.rows.values())
        if ROWS_PER_PARAMETER * len(self.free) > rows:
            raise ValueError(f"{len(self.free)} free parameters for {rows} rows; one needs {ROWS_PER_PARAMETER}")
        return self


class Stack(Sourced):
    """Communication software on one adapter, with what its constants were fitted on.

    Attributes:
        scope: `network` between nodes; `node` inside one scale-up domain, where nothing crosses the fabric.
        serves: modes of a workload that it carries; `plain` is any collective.
        default_for: link layers on which a workload that names no stack takes it.
        phases: constants per phase; `plain` has `exchange` and chains by algorithm and protocol. None at all with
            `no_constants`.
        fit: what they rest on; also without constants, where rows were published that give none.
        no_constants: why the published rows of this software give no constants.
        link_layer: of the fitted fabric; using it elsewhere is outside the fit.
        nic: adapter of the fit, by catalog key, at `port_gbps` in all.
        message_rate_mops: messages that one adapter starts [10⁶/s].
        domain_ranks: of a `network` stack, ranks of a scale-up domain of the fitted clusters; None if not known.
        systems: of a `node` stack, systems in whose domains it was measured, by catalog key; it is lent to no other.
        dispatch_dtype: type of the values that it was measured with, where another takes another time.
        counts_own_rank: whether the bytes of its bandwidth hold what a rank keeps for itself.
        fitted_hop_count: switches on a path of the fitted fabric; their time, by its link layer, is inside alpha.
    """

    name: str
    scope: Literal["network", "node"]
    serves: tuple[StackMode, ...]
    default_for: tuple[LinkLayer, ...] = ()
    phases: dict[PhaseName, StackPhase]
    fit: StackFit
    no_constants: str | None = None
    link_layer: LinkLayer | None = None
    nic: str | None = None
    port_gbps: Positive | None = None
    message_rate_mops: Figure | None = None
    domain_ranks: Positive | None = None
    systems: tuple[str, ...] = ()
    dispatch_dtype: str | None = None
    counts_own_rank: bool = False
    fitted_hop_count: Count
    min_ranks: Positive
    max_ranks: Positive
    min_tokens_per_rank: Positive | None = None
    max_tokens_per_rank: Positive | None = None

    def figure(self, phase: str) -> StackPhase | None:
        """What times a phase: its own constants, else those of the first phase for another single exchange.

        Steps of a chain are times of their own: no exchange stands in for them.
        """
        figures = {str(name): figure for name, figure in self.phases.items()}
        return figures.get(phase) or (None if phase in CHAINS else next(iter(figures.values()), None))

    def constant(self, path: str) -> float | None:
        """The figure at a dotted path below `phases`; None where there is none."""
        name, _, figure = path.partition(".")
        phase = {str(key): value for key, value in self.phases.items()}.get(name)
        return getattr(phase, figure) if phase is not None and figure in CONSTANTS else None

    @model_validator(mode="after")
    def _explained(self) -> Stack:
        """Each constant is fitted, borrowed or has evidence of its own; without constants there is a reason."""
        if bool(self.phases) == (self.no_constants is not None):
            raise ValueError("either phases or no_constants says what there is")
        named = [path for group in self.fit.free for path in group] + list(self.fit.borrowed)
        if wrong := [path for path in named if self.constant(path) is None]:
            raise ValueError(f"fit names {', '.join(wrong)}, which phases do not hold")
        known = {*named, *(path.removeprefix("phases.") for path in self.evidence)}
        paths = [f"{phase}.{figure}" for phase in self.phases for figure in CONSTANTS]
        if missing := [path for path in paths if path not in known]:
            raise ValueError(f"neither fitted nor borrowed, and no evidence says why: {', '.join(missing)}")
        return self
