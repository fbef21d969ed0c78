"""Check claims and write the status of each on a line: ``source-guard verify``.

Flows in: parsed arguments: a claim, a file of claims, a log, a signed catalogue, standard input.  Flows out: lines on
standard output (status, place, document, reason, with tabs between), a summary on standard error.
Rules kept here: what ``evaluate`` says of a claim, ``verify`` says too; a claim that cannot be read is one line and
costs no memory beyond its greatest length; rows that cannot be read fail, because nobody looked at their claims; to
check nothing is an error, not a success; places and reasons hold no character that a terminal would act on.
Not here: the checks (``guard_core.claims``), reading logs (``ingest``).

This form of output is what an implementation is judged by (``tests/conformance``).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from guard_core.claims import (
    STATUS_WORDS,
    ClaimOutcome,
    ContentCheck,
    DecidedLog,
    TrustStore,
    check_log,
    decide_log,
    read_trust_store,
    verify_claim,
)
from guard_core.cli.claim_sources import (
    STDIN_NAME,
    is_claim,
    is_table,
    name_errors,
    read_lines,
    read_text,
    spool_standard_input,
)
from guard_core.cli.command import DONE, GATE_FAILS, Command, UsageError, add_reading, add_trust
from guard_core.cli.inputs import read_seconds
from guard_core.cli.progress import ProgressBar, say
from guard_core.codes import STATUSES
from guard_core.columns import TextColumn
from guard_core.errors import LogError
from guard_core.files.input_file import InputFile, open_input
from guard_core.ingest import read_log
from guard_core.ingest.log import Log
from guard_core.ingest.mapping import parse_mapping
from guard_core.ingest.texts import find_texts
from guard_core.model import SignatureStatus
from guard_core.output.arrays import format_time
from guard_core.provenance.catalogue import Catalogue, read_catalogue
from guard_core.provenance.join import join_catalogue
from guard_core.provenance.signed_entries import assign_claims
from guard_core.visible import count_noun, visible

STANDARD_INPUT = "-"
_PROBLEMS = 10
"""Rows that could not be read and are listed."""

_MOST_EXPLAINED = 1000
"""Rows of which it is told how their text differs from the one that was signed."""

_MISMATCH = STATUSES.code(SignatureStatus.CONTENT_MISMATCH)

_CONTENT = {
    ContentCheck.CHECKED: "content checked",
    ContentCheck.UNCHECKED: "content not checked: the text is not at hand",
    ContentCheck.NOT_STATED: "content not checked: the claim names none",
}


_HELP = """Writes a line for each claim on standard output: status, where it stands, document, and the reason in
words, with tabs between. A summary goes to standard error.

examples:
  source-guard verify log.jsonl --trust trust.json
      every claim of a log, against document and text; place is the retrieval
  source-guard verify claims.txt --trust trust.json --at 2026-11-30T12:00:00Z
      one claim a line; place is the line
  source-guard verify --catalogue signed.csv --trust trust.json
      the claims of a signed catalogue
  cut -f 3 export.tsv | source-guard verify - --trust trust.json
      claims, or a log, from standard input
  source-guard verify eyJhbGciOi... --trust trust.json --document almanac --text almanac.txt
      one claim, for this document and this text

