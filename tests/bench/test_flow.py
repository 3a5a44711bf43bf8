"""The flow bench as a test: the plain model agrees on every arc, and a wrong load is no measurement."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def flow(script):
    """The bench script as a module."""
    return script("flow")


def test_the_plain_model_agrees(flow):
    """512 endpoints, skewed, two uplinks down, one slow host: every arc to 1e-9."""
    assert flow.difference(flow.scene(512)) < 1e-12
    assert flow.compare(512, 1) > 1


def test_other_loads_are_no_measurement(flow, monkeypatch):
    """The comparison stops where the two differ."""
    monkeypatch.setattr(flow, "difference", lambda _: 1e-3)
    with pytest.raises(ArithmeticError, match="loads differ"):
        flow.compare(512, 1)
