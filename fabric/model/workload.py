"""Traffic that a fabric must carry, as a request or a file of its own describes it. Format: contract, Request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, field_validator, model_validator

from fabric.model.record import NAME_PATTERN, NAME_RULE, Count, NonNegative, Positive, PositiveCount, Record

Pattern = Literal[
    "moe_all_to_all",
    "all_to_all",
    "all_gather",
    "reduce_scatter",
    "all_reduce",
    "pipeline",
    "kv_transfer",
    "bursts",
    "permutation",
    "matrix",
]

MOE = "moe_all_to_all"
"""The pattern that a model's numbers describe."""

NEEDED: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        MOE: (("model",), ("expert_parallel",), ("tokens_per_rank",)),
        "pipeline": (("ranks",), ("bytes_per_rank", "model")),
        "kv_transfer": (("ranks",), ("bytes_per_rank", "model")),
        "matrix": (("matrix",),),
    }
)
"""What a pattern cannot do without: of each tuple one key. The others need `ranks` and `bytes_per_rank`."""

_COLLECTIVE = (("ranks",), ("bytes_per_rank",))

ONLY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "expert_parallel": (MOE,),
        "dispatch_dtype": (MOE,),
        "combine_dtype": (MOE,),
        "mode": (MOE,),
        "popularity": (MOE,),
        "redundant_experts": (MOE,),
        "model": (MOE, "pipeline", "kv_transfer"),
        "tokens_per_rank": (MOE, "pipeline", "kv_transfer"),
        "algorithm": ("all_reduce",),
        "incast": ("kv_transfer",),
        "fan_out": ("bursts",),
        "load": ("bursts",),
        "order": ("permutation",),
        "matrix": ("matrix",),
    }
)
"""Keys that mean something in some patterns alone."""


@dataclass(frozen=True, slots=True, eq=False)
class RankMatrix:
    """Transfers from rank to rank, as a file lists them.

    Attributes:
        ranks: of the job.
        source: (n_transfers,) rank that sends.
        target: (n_transfers,) rank that receives.
        sent_bytes: (n_transfers,) [byte].
    """

    ranks: int
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    sent_bytes: NDArray[np.float64]


class LimitUs(Record):
    """Latency limits of a workload [us]."""

    p50: Positive | None = None
    p99: Positive | None = None
    p999: Positive | None = None


class MoeNumbers(Record):
    """The few numbers of a mixture-of-experts model that decide its traffic.

    `payload_dim` is the width of the vector sent to an expert [values]; `layers` those with experts.
    """

    experts: PositiveCount
    top_k: PositiveCount
    payload_dim: PositiveCount
    layers: PositiveCount = 1
    groups: PositiveCount = 1
    groups_per_token: PositiveCount = 1
    kv_bytes_per_token: PositiveCount | None = None

    @model_validator(mode="after")
    def _possible(self) -> MoeNumbers:
        if self.experts % self.groups:
            raise ValueError(f"{self.experts} experts do not form {self.groups} equal groups")
        if self.groups_per_token > self.groups:
            raise ValueError(f"a token may use {self.groups_per_token} of only {self.groups} groups")
        allowed = self.experts // self.groups * self.groups_per_token
        if self.top_k > allowed:
            raise ValueError(f"top_k {self.top_k} exceeds the {allowed} experts that a token may use")
        return self


STEEPEST = 5.0
"""Largest exponent of Zipf's law that is taken."""


class Popularity(Record):
    """How unequally experts are chosen: evenly, by Zipf's law, or as a histogram says.

    Attributes:
        zipf: exponent s of p_i = i^-s; 0 is even.
        histogram: tokens (or shares) of every expert, in the order in which experts are numbered.
        file: a file with the histogram, one number a line, beside the request; read when the request is.
    """

    zipf: Annotated[float, Field(ge=0, le=STEEPEST)] | None = None
    histogram: tuple[NonNegative, ...] | None = None
    file: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Popularity:
        given = [key for key in ("zipf", "histogram", "file") if getattr(self, key) is not None]
        if len(given) > 1:
            raise ValueError(f"popularity has {' and '.join(given)}; give one of zipf, histogram and file")
        if self.histogram is not None and sum(self.histogram) <= 0:
            raise ValueError("the histogram holds no token at all")
        return self

    @property
    def is_even(self) -> bool:
        """Whether all experts are alike."""
        return not self.zipf and self.histogram is None


