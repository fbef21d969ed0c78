"""``source-guard verify``: the status of claims, one a line.

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
import base64
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
from guard_core.claims.claim import MAX_TOKEN
from guard_core.cli.inputs import seconds_of
from guard_core.cli.options import UsageError
from guard_core.cli.progress import ProgressBar, counted, say
from guard_core.codes import STATUSES
from guard_core.columns import TextColumn
from guard_core.errors import InputError, LogError, OutputError
from guard_core.files.input_file import InputFile, escape_file_name, open_input
from guard_core.ingest import read_log
from guard_core.ingest.detect import detect_format
from guard_core.ingest.formats.recognise import is_parquet
from guard_core.ingest.log import Log
from guard_core.ingest.mapping import parse_mapping
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.tables.header import find_delimiter
from guard_core.ingest.texts import find_texts
from guard_core.model import SignatureStatus
from guard_core.output.columns import format_time
from guard_core.provenance.catalogue import Catalogue, read_catalogue
from guard_core.provenance.join import join_catalogue
from guard_core.provenance.signed_entries import assign_claims
from guard_core.visible import visible

STANDARD_INPUT = "-"
_STDIN_NAME = "standard input"
_BLOCK = 64 * 1024
_PROBLEMS = 10
"""Rows that could not be read and are listed."""

_LOOKED_AT = 1000
"""Rows of which it is told how their text differs from the one that was signed."""

_MISMATCH = STATUSES.code(SignatureStatus.CONTENT_MISMATCH)

_COLUMNS = frozenset(name for field, others in SPELLINGS.items() for name in (field, *others))
"""Names by which the header of a table is told from a claim."""

_CONTENT = {
    ContentCheck.CHECKED: "content checked",
    ContentCheck.UNCHECKED: "content not checked: the text is not at hand",
    ContentCheck.NOT_STATED: "content not checked: the claim names none",
}


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

    def tell(self, place: str, document: str, status: SignatureStatus, words: str) -> None:
        """One line."""
        self.statuses[status] += 1
        sys.stdout.write(f"{status.value}\t{visible(place)}\t{visible(document)}\t{words}\n")


def verify_claims(parsed: argparse.Namespace) -> bool:
    """Check what the arguments name.  True if anything is not valid, or could not be looked at."""
    single = parsed.document is not None or parsed.text is not None
    if single and not (len(parsed.sources) == 1 and _is_claim(parsed.sources[0])):
        raise UsageError("--document and --text go with one claim, given as it is")
    if not parsed.sources and parsed.catalogue is None:
        raise UsageError("nothing to check: name a claim, a file, - for standard input, or a --catalogue")
    mapping, at = parse_mapping(parsed.map), seconds_of(parsed.at)
    store = read_trust_store(parsed.trust)
    with ProgressBar("reading") as bar:
        catalogue = None if parsed.catalogue is None else read_catalogue(parsed.catalogue, progress=bar)
    run = _Run(parsed, store, at, catalogue, mapping)
    for source in parsed.sources:
        if source == STANDARD_INPUT:
            with _spooled() as path, _named(path, _STDIN_NAME):
                _check_file(run, path)
        elif _is_claim(source):
            _check_one(run, source)
        else:
            _check_file(run, source)
    if not parsed.sources and catalogue is not None:
        _check_catalogue(run, catalogue)
    return _summary(run)


def _check_one(run: _Run, token: str) -> None:
    text = None if run.parsed.text is None else _text_of(run.parsed.text)
    outcome = verify_claim(token, run.store, run.at, document_id=run.parsed.document, text=text)
    run.tell("claim", _subject(outcome), outcome.status, _words(outcome))


def _check_file(run: _Run, path: str | Path) -> None:
    with open_input(path) as source:
        if run.parsed.input_format is None and not _is_table(source.head(), source.name):
            _check_lines(run, source)
            return
    with ProgressBar("reading") as bar:
        log = read_log([path], mapping=run.mapping, input_format=run.parsed.input_format, progress=bar)
    _check_log(run, log, path)


def _check_lines(run: _Run, source: InputFile) -> None:
    found = False
    for number, token in _lines(source):
        outcome = verify_claim(token, run.store, run.at)
        run.tell(str(number), _subject(outcome), outcome.status, _words(outcome))
        found = True
    if source.incomplete:
        run.unread += 1
        say(f"{source.name}: ends early; what is whole was checked")
    elif not found:
        raise LogError(source.name, "holds no claim", "a file of claims has one a line")


def _lines(source: InputFile) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers; of one that is longer than any claim only the beginning."""
    number, held = 1, b""
    for chunk in source.chunks(_BLOCK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line, held = held + part, b""
            if line.strip():
                yield number, _token(line)
            number += 1
        held = (held + rest)[: MAX_TOKEN + 2]
    if held.strip():
        yield number, _token(held)


def _token(line: bytes) -> str:
    # A byte that is not UTF-8 becomes half of a surrogate pair, which no claim holds.
    return line.removesuffix(b"\r").decode("utf-8", "surrogateescape")


def _check_log(run: _Run, log: Log, path: str | Path) -> None:
    joined = None if run.catalogue is None else join_catalogue(log, run.catalogue)
    claims = assign_claims(log, run.catalogue, joined)
    with ProgressBar("checking claims") as bar:
        checked = check_log(claims, log.document_ids, log.text_digests, run.store, progress=bar)
    decided = decide_log(checked, run.store, run.at)
    places = [log.retrieval_id(index) for index in range(log.retrieval_count)]
    place_of = np.repeat(np.arange(log.retrieval_count), np.diff(log.offsets)).tolist()
    _tell_rows(run, decided, places, place_of, log.document_ids, _near_misses(run, decided, log, path))
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
    _tell_rows(run, decide_log(checked, run.store, run.at), ["catalogue"], [0] * rows, documents, {})
    run.unread += catalogue.rows_rejected + catalogue.incomplete
    if catalogue.rows_rejected:
        say(f"{catalogue.rows_rejected:,} of {catalogue.rows_read:,} entries could not be read")


def _tell_rows(
    run: _Run,
    decided: DecidedLog,
    places: list[str],
    place_of: list[int],
    documents: TextColumn,
    near: Mapping[int, str],
) -> None:
    """A line for each row; rows of one case (claim, document, text) have one outcome."""
    known: dict[int, tuple[SignatureStatus, str]] = {}
    names: list[str] = documents.values.to_pylist()
    rows = zip(decided.checked.case_of.tolist(), place_of, documents.codes.tolist(), strict=True)
    for case, place, document in rows:
        if case not in known:
            outcome = decided.decide_case(case)
            known[case] = outcome.status, near.get(case) or _words(outcome)
        run.tell(places[place], names[document], *known[case])


def _near_misses(run: _Run, decided: DecidedLog, log: Log, path: str | Path) -> dict[int, str]:
    """For cases whose text is not the one that was signed, how it differs where that is only a matter of spelling.

    A log keeps digests and no texts, so the few that are wanted are read again.
    """
    rows = np.flatnonzero(decided.list_row_statuses() == _MISMATCH)[:_LOOKED_AT].tolist()
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


def _summary(run: _Run) -> bool:
    """What came of it, in sentences.  True if anything is not valid."""
    total = run.statuses.total()
    if not total and not run.unread:
        raise UsageError("nothing was checked: there is no row with a claim to look for")
    counts = ", ".join(f"{run.statuses[status]:,} {status.value}" for status in SignatureStatus if run.statuses[status])
    sys.stdout.flush()
    say(
        f"{total:,} checked: {counts or 'none'}; judged at {format_time(run.at * 1_000_000)} with "
        f"{counted(len(run.store.keys), 'usable key')}, {len(run.store.skipped):,} skipped"
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


def _words(outcome: ClaimOutcome) -> str:
    claim, key = outcome.claim, outcome.key
    if outcome.status is not SignatureStatus.VALID or claim is None or key is None:
        return outcome.reason
    day = _day(claim.iat)
    retired = "; the key signs nothing new any more" if outcome.key_retired else ""
    return f"attested by {visible(claim.iss)} on {day}, key {visible(key.kid)}, {_CONTENT[outcome.content]}{retired}"


def _day(seconds: int) -> str:
    """A day as people write it; a claim may name one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return f"second {seconds}"


def _subject(outcome: ClaimOutcome) -> str:
    """The document that a claim is about, once its signature holds."""
    return "" if outcome.claim is None else outcome.claim.sub


def _is_claim(argument: str) -> bool:
    """Whether an argument is a claim as it is: its first segment spells the beginning of a JSON object."""
    try:
        return base64.urlsafe_b64decode(argument.partition(".")[0] + "===").lstrip().startswith(b"{")
    except ValueError:
        return False


def _is_table(head: bytes, name: str) -> bool:
    """Whether a file is a log, not claims one a line.  Raises ``LogError`` for what is neither."""
    start = head.lstrip(b" \t\r\n")
    if is_parquet(head) or start.startswith((b"{", b"[")):
        return True
    if b"\0" in head:
        detect_format(head, name)  # says what it is
    header = start.partition(b"\n")[0].decode("utf-8", "replace")
    mark = find_delimiter(header)
    return mark is not None and any(name.strip().strip('"') in _COLUMNS for name in header.split(mark))


def _text_of(path: str) -> str:
    with open_input(path) as source:
        data = b"".join(source.chunks())
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise LogError(escape_file_name(path), "is not UTF-8", "give the text in UTF-8") from None


@contextmanager
def _spooled() -> Iterator[Path]:
    """Standard input as a file, since a log is read from one."""
    with tempfile.TemporaryDirectory(prefix="source-guard-") as folder:
        path = Path(folder) / _STDIN_NAME
        try:
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        except OSError as error:
            raise OutputError(f"{_STDIN_NAME}: cannot be kept ({error.strerror})") from None
        yield path


@contextmanager
def _named(path: Path, name: str) -> Iterator[None]:
    """Errors about a file under the name that people know it by."""
    try:
        yield
    except InputError as error:
        if error.file != escape_file_name(path):
            raise
        raise type(error)(name, error.fault, error.advice, error.place) from None
