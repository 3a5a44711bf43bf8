"""`fabric render`: the artefacts of a design again, all or one kind."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fabric.cli.printing import print_json
from fabric.io import design_folder
from fabric.io.atomic import check_target
from fabric.pipeline import writing
from fabric.pipeline.reading import catalog_of

KINDS = ("configs", "cabling", "plots", "report", "exports")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("path", type=Path, help="a design folder")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder to write (default: the design's own)")
    parser.add_argument("--only", choices=KINDS, help="one kind of artefact")
    parser.add_argument("--nos", metavar="NAME", help="configurations for this network operating system")


def run(args: argparse.Namespace) -> int:
    """Read the design and write its artefacts."""
    design = design_folder.read(args.path)
    target = args.output or args.path
    check_target(target)
    catalog = catalog_of(args.path, args.catalog, target)
    files = writing.render_into(design, catalog, (args.path, target), only=args.only, nos=args.nos)
    if args.format == "json":
        print_json({"folder": str(target), "files": sorted(files)})
    elif not args.quiet:
        sys.stdout.write(f"{len(files)} files written to {target}\n")
    return 0
