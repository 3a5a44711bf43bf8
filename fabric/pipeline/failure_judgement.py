"""Single failures as the report tells them: what is left of throughput and of the workloads' times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from fabric.model.report import Failure, NotChecked, WorkloadResult
from fabric.pipeline.failures import Failures
from fabric.pipeline.folding import fold
from fabric.pipeline.networks import Plane

MOST_TIMED = 16
"""Classes of elements of one kind whose loss the workloads are timed with."""

Timed: TypeAlias = Callable[[tuple[Plane, ...]], Sequence[WorkloadResult | None]]
"""Results of every workload on some planes, None where one has no model."""


def judge_failures(
    planes: tuple[Plane, ...],
    kinds: Sequence[str],
    timed: Timed,
    whole: Sequence[WorkloadResult | None],
    *,
    moves: bool = True,
) -> Iterator[Failure]:
    """Every element of some kinds, equals together, kind by kind and the worst of each kind first.

    Args:
        planes: of the design.
        kinds: of elements, from `KINDS`.
        timed: times the workloads; asked for the first element of the `MOST_TIMED` worst classes of each kind.
        whole: the results with nothing down.
        moves: whether traffic leaves a plane in which it has no path.
    """
    if not kinds:
        return
    failures = Failures(planes, moves=moves)
    whole_theta, whole_us = failures.whole.theta, _longest(whole)
    for kind in kinds:
        for place, loss in enumerate(failures.of_kind(kind)):
            left = failures.planes_without(loss.alike.first) if place < MOST_TIMED else ()
            results = timed(left) if left else ()
            p99_us = _longest(results)
            yield Failure(
                element=loss.alike.first.title,
                uniform_theta=loss.theta,
                p99_us=p99_us,
                workloads={result.name: dict(result.time_us) for result in results if result is not None},
                kind=kind,
                count=len(loss.alike.names),
                members=fold(loss.alike.names),
                is_proved=loss.alike.is_proved,
                theta_change=change(loss.theta, whole_theta),
                p99_change=change(p99_us, whole_us),
                worst_link=loss.worst_link,
            )


def change(left: float | None, whole: float | None) -> float | None:
    """What a loss changes, as a share of the whole; what rounding alone makes of it is none."""
    return round(left / whole - 1, 9) + 0.0 if left is not None and whole else None


def untried(failures: Sequence[Failure], *, are_timed: bool) -> Iterator[NotChecked]:
    """What was not computed for every element."""
    counts = Counter(failure.kind for failure in failures)
    for kind in (kind for kind, count in counts.items() if are_timed and count > MOST_TIMED):
        why = (
            f"workloads are timed without the {MOST_TIMED} worst of {counts[kind]:,} different elements of kind {kind}"
        )
        yield NotChecked("survival", why)
    guessed = sorted({failure.kind for failure in failures if not failure.is_proved})
    if guessed:
        why = f"too many differ of kind {', '.join(guessed)}: one stands for all that look alike at every distance"
        yield NotChecked("single-failures", why)


def _longest(results: Sequence[WorkloadResult | None]) -> float | None:
    """The longest p99 of all workloads [us]; None where one's is not known."""
    known = [result.time_us["p99"] for result in results if result is not None]
    times = [time for time in known if time is not None]
    return max(times) if times and len(times) == len(results) else None
