"""Schemas of what is no hardware part: constants of chips, marking profiles, model shapes and software stacks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.catalog.parts import LinkLayer
from fabric.catalog.record import Count, Figure, PartRecord, Sourced

Positive = Annotated[int, Field(ge=1)]


class Chip(Sourced):
    """Buffer constants of an Ethernet chip family; the fields are those of the headroom laws that use them."""

    chip: str
    law: Literal["mellanox", "broadcom_xgs", "generic"]
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


class IbChip(Sourced):
    """Credit constants of an InfiniBand chip family."""

    chip: str
    mtu_bytes: Positive
    processing_ns: Figure
    cable_ns_per_m: Figure
    data_vls_count: Annotated[int, Field(ge=1, le=15)]
    max_credit_bytes: Count | None = None


class EcnProfile(Sourced):
    """A published set of marking thresholds; `reference_gbps` is their rate where they grow with the rate."""

    profile: str
    kmin_bytes: Count
    kmax_bytes: Count
    pmax_pct: Annotated[float, Field(gt=0, le=100)]
    reference_gbps: Positive | None = None
    preferred_chips: tuple[str, ...] = ()
    is_fallback: bool = False


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


class StackPhase(PartRecord):
    """Constants of one phase: time = alpha0 + alpha1·log2(nodes) + bytes/bandwidth, spread by `relative_sd`."""

    alpha0_us: Figure
    alpha1_us: Figure
    bandwidth_gbyte_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    relative_sd: Figure


class Stack(Sourced):
    """Communication software on one adapter, with what its constants were fitted on.

    Attributes:
        scope: `network` between nodes; `node` inside one scale-up domain, where nothing crosses the fabric.
        serves: modes of a workload that it carries; `plain` is any collective.
        default_for: link layers on which a workload that names no stack takes it.
        phases: constants per phase; `exchange` is the only phase of `plain`.
        link_layer: of the fitted fabric; using it elsewhere is outside the fit.
        nic: adapter of the fit, by catalog key, its port at `port_gbps`.
        message_rate_mops: messages that one adapter starts [10⁶/s].
        hop_ns: one more switch with its cable [ns].
        fitted_hop_count: switches on a path of the fitted fabric, whose time is inside alpha.
    """

    name: str
    scope: Literal["network", "node"]
    serves: tuple[Literal["low_latency", "normal", "rank_dedup", "plain"], ...]
    default_for: tuple[LinkLayer, ...] = ()
    phases: dict[Literal["dispatch", "combine", "exchange"], StackPhase]
    link_layer: LinkLayer | None = None
    nic: str | None = None
    port_gbps: Positive | None = None
    message_rate_mops: Figure | None = None
    hop_ns: Figure
    fitted_hop_count: Count
    min_ranks: Positive
    max_ranks: Positive
    min_tokens_per_rank: Positive | None = None
    max_tokens_per_rank: Positive | None = None
