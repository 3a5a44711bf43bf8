"""What tests of traffic share."""

from __future__ import annotations

import pytest

from fabric.traffic.demand import Transfers


def _pairs(demand, ranks):
    if isinstance(demand, Transfers):
        listed = zip(demand.source.tolist(), demand.target.tolist(), demand.sent_bytes.tolist(), strict=True)
    else:
        listed = (
            (s, d, demand.sent_bytes[s] * demand.share[d])
            for s in range(ranks.count)
            for d in range(ranks.count)
            if demand.group[s] == demand.group[d]
        )
    return [(s, d, sent) for s, d, sent in listed if ranks.domain[s] != ranks.domain[d]]


@pytest.fixture(scope="session")
def pairs():
    """Of a demand among ranks, every pair of other domains with its bytes, one by one."""
    return _pairs
