"""Bytes of one copy of one token on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from fabric.errors import InputError


@dataclass(frozen=True, slots=True)
class PayloadFormat:
    """How the values of a token are written: their width, and one scale per block of values.

    Attributes:
        value_bits: width of one value [bit].
        scale_bytes: width of one block's scale [byte]; 0 where the format has none.
        scale_block_count: values that share one scale.
    """

    value_bits: int
    scale_bytes: int = 0
    scale_block_count: int = 1


PAYLOAD_FORMATS: Mapping[str, PayloadFormat] = MappingProxyType(
    {
        "fp32": PayloadFormat(32),
        "bf16": PayloadFormat(16),
        "fp16": PayloadFormat(16),
        "fp8": PayloadFormat(8, scale_bytes=4, scale_block_count=128),
        "mxfp8": PayloadFormat(8, scale_bytes=1, scale_block_count=32),
        "mxfp4": PayloadFormat(4, scale_bytes=1, scale_block_count=32),
        "nvfp4": PayloadFormat(4, scale_bytes=1, scale_block_count=16),
    }
)
"""Formats by the name a workload gives them.

fp8 carries one fp32 scale per 128 values (Source: deepep-readme); mxfp8 and mxfp4 one 8-bit exponent per 32
values (Source: ocp-mx); nvfp4 one fp8 scale per 16 values, its scale per tensor neglected.
"""


def payload_format(name: str) -> PayloadFormat:
    """The format called `name`.

    Raises:
        InputError: no format has that name; the message lists the known ones.
    """
    try:
        return PAYLOAD_FORMATS[name]
    except KeyError:
        raise InputError(f"dtype {name!r} is unknown; known: {', '.join(PAYLOAD_FORMATS)}") from None


def copy_bytes(payload_dim: int, payload: PayloadFormat, header_bytes: int = 0) -> int:
    """Bytes of one token copy: values, the scales of its (partly filled) blocks, and the message header.

    Equation: b = ceil(dim · bits / 8) + scale · ceil(dim / block) + header.

    Args:
        payload_dim: width of the vector sent to an expert [values]; the latent width where a model has one.
        payload: how its values are written.
        header_bytes: bytes before each copy [byte], where a kernel sends one message per copy.
    """
    values_bytes = -(-payload_dim * payload.value_bits // 8)
    scales_bytes = payload.scale_bytes * -(-payload_dim // payload.scale_block_count)
    return values_bytes + scales_bytes + header_bytes
