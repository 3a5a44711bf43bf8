"""The `fabric` command: choose the sub-command, run it, turn errors into exit codes."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from fabric import __version__
from fabric.errors import FabricError, Fault, InputError

COMMANDS = {
    "design": "design a fabric from a request and write its folder",
    "validate": "judge a design folder from its tables alone",
    "render": "write the artefacts of a design again",
    "catalog": "list, show or check the parts and their sources",
    "schema": "print the JSON Schema of a request or a floor plan",
    "show": "show what hangs where on a device or a port",
}

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells expect it."""


class _Parser(argparse.ArgumentParser):
    """argparse that raises our error instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise InputError(Fault(f"{message}; see {self.prog} --help"))


def _common() -> _Parser:
    common = _Parser(add_help=False)
    common.add_argument("--format", choices=("text", "json"), default="text", help="what stdout holds (default text)")
    common.add_argument("--quiet", action="store_true", help="print only errors")
    common.add_argument("--catalog", type=Path, metavar="DIR", help="overlay of part files and prices.csv")
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return common


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser, with the arguments of the chosen command only."""
    parser = _Parser(prog="fabric", description="Network fabric design and validation for AI clusters.")
    parser.add_argument("--version", action="version", version=f"fabric {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    common = _common()
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, parents=[common], help=summary, description=summary.capitalize() + ".")
        if name == chosen:
            importlib.import_module(f"fabric.cli.{name}").add_arguments(command)
    return parser


def run(words: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        0 clean, 1 findings of severity error, 2 bad input, 3 infeasible, 4 no answer within the limit.
    """
    as_json = "json" in [word.removeprefix("--format=") for word in words] and any(
        word.startswith("--format") for word in words
    )
    try:
        chosen = next((word for word in words if word in COMMANDS), None)
        parser = _parser(chosen)
        args = parser.parse_args(words)
        if args.command is None:
            parser.print_help()
            return 0
        code: int = importlib.import_module(f"fabric.cli.{args.command}").run(args)
    except FabricError as error:
        if "--debug" in words:
            raise
        _print_error(error, as_json=as_json)
        return error.exit_code
    return code


def _print_error(error: FabricError, *, as_json: bool) -> None:
    if as_json:
        body = {
            "errors": [
                {"file": fault.file, "line": fault.line, "key": fault.key, "message": fault.message}
                for fault in error.faults
            ],
            "conflict": [
                {"key": item.key, "value": item.value, "arithmetic": item.arithmetic} for item in error.conflict
            ],
        }
        sys.stdout.write(json.dumps(body, indent=2, ensure_ascii=False) + "\n")
        return
    for line in (*error.faults, *error.conflict):
        sys.stderr.write(f"fabric: {line}\n")


def main() -> NoReturn:
    """Entry point of the installed script."""
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
