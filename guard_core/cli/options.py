"""List the commands of ``source-guard`` and parse its command line.

Flows in: arguments.  Flows out: parsed arguments of one command; ``UsageError`` in place of argparse's own exit.
Rules kept here: a new command is its module and one line in ``COMMANDS``; an option is never guessed from its
beginning; a refused option gives one line; help teaches by example, and every example runs as it stands on files of
those names.
Not here: what options mean to the product (``inputs.py``), doing it (one module a command).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from guard_core.cli import attest, evaluate, keygen, leverage, quarantine, serve, verify
from guard_core.cli.command import PROGRAM, Command, UsageError

COMMANDS: tuple[Command, ...] = (
    serve.DEMO,
    serve.SERVE,
    evaluate.COMMAND,
    quarantine.COMMAND,
    leverage.COMMAND,
    keygen.COMMAND,
    attest.COMMAND,
    verify.COMMAND,
)
"""Every command, in the order of ``--help``."""

_EXAMPLES = """examples:
  source-guard demo                                   the dashboard on a sample, invented for it
  source-guard serve log.jsonl --catalogue docs.csv   the dashboard on your log
  source-guard evaluate log.jsonl                     the verdicts on this terminal
  source-guard evaluate --help                        everything that evaluate can do

what if, and what next:
  source-guard quarantine log.jsonl --catalogue docs.csv --anchor page-7   without a source and its family
  source-guard leverage log.jsonl --catalogue docs.csv                     which documents to check first

to sign what you know about your documents, and judge by it:
  source-guard keygen --originator https://library.example --out keys/library
  source-guard attest documents.csv --key keys/library.pem --originator https://library.example \\
      --out signed.csv
  source-guard evaluate log.jsonl --catalogue signed.csv --trust keys/library.trust.json"""


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises where argparse would print two lines and exit."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of one command.  Raises ``UsageError``; ``--help`` and ``--version`` leave through
    ``SystemExit``."""
    parsed, rest = parser().parse_known_args(arguments)
    if rest:
        raise UsageError(f"unrecognized arguments: {' '.join(rest)}; see {PROGRAM} {parsed.command} --help")
    return parsed


def parser() -> argparse.ArgumentParser:
    """Make the parser of the whole command line; the chosen command is in ``command``, what runs it in ``run``."""
    purpose = "Who wrote what a retrieval returned, how that is known, and whether it is grounded."
    top = _Parser(
        prog=PROGRAM,
        description=purpose,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {_version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        each = commands.add_parser(
            command.name,
            help=command.summary,
            description=command.summary[0].upper() + command.summary[1:] + ".",
            epilog=command.help,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        each.add_argument("--debug", action="store_true", help="show the traceback of an internal error")
        command.add_options(each)
        each.set_defaults(run=command.run)
    return top


def _version() -> str:
    try:
        return version(PROGRAM)
    except PackageNotFoundError:
        return "(not installed)"
