"""Copies of a token that each rank (or node) receives, from the popularity and the places of its experts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fabric.errors import InputError
from fabric.model.network import FloatArray
from fabric.model.workload import MoeNumbers, Popularity, Workload
from fabric.traffic.balancing import packed, replicated
from fabric.traffic.group_limit import is_possible, limited_hits
from fabric.traffic.inclusion import hit_probability, inclusion
from fabric.traffic.routing import ExpertRouting, expected_domains

_SINGLE = 64
"""Layers drawn for a model that names no number of them."""


def zipf_popularity(expert_count: int, exponent: float) -> FloatArray:
    """(expert_count,) share of tokens of each expert, hottest first: p_i = i^-s / Σ j^-s."""
    weights = np.arange(1, expert_count + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def layer_copies(work: Workload, model: MoeNumbers, domains: int, *, each_copy: bool, seed: int) -> FloatArray:
    """(n_layers, n_domains) copies of a token that each rank or node receives on average.

    Which experts are the popular ones differs from layer to layer, so Zipf's law is dealt out at random in each; even
    popularity and a histogram are the same in all layers, and come as one row.

    Experts are dealt to ranks or nodes in order, as evenly as their number allows. A limit of groups holds where copies
    are merged and experts are not copied; popularity that it does not allow (`is_limit_scaled`) takes the number of
    copies that equal popularity has.

    Args:
        work: popularity, and whether experts are copied and packed by load.
        model: number of experts, of those that a token takes, and of layers.
        domains: ranks or nodes that hold the experts.
        each_copy: a token sends every copy, not one to each domain that it reaches.
        seed: of the places of the popular experts.

    Raises:
        InputError: slots packed by load are not equally many a rank, or the histogram does not fit the model.
    """
    if work.popularity.is_even and not (model.experts + (work.redundant_experts or 0)) % domains:
        return np.full((1, domains), even_copies(work, model, domains, each_copy=each_copy) / domains)
    return _drawn(work.popularity, work.redundant_experts, model, domains, each_copy, seed)


def even_copies(work: Workload, model: MoeNumbers, domains: int, *, each_copy: bool) -> float:
    """Copies of a token over all domains if experts were equally popular; arguments as of `layer_copies`."""
    if each_copy:
        return float(model.top_k)
    return expected_domains(routing_of(model, work.redundant_experts or 0), domains)


def routing_of(model: MoeNumbers, redundant: int = 0) -> ExpertRouting:
    """The numbers that decide where tokens go; further copies of experts count as experts, without a group limit."""
    if redundant:
        return ExpertRouting(model.experts + redundant, model.top_k)
    return ExpertRouting(model.experts, model.top_k, model.groups, model.groups_per_token)


def is_limit_scaled(work: Workload, model: MoeNumbers, seed: int) -> bool:
    """Whether copies are merged under a limit of groups that the popularity of experts does not allow in some layer."""
    if work.mode == "low_latency" or work.redundant_experts or not _is_limited(model) or work.popularity.is_even:
        return False
    layers = _layers(work.popularity, model, seed)
    return not all(is_possible(each, model.top_k, model.groups, model.groups_per_token) for each in layers)


def _is_limited(model: MoeNumbers) -> bool:
    return model.groups_per_token < model.groups


@lru_cache(maxsize=64)
def _drawn(
    popularity: Popularity, redundant: int | None, model: MoeNumbers, domains: int, each_copy: bool, seed: int
) -> FloatArray:
    """As `layer_copies`; kept, because phases, trials and failures ask for the same."""
    layers = _layers(popularity, model, seed)
    if redundant or each_copy or not _is_limited(model):
        found = np.array([_copies(each, redundant, model.top_k, domains, each_copy) for each in layers])
    else:
        place = np.arange(model.experts) * domains // model.experts
        limit = (model.groups, model.groups_per_token)
        hits = limited_hits(layers, model.top_k, place, *limit)
        found = (
            _scaled(layers, model, domains) if hits is None else np.pad(hits, ((0, 0), (0, domains - hits.shape[1])))
        )
    found.flags.writeable = False
    return found


def _scaled(layers: FloatArray, model: MoeNumbers, domains: int) -> FloatArray:
    """(n_layers, n_domains) copies without a limit of groups, as many in all as equal popularity has with it."""
    free = np.array([_copies(each, None, model.top_k, domains, each_copy=False) for each in layers])
    with_limit, without = (
        expected_domains(each, domains) for each in (routing_of(model), ExpertRouting(model.experts, model.top_k))
    )
    return np.asarray(free * with_limit / without, dtype=np.float64)


def _layers(popularity: Popularity, model: MoeNumbers, seed: int) -> FloatArray:
    """(n_layers, n_experts) share of every expert: one row where all layers are alike."""
    rng = np.random.default_rng(seed)
    alike = popularity.is_even or popularity.histogram is not None
    count = 1 if alike else model.layers if model.layers > 1 else _SINGLE
    return np.stack([_popularity_of(popularity, model, rng) for _ in range(count)])


def _popularity_of(popularity: Popularity, model: MoeNumbers, rng: np.random.Generator) -> FloatArray:
    """(n_experts,) share of the tokens of every expert of one layer, in the order in which experts are numbered."""
    if popularity.histogram is None:
        return rng.permutation(zipf_popularity(model.experts, popularity.zipf or 0.0))
    found = np.array(popularity.histogram, dtype=np.float64)
    if found.size != model.experts:
        raise InputError(f"the histogram has {found.size} numbers, the model {model.experts} experts")
    if np.count_nonzero(found) < model.top_k:
        raise InputError(f"{np.count_nonzero(found)} experts have any tokens, and a token goes to {model.top_k}")
    return np.asarray(found / found.sum(), dtype=np.float64)


def _copies(popularity: FloatArray, redundant: int | None, top_k: int, domains: int, each_copy: bool) -> FloatArray:
    """(n_domains,) copies of a token that each domain receives in one layer."""
    if redundant is None:
        domain = np.arange(popularity.size) * domains // popularity.size
    else:
        slots = replicated(popularity, redundant)
        popularity = np.asarray((popularity / np.bincount(slots))[slots], dtype=np.float64)
        domain = packed(popularity, domains)
    if each_copy:
        return np.bincount(domain, weights=inclusion(popularity, top_k), minlength=domains).astype(np.float64)
    found = hit_probability(popularity, top_k, domain)
    return np.pad(found, (0, domains - found.size))
