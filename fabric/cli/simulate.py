"""`fabric simulate`: the flow model alone, on a design as it is or with elements down."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from fabric.cli.printing import print_json, progress
from fabric.errors import Fault, InputError
from fabric.io import design_folder, workload_files
from fabric.model.latency import LatencyBudget
from fabric.model.report import FairShare, Sharing, WorkloadResult
from fabric.pipeline.reading import catalog_of
from fabric.pipeline.simulating import Damage, Simulation, simulate
from fabric.render.report import rounded

_MOST_SAMPLES = 1_000_000
_LAST_SEED = 2**31 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("path", type=Path, metavar="DESIGN", help="a design folder")
    parser.add_argument("--workload", type=Path, metavar="FILE", help="workloads instead of those of its request")
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="ELEMENT",
        help="an element that is down, several times for several: a link, a device, DEVICE:CAGE, or 'plane N'",
    )
    parser.add_argument(
        "--tables",
        type=Path,
        metavar="DUMP",
        help="forwarding tables of a running InfiniBand fabric, a file of OpenSM, ibroute or ibdiagnet or their folder",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all draws instead of the request's")
    parser.add_argument("--samples", type=int, metavar="N", help="samples of every draw instead of the request's")


def run(args: argparse.Namespace) -> int:
    """Read, simulate, print; 1 where a limit is broken or a workload finds no path or no seats."""
    _between("--seed", args.seed, 0, _LAST_SEED)
    _between("--samples", args.samples, 1, _MOST_SAMPLES)
    design = design_folder.read(args.path)
    catalog = catalog_of(args.path, args.catalog)
    workloads = workload_files.load(args.workload, catalog) if args.workload is not None else None
    with progress(quiet=args.quiet) as say:
        say("simulating")
        found = simulate(
            design,
            catalog,
            workloads=workloads,
            failed=args.fail,
            seed=args.seed,
            samples=args.samples,
            tables=args.tables,
        )
    if args.format == "json":
        print_json(rounded(found.as_dict()))
    elif not args.quiet:
        sys.stdout.write("\n".join(_lines(found)) + "\n")
    return int(any(finding.severity == "error" for finding in found.findings))


def _between(option: str, value: int | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise InputError(Fault(f"{value} is not allowed: a whole number from {least} to {most:,}", key=option))


def _lines(found: Simulation) -> Iterator[str]:
    """A simulation on one screen."""
    down = f", with {', '.join(found.failed)} down" if found.failed else ""
    yield f"{found.name}{down}: uniform all-to-all theta {found.throughput.uniform_theta or 0:.4f}"
    if found.damage is not None:
        yield from _damage(found.damage)
    for use in found.tables:
        yield (
            f"  plane {use.plane}: {use.entries:,} entries of forwarding tables, theta {use.uniform_theta:.4f}; "
            f"{use.computed_theta:.4f} with computed ones"
        )
    for result in found.workloads:
        yield from _workload(result)
    for finding in found.findings:
        yield f"  {finding.severity}: {finding.rule}: {finding.where}: {finding.message}"
    for item in found.not_checked:
        yield f"  not checked: {item.rule}: {item.why}"


def _damage(damage: Damage) -> Iterator[str]:
    """What the elements that are down change against the whole fabric."""
    p99 = ", ".join(f"p99 of {name} {_change(share)}" for name, share in damage.p99_change.items())
    yield f"  against the whole fabric: theta {_change(damage.theta_change)}, {p99}"
    yield f"  fullest link {damage.worst_link or 'none'}, with nothing down {damage.whole_worst_link or 'none'}"


def _change(share: float | None) -> str:
    return "unknown" if share is None else f"{share:+.1%}"


def _phases(result: WorkloadResult) -> Iterator[str]:
    """Every phase by what it sends and by its terms, and a small message's way."""
    for each in result.phases:
        phase = each.phase
        terms = (
            f"{key.removeprefix(f'{phase}_').removesuffix('_us')} {value:,.2f}"
            for key, value in (result.terms or {}).items()
            if key.startswith(f"{phase}_") and value
        )
        protocol = result.protocols.get(phase, phase)
        chosen = "" if protocol in {phase, "exchange"} else f" ({protocol.replace('_', ' ')})"
        times = (
            f"{each.time_us['p50']:,.1f} us, p99 {each.time_us['p99']:,.1f}, mostly {each.dominant.replace('_', '-')}"
        )
        yield f"    {phase}{chosen} {times}: {', '.join(terms)}"
        yield f"      {each.offered_bytes / 1e6:,.3f} MB to the network, at line rate {each.ideal_us:,.1f} us"
    if result.latency is not None:
        yield from _way(result.latency)


