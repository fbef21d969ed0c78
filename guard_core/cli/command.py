"""Hold what every command is made of: its name and help, its options, and what it leaves with.

Flows in: nothing.  Flows out: ``Command``, exit statuses, ``UsageError``, groups of options that commands share.
Rules kept here: a refused option is one line; an option that two commands have is written once.
Not here: the commands (one module each), their list (``options.py``), what options mean (``inputs.py``).
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable

from guard_core.errors import SourceGuardError
from guard_core.files.limits import Limits
from guard_core.files.unpack import PACKINGS_IN_WORDS
from guard_core.ingest.formats.table import FORMATS
from guard_core.judging.policy import FIELDS, PRESETS

PROGRAM = "source-guard"
_FORMATS = ", ".join(form.name for form in FORMATS)

DONE, GATE_FAILS, NOT_JUDGED, NOT_WHOLE = range(4)
"""Exit statuses: done; a gate fails, or a claim is not valid; nothing was judged; ``--strict`` and not all was read."""

EXIT_WHATIF = """exit status:
  0  done
  2  nothing was judged: wrong usage or input that cannot be used; one line on standard error says which
  3  --strict and something was rejected or incomplete"""

LIMIT_HELP = {
    "line_bytes": "longest line, in bytes",
    "gzip_ratio": "greatest growth when unpacking",
    "nesting": "deepest nesting of JSON",
    "rows": "most rows of a file",
    "decoded_bytes": "most bytes of a file once unpacked",
    "columns": "most columns of a file",
}
"""What each limit bounds; the option of a limit is ``--max-`` and its name."""


class UsageError(SourceGuardError):
    """The command line cannot be understood; the text is one line."""


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, what it does in a line, examples, options, and what runs it for an exit status."""

    name: str
    summary: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def add_log(command: argparse.ArgumentParser) -> None:
    """Add the options of every command that judges a log."""
    command.add_argument("logs", nargs="+", metavar="LOG", help="log files, together one log: JSONL, JSON, CSV, TSV or "
                         f"Parquet, each plain or compressed with {PACKINGS_IN_WORDS}")  # fmt: skip
    add_inputs(command)
    add_policy_fields(command)
    add_limits(command)


def add_inputs(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("inputs")
    group.add_argument("--catalogue", metavar="FILE", help="documents known to curators: CSV, JSONL or Parquet")
    add_trust(group)
    group.add_argument("--policy", metavar="FILE", help="a policy in TOML or JSON; what it leaves out is the preset's")
    group.add_argument(
        "--preset",
        metavar="NAME",
        help=f"start from {' or '.join(PRESETS)} (default: strict with a trust store, else reference)",
    )
    add_reading(group)


def add_trust(group: argparse._ArgumentGroup, *, required: bool = False) -> None:
    group.add_argument(
        "--trust", metavar="FILE", required=required, help="a trust store: the public keys that claims are checked with"
    )
    group.add_argument(
        "--at",
        metavar="TIME",
        help="time to judge at: ISO 8601, or seconds since 1970 (default: now); enters the digest where given, or "
        "where claims are checked",
    )


def add_reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--input-format", metavar="NAME", help=f"format of the log files, if detection is wrong: {_FORMATS}"
    )
    group.add_argument(
        "--map", action="append", default=[], metavar="FIELD=COLUMN", help="read FIELD from COLUMN; may be repeated"
    )


def add_policy_fields(command: argparse.ArgumentParser) -> None:
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


def add_forms(command: argparse.ArgumentParser, of_json: str, of_csv: str) -> None:
    group = command.add_argument_group("output (default: a table for people)")
    one = group.add_mutually_exclusive_group()
    one.add_argument("--json", action="store_true", help=of_json)
    one.add_argument("--csv", action="store_true", help=of_csv)
    add_strict(group)


def add_strict(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--strict", action="store_true", help="exit 3 if anything was rejected or the log is incomplete")


def add_limits(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("limits of what is read")
    for field in dataclasses.fields(Limits):
        group.add_argument(
            f"--max-{field.name.replace('_', '-')}",
            metavar="N",
            dest=f"max_{field.name}",
            help=f"{LIMIT_HELP[field.name]} (default: {field.default:,})",
        )
