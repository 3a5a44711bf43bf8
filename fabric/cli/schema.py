"""`fabric schema`: the JSON Schema of what a human writes."""

from __future__ import annotations

import argparse

from fabric.cli.printing import print_json
from fabric.io.request_file import schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("kind", choices=("request", "floorplan"), help="which file")


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    print_json(schema(args.kind))
    return 0
