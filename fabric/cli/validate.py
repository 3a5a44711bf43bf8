"""`fabric validate`: judge a design folder from its tables, never from an old report."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from fabric.cli.printing import print_report, progress
from fabric.io import design_folder
from fabric.io.atomic import check_target
from fabric.pipeline.judging import evaluate
from fabric.pipeline.reading import catalog_of, with_request


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("path", type=Path, help="a design folder")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the report here")
    parser.add_argument("--request", type=Path, metavar="FILE", help="judge against this request instead of its own")


def run(args: argparse.Namespace) -> int:
    """Read, judge, print; write a report only when asked."""
    if args.output is not None:
        check_target(args.output)
    design = design_folder.read(args.path)
    catalog = catalog_of(args.path, args.catalog, args.output)
    if args.request is not None:
        design = with_request(design, args.request, catalog)
    with progress(quiet=args.quiet) as say:
        report = evaluate(design, catalog, say=say)
        if args.output is not None:
            # Drawing loads Matplotlib; judging alone starts without it.
            writing = importlib.import_module("fabric.pipeline.writing")
            writing.write_report(design, report, catalog, (args.path, args.output))
    return print_report(report, args)
