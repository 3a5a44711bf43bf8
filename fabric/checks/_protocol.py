"""What a check is, and how one registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from fabric.checks._context import CheckContext
from fabric.model.report import Number, Severity
from fabric.registry import Registry

Need = Literal["request", "floor_plan", "placement", "cabling", "settings", "flow"]
"""A part of a design, or the flow model's result, that a check cannot do without."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One judgement about one object, before it is filed under its rule; fields as in `Finding`."""

    severity: Severity
    where: str
    message: str
    measured: Number | str | None = None
    limit: Number | str | None = None
    unit: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that a check could not judge, and why."""

    why: str


PERCENTILES = ("p50", "p99", "p999")
"""Quantiles of a workload's time that a request may limit, as reports name them."""

error = partial(Remark, "error")
warning = partial(Remark, "warning")
info = partial(Remark, "info")

Verdict: TypeAlias = Iterator[Remark | Gap]
Judge: TypeAlias = Callable[[CheckContext], Verdict]


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: what it needs and the function that judges."""

    rule: str
    needs: frozenset[Need]
    judge: Judge


CHECKS: Registry[Check] = Registry("fabric.checks", "check")


def check(rule: str, *needs: Need) -> Callable[[Judge], Judge]:
    """Decorator that files a judge under the name of its rule."""

    def file(judge: Judge) -> Judge:
        CHECKS.register(rule)(Check(rule, frozenset(needs), judge))
        return judge

    return file
