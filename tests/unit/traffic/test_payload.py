"""Bytes of one token copy."""

import pytest

from fabric.errors import InputError
from fabric.traffic.payload import copy_bytes, payload_format


@pytest.mark.parametrize(
    ("dtype", "header_bytes", "expected"),
    [
        ("fp8", 0, 7168 + 4 * 56),
        ("fp8", 16, 7168 + 4 * 56 + 16),
        ("bf16", 0, 2 * 7168),
        ("nvfp4", 0, 3584 + 448),
        ("mxfp4", 0, 3584 + 224),
    ],
)
def test_copy_of_a_7168_wide_token(dtype, header_bytes, expected):
    """Values, scales and header add up as each format's definition says."""
    assert copy_bytes(7168, payload_format(dtype), header_bytes) == expected


def test_partly_filled_block_has_its_scale():
    """2880 values fill 22.5 blocks of 128, and the half block needs a scale of its own."""
    assert copy_bytes(2880, payload_format("fp8")) == 2880 + 4 * 23


def test_unknown_dtype_lists_the_known_ones():
    """A misspelt dtype is answered with what is allowed."""
    with pytest.raises(InputError, match="'fp9' is unknown; known: fp32, bf16"):
        payload_format("fp9")
