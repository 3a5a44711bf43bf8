"""The bench of failures: that it judges every element, on a small plane, and what links may take."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def failures(script):
    """The bench script as a module."""
    return script("failures")


def test_every_element_is_counted(failures):
    """Four leaves of 4 nodes and 2 spines: 16 + 8 links, 16 + 16 + 4 + ... cages, 6 switches."""
    lines = []
    failures.bench((("small", failures.plane(4, 4, 2)),), lines.append)
    assert "16 endpoints" in lines[0]
    assert lines[1].startswith("  all links: 24 in 2 classes")
    assert lines[2].startswith("  all elements: 62 in")


def test_degraded_plane_lacks_two_links(failures):
    """Two uplinks are gone and one host is slow."""
    whole, degraded = failures.plane(4, 4, 2), failures.plane(4, 4, 2, is_degraded=True)
    assert len(whole.links) - len(degraded.links) == 2
    assert sorted(degraded.network.endpoint_gbps.tolist())[:2] == [200.0, 400.0]


@pytest.mark.parametrize(("is_degraded", "counts"), [(False, (16384, 2)), (True, (16382, 10))])
def test_all_links_of_eight_thousand_endpoints(failures, is_degraded, counts):
    """Within 50 evaluations of the plane, whole and with two uplinks down and a slow host."""
    one = failures.plane(is_degraded=is_degraded)
    took_s, elements, classes = min(failures.kinds_s(one, failures.LINKS) for _ in range(3))
    assert (elements, classes) == counts
    assert took_s < 50 * failures.evaluation_s(one)
