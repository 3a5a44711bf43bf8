"""A report: every judgement about a design. Its JSON form is the contract's `report.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from fabric.model.deadlock import Deadlock
from fabric.model.latency import LatencyBudget
from fabric.model.ranking import Ranking

Severity = Literal["error", "warning", "info"]
Number = int | float


@dataclass(frozen=True, slots=True)
class Finding:
    """One judgement of one rule about one object, spelled as the tables spell it."""

    rule: str
    severity: Severity
    where: str
    message: str
    measured: Number | str | None = None
    limit: Number | str | None = None
    unit: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A rule that could not be judged, and why; never a silent pass."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Devices and links by role and kind; everything is counted from the tables."""

    nodes: int
    endpoints: int
    switches: Mapping[str, int]
    links: Mapping[str, int]
    cables: int
    pluggables: int


@dataclass(frozen=True, slots=True)
class TopologySummary:
    """Family and shape: `diameter` in switch hops between endpoints, oversubscription of the worst leaf."""

    family: str
    parameters: Mapping[str, Number | str]
    diameter: int | None
    oversubscription: float | None


@dataclass(frozen=True, slots=True)
class CostSummary:
    """Cost of what is priced [USD]; `priced_share` is the priced part of all bill lines by quantity."""

    capex_usd: float
    switches_usd: float
    cables_usd: float
    pluggables_usd: float
    energy_usd: float
    tco_usd: float
    years: float
    priced_share: float


