"""InfiniBand: credit that a virtual lane needs for full rate, and which service level rides on which lane."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fabric.catalog.constants import IbChip
from fabric.errors import Fault, InputError

CREDIT_BLOCK_BYTES = 64
"""Unit of link credit. Source: ibta-vol1 (not opened; unconfirmed)."""

SERVICE_LEVELS_COUNT = 16
"""Service levels of InfiniBand; each maps to one virtual lane. Source: ibta-vol1."""

MAX_OP_VLS_CODE = {1: 1, 2: 2, 4: 3, 8: 4, 15: 5}
"""Code of a number of operational data lanes in the subnet manager's `max_op_vls`. Source: opensm-manual."""


ONE_LANE_FAMILIES = ("fat_tree",)
"""Families whose routes (up, then down) never wait in a circle on a single lane. Source: opensm-manual."""


@dataclass(frozen=True, slots=True)
class VlPlan:
    """Virtual lanes of a fabric.

    Attributes:
        vls_count: Data lanes in use, numbered from 0.
        sl_to_vl: Lane of each service level, shape (16,); the same on every port.
        max_op_vls: Code of the smallest number of operational lanes that holds the plan.
        weights: Low-priority arbitration weight of each lane, shape (vls_count,); none is 0.
    """

    vls_count: int
    sl_to_vl: tuple[int, ...]
    max_op_vls: int
    weights: tuple[int, ...]


def engine_lanes(family: str, available_count: int) -> int:
    """Lanes that a subnet manager's engine for a family may use: one for trees, else all that switches have.

    The engines for other families (dfsssp, nue, torus-2QoS) take as many as their routes turn out to need, and spread
    routes over the rest. Source: opensm-manual.
    """
    return 1 if family in ONE_LANE_FAMILIES else available_count


def credit_bytes(chip: IbChip, rate_gbps: int, cable_m: float) -> int:
    """Credit that one lane needs to fill the link, in whole credit blocks [bytes].

    `rate/8 * (2 * cable + processing) + mtu`: what is sent before the first credit can return, and one
    packet.

    Args:
        chip: Credit constants.
        rate_gbps: Rate of the link [Gb/s].
        cable_m: Length of the cable [m], at least 0.

    Raises:
        InputError: The length or the rate is out of range.
    """
    if not (cable_m >= 0 and math.isfinite(cable_m) and rate_gbps > 0):
        raise InputError(Fault(f"{rate_gbps} Gb/s over {cable_m} m is not a link", key="cable_m"))
    loop_ns = 2 * chip.cable_ns_per_m * cable_m + chip.processing_ns
    return math.ceil((rate_gbps / 8 * loop_ns + chip.mtu_bytes) / CREDIT_BLOCK_BYTES) * CREDIT_BLOCK_BYTES


def reach_m(chip: IbChip, rate_gbps: int) -> float | None:
    """Longest cable at full rate under the chip's credit limit [m]; None if the limit is not known."""
    if chip.max_credit_bytes is None:
        return None
    loop_ns = (chip.max_credit_bytes - chip.mtu_bytes) * 8 / rate_gbps - chip.processing_ns
    return max(0.0, loop_ns / (2 * chip.cable_ns_per_m))


def vl_plan(*, qos_levels_count: int = 1, lanes_per_level_count: int = 1, available_count: int = 8) -> VlPlan:
    """Lanes of a fabric whose routing needs some lanes for each quality-of-service level.

    Service level i rides on lane i * lanes_per_level; levels that nobody plans ride on lane 0, so that a
    stray packet is carried and not dropped. A two-tier fat tree routed up and down needs one lane per level.

    Args:
        qos_levels_count: Traffic classes to keep apart, 1 to 16.
        lanes_per_level_count: Lanes that deadlock-free routing needs for one class.
        available_count: Operational data lanes of the switches.

    Raises:
        InputError: More lanes are needed than the switches have.
    """
    vls_count = qos_levels_count * lanes_per_level_count
    if not 1 <= vls_count <= min(available_count, SERVICE_LEVELS_COUNT):
        message = (
            f"{qos_levels_count} service levels x {lanes_per_level_count} lanes need {vls_count} lanes, "
            f"the switches have {available_count}"
        )
        raise InputError(Fault(message, key="qos"))
    planned = tuple(level * lanes_per_level_count for level in range(qos_levels_count))
    return VlPlan(
        vls_count=vls_count,
        sl_to_vl=planned + (0,) * (SERVICE_LEVELS_COUNT - qos_levels_count),
        max_op_vls=min(code for count, code in MAX_OP_VLS_CODE.items() if count >= vls_count),
        # Equal and never 0: a weight of 0 misbehaves on the second chip generation (quantum-2-firmware).
        weights=(1,) * vls_count,
    )
