"""Global links of a dragonfly: arrangements as published, and even spread over groups, routers and pairs of routers."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.catalog.load import load
from fabric.model.outline import listed
from fabric.model.request import Request
from fabric.topology._protocol import FAMILIES
from fabric.topology.global_links import ARRANGEMENTS, bundles
from fabric.topology.rewiring import Rewiring
from fabric.topology.size import resolve


def matrix(groups: int, links: int) -> list[list[int]]:
    """So many links between every two groups."""
    return [[0 if i == j else links for j in range(groups)] for i in range(groups)]


def deal(routers: list[int], links: list[list[int]], arrangement: str):
    """Every global link: the two groups, the lower first, and the router of each."""
    found = bundles(routers, links, arrangement)
    for pair in combinations(range(len(routers)), 2):
        yield from ((pair, ends) for ends in zip(*map(np.ndarray.tolist, found.ends[found.kind[pair]]), strict=True))


@pytest.mark.parametrize(
    ("arrangement", "expected"),
    [
        # Router r of group 0 has the global ports 2r and 2r + 1; the groups that these lead to, by their definitions.
        ("absolute", [{1, 2}, {3, 4}, {5, 6}, {7, 8}]),
        ("relative", [{1, 2}, {3, 4}, {5, 6}, {7, 8}]),
        ("circulant", [{1, 8}, {2, 7}, {3, 6}, {4, 5}]),
    ],
)
def test_arrangements_of_group_0(arrangement, expected):
    """a=4, h=2, nine groups: the groups that each router of group 0 is joined with."""
    reached = [set() for _ in range(4)]
    for (low, high), (router, _) in deal([4] * 9, matrix(9, 1), arrangement):
        if low == 0:
            reached[router].add(high)
    assert reached == expected


def test_relative_looks_the_same_from_every_group():
    """Port k of group i leads to group i + k + 1: router r of any group to the groups 2r + 1 and 2r + 2 further on."""
    for (low, high), (near, far) in deal([4] * 9, matrix(9, 1), "relative"):
        assert near == (high - low - 1) // 2
        assert far == ((low - high) % 9 - 1) // 2


sizes = st.lists(st.integers(1, 6), min_size=2, max_size=7)


@given(sizes, st.integers(1, 9), st.sampled_from(sorted(ARRANGEMENTS)))
def test_every_router_gets_its_share(routers, links, arrangement):
    """Two groups share the links asked; routers of a group differ by one global port at most."""
    found = list(deal(routers, matrix(len(routers), links), arrangement))
    assert Counter(groups for groups, _ in found) == {
        (i, j): links for i in range(len(routers)) for j in range(i + 1, len(routers))
    }
    ports = [Counter(dict.fromkeys(range(count), 0)) for count in routers]
    for (low, high), (a, b) in found:
        ports[low][a] += 1
        ports[high][b] += 1
    assert all(max(each.values()) - min(each.values()) <= 1 for each in ports)


@given(st.integers(2, 5), st.integers(2, 6), st.integers(1, 4), st.sampled_from(sorted(ARRANGEMENTS)))
def test_links_of_two_groups_meet_different_pairs(groups, routers, times, arrangement):
    """With as many links as pairs of routers, or a multiple, every pair of two groups has equally many."""
    links = times * routers * routers
    found = Counter(deal([routers] * groups, matrix(groups, links), arrangement))
    per_pair = Counter()
    for (pair, ends), count in found.items():
        per_pair[pair, ends] += count
    assert set(per_pair.values()) == {times}


CATALOG = load()


def asked(family: str, **parameters: int) -> Request:
    """32 HGX H100 nodes in groups, on 64-port switches."""
    document = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": 32,
        "fabric": {
            "link_layer": "infiniband", "family": family, "switches": ["nvidia-qm9700"], "wiring": "rack",
            "uplink_port_gbps": 400, "parameters": parameters,
        },
    }  # fmt: skip
    return Request.model_validate_json(json.dumps(document))


@pytest.mark.parametrize("request_", [asked("dragonfly", p=8, a=8), asked("dragonfly_plus", groups=4, spines=4)])
def test_rewired_with_the_same_ends_is_the_same(request_):
    """But for the name of the arrangement."""
    size, family = resolve(request_, CATALOG), FAMILIES[request_.fabric.family]
    shape = next(listed(family.listings(request_, size, CATALOG)))
    built = family.build(shape, request_, size, CATALOG)
    ends = [(link.b.device, link.a.device) for link in built.of_kind("global")]
    found = Rewiring(shape, family.joining, request_, ends).of(built, CATALOG)
    assert found.links == built.links
    assert found.devices == built.devices
    assert found.parameters == built.parameters | {"arrangement": "optimized"}
