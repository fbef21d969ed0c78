"""Judge a log without some of its documents: ``source-guard quarantine``.

Flows in: parsed arguments and files.  Flows out: a table, a JSON object or CSV on standard output.
Rules kept here: everything is checked before anything is read; names are taken as they are given, byte for byte; what
``evaluate`` says of the same inputs stands under ``before``.
Not here: the numbers (``guard_core.corpus.quarantine``), forms of output (``output/corpus_*.py``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guard_core.cli.command import DONE, EXIT_WHATIF, NOT_WHOLE, Command, UsageError, add_forms, add_log
from guard_core.cli.forms.corpus_forms import write_object, write_rows
from guard_core.cli.forms.corpus_records import (
    TouchedRecord,
    make_quarantine_head,
    make_touched_records,
)
from guard_core.cli.forms.corpus_table import DROPPED, draw_quarantine
from guard_core.cli.progress import say
from guard_core.cli.streams import (
    choose_width,
    evaluate_log,
    open_standard_output,
    report_completeness,
    report_reading,
    write_lines,
)
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.visible import visible

_HELP = f"""Judges the log twice, with and without the results that you name, and shows what changes. Results are
dropped from the lists; a real re-query would fill the places. Where a log is deeper than --top-k, they are
filled from below.

examples:
  source-guard quarantine log.jsonl --catalogue documents.csv --document ferry-summary-3
      what if this document had not been retrieved
  source-guard quarantine log.jsonl --catalogue documents.csv --anchor ferry-timetable
      the whole family: the source and everything that rests on it
  source-guard quarantine log.jsonl --generator small-model-1 --originator studio --csv > touched.csv
      a model and an originator together; every retrieval that loses a result, one a row
  source-guard quarantine log.jsonl --documents suspects.txt --top-k 5 --json
      ids from a file, one a line; the first five of what is left are judged

{EXIT_WHATIF}"""


def _add_options(command: argparse.ArgumentParser) -> None:
    add_log(command)
    _add_quarantine(command)
    add_forms(
        command, "one JSON object: before, after, every retrieval that loses a result", "one such retrieval a row"
    )


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


def run_quarantine(parsed: argparse.Namespace) -> int:
    """Judge the log with and without what the arguments name, and write what changes."""
    named = _read_quarantine(parsed)
    evaluation = evaluate_log(parsed)
    found = apply_quarantine(evaluation.verdicts, named)
    with open_standard_output() as out:
        if parsed.json:
            head = make_quarantine_head(evaluation, named, found)
            write_object(head, "retrievals", make_touched_records(found, found.touched), out)
        elif parsed.csv:
            report_reading(evaluation.evidence, evaluation.named)
            say(DROPPED)
            for kind, name in found.unmatched:
                say(f"no result has the {kind} {name}")
            records = make_touched_records(found, found.touched)
            write_rows(TouchedRecord, records, out, for_terminal=sys.stdout.isatty())
        else:
            write_lines(draw_quarantine(evaluation, named, found, choose_width()), out)
    return NOT_WHOLE if parsed.strict and not report_completeness(evaluation.evidence) else DONE


def _read_quarantine(parsed: argparse.Namespace) -> Quarantine:
    """Return what to take out.  Raises ``UsageError``."""
    listed = [] if parsed.documents is None else _read_ids(parsed.documents)
    named = Quarantine(
        documents=_distinct([*parsed.document, *listed]),
        anchors=_distinct(parsed.anchor),
        originators=_distinct(parsed.originator),
        generators=_distinct(parsed.generator),
        collections=_distinct(parsed.collection),
    )
    if named.empty:
        raise UsageError(
            "nothing to take out: name a --document, an --anchor, an --originator, a --generator or a --collection, or "
            "a file of document ids with --documents"
        )
    return named


def _read_ids(path: str) -> list[str]:
    """Return the lines of a file exactly, without their ends and without empty ones."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"--documents {visible(path)}: cannot be read ({error.strerror})") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"--documents {visible(path)}: is not UTF-8 text; give one document id a line") from None
    return [line.removesuffix("\r") for line in text.split("\n") if line.removesuffix("\r")]


def _distinct(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


COMMAND = Command(
    "quarantine", "what if some documents were taken out of the results", _HELP, _add_options, run_quarantine
)
