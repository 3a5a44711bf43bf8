"""Distinct domains of a token, against brute force over every choice a router can make."""

from fractions import Fraction
from itertools import combinations

import pytest

from fabric.errors import InputError
from fabric.traffic.routing import ExpertRouting, expected_domains


def brute_force(routing: ExpertRouting, domain_count: int) -> Fraction:
    """Mean distinct domains over all group choices and all expert choices within them."""
    size = routing.expert_count // routing.group_count
    bounds = [domain * routing.expert_count // domain_count for domain in range(domain_count + 1)]
    domain_of = [domain for domain in range(domain_count) for _ in range(bounds[domain], bounds[domain + 1])]
    counts = [
        len({domain_of[expert] for expert in experts})
        for groups in combinations(range(routing.group_count), routing.groups_per_token)
        for experts in combinations([g * size + i for g in groups for i in range(size)], routing.top_k)
    ]
    return Fraction(sum(counts), len(counts))


@pytest.mark.parametrize("domain_count", [1, 2, 3, 4, 5, 6, 12, 13])
@pytest.mark.parametrize("groups", [(1, 1), (2, 1), (4, 2), (6, 3), (4, 4)])
def test_equals_enumeration(groups, domain_count):
    """Exact for groups inside domains, domains inside groups, both crossing, more domains than experts."""
    routing = ExpertRouting(12, 3, *groups)
    assert expected_domains(routing, domain_count) == pytest.approx(
        float(brute_force(routing, domain_count)), rel=1e-14
    )


def test_top_1_reaches_one_domain():
    """One expert lies in one domain, however many there are."""
    assert expected_domains(ExpertRouting(128, 1), 8) == 1.0


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((256, 0), "must be at least 1"),
        ((256, 8, 7, 4), "256 experts do not form 7 equal groups"),
        ((256, 8, 8, 9), "may use 9 of only 8 groups"),
        ((64, 9, 8, 1), "top-9 exceeds the 8 experts"),
    ],
)
def test_impossible_models_are_refused(numbers, message):
    """A model whose numbers contradict each other is named, not computed."""
    with pytest.raises(InputError, match=message):
        ExpertRouting(*numbers)
