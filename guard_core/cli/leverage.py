"""Rank the documents behind a log by what a check of each would settle: ``source-guard leverage``.

Flows in: parsed arguments and files.  Flows out: a table, a JSON object or CSV on standard output.
Rules kept here: everything is checked before anything is read.
Not here: the numbers (``guard_core.corpus.leverage``), forms of output (``output/corpus_*.py``).
"""

from __future__ import annotations

import argparse
import sys

from guard_core.cli.command import DONE, EXIT_WHATIF, NOT_WHOLE, Command, add_forms, add_log
from guard_core.cli.forms.corpus_forms import write_object, write_rows
from guard_core.cli.forms.corpus_records import (
    DocumentRecord,
    make_document_records,
    make_leverage_head,
)
from guard_core.cli.forms.corpus_table import draw_leverage
from guard_core.cli.inputs import read_whole_number
from guard_core.cli.streams import (
    choose_width,
    evaluate_log,
    open_standard_output,
    report_completeness,
    report_reading,
    write_lines,
)
from guard_core.corpus.leverage import find_leverage

_MOST_LISTED = 1 << 62

_HELP = f"""A document is open where its class is not known, or where it does not pass the signature gate. A
retrieval is settled where no check of its open documents can change its verdict. Documents come first that,
checked alone, settle most retrievals whatever the check says.

examples:
  source-guard leverage log.jsonl --catalogue documents.csv
      the twenty documents most worth checking
  source-guard leverage log.jsonl --catalogue signed.csv --trust trust.json --limit 5
      under the preset strict: what is not verified is open
  source-guard leverage log.jsonl --waive-signatures --csv > worklist.csv
      as if every signature were there: which classes to find out

{EXIT_WHATIF}"""


def _add_options(command: argparse.ArgumentParser) -> None:
    add_log(command)
    command.add_argument("--limit", metavar="N", help="list at most N documents (default: 20 in the table, else all)")
    command.add_argument(
        "--waive-signatures", action="store_true", help="leave the signature gate out: settle the classes alone"
    )
    add_forms(command, "one JSON object: the documents, ranked", "one document a row")


def run_leverage(parsed: argparse.Namespace) -> int:
    """Rank the documents of the log by what checking them would settle."""
    limit = None if parsed.limit is None else read_whole_number("--limit", parsed.limit, 1, _MOST_LISTED)
    evaluation, waived = evaluate_log(parsed), parsed.waive_signatures
    found = find_leverage(evaluation.verdicts.statistics, evaluation.named.policy, waived=waived)
    with open_standard_output() as out:
        if parsed.json:
            head = make_leverage_head(evaluation, found, waived)
            write_object(head, "documents", make_document_records(evaluation, found, limit), out)
        elif parsed.csv:
            report_reading(evaluation.evidence, evaluation.named)
            records = make_document_records(evaluation, found, limit)
            write_rows(DocumentRecord, records, out, for_terminal=sys.stdout.isatty())
        else:
            write_lines(draw_leverage(evaluation, found, limit, waived, choose_width()), out)
    return NOT_WHOLE if parsed.strict and not report_completeness(evaluation.evidence) else DONE


COMMAND = Command("leverage", "which documents to check first", _HELP, _add_options, run_leverage)
