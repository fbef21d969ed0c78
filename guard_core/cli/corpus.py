"""``source-guard quarantine`` and ``source-guard leverage``: what if, and what next, of the documents behind a log.

Flows in: parsed arguments and files.  Flows out: a table, a JSON object or CSV on standard output.
Rules kept here: everything is checked before anything is read; names are taken as they are given, byte for byte; what
``evaluate`` says of the same inputs stands under ``before``.
Not here: the numbers (``quarantine.py``, ``leverage.py``), forms of output (``output/corpus_*.py``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guard_core.cli.inputs import limits_of, policy_of, time_of, whole_number
from guard_core.cli.options import UsageError
from guard_core.cli.progress import say
from guard_core.cli.reading import columns, is_whole, note_reading, read_inputs, standard_output, write_lines
from guard_core.corpus.leverage import find_leverage
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.ingest.mapping import parse_mapping
from guard_core.output.corpus_forms import write_object, write_rows
from guard_core.output.corpus_records import (
    DocumentRecord,
    TouchedRecord,
    document_records,
    leverage_head,
    quarantine_head,
    touched_records,
)
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.people.corpus_table import DROPPED, leverage_table, quarantine_table
from guard_core.visible import visible

_MOST_LISTED = 1 << 62


def show_quarantine(parsed: argparse.Namespace) -> bool:
    """Before and after.  False if ``--strict`` asks that everything was read, and it was not."""
    named = _quarantine_of(parsed)
    evaluation = _evaluation_of(parsed)
    found = apply_quarantine(evaluation.verdicts, named)
    with standard_output() as out:
        if parsed.json:
            head = quarantine_head(evaluation, named, found)
            write_object(head, "retrievals", touched_records(found, found.touched), out)
        elif parsed.csv:
            note_reading(evaluation.evidence, evaluation.named)
            say(DROPPED)
            for kind, name in found.unmatched:
                say(f"no result has the {kind} {name}")
            records = touched_records(found, found.touched)
            write_rows(TouchedRecord, records, out, for_terminal=sys.stdout.isatty())
        else:
            write_lines(quarantine_table(evaluation, named, found, columns()), out)
    return not parsed.strict or is_whole(evaluation.evidence)


def show_leverage(parsed: argparse.Namespace) -> bool:
    """The ranking.  False if ``--strict`` asks that everything was read, and it was not."""
    limit = None if parsed.limit is None else whole_number("--limit", parsed.limit, 1, _MOST_LISTED)
    evaluation, waived = _evaluation_of(parsed), parsed.waive_signatures
    found = find_leverage(evaluation.verdicts.statistics, evaluation.named.policy, waived=waived)
    with standard_output() as out:
        if parsed.json:
            head = leverage_head(evaluation, found, waived)
            write_object(head, "documents", document_records(evaluation, found, limit), out)
        elif parsed.csv:
            note_reading(evaluation.evidence, evaluation.named)
            records = document_records(evaluation, found, limit)
            write_rows(DocumentRecord, records, out, for_terminal=sys.stdout.isatty())
        else:
            write_lines(leverage_table(evaluation, found, limit, waived, columns()), out)
    return not parsed.strict or is_whole(evaluation.evidence)


def _evaluation_of(parsed: argparse.Namespace) -> Evaluation:
    policy, mapping, limits = policy_of(parsed), parse_mapping(parsed.map), limits_of(parsed)
    at = time_of(parsed.at)
    return evaluate(read_inputs(parsed, mapping, limits), policy, at)


def _quarantine_of(parsed: argparse.Namespace) -> Quarantine:
    """What to take out.  Raises ``UsageError``."""
    listed = [] if parsed.documents is None else _ids_in(parsed.documents)
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


def _ids_in(path: str) -> list[str]:
    """The lines of a file, exactly, without their ends; empty ones name nothing."""
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
