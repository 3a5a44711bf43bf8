"""`fabric catalog`: parts with what is known of them, and what the catalog lacks."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from fabric.catalog.check import check
from fabric.catalog.listing import list_entries, show
from fabric.catalog.load import Catalog, load
from fabric.cli.printing import print_json
from fabric.errors import Fault, InputError
from fabric.yaml_file import dump


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("action", choices=("list", "show", "check"), help="what to do")
    parser.add_argument("kind", nargs="?", metavar="KIND", help="switch, cable, transceiver, system, nic, stack …")
    parser.add_argument("part", nargs="?", metavar="PART", help="key of a part")


def run(args: argparse.Namespace) -> int:
    """Print what is asked of the catalog.

    Returns:
        1 when `check` finds a problem, else 0.
    """
    catalog = load(args.catalog)
    if args.action == "check":
        return _check(catalog, as_json=args.format == "json")
    if args.action == "list":
        _list(list_entries(catalog, args.kind), as_json=args.format == "json")
        return 0
    if args.kind is None or args.part is None:
        raise InputError(Fault("catalog show needs KIND and PART, as catalog list prints them"))
    entry = show(catalog, args.kind, args.part)
    if args.format == "json":
        print_json(entry)
    else:
        sys.stdout.write(_with_sources(entry, catalog))
    return 0


def _check(catalog: Catalog, *, as_json: bool) -> int:
    problems = check(catalog)
    if as_json:
        print_json([{"file": problem.file, "key": problem.key, "message": problem.message} for problem in problems])
    else:
        sys.stdout.writelines(f"{problem}\n" for problem in problems)
        sys.stdout.write(f"{len(problems)} problems\n")
    return int(bool(problems))


def _list(entries: list[dict[str, Any]], *, as_json: bool) -> None:
    """One part a line: kind, part, family, medium, price."""
    if as_json:
        print_json(entries)
        return
    for entry in entries:
        usd = entry.get("price_usd")
        cells = (entry["kind"], entry["part"], entry["family"], entry.get("medium", ""), f"${usd:,.2f}" if usd else "")
        sys.stdout.write("{:<12} {:<40} {:<30} {:<5} {}".format(*cells).rstrip() + "\n")


def _with_sources(entry: dict[str, Any], catalog: Catalog) -> str:
    """The part's file, and below it the documents that its figures come from."""
    cited = list(entry["sources"]) + [item["source"] for item in entry.get("evidence", {}).values() if "source" in item]
    lines = [dump(entry)]
    for key in dict.fromkeys(cited):
        source = catalog.sources[key]
        lines.append(f"# {key}: {source.publisher}: {source.title}{f' <{source.url}>' if source.url else ''}\n")
    return "".join(lines)