@dataclass(frozen=True, slots=True)
class PowerSummary:
    """Power of what is known [W], and the share of switches, pluggables and plugged cables whose power is."""

    switches: float
    pluggables: float
    cables: float
    total: float
    known_share: float


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The busiest link of a workload and how busy it is (1 = full for the whole phase)."""

    link: str
    utilization: float


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """One phase of a workload.

    Attributes:
        phase: its name, as in `parts`.
        offered_bytes: that all ranks of all copies of the job send into the network [byte].
        ideal_us: the time of its bytes at line rate, which is a lower bound [us].
        time_us: its quantiles [us].
        dominant: the term that takes most of it.
    """

    phase: str
    offered_bytes: float
    ideal_us: float
    time_us: Mapping[str, float]
    dominant: str


@dataclass(frozen=True, slots=True)
class FlowShare:
    """What goes from one leaf or router to another on the busiest link, as a share of what that carries."""

    source: str
    target: str
    share: float


@dataclass(frozen=True, slots=True)
class FairShare:
    """Max-min fair rates of transfers from rank to rank in the phase with the busiest link, each evenly spread.

    Attributes:
        transfers: on the plane with that link; several of two ranks that have several ports there.
        slowest_gbps: rate of the slowest [Gb/s].
        mean_gbps: mean over all [Gb/s].
        ports_gbps: rate that the slowest would have if ports alone were limits [Gb/s].
        at_slowest: share of the transfers that are as slow as the slowest.
    """

    transfers: int
    slowest_gbps: float
    mean_gbps: float
    ports_gbps: float
    at_slowest: float


@dataclass(frozen=True, slots=True)
class LinkUse:
    """How busy the links of one kind, or those of one switch, are in the phase with the busiest link (1: all the time).

    Of a link the busier direction counts; `p99` is that of the links.
    """

    where: str
    links: int
    mean: float
    p99: float
    worst: float


@dataclass(frozen=True, slots=True)
class Change:
    """p99 of a workload with one thing changed, and how much that is more (or, negative, less) [us]."""

    change: str
    p99_us: float
    delta_us: float


@dataclass(frozen=True, slots=True)
class Sharing:
    """What other workloads that run at the same time do to one.

    Attributes:
        beside: their names.
        link: of the links between switches that they use too, the one that takes longest; None where there is none.
        workload: which of them uses that link most.
        wanted: share of the link's rate that it takes on average where nobody else is.
        added_us: quantiles of the time that waiting for them adds, over what they may be doing [us].
    """

    beside: tuple[str, ...]
    link: str | None
    workload: str | None
    wanted: float | None
    added_us: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class WorkloadResult:
    """Predicted times of one workload [us]; all None when some pair of its endpoints has no path.

    Attributes:
        time_us: quantiles of one layer (dispatch and combine), or of one collective.
        ideal_us: the same bytes at line rate.
        parts: median of every phase.
        phases: what every phase offers, the least that it can take, its quantiles, and what takes most of it.
        terms: what the time of every phase is made of.
        protocols: constants of the stack that time every phase; where a library has several, the fastest, which is
            what it would choose.
        scale_up: of phases with bytes that stay inside scale-up domains, the stack whose bandwidth times them; None
            where none was measured on such a system.
        interval_us: 95 % confidence interval of every sampled quantile; None of one with too few samples.
        jitter_us: p99 less the median.
        token_us: quantiles of all layers of a token, with another slowest rank in each, and with always the same.
        distribution_us: more quantiles, by name, for a picture.
        kinds: use of the links of every kind.
        switches: use of the links between switches at every switch.
        edges: use of the links of nodes at every leaf or router.
        flows: the largest on the busiest link.
        links_us: time of the fullest link in its phase, `routed` and at least by every bound that `throughput` has.
        fair: rates of its transfers there; None where ports are of too many kinds.
        helps: what a designer or operator could change, the most helpful first.
        sensitivity: what one step of each quantity that it depends on does.
        latency: a small message's way, link by link; None where nothing crosses the network.
        sharing: what the workloads beside it do to it; None where it runs alone.
    """

    name: str
    pattern: str
    time_us: Mapping[str, float | None]
    ideal_us: float | None
    bottleneck: Bottleneck | None
    parts: Mapping[str, float | None]
    stack: str | None
    terms: Mapping[str, float] | None = None
    protocols: Mapping[str, str] = field(default_factory=dict)
    scale_up: Mapping[str, str | None] = field(default_factory=dict)
    interval_us: Mapping[str, tuple[float, float] | None] | None = None
    jitter_us: float | None = None
    token_us: Mapping[str, Mapping[str, float]] | None = None
    distribution_us: Mapping[str, float] | None = None
    kinds: tuple[LinkUse, ...] = ()
    switches: tuple[LinkUse, ...] = ()
    edges: tuple[LinkUse, ...] = ()
    flows: tuple[FlowShare, ...] = ()
    links_us: Mapping[str, float] | None = None
    fair: FairShare | None = None
    helps: tuple[Change, ...] = ()
    sensitivity: tuple[Change, ...] = ()
    latency: LatencyBudget | None = None
    sharing: Sharing | None = None
    phases: tuple[PhaseResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """What is left with one element down, and with each of those whose loss leaves the same.

    Attributes:
        element: kind and name of the first of them.
        uniform_theta: share of line rate at which uniform all-to-all of all that are left runs.
        p99_us: the longest p99 of the workloads without `element` [us]; None where one's is not known or not computed.
        workloads: times of every workload without `element` [us].
        kind: of the elements: `node_link`, `link` between switches, `cage`, role of a switch, `plane`.
        count: elements of which this is said, the first one included.
        members: their names, numbers that follow each other in brackets as in `leaf-[01-16]`.
        is_proved: whether a symmetry of the fabric proves that they are equal; else they look alike at every distance.
        theta_change: `uniform_theta` against the whole fabric's, as a share of that: -0.125 is an eighth less.
        p99_change: `p99_us` against that of the whole fabric, likewise.
        worst_link: the fullest link under uniform traffic without the element; None where nothing runs.
    """

    element: str
    uniform_theta: float | None
    p99_us: float | None
    workloads: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    kind: str = ""
    count: int = 1
    members: tuple[str, ...] = ()
    is_proved: bool = True
    theta_change: float | None = None
    p99_change: float | None = None
    worst_link: str | None = None


SWITCH_LINKS = "switch_links"
"""Key of the bound on throughput by the links between switches, on the ways that traffic takes."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """Throughput as a share of line rate: of uniform all-to-all, and of the worst permutation tried.

    `bounds` are upper bounds by name, whatever the routing: on uniform all-to-all `lp` (what some routing reaches),
    `host_links`, `uplinks`, `hops` and `bisection`; on the worst of all permutations `lp`, `uplinks`, `tub` and
    `bisection`, with `worst_permutation_` before their names. What was not found is absent. Where links between
    switches are to keep a reserve, what they carry of uniform all-to-all on its ways stands under `SWITCH_LINKS`.
    """

    uniform_theta: float | None
    worst_permutation_theta: float | None
    bounds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class BillLine:
    """One orderable number on the bill, `price_usd` per piece."""

    part: str
    family: str
    kind: str
    quantity: int
    price_usd: float | None
    price_source: str | None
    planning_usd: float | None


@dataclass(frozen=True)
class Report:
    """Everything `fabric validate` says about a design."""

    name: str
    counts: Counts
    topology: TopologySummary
    cost: CostSummary
    power_w: PowerSummary
    optimality: Mapping[str, Any] | None
    alternatives: tuple[Mapping[str, Any], ...]
    binding: tuple[Mapping[str, Any], ...]
    throughput: Throughput
    workloads: tuple[WorkloadResult, ...]
    failures: tuple[Failure, ...]
    lossless: Mapping[str, Any]
    deadlock: Deadlock | None
    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    assumptions: tuple[str, ...]
    provenance: Mapping[str, Any]
    ranking: Ranking | None = None
    bill: tuple[BillLine, ...] = ()

    @property
    def verdict(self) -> Literal["pass", "fail"]:
        """`fail` as soon as one finding is an error."""
        return "fail" if any(finding.severity == "error" for finding in self.findings) else "pass"

    def as_dict(self) -> dict[str, Any]:
        """The object of `report.json`; the bill is a table of its own (`bom.csv`)."""
        body = asdict(self)
        del body["bill"]
        return {"schema": 1, "name": body.pop("name"), "verdict": self.verdict, **body}
