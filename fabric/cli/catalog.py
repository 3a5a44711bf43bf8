"""`fabric catalog`: what parts there are, what is known of one, and whether the catalog holds together."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from fabric.catalog import load as catalog_file
from fabric.catalog.check import check
from fabric.catalog.listing import FOLDERS, list_entries, show
from fabric.catalog.load import Catalog
from fabric.cli.printing import print_json
from fabric.errors import Fault, InputError
from fabric.yaml_file import dump


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("action", choices=("list", "show", "check"), help="what to do")
    parser.add_argument("kind", nargs="?", metavar="KIND", help=f"one of {', '.join(FOLDERS)}")
    parser.add_argument("part", nargs="?", metavar="PART", help="key or orderable number")


def run(args: argparse.Namespace) -> int:
    """List, show or check; a faulty catalog exits 1."""
    catalog = catalog_file.load(args.catalog)
    return {"list": _list, "show": _show, "check": _check}[args.action](args, catalog)


def _list(args: argparse.Namespace, catalog: Catalog) -> int:
    entries = list_entries(catalog, args.kind)
    if args.format == "json":
        print_json(entries)
    elif not args.quiet:
        for entry in entries:
            price = entry.get("price_usd")
            known = f"${price:,.2f}" if price is not None else "price not known"
            words = [entry["kind"], entry["part"], entry["family"], entry.get("medium", ""), known]
            sys.stdout.write("{:<12} {:<38} {:<34} {:<5} {}\n".format(*words))
    return 0


def _show(args: argparse.Namespace, catalog: Catalog) -> int:
    if args.kind is None or args.part is None:
        raise InputError(Fault("show needs KIND and PART, as in: fabric catalog show switch nvidia-qm9700"))
    part = show(catalog, args.kind, args.part)
    if args.format == "json":
        print_json(part)
    elif not args.quiet:
        sys.stdout.write(dump(part))
        for key in cited(part):
            source = catalog.sources[key]
            sys.stdout.write(f"# {key}: {source.title}{f', {source.url}' if source.url else ''}\n")
    return 0


def cited(part: dict[str, Any]) -> list[str]:
    """Keys of the sources that a part's file names, each once, in order."""
    evidence = [entry.get("source") for entry in (part.get("evidence") or {}).values()]
    return list(dict.fromkeys(key for key in (*(part.get("sources") or ()), *evidence) if key))


def _check(args: argparse.Namespace, catalog: Catalog) -> int:
    problems = check(catalog)
    if args.format == "json":
        print_json([{"file": item.file, "key": item.key, "message": item.message} for item in problems])
    elif not args.quiet:
        sys.stdout.writelines(f"{item}\n" for item in problems)
        parts = sum(len(getattr(catalog, folder)) for folder in FOLDERS.values())
        sys.stdout.write(f"{parts} parts, {len(problems)} problems\n")
    return int(bool(problems))
