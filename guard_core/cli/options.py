"""The commands and options of ``source-guard``, and their help.

Flows in: nothing.  Flows out: an argument parser; ``UsageError`` in place of argparse's own exit.
Rules kept here: an option is never guessed from its beginning; a refused option gives one line; help teaches by
example.
Not here: the texts of help (``cli_help.py``), what options mean to the product (``cli_inputs.py``), doing it
(``cli.py``; for claims ``cli_claims.py``, for the corpus ``cli_corpus.py``).
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from guard_core.cli import help as help_of
from guard_core.errors import SourceGuardError
from guard_core.files.limits import Limits
from guard_core.ingest.formats.table import FORMATS
from guard_core.judging.policy import FIELDS, PRESETS

PROGRAM = "source-guard"
_FORMATS = ", ".join(form.name for form in FORMATS)

LIMIT_HELP = {
    "line_bytes": "longest line, in bytes",
    "gzip_ratio": "greatest growth when unpacking gzip",
    "nesting": "deepest nesting of JSON",
    "rows": "most rows of a file",
    "decoded_bytes": "most bytes of a file once unpacked",
    "columns": "most columns of a file",
}
"""What each limit bounds; the option of a limit is ``--max-`` and its name."""


class UsageError(SourceGuardError):
    """The command line cannot be understood; the text is one line."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises where argparse would print two lines and exit."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command.  Raises ``UsageError``; ``--help`` and ``--version`` leave through
    ``SystemExit``."""
    parsed, rest = parser().parse_known_args(arguments)
    if rest:
        raise UsageError(f"unrecognized arguments: {' '.join(rest)}; see {PROGRAM} {parsed.command} --help")
    return parsed


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; the chosen command is in ``command``."""
    purpose = "Who wrote what a retrieval returned, how that is known, and whether it is grounded."
    top = _parser(_Parser, PROGRAM, purpose, help_of.MAIN)
    top.add_argument("--version", action="version", version=f"{PROGRAM} {_version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    demo = _command(commands, "demo", "open the dashboard on the sample", help_of.DEMO)
    _add_server(demo)
    serve = _command(commands, "serve", "open the dashboard on a log", help_of.SERVE)
    serve.add_argument("logs", nargs="*", metavar="LOG", help="log files, together one log; left out, load one there")
    _add_inputs(serve)
    _add_server(serve)
    judge = _command(commands, "evaluate", "judge a log, print or export the verdicts", help_of.EVALUATE)
    _add_log(judge)
    _add_outputs(judge)
    _add_gates(judge)
    whatif = _command(
        commands, "quarantine", "what if some documents were taken out of the results", help_of.QUARANTINE
    )
    _add_log(whatif)
    _add_quarantine(whatif)
    _add_forms(
        whatif, "one JSON object: before, after, every retrieval that loses a result", "one such retrieval a row"
    )
    ranking = _command(commands, "leverage", "which documents to check first", help_of.LEVERAGE)
    _add_log(ranking)
    ranking.add_argument("--limit", metavar="N", help="list at most N documents (default: 20 in the table, else all)")
    ranking.add_argument(
        "--waive-signatures", action="store_true", help="leave the signature gate out: settle the classes alone"
    )
    _add_forms(ranking, "one JSON object: the documents, ranked", "one document a row")
    _add_keygen(_command(commands, "keygen", "make a key to sign a catalogue with", help_of.KEYGEN))
    _add_attest(_command(commands, "attest", "sign a catalogue: one claim a document", help_of.ATTEST))
    _add_verify(_command(commands, "verify", "check claims: one, a file of them, or those of a log", help_of.VERIFY))
    return top


def _parser(
    kind: type[argparse.ArgumentParser], program: str, description: str, epilog: str
) -> argparse.ArgumentParser:
    return kind(
        prog=program,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _command(
    commands: argparse._SubParsersAction[_Parser], name: str, summary: str, epilog: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("--debug", action="store_true", help="show the traceback of an internal error")
    return command


def _add_log(command: argparse.ArgumentParser) -> None:
    """What it takes to judge a log."""
    command.add_argument("logs", nargs="+", metavar="LOG", help="log files, together one log: JSONL, JSON, CSV, TSV or "
                         "Parquet, each plain or gzip")  # fmt: skip
    _add_inputs(command)
    _add_policy_fields(command)
    _add_limits(command)


def _add_inputs(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("inputs")
    group.add_argument("--catalogue", metavar="FILE", help="documents known to curators: CSV, JSONL or Parquet")
    _add_trust(group)
    group.add_argument("--policy", metavar="FILE", help="a policy in TOML or JSON; what it leaves out is the preset's")
    group.add_argument(
        "--preset",
        metavar="NAME",
        help=f"start from {' or '.join(PRESETS)} (default: strict with a trust store, else reference)",
    )
    _add_reading(group)


def _add_trust(group: argparse._ArgumentGroup, *, required: bool = False) -> None:
    group.add_argument(
        "--trust", metavar="FILE", required=required, help="a trust store: the public keys that claims are checked with"
    )
    group.add_argument(
        "--at",
        metavar="TIME",
        help="time to judge at: ISO 8601, or seconds since 1970 (default: now); enters the digest where given, or "
        "where claims are checked",
    )


def _add_reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--input-format", metavar="NAME", help=f"format of the log files, if detection is wrong: {_FORMATS}"
    )
    group.add_argument(
        "--map", action="append", default=[], metavar="FIELD=COLUMN", help="read FIELD from COLUMN; may be repeated"
    )


def _add_keygen(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--originator", required=True, metavar="NAME", help="who signs: a name of yours alone, best an https address"
    )
    command.add_argument("--alg", choices=("Ed25519", "ES256"), default="Ed25519", help="algorithm (default: Ed25519)")
    command.add_argument(
        "--out", required=True, metavar="DIR/NAME", help="makes DIR/NAME.pem (private) and DIR/NAME.trust.json (public)"
    )


def _add_attest(command: argparse.ArgumentParser) -> None:
    command.add_argument("catalogue", metavar="CATALOGUE", help="documents known to curators: CSV, JSONL or Parquet")
    command.add_argument("--key", required=True, metavar="FILE", help="the private key that keygen wrote")
    command.add_argument("--originator", required=True, metavar="NAME", help="who signs, as given to keygen")
    command.add_argument(
        "--out", required=True, metavar="FILE", help="where to write the signed catalogue: .csv, .jsonl or .parquet"
    )
    command.add_argument(
        "--at", metavar="TIME", help="time of issue (iat): ISO 8601, or seconds since 1970 (default: now)"
    )


def _add_verify(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "sources", nargs="*", metavar="CLAIM", help="a claim, a file of claims, one a line, a log, or - (stdin)"
    )
    group = command.add_argument_group("inputs")
    _add_trust(group, required=True)
    group.add_argument(
        "--catalogue",
        metavar="FILE",
        help="a signed catalogue: its claims speak for results of the log that carry none; without a log, check them",
    )
    group.add_argument("--document", metavar="ID", help="the document that the one claim has to be about")
    group.add_argument("--text", metavar="FILE", help="the text that the one claim has to be about, in UTF-8")
    _add_reading(group)


def _add_policy_fields(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("policy (these win over --policy and --preset)")
    group.add_argument(
        "--min-human-ratio",
        metavar="X",
        help=f"{_meaning('min_human_grounding_ratio')} Takes {FIELDS['min_human_grounding_ratio'].allowed}.",
    )
    group.add_argument(
        "--allow-depth-1",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=_meaning("allow_depth_1_synthetic"),
    )
    group.add_argument("--top-k", metavar="K", help=f"{_meaning('top_k')} Takes {FIELDS['top_k'].allowed}.")


def _meaning(name: str) -> str:
    return FIELDS[name].meaning.replace("%", "%%")


def _add_outputs(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("output (default: a table for people)")
    one = group.add_mutually_exclusive_group()
    one.add_argument("--json", action="store_true", help="one JSON object: log, policy, every retrieval, a digest")
    one.add_argument("--jsonl", action="store_true", help="one retrieval a line, the records of --json")
    one.add_argument("--csv", action="store_true", help="one result a row, with the verdict of its retrieval")
    group.add_argument("--parquet", metavar="FILE", help="write the rows of --csv to a Parquet file as well")


def _add_forms(command: argparse.ArgumentParser, of_json: str, of_csv: str) -> None:
    group = command.add_argument_group("output (default: a table for people)")
    one = group.add_mutually_exclusive_group()
    one.add_argument("--json", action="store_true", help=of_json)
    one.add_argument("--csv", action="store_true", help=of_csv)
    _add_strict(group)


def _add_quarantine(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("what to take out (exact names; each may be repeated)")
    for option, name, meaning in (
        ("--document", "ID", "the results of a document"),
        ("--anchor", "ID", "a human source and all that rests on it; or an anchor hash, as given: what names it"),
        ("--originator", "NAME", "what an originator attests or wrote"),
        ("--generator", "NAME", "what a model generated"),
        ("--collection", "NAME", "what is in a collection"),
    ):
        group.add_argument(option, action="append", default=[], metavar=name, help=meaning)
    group.add_argument("--documents", metavar="FILE", help="the documents that a file names, one id a line")


def _add_strict(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--strict", action="store_true", help="exit 3 if anything was rejected or the log is incomplete")


def _add_gates(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("gates")
    group.add_argument("--gate", action="store_true", help="exit 1 if any retrieval halts")
    group.add_argument("--max-halt-share", metavar="X", help="exit 1 if more than this share halts (0 to 1)")
    _add_strict(group)


def _add_limits(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("limits of what is read")
    for field in dataclasses.fields(Limits):
        group.add_argument(
            f"--max-{field.name.replace('_', '-')}",
            metavar="N",
            dest=f"max_{field.name}",
            help=f"{LIMIT_HELP[field.name]} (default: {field.default:,})",
        )


def _add_server(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("dashboard")
    group.add_argument("--port", metavar="N", help="port on this machine (default: the first free one from 8501)")
    group.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _version() -> str:
    try:
        return version(PROGRAM)
    except PackageNotFoundError:
        return "(not installed)"
