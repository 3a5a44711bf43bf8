"""Copies of a token that each rank (or node) receives, from the popularity and the places of its experts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fabric.errors import InputError
from fabric.model.network import FloatArray
from fabric.model.workload import MoeNumbers, Popularity, Workload
from fabric.traffic.balancing import packed, replicated
from fabric.traffic.inclusion import hit_probability, inclusion
from fabric.traffic.popularity import zipf_popularity
from fabric.traffic.routing import ExpertRouting, expected_domains

_SINGLE = 64
"""Layers drawn for a model that names no number of them."""


def layer_copies(work: Workload, model: MoeNumbers, domains: int, *, each_copy: bool, seed: int) -> FloatArray:
    """(n_layers, n_domains) copies of a token that each rank or node receives on average, without a group limit.

    Which experts are the popular ones differs from layer to layer, so Zipf's law is dealt out at random in each; even
    popularity and a histogram are the same in all layers, and come as one row.

    Experts are dealt to ranks or nodes in order, as evenly as their number allows.

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
    return expected_domains(ExpertRouting(model.experts + (work.redundant_experts or 0), model.top_k), domains)


@lru_cache(maxsize=64)
def _drawn(
    popularity: Popularity, redundant: int | None, model: MoeNumbers, domains: int, each_copy: bool, seed: int
) -> FloatArray:
    """As `layer_copies`; kept, because phases, trials and failures ask for the same."""
    rng = np.random.default_rng(seed)
    layers = (
        1 if popularity.is_even or popularity.histogram is not None else model.layers if model.layers > 1 else _SINGLE
    )
    rows = [
        _copies(_popularity_of(popularity, model, rng), redundant, model.top_k, domains, each_copy)
        for _ in range(layers)
    ]
    found = np.array(rows)
    found.flags.writeable = False
    return found


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