class Workload(Record):
    """One traffic pattern that the fabric must carry, with the limits it must hold.

    Attributes:
        jobs: copies of the job side by side; None is as many as the fabric holds, or as the workloads beside it leave.
        beside: names of workloads of the same list that run at the same time on nodes of their own. It holds for both
            sides, and for all that run beside one of them.
        placement: how a scheduler hands out nodes, or the names of nodes in the order in which they are handed out.
        routing: how packets are spread and which ways they take; `auto` as `transport.load_balancing` says.
        redundant_experts: further copies of popular experts, with all packed on ranks by load; None leaves experts
            where their numbers put them.
        slow_rank: one rank whose port carries 1/x of its rate.
        incast: senders to one receiver.
        fan_out: responses that arrive at one rank together.
        load: share of the time in which a receiving port is busy.
    """

    name: Annotated[str, Field(pattern=NAME_PATTERN, description=NAME_RULE)]
    pattern: Pattern
    model: str | MoeNumbers | None = None
    expert_parallel: PositiveCount | None = None
    tokens_per_rank: PositiveCount | None = None
    dispatch_dtype: Literal["fp4", "fp8", "bf16", "fp16"] = "fp8"
    combine_dtype: Literal["fp8", "bf16", "fp16", "fp32"] = "bf16"
    mode: Literal["low_latency", "normal", "rank_dedup"] = "low_latency"
    popularity: Popularity = Popularity()
    redundant_experts: Count | None = None
    ranks: PositiveCount | None = None
    bytes_per_rank: Annotated[int, Field(ge=1, le=2**50)] | None = None
    algorithm: Literal["auto", "ring", "tree", "in_network"] = "auto"
    incast: PositiveCount = 1
    fan_out: PositiveCount = 8
    load: Annotated[float, Field(ge=0, le=0.99)] = 0.5
    order: Literal["random", "worst"] = "random"
    matrix: str | None = None
    jobs: PositiveCount | None = None
    beside: tuple[str, ...] = ()
    placement: Literal["packed", "spread", "by_rail", "random"] | tuple[str, ...] = "packed"
    routing: Literal["auto", "ecmp", "dlb", "adaptive", "spray", "minimal", "valiant", "ugal"] = "auto"
    stack: str | None = None
    queue_pairs: PositiveCount | None = None
    slow_rank: Annotated[float, Field(ge=1, le=1000)] = 1.0
    limit_us: LimitUs = LimitUs()

    @field_validator("popularity", mode="before", json_schema_input_type=Literal["uniform", "zipf"] | Popularity)
    @classmethod
    def _popularity(cls, value: object) -> object:
        """Accept the words: `uniform`, and `zipf` with the exponent that fits what was measured."""
        if isinstance(value, str):
            return {"uniform": {}, "zipf": {"zipf": ZIPF}}.get(value, value)
        if isinstance(value, dict):
            return {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
        return value

    @model_validator(mode="after")
    def _complete(self) -> Workload:
        needed = NEEDED.get(self.pattern, _COLLECTIVE)
        missing = [" or ".join(keys) for keys in needed if all(getattr(self, key) is None for key in keys)]
        if missing:
            raise ValueError(f"pattern {self.pattern} needs {', '.join(missing)}")
        strange = [
            key for key, patterns in ONLY.items() if key in self.model_fields_set and self.pattern not in patterns
        ]
        if strange:
            where = "; ".join(f"{key} belongs to {' and '.join(ONLY[key])}" for key in strange)
            raise ValueError(f"pattern {self.pattern} has no {', '.join(strange)}: {where}")
        if self.model is not None and self.pattern != MOE and not (self.tokens_per_rank or self.bytes_per_rank):
            raise ValueError(f"pattern {self.pattern} with a model needs tokens_per_rank")
        return self

    _listed: RankMatrix | None = PrivateAttr(None)

    @property
    def listed(self) -> RankMatrix | None:
        """What the file of its matrix holds, once that was read."""
        return self._listed

    def with_matrix(self, matrix: RankMatrix) -> Workload:
        """The same workload with its matrix read."""
        filled = self.model_copy()
        filled._listed = matrix  # noqa: SLF001 - its own class
        return filled

    @property
    def chain(self) -> str | None:
        """How its steps in series run: `ring`, `tree` or `in_network`; None where it has none."""
        return self.algorithm if self.pattern == "all_reduce" else _CHAINS.get(self.pattern)

    @property
    def job_size(self) -> int:
        """Ranks of one job; 0 as long as the matrix that says it was not read."""
        return self.expert_parallel or self.ranks or (self._listed.ranks if self._listed else 0)


_CHAINS: Mapping[str, str] = MappingProxyType({"all_gather": "ring", "reduce_scatter": "ring"})
"""Patterns that are chains whatever their algorithm."""


def together(workload: Workload, listed: Sequence[Workload]) -> tuple[Workload, ...]:
    """The workloads that run at the same time as one of them, itself among them, in the order of their list.

    Args:
        workload: as it is to run, which may differ from what the list has under its name.
        listed: all workloads of a request or a file.
    """
    found = {workload.name, *workload.beside}
    while more := {name for each in listed for name in _tied(each) if found & _tied(each)} - found:
        found |= more
    if workload.name not in {each.name for each in listed}:
        listed = (*listed, workload)
    return tuple(workload if each.name == workload.name else each for each in listed if each.name in found)


def _tied(workload: Workload) -> set[str]:
    """Names that run at the same time by the word of one workload."""
    return {workload.name, *workload.beside}


class WorkloadFile(Record):
    """A file of workloads alone."""

    workloads: Annotated[tuple[Workload, ...], Field(min_length=1)]


ZIPF = 0.6
"""Exponent that fits the hottest expert of DeepSeek-R1 (0.595). Source: trtllm-blog-4."""
