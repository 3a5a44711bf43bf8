"""`fabric validate`: judge a design folder from its tables, never from an old report."""

from __future__ import annotations

import argparse
from pathlib import Path

from fabric.cli.printing import Progress, print_report
from fabric.io import design_folder
from fabric.io.atomic import check_target
from fabric.pipeline import writing
from fabric.pipeline.judging import evaluate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("path", type=Path, help="a design folder")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the report here")
    parser.add_argument("--request", type=Path, metavar="FILE", help="judge against this request instead of its own")


def run(args: argparse.Namespace) -> int:
    """Read, judge, print; write a report only when asked."""
    progress = Progress(quiet=args.quiet)
    if args.output is not None:
        check_target(args.output)
    design = design_folder.read(args.path)
    catalog = writing.catalog_of(args.path, args.catalog)
    if args.request is not None:
        design = writing.with_request(design, args.request, catalog)
    report = evaluate(design, catalog, say=progress.say)
    if args.output is not None:
        writing.write_report(design, report, catalog, args.output)
    progress.end()
    return print_report(report, args)
