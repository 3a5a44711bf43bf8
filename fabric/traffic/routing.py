"""How many distinct domains (ranks, nodes) the experts of one token lie in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from fabric.errors import InputError


@dataclass(frozen=True, slots=True)
class ExpertRouting:
    """The few numbers of a model that decide where its tokens go.

    Attributes:
        expert_count: routed experts, redundant copies included.
        top_k: distinct experts that each token is sent to.
        group_count: equal groups of consecutive experts; 1 where the model has no group limit.
        groups_per_token: groups that the experts of one token may come from.
    """

    expert_count: int
    top_k: int
    group_count: int = 1
    groups_per_token: int = 1

    def __post_init__(self) -> None:
        if min(self.expert_count, self.top_k, self.group_count, self.groups_per_token) < 1:
            raise InputError(f"experts, top-k and groups must be at least 1: {self}")
        if self.expert_count % self.group_count:
            raise InputError(f"{self.expert_count} experts do not form {self.group_count} equal groups")
        if self.groups_per_token > self.group_count:
            raise InputError(f"a token may use {self.groups_per_token} of only {self.group_count} groups")
        if self.top_k > self.allowed_count:
            raise InputError(f"top-{self.top_k} exceeds the {self.allowed_count} experts a token may use")

    @property
    def allowed_count(self) -> int:
        """Experts that one token may choose from, once its groups are chosen."""
        return self.expert_count // self.group_count * self.groups_per_token


@lru_cache(maxsize=256)
def expected_domains(routing: ExpertRouting, domain_count: int) -> float:
    """Expected number of distinct domains that one token's experts lie in, U(m).

    Equation: U(m) = Σ_d (1 - E[C(A - x_d, k) / C(A, k)]), with A the experts a token may use and x_d those
    of them in domain d; the expectation runs over all equally likely choices of groups. Without a group
    limit this is the m · (1 - C(E - E/m, k) / C(E, k)) of uniform choice without replacement.

    Experts are dealt to the domains in order, as evenly as their number allows. Groups and experts are chosen
    uniformly: an approximation of routers that choose by score.

    Args:
        routing: the model's numbers.
        domain_count: domains m that hold equal shares of the experts.
    """
    alike = Counter(_group_overlaps(routing, domain, domain_count) for domain in range(domain_count))
    return float(sum(count * _hit_probability(routing, overlaps) for overlaps, count in alike.items()))


def _group_overlaps(routing: ExpertRouting, domain: int, domain_count: int) -> tuple[int, ...]:
    """Experts that a domain has of each group it touches, in ascending order."""
    group_size = routing.expert_count // routing.group_count
    first = domain * routing.expert_count // domain_count
    end = (domain + 1) * routing.expert_count // domain_count
    touched = range(first // group_size, -(-end // group_size))
    shares = (min(end, (group + 1) * group_size) - max(first, group * group_size) for group in touched)
    return tuple(sorted(share for share in shares if share > 0))


def _hit_probability(routing: ExpertRouting, overlaps: tuple[int, ...]) -> Fraction:
    """Probability that at least one of a token's experts lies in a domain with these overlaps."""
    allowed, k = routing.allowed_count, routing.top_k
    untouched = routing.group_count - len(overlaps)
    missed = 0
    for (chosen, experts), ways in _choices(overlaps).items():
        rest = routing.groups_per_token - chosen
        if rest >= 0:
            missed += ways * comb(untouched, rest) * comb(allowed - experts, k)
    return 1 - Fraction(missed, comb(routing.group_count, routing.groups_per_token) * comb(allowed, k))


def _choices(overlaps: tuple[int, ...]) -> Counter[tuple[int, int]]:
    """Number of subsets of the touched groups, by (groups chosen, experts of the domain in them)."""
    ways = Counter({(0, 0): 1})
    for share in overlaps:
        ways += Counter({(chosen + 1, experts + share): count for (chosen, experts), count in ways.items()})
    return ways
