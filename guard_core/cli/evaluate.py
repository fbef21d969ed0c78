"""Judge a log from the command line, print or export the verdicts, and answer gates: ``source-guard evaluate``.

Flows in: parsed arguments and files.  Flows out: a table or an export on standard output, sentences on standard error.
Rules kept here: everything is checked before anything is read; ``--strict`` goes before gates, because a gate over a
log that is not whole decides nothing.
Not here: the judgement and its forms (``guard_core.output``).
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction

from guard_core.cli.command import DONE, GATE_FAILS, NOT_WHOLE, Command, add_log, add_strict
from guard_core.cli.forms.table import draw_table
from guard_core.cli.inputs import read_halt_share
from guard_core.cli.progress import ProgressBar, say
from guard_core.cli.streams import (
    choose_width,
    evaluate_log,
    open_standard_output,
    report_completeness,
    report_reading,
    write_lines,
)
from guard_core.output.delimited import write_csv
from guard_core.output.evaluation import Evaluation
from guard_core.output.json_lines import write_json, write_json_lines
from guard_core.output.parquet import write_parquet
from guard_core.output.people.layout import format_share
from guard_core.output.whole_file import refuse_input

_EXIT = """exit status:
  0  done
  1  --gate and a retrieval halts, or --max-halt-share and a greater share halts
  2  nothing was judged: wrong usage or input that cannot be used; one line on standard error says which
  3  --strict and something was rejected or incomplete"""

_HELP = f"""examples:
  source-guard evaluate log.jsonl
      judge a log by its own labels: summary first, then what halts and what to do
  source-guard evaluate log.csv.gz --catalogue documents.csv --min-human-ratio 0.6
      with the curators' catalogue, and six human results in ten asked for
  source-guard evaluate log.jsonl --catalogue signed.csv --trust trust.json
      check the signed claims of log and catalogue, and judge by those that hold (preset strict)
  source-guard evaluate monday.jsonl tuesday.parquet --json > evaluation.json
      two files as one log; one JSON object with every retrieval, every result and a digest over them
  source-guard evaluate log.jsonl --policy policy.toml --gate
      in a pipeline: exit status 1 if any retrieval halts
  source-guard evaluate export.csv --map result_id=chunk --map query_id=session
      columns of other names

{_EXIT}"""


def _add_options(command: argparse.ArgumentParser) -> None:
    add_log(command)
    _add_outputs(command)
    _add_gates(command)


def _add_outputs(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("output (default: a table for people)")
    one = group.add_mutually_exclusive_group()
    one.add_argument("--json", action="store_true", help="one JSON object: log, policy, every retrieval, a digest")
    one.add_argument("--jsonl", action="store_true", help="one retrieval a line, the records of --json")
    one.add_argument("--csv", action="store_true", help="one result a row, with the verdict of its retrieval")
    group.add_argument("--parquet", metavar="FILE", help="write the rows of --csv to a Parquet file as well")


def _add_gates(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("gates")
    group.add_argument("--gate", action="store_true", help="exit 1 if any retrieval halts")
    group.add_argument("--max-halt-share", metavar="X", help="exit 1 if more than this share halts (0 to 1)")
    add_strict(group)


def run_evaluate(parsed: argparse.Namespace) -> int:
    """Check the options, read, judge, write, and answer the gates."""
    if parsed.parquet is not None:
        refuse_input(parsed.parquet, (*parsed.logs, parsed.catalogue, parsed.trust, parsed.policy))
    most = read_halt_share(parsed.max_halt_share)
    evaluation = evaluate_log(parsed)
    if parsed.parquet is not None:
        with ProgressBar("writing") as bar:
            _report_rowless(write_parquet(evaluation, parsed.parquet, bar))
    _write(evaluation, parsed)
    return _answer_gates(evaluation, parsed, most)


def _write(evaluation: Evaluation, parsed: argparse.Namespace) -> None:
    """Write the evaluation to standard output in the form that was chosen."""
    with ProgressBar("writing") as bar, open_standard_output() as out:
        if parsed.json:
            write_json(evaluation, out, bar)
        elif parsed.jsonl:
            report_reading(evaluation.evidence, evaluation.named)
            write_json_lines(evaluation, out, bar)
        elif parsed.csv:
            report_reading(evaluation.evidence, evaluation.named)
            _report_rowless(write_csv(evaluation, out, bar, for_terminal=sys.stdout.isatty()))
        else:
            write_lines(draw_table(evaluation, choose_width()), out)


def _answer_gates(evaluation: Evaluation, parsed: argparse.Namespace, most: Fraction | None) -> int:
    """Return the exit status, and say in a sentence why it is that."""
    summary = evaluation.summary
    status = DONE
    halting = f"{summary.halt:,} of {summary.counted:,} counted retrievals halt"
    if parsed.gate:
        fails = summary.halt > 0
        say(f"--gate: {halting}: {'fails' if fails else 'passes'}")
        status = GATE_FAILS if fails else status
    if most is not None:
        fails = summary.counted > 0 and Fraction(summary.halt, summary.counted) > most
        answer = f"{halting} ({format_share(summary.halt, summary.counted)})"
        say(f"--max-halt-share {parsed.max_halt_share}: {answer}: {'fails' if fails else 'passes'}")
        status = GATE_FAILS if fails else status
    if parsed.strict and not report_completeness(evaluation.evidence):
        status = NOT_WHOLE
    return status


def _report_rowless(retrievals: int) -> None:
    if retrievals:
        say(f"retrievals without results, which have no row: {retrievals:,}; --json and --jsonl list them")


COMMAND = Command("evaluate", "judge a log, print or export the verdicts", _HELP, _add_options, run_evaluate)