exit status:
  0  every claim is VALID
  1  a claim is not, is missing, or stands in a row that could not be read
  2  nothing was checked: wrong usage or input that cannot be used; one line on standard error says which"""


@dataclass(slots=True)
class _Run:
    """What is asked for, and what has come of it so far."""

    parsed: argparse.Namespace
    store: TrustStore
    at: int
    catalogue: Catalogue | None
    mapping: dict[str, str]
    statuses: Counter[SignatureStatus] = field(default_factory=Counter)
    unread: int = 0

    def write_line(self, place: str, document: str, status: SignatureStatus, words: str) -> None:
        """Write the line of one claim."""
        self.statuses[status] += 1
        sys.stdout.write(f"{status.value}\t{visible(place)}\t{visible(document)}\t{words}\n")


def run_verify(parsed: argparse.Namespace) -> int:
    """Check what the arguments name; a claim that is not valid, or a row that could not be read, fails."""
    single = parsed.document is not None or parsed.text is not None
    if single and not (len(parsed.sources) == 1 and is_claim(parsed.sources[0])):
        raise UsageError("--document and --text go with one claim, given as it is")
    if not parsed.sources and parsed.catalogue is None:
        raise UsageError("nothing to check: name a claim, a file, - for standard input, or a --catalogue")
    mapping, at = parse_mapping(parsed.map), read_seconds(parsed.at)
    store = read_trust_store(parsed.trust)
    with ProgressBar("reading") as bar:
        catalogue = None if parsed.catalogue is None else read_catalogue(parsed.catalogue, progress=bar)
    run = _Run(parsed, store, at, catalogue, mapping)
    for source in parsed.sources:
        if source == STANDARD_INPUT:
            with spool_standard_input() as path, name_errors(path, STDIN_NAME):
                _check_file(run, path)
        elif is_claim(source):
            _check_one(run, source)
        else:
            _check_file(run, source)
    if not parsed.sources and catalogue is not None:
        _check_catalogue(run, catalogue)
    return GATE_FAILS if _report(run) else DONE


def _check_one(run: _Run, token: str) -> None:
    text = None if run.parsed.text is None else read_text(run.parsed.text)
    outcome = verify_claim(token, run.store, run.at, document_id=run.parsed.document, text=text)
    run.write_line("claim", _find_subject(outcome), outcome.status, _describe_outcome(outcome))


def _check_file(run: _Run, path: str | Path) -> None:
    with open_input(path) as source:
        if run.parsed.input_format is None and not is_table(source.head(), source.name):
            _check_lines(run, source)
            return
    with ProgressBar("reading") as bar:
        log = read_log([path], mapping=run.mapping, input_format=run.parsed.input_format, progress=bar)
    _check_log(run, log, path)


def _check_lines(run: _Run, source: InputFile) -> None:
    found = False
    for number, token in read_lines(source):
        outcome = verify_claim(token, run.store, run.at)
        run.write_line(str(number), _find_subject(outcome), outcome.status, _describe_outcome(outcome))
        found = True
    if source.incomplete:
        run.unread += 1
        say(f"{source.name}: ends early; what is whole was checked")
    elif not found:
        raise LogError(source.name, "holds no claim", "a file of claims has one a line")


def _check_log(run: _Run, log: Log, path: str | Path) -> None:
    joined = None if run.catalogue is None else join_catalogue(log, run.catalogue)
    claims = assign_claims(log, run.catalogue, joined)
    with ProgressBar("checking claims") as bar:
        checked = check_log(claims, log.document_ids, log.text_digests, run.store, progress=bar)
    decided = decide_log(checked, run.store, run.at)
    places = [log.retrieval_id(index) for index in range(log.retrieval_count)]
    place_of = np.repeat(np.arange(log.retrieval_count), np.diff(log.offsets)).tolist()
    _write_rows(run, decided, places, place_of, log.document_ids, _find_near_misses(run, decided, log, path))
    run.unread += log.rows_rejected + log.incomplete
    if log.rows_rejected:
        say(f"{log.rows_rejected:,} of {log.rows_read:,} rows could not be read; nobody looked at their claims")
    for problem in log.problems[:_PROBLEMS]:
        say(f"{problem.file}:{problem.line}: {problem.field}: {problem.reason}")
    if log.incomplete:
        say("the log is incomplete; what is whole was checked")


def _check_catalogue(run: _Run, catalogue: Catalogue) -> None:
    rows = catalogue.documents
    documents = TextColumn(np.arange(rows, dtype=np.int32), catalogue.entries.document_ids)
    with ProgressBar("checking claims") as bar:
        checked = check_log(catalogue.signatures, documents, TextColumn.missing(rows), run.store, progress=bar)
    _write_rows(run, decide_log(checked, run.store, run.at), ["catalogue"], [0] * rows, documents, {})
    run.unread += catalogue.rows_rejected + catalogue.incomplete
    if catalogue.rows_rejected:
        say(f"{catalogue.rows_rejected:,} of {catalogue.rows_read:,} entries could not be read")


def _write_rows(
    run: _Run,
    decided: DecidedLog,
    places: list[str],
    place_of: list[int],
    documents: TextColumn,
    near: Mapping[int, str],
) -> None:
    """Write a line for each row; rows of one case (claim, document, text) have one outcome."""
    known: dict[int, tuple[SignatureStatus, str]] = {}
    names: list[str] = documents.values.to_pylist()
    rows = zip(decided.checked.case_of.tolist(), place_of, documents.codes.tolist(), strict=True)
    for case, place, document in rows:
        if case not in known:
            outcome = decided.decide_case(case)
            known[case] = outcome.status, near.get(case) or _describe_outcome(outcome)
        run.write_line(places[place], names[document], *known[case])


def _find_near_misses(run: _Run, decided: DecidedLog, log: Log, path: str | Path) -> dict[int, str]:
    """Explain, for cases whose text is not the one that was signed, how it differs where only the spelling does.

    A log keeps digests and no texts, so the few that are wanted are read again.
    """
    rows = np.flatnonzero(decided.list_row_statuses() == _MISMATCH)[:_MOST_EXPLAINED].tolist()
    if not rows:
        return {}
    digests = {row: log.text_digests.text(row) or "" for row in rows}
    wanted = set(digests.values())
    texts = find_texts([path], wanted, mapping=run.mapping, input_format=run.parsed.input_format)
    found: dict[int, str] = {}
    for row, digest in digests.items():
        case = int(decided.checked.case_of[row])
        found[case] = decided.decide_case(case).explain(texts.get(digest))
    return found


def _report(run: _Run) -> bool:
    """Say in sentences what came of it; return whether anything is not valid."""
    total = run.statuses.total()
    if not total and not run.unread:
        raise UsageError("nothing was checked: there is no row with a claim to look for")
    counts = ", ".join(f"{run.statuses[status]:,} {status.value}" for status in SignatureStatus if run.statuses[status])
    sys.stdout.flush()
    say(
        f"{total:,} checked: {counts or 'none'}; judged at {format_time(run.at * 1_000_000)} with "
        f"{count_noun(len(run.store.keys), 'usable key')}, {len(run.store.skipped):,} skipped"
    )
    for status in SignatureStatus:
        if run.statuses[status] and status is not SignatureStatus.VALID:
            words = STATUS_WORDS[status]
            say(f"{status.value}: {words.meaning} {words.advice}")
    for key in run.store.skipped:
        say(f"skipped key {key.kid if key.kid is not None else f'in entry {key.entry}'}: {key.reason}")
    for notice in run.store.notices:
        say(notice)
    return run.unread > 0 or run.statuses[SignatureStatus.VALID] < total


def _describe_outcome(outcome: ClaimOutcome) -> str:
    claim, key = outcome.claim, outcome.key
    if outcome.status is not SignatureStatus.VALID or claim is None or key is None:
        return outcome.reason
    day = _format_day(claim.iat)
    retired = "; the key signs nothing new any more" if outcome.key_retired else ""
    return f"attested by {visible(claim.iss)} on {day}, key {visible(key.kid)}, {_CONTENT[outcome.content]}{retired}"


def _format_day(seconds: int) -> str:
    """Write a day as people do; a claim may name one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return f"second {seconds}"


def _find_subject(outcome: ClaimOutcome) -> str:
    """Return the document that a claim is about; empty where its signature does not hold."""
    return "" if outcome.claim is None else outcome.claim.sub


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "sources", nargs="*", metavar="CLAIM", help="a claim, a file of claims, one a line, a log, or - (stdin)"
    )
    group = command.add_argument_group("inputs")
    add_trust(group, required=True)
    group.add_argument(
        "--catalogue",
        metavar="FILE",
        help="a signed catalogue: its claims speak for results of the log that carry none; without a log, check them",
    )
    group.add_argument("--document", metavar="ID", help="the document that the one claim has to be about")
    group.add_argument("--text", metavar="FILE", help="the text that the one claim has to be about, in UTF-8")
    add_reading(group)


COMMAND = Command("verify", "check claims: one, a file of them, or those of a log", _HELP, _add_options, run_verify)