def _way(budget: LatencyBudget) -> Iterator[str]:
    """The longest way and the mean, and what the assumed hop does."""
    links, mean_ns = len(budget.longest), budget.mean_ns["total"]
    yield f"    way {mean_ns:,.0f} ns on average, the longest {budget.longest_ns:,.0f} ns over {links} links"
    low, high = (budget.p50_us[key] or 0 for key in ("least", "most"))
    least, most = (budget.hop_ns[key] for key in ("least", "most"))
    yield f"    p50 {low:,.1f} to {high:,.1f} us with hops of {least:,.0f} to {most:,.0f} ns; {budget.assumption}"


def _workload(result: WorkloadResult) -> Iterator[str]:
    if result.time_us["p50"] is None or result.interval_us is None:
        yield f"  {result.name}: no path"
        return
    yield f"  {result.name} ({result.pattern}, stack {result.stack})"
    for key, value in result.time_us.items():
        interval = result.interval_us[key]
        sure = f"95 % between {interval[0]:,.1f} and {interval[1]:,.1f}" if interval else "too few samples to be sure"
        yield f"    {key.replace('999', '99.9'):5} {value or 0:12,.1f} us   {sure}"
    if result.ideal_us:
        yield f"    ideal {result.ideal_us:12,.1f} us   its bytes at line rate"
    if result.bottleneck is not None:
        yield f"    busiest link {result.bottleneck.link}, full for {result.bottleneck.utilization:.0%} of its phase"
    yield from _phases(result)
    yield from _sharing(result.sharing)
    if result.flows:
        flows = ", ".join(f"{flow.source} > {flow.target} {flow.share:.0%}" for flow in result.flows)
        yield f"    largest flows there: {flows}"
    if result.fair is not None:
        yield _fair(result.fair)
    for each in result.helps:
        yield f"    {each.delta_us:+12,.1f} us   {each.change}"
    for each in result.sensitivity:
        yield f"    {each.delta_us:+12,.1f} us   if {each.change}"
    if result.token_us is not None:
        ends = (
            f"{how} p50 {times['p50'] / 1000:,.2f}, p99 {times['p99'] / 1000:,.2f}"
            for how, times in result.token_us.items()
        )
        yield f"    all layers of a token [ms]: slowest rank {'; '.join(ends)}"


def _fair(fair: FairShare) -> str:
    """What transfers get, and what ports alone would allow the slowest."""
    slowest = f"slowest {fair.slowest_gbps:,.2f} Gb/s ({fair.at_slowest:.0%} of them), mean {fair.mean_gbps:,.2f}"
    return f"    fair rates of {fair.transfers:,} transfers: {slowest}; slowest by ports alone {fair.ports_gbps:,.2f}"


def _sharing(sharing: Sharing | None) -> Iterator[str]:
    """What the workloads beside one do to it."""
    if sharing is None:
        return
    beside = f"    beside {', '.join(sharing.beside)}"
    if sharing.link is None or sharing.wanted is None:
        yield f"{beside}: no link that both use"
        return
    added = ", ".join(f"{key.replace('999', '99.9')} {value:,.1f} us" for key, value in sharing.added_us.items())
    yield f"{beside}: meets {sharing.workload} on {sharing.link}, which it wants for {sharing.wanted:.0%}; adds {added}"
