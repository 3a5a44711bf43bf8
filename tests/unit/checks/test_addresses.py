"""IPv4 texts as numbers."""

from __future__ import annotations

import pytest

from fabric.checks._addresses import address, interface, network, pool


@pytest.mark.parametrize("text", [None, "", "10.0.0", "10.0.0.256", "::1", "10.0.0.1 ", "leaf"])
def test_what_is_no_address(text):
    """Anything but four numbers below 256."""
    assert address(text) is None


@pytest.mark.parametrize("text", ["10.0.0.1", "10.0.0.1/33", "10.0.0.1/", "10.0.0.1/x", "10.0/31"])
def test_what_is_no_interface(text):
    """An address without a prefix of 0 to 32."""
    assert interface(text) is None


def test_network_of_an_interface():
    """10.0.0.7/30 lies in 10.0.0.4/30."""
    assert network(interface("10.0.0.7/30")) == (10 * 2**24 + 4, 30)


def test_pool_holds_its_first_and_last_address():
    """A /30 is four addresses; a text that is no network is none."""
    first = 10 * 2**24
    assert pool("10.0.0.0/30") == range(first, first + 4)
    assert len(pool("10.0.0.1/30")) == 0
