"""``source-guard``: judge a log from the command line, or open the dashboard on it.

Flows in: arguments and files.  Flows out: a table or an export on standard output, sentences on standard error, an
exit status.
Rules kept here: 0 done; 1 a gate fails; 2 nothing was judged, and one line on standard error says what to do; 3
``--strict`` and something was rejected or incomplete.  3 goes before 1, because a gate over a log that is not whole
decides nothing.  Never a traceback, unless ``--debug`` asks for it; never a character on a terminal that the
terminal would act on.
Not here: options (``cli_options.py``, ``cli_inputs.py``), keys and claims (``cli_claims.py``, ``cli_verify.py``), the
corpus (``cli_corpus.py``), forms of output (``output/``), the dashboard, which is another process and is not imported.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

from guard_core.claims import read_trust_store
from guard_core.cli.claims import attest_catalogue, make_key
from guard_core.cli.corpus import show_leverage, show_quarantine
from guard_core.cli.inputs import halt_share_of, limits_of, policy_of, port_of, time_of
from guard_core.cli.options import PROGRAM, UsageError, parse
from guard_core.cli.progress import ProgressBar, say
from guard_core.cli.reading import columns, is_whole, note_reading, read_inputs, standard_output, write_lines
from guard_core.cli.verify import verify_claims
from guard_core.errors import SourceGuardError
from guard_core.ingest.mapping import parse_mapping
from guard_core.judging.policy import load_policy, preset
from guard_core.output.delimited import write_csv
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.json_lines import write_json, write_json_lines
from guard_core.output.parquet import write_parquet
from guard_core.output.people.layout import share
from guard_core.output.people.table import table
from guard_core.output.whole_file import refuse_input
from guard_core.visible import visible

DONE, GATE_FAILS, NOT_JUDGED, NOT_WHOLE = range(4)
NOT_VALID = GATE_FAILS
"""What ``verify`` leaves with where a claim is not valid."""

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell calls a program that SIGINT, or SIGPIPE, has ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.  Gives the exit status; ``--help`` and ``--version`` leave through ``SystemExit`` 0."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_standard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except SourceGuardError as error:
        say(str(error))
        return NOT_JUDGED
    except Exception as error:  # the last resort: a person gets one line, not a traceback
        if "--debug" in arguments:
            raise
        say(_internal(error))
        return NOT_JUDGED
    return status


def _run(arguments: Sequence[str]) -> int:
    parsed = parse(arguments)
    match parsed.command:
        case "evaluate":
            return _evaluate(parsed)
        case "keygen":
            make_key(parsed)
        case "attest":
            attest_catalogue(parsed)
        case "verify":
            return NOT_VALID if verify_claims(parsed) else DONE
        case "quarantine":
            return DONE if show_quarantine(parsed) else NOT_WHOLE
        case "leverage":
            return DONE if show_leverage(parsed) else NOT_WHOLE
        case _:
            return _dashboard(parsed)
    return DONE


def _evaluate(parsed: argparse.Namespace) -> int:
    """Check the options, read, judge, write, and answer the gates."""
    named, mapping, limits = policy_of(parsed), parse_mapping(parsed.map), limits_of(parsed)
    if parsed.parquet is not None:
        refuse_input(parsed.parquet, (*parsed.logs, parsed.catalogue, parsed.trust, parsed.policy))
    at, most = time_of(parsed.at), halt_share_of(parsed.max_halt_share)
    evidence = read_inputs(parsed, mapping, limits)
    evaluation = evaluate(evidence, named, at)
    if parsed.parquet is not None:
        with ProgressBar("writing") as bar:
            _note_rowless(write_parquet(evaluation, parsed.parquet, bar))
    _write(evaluation, parsed)
    return _status(evaluation, parsed, most)


def _write(evaluation: Evaluation, parsed: argparse.Namespace) -> None:
    """The chosen form on standard output."""
    with ProgressBar("writing") as bar, standard_output() as out:
        if parsed.json:
            write_json(evaluation, out, bar)
        elif parsed.jsonl:
            note_reading(evaluation.evidence, evaluation.named)
            write_json_lines(evaluation, out, bar)
        elif parsed.csv:
            note_reading(evaluation.evidence, evaluation.named)
            _note_rowless(write_csv(evaluation, out, bar, for_terminal=sys.stdout.isatty()))
        else:
            write_lines(table(evaluation, columns()), out)


def _status(evaluation: Evaluation, parsed: argparse.Namespace, most: Fraction | None) -> int:
    """The exit status, and the sentence behind it."""
    summary = evaluation.summary
    status = DONE
    halting = f"{summary.halt:,} of {summary.counted:,} counted retrievals halt"
    if parsed.gate:
        fails = summary.halt > 0
        say(f"--gate: {halting}: {'fails' if fails else 'passes'}")
        status = GATE_FAILS if fails else status
    if most is not None:
        fails = summary.counted > 0 and Fraction(summary.halt, summary.counted) > most
        answer = f"{halting} ({share(summary.halt, summary.counted)})"
        say(f"--max-halt-share {parsed.max_halt_share}: {answer}: {'fails' if fails else 'passes'}")
        status = GATE_FAILS if fails else status
    if parsed.strict and not is_whole(evaluation.evidence):
        status = NOT_WHOLE
    return status


def _dashboard(parsed: argparse.Namespace) -> int:
    """Check the inputs, then become the dashboard."""
    command = [sys.executable, "-m", "dashboard"]
    port = port_of(parsed.port)
    if parsed.command == "demo":
        command.append("--demo")
    else:
        for option, paths in (("--log", parsed.logs), ("--catalogue", [parsed.catalogue] if parsed.catalogue else [])):
            for path in paths:
                if not Path(path).is_file():
                    raise UsageError(f"{visible(path)}: no such file; give the path of a file that is there")
                command += [option, path]
        parse_mapping(parsed.map)
        if parsed.policy is not None:
            load_policy(parsed.policy, parsed.preset)
        elif parsed.preset is not None:
            preset(parsed.preset)
        if parsed.trust is not None:
            read_trust_store(parsed.trust)
        at = time_of(parsed.at)
        for option, value in (
            ("--trust", parsed.trust),
            ("--at", at),
            ("--policy", parsed.policy),
            ("--preset", parsed.preset),
        ):
            command += [] if value is None else [option, value]
        command += [] if parsed.input_format is None else ["--input-format", parsed.input_format]
        for pair in parsed.map:
            command += ["--map", pair]
    command += [] if port is None else ["--port", port]
    command += ["--no-browser"] if parsed.no_browser else []
    if find_spec("dashboard") is None:
        raise UsageError("the dashboard is not installed; install the whole of source-guard")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606  # no shell: the arguments go as they are; guard_core imports no screen


def _note_rowless(retrievals: int) -> None:
    if retrievals:
        say(f"retrievals without results, which have no row: {retrievals:,}; --json and --jsonl list them")


def _internal(error: Exception) -> str:
    """What can be said of a fault of our own without quoting what was read."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return (
        f"internal error ({type(error).__name__} at {where}); this is a fault of {PROGRAM}, not of your files: "
        "run the command again with --debug and report what it prints"
    )


def _drop_standard_output() -> None:
    """Nobody reads standard output any more: keep Python from complaining when it flushes it at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)
