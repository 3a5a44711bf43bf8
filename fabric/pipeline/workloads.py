"""Predicted times of workloads on the port map of a design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fabric.flow import sampling
from fabric.model.network import FloatArray
from fabric.model.report import Bottleneck, PhaseResult, WorkloadResult
from fabric.model.workload import MOE, Workload
from fabric.pipeline.carried import Carried
from fabric.pipeline.carrying import Setting
from fabric.pipeline.known import Known, with_workload
from fabric.pipeline.meeting import Met, company_of, meet, sharing_of
from fabric.pipeline.networks import Plane
from fabric.pipeline.stacks import stack_of
from fabric.traffic._protocol import Job


def predict(
    workload: Workload, setting: Setting, planes: tuple[Plane, ...], known: Known | None = None
) -> WorkloadResult:
    """Times of one workload on the given planes (those of the design, or with an element down).

    Args:
        workload: one of those of the setting's request, or what shall take its place there.
        setting: what all workloads share.
        planes: that carry it.
        known: what is known of the same setting and planes, where more is asked of them.

    Raises:
        InputError: the workload, or one that runs beside it, does not fit the design or nothing is known to time it
            with.
    """
    if known is None:
        known = Known(with_workload(workload, setting), planes)
    stack_key: str | None = stack_of(workload, setting.request.fabric.part_layer, setting.catalog)[0]
    carried = known.carried(workload)
    if carried is None:
        nothing: dict[str, float | None] = dict.fromkeys(sampling.PROBABILITIES)
        return WorkloadResult(workload.name, workload.pattern, nothing, None, None, {}, stack_key)
    company = company_of(workload, known)
    met = meet(carried, company)
    carried = tuple(_beside(each, added_us) for each, (_, added_us) in zip(carried, met, strict=True))
    rng = np.random.default_rng(setting.request.seed)
    samples_us = [
        sampling.slowest_of(_layers_us(each, beside, rng), each.constants.relative_sd, each.job.ranks.job_size, rng)
        for each, (beside, _) in zip(carried, met, strict=True)
    ]
    sample_us = np.asarray(np.sum(samples_us, axis=0), dtype=np.float64)
    quantiles = sampling.quantiles(sample_us)
    return WorkloadResult(
        name=workload.name,
        pattern=workload.pattern,
        time_us=quantiles,
        ideal_us=sum(each.ideal_us for each in carried),
        bottleneck=_busiest(carried),
        parts={f"{each.phase.name}_us": float(np.median(us)) for each, us in zip(carried, samples_us, strict=True)},
        stack=carried[0].inside.stack if carried[0].inside.is_all else stack_key,
        terms={f"{each.phase.name}_{key}": value for each in carried for key, value in each.time.terms.items()},
        protocols={each.phase.name: each.constants.name for each in carried},
        scale_up={each.phase.name: each.inside.stack for each in carried if each.inside.sent_bytes},
        interval_us=sampling.intervals(sample_us),
        jitter_us=quantiles["p99"] - quantiles["p50"],
        token_us=_token_us(carried[0].job, sample_us),
        distribution_us=sampling.distribution(sample_us),
        phases=tuple(_phase(each, us) for each, us in zip(carried, samples_us, strict=True)),
        sharing=sharing_of(carried, np.sum([added_us for _, added_us in met], axis=0), company),
    )


def _beside(carried: Carried, added_us: FloatArray) -> Carried:
    """A phase with what waiting for other workloads adds on average."""
    return replace(carried, time=replace(carried.time, sharing_us=float(added_us.mean())))


def _phase(carried: Carried, sample_us: FloatArray) -> PhaseResult:
    """What a phase offers and takes."""
    offered = sum(load.byte_count for load in carried.loads)
    times = sampling.quantiles(sample_us)
    return PhaseResult(carried.phase.name, offered, carried.ideal_us, times, carried.time.dominant)


def _busiest(carried: tuple[Carried, ...]) -> Bottleneck | None:
    """The fullest link of all phases, and how much of its phase it is full."""
    fullest = max(carried, key=lambda each: each.time.links_us)
    link = fullest.loads[fullest.fullest].link
    return Bottleneck(link, fullest.time.links_us / fullest.time.total_us) if link else None


def _token_us(job: Job, sample_us: FloatArray) -> dict[str, Mapping[str, float]] | None:
    """Quantiles of all layers of a token [us]; None where there are no layers."""
    if job.model is None or job.workload.pattern != MOE or job.model.layers == 1:
        return None
    serial = sampling.in_series(sample_us, job.model.layers, np.random.default_rng(job.seed))
    return {"independent": serial.independent, "persistent": serial.persistent}


def _layers_us(carried: Carried, met: Met, rng: np.random.Generator) -> FloatArray:
    """(n_samples,) mean time of a rank [us], with other popular experts, flows hashed and requests queued anew."""
    time, phase, samples = carried.time, carried.phase, len(met.begin_us)
    skew = np.resize(phase.hottest, samples) / phase.hottest[0]
    busiest_us = np.maximum(time.bytes_us, skew * (time.bytes_us + time.skew_us))
    ports_us = np.maximum(_ports(carried, samples, rng) * busiest_us, skew * time.messages_us)
    drawn_us = rng.permutation(np.resize(carried.loads[carried.fullest].drawn_us, samples))
    serial_us = met.serial_us(drawn_us, np.maximum(ports_us, skew * time.scale_up_us))
    mean_wait = carried.mean_wait
    waits = sampling.waits(phase.arrivals, samples, rng) - mean_wait if phase.arrivals else 0.0
    more_us = (serial_us - time.collided_us) * (1 + mean_wait) + waits * serial_us
    return np.asarray(time.total_us - time.sharing_us + more_us, dtype=np.float64)


def _ports(carried: Carried, samples: int, rng: np.random.Generator) -> FloatArray:
    """(n_samples,) bytes of the fullest plane of any port over the busiest port's mean, drawn where chance decides."""
    drawn = carried.ports_drawn
    return rng.permutation(np.resize(drawn, samples)) if drawn.size > 1 else drawn
