"""Read the inputs and write the output of commands that judge a log, and say whether everything was read.

Flows in: parsed arguments.  Flows out: ``Evidence``; lines and sentences.
Rules kept here: options are checked before anything is read; a full disk behind standard output is one line; a log that
is not whole is reported.
Not here: what a command does in between (``evaluate.py``, ``quarantine.py``, ``leverage.py``).
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from guard_core.cli.inputs import choose_policy, read_evaluation_time, read_limits, read_seconds
from guard_core.cli.progress import ProgressBar, say
from guard_core.errors import OutputError
from guard_core.files.limits import Limits
from guard_core.ingest.mapping import parse_mapping
from guard_core.judging.policy import NamedPolicy
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.people.sentences import describe_policy
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs

_DEFAULT_WIDTH = 100


def read_inputs(parsed: argparse.Namespace, mapping: Mapping[str, str], limits: Limits) -> Evidence:
    """Read the log, catalogue and trust store that the arguments name, as evidence.  Raises ``InputError``."""
    with ProgressBar("reading") as bar, ProgressBar("checking claims") as checking:
        return load_inputs(
            parsed.logs,
            catalogue=parsed.catalogue,
            trust=parsed.trust,
            at=read_seconds(parsed.at),
            mapping=mapping,
            input_format=parsed.input_format,
            limits=limits,
            progress=bar,
            checking=checking,
        )


@contextmanager
def open_standard_output() -> Iterator[BinaryIO]:
    """Open standard output for bytes.  Raises ``OutputError`` where it cannot be written."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"standard output: cannot be written ({error.strerror})") from None


def choose_width() -> int:
    """Return how wide a table may be: as wide as the terminal, else 100 columns."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _DEFAULT_WIDTH


def write_lines(lines: Iterable[str], out: BinaryIO) -> None:
    """Write lines of text in the encoding of standard output, with escapes for what that lacks."""
    text = "".join(f"{line}\n" for line in lines)
    out.write(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))


def report_reading(evidence: Evidence, named: NamedPolicy) -> None:
    """Say how much was read, and under which policy it is judged."""
    log = evidence.log
    rows = f"{log.rows_read:,} rows read = {log.rows_accepted:,} accepted + {log.rows_rejected:,} rejected"
    incomplete = "; the log is incomplete" if log.incomplete else ""
    say(f"{rows} + {log.rows_ignored:,} ignored{incomplete}")
    say(f"policy {describe_policy(named)}")


def report_completeness(evidence: Evidence) -> bool:
    """Return whether all of log and catalogue was read, and say so as ``--strict`` promises."""
    faults = []
    for name, read in (("log", evidence.log), ("catalogue", evidence.catalogue)):
        if read is not None and read.rows_rejected:
            faults.append(f"{read.rows_rejected:,} of {read.rows_read:,} rows of the {name} were rejected")
        if read is not None and read.incomplete:
            faults.append(f"the {name} is incomplete")
    say(f"--strict: {'; '.join(faults) or 'all was read'}: {'fails' if faults else 'passes'}")
    return not faults


def evaluate_log(parsed: argparse.Namespace) -> Evaluation:
    """Check the options, read the inputs and judge the log."""
    policy, mapping, limits = choose_policy(parsed), parse_mapping(parsed.map), read_limits(parsed)
    at = read_evaluation_time(parsed.at)
    return evaluate(read_inputs(parsed, mapping, limits), policy, at)
