"""The `fabric` command: choose the sub-command, run it, turn errors into exit codes."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from fabric import __version__
from fabric.errors import FabricError, Fault, InputError, nearest

COMMANDS = {
    "design": "design a fabric from a request and write its folder",
    "validate": "judge a design folder from its tables alone",
    "simulate": "time workloads on a design, whole or with elements down",
    "render": "write the artefacts of a design again",
    "catalog": "list, show or check the parts and their sources",
    "schema": "print the JSON Schema of a request or a floor plan",
    "show": "show what hangs where on a device or a port",
}

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells expect it."""

CRASHED = 70
"""Exit code of a fault of ours, EX_SOFTWARE of sysexits.h: none of the contract's codes would be true."""


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


def _parser(chosen: str | None) -> _Parser:
    """The parser, with the arguments of the chosen command only."""
    parser = _Parser(prog="fabric", description="Network fabric design and validation for AI clusters.")
    parser.add_argument("--version", action="version", version=f"fabric {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    common = _common()
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, parents=[common], help=summary, description=summary.capitalize() + ".", allow_abbrev=False
        )
        if name == chosen:
            importlib.import_module(f"fabric.cli.{name}").add_arguments(command)
    return parser


def run(words: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        0 clean, 1 findings of severity error, 2 bad input, 3 infeasible, 4 no answer within the limit.
    """
    try:
        return _dispatch(words)
    except Exception as error:
        if "--debug" in words or _is_of_a_stream(error):
            raise
        shown, code = _explained(error)
        _print_error(shown, as_json=_asks_json(words))
        return code


def _dispatch(words: Sequence[str]) -> int:
    """Parse and run; `--help` and `--version` print and end with 0."""
    chosen = _chosen(words)
    parser = _parser(chosen)
    try:
        args = parser.parse_args(words)
    except SystemExit:
        return 0
    if chosen is None:
        parser.print_help()
        return 0
    code: int = importlib.import_module(f"fabric.cli.{chosen}").run(args)
    return code


def _chosen(words: Sequence[str]) -> str | None:
    """The command that a command line names first, None without one."""
    first = words[0] if words else "--help"
    if first in COMMANDS:
        return first
    if first in {"-h", "--help", "--version"}:
        return None
    if first.startswith("-"):
        raise InputError(Fault(f"unknown option {first}; options follow the command, see fabric --help"))
    hint = nearest(first, COMMANDS, otherwise=f"; commands: {', '.join(COMMANDS)}")
    raise InputError(Fault(f"unknown command {first!r}{hint}"))


def _asks_json(words: Sequence[str]) -> bool:
    """Whether the last `--format` says json: read by hand, since what does not parse is answered in it as well."""
    asked = "text"
    for word, after in pairwise((*words, "")):
        if word == "--format":
            asked = after
        elif word.startswith("--format="):
            asked = word.removeprefix("--format=")
    return asked == "json"


def _is_of_a_stream(error: Exception) -> bool:
    """Whether stdout takes no more: errors of files name their file."""
    return isinstance(error, OSError) and error.filename is None


def _explained(error: Exception) -> tuple[FabricError, int]:
    """An error in our words, and its exit code."""
    if isinstance(error, FabricError):
        return error, error.exit_code
    if isinstance(error, OSError):
        return InputError(Fault(error.strerror or str(error), str(error.filename))), InputError.exit_code
    text = f"internal error, please report it with the traceback that --debug shows: {type(error).__name__}: {error}"
    return FabricError(Fault(text)), CRASHED


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
    # Products of matrices as small as ours take several times longer where threads wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The same bytes under every locale; a file name goes out as it came in, even if it is no text.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = _without_stdout(0)
    except OSError as error:
        sys.stderr.write(f"fabric: stdout cannot be written: {error.strerror}\n")
        code = _without_stdout(InputError.exit_code)
    sys.exit(code)


def _without_stdout(code: int) -> int:
    """`code`, after what is left in the buffer of a stdout that takes no more was sent nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
