"""Command line: one module per command, each with `add_arguments(parser)` and `run(args) -> exit code`.

Owns: parsing, printing, progress and exit codes. Takes: the words of a command line. Gives: text or JSON on stdout,
logs on stderr, an exit code. Must not know: how anything is computed; it calls the pipeline.

Decisions
- `app` imports a command's module only when that command is chosen, so that `fabric --help` stays instant and loads no
  solver and no plotting library.
- argparse of the standard library does all we need; its help pages are plain text that tests compare byte by byte.
- With `--format json` stdout holds one JSON value and nothing else, also when the run fails.
- The report is printed by the writer of `report.json`, so that both are the same bytes.
- A fault of ours exits 70: none of the contract's codes would be true. Tests that spoil input look for it.
"""
