"""`fabric design`: a request in, a design folder out."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from math import inf
from pathlib import Path

from fabric.catalog import load as catalog_file
from fabric.cli.printing import print_front, print_report, progress
from fabric.errors import Fault, InputError
from fabric.io.atomic import check_target
from fabric.io.request_file import load
from fabric.pipeline import pareto, writing
from fabric.pipeline.choosing import Limits
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate
from fabric.resources import data_dir


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("path", type=Path, help="a request file, a folder with request.yaml, or a shipped example")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder to write (default output/<name>)")
    parser.add_argument("--pareto", action="store_true", help="also the front of cost, power and p99 latency")
    parser.add_argument("--work-limit", type=_positive, metavar="N", help="designs laid out in full at most")
    parser.add_argument("--time-limit", type=_seconds, metavar="S", help="seconds after which none more is laid out")


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: a whole number from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: seconds above 0")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Design, judge, render and write."""
    catalog = catalog_file.load(args.catalog)
    loaded = load(_example(args.path), catalog)
    target = args.output or Path("output") / loaded.request.name
    check_target(target)
    with progress(quiet=args.quiet) as say:
        made = design(loaded, catalog, limits=Limits(args.work_limit, args.time_limit), say=say)
        found = None
        if args.pareto:
            work_limit = args.work_limit or pareto.WORK_LIMIT
            found = pareto.front(loaded, catalog, work_limit=work_limit, time_limit_s=args.time_limit, say=say)
            made = pareto.noted(made, found)
        report = evaluate(made, catalog, say=say)
        writing.write(made, report, catalog, target, front=found.points if found else None, say=say)
    if found is not None and args.format == "text" and not args.quiet:
        print_front(found)
    return print_report(report, args, target)


def _example(path: Path) -> Path:
    """The path, or the shipped example of that name when nothing lies there."""
    if path.exists() or len(path.parts) != 1:
        return path
    shipped = data_dir("designs") / path
    if shipped.is_dir():
        return shipped
    names = sorted(folder.name for folder in data_dir("designs").iterdir() if folder.is_dir())
    near = get_close_matches(path.name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"shipped examples: {', '.join(names)}"
    raise InputError(Fault(f"no such file or folder; {hint}", str(path)))
