"""Account for what was read: rows accepted, rejected and ignored, the match with the catalogue, the first records.

Flows in: ``Evidence``, ``Preview``, the names that people know the files by.  Flows out: sentences and tables.
Rules kept here: rows read = accepted + rejected + ignored, always shown (R1); text from a file is shown
escaped (``text.escape_text``); a missing catalogue, signature or time is named with what to bring.
Not here: reading (``logs.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.text import escape_text
from dashboard.views.table import ROWS_ON_SCREEN, Table, make_table
from dashboard.words import format_share, label_code
from guard_core.ingest import Preview
from guard_core.ingest.log import MISSING_TIME
from guard_core.provenance.evidence import Evidence
from guard_core.visible import count_noun

Names = Mapping[str, str]
"""File names as read -> as people know them (an upload is read under another name)."""


@dataclass(frozen=True, slots=True)
class ReadingAccount:
    """The rows of all files of a log, by what became of them; ``sentence`` holds the whole sum."""

    title: str
    sentence: str
    metrics: tuple[tuple[str, str], ...]
    incomplete: bool
    files: Table
    problems: Table
    notices: Table


def count_rows(evidence: Evidence, names: Names) -> ReadingAccount:
    """Count the rows of all files together."""
    log = evidence.log
    files = [(escape_text(names.get(f.name, f.name)), f.format, f.sha256) for f in log.files]
    problems = [
        (escape_text(names.get(p.file, p.file)), p.line, escape_text(p.field), escape_text(p.reason))
        for p in log.problems[:ROWS_ON_SCREEN]
    ]
    notices = [(label_code(n.code), n.count, escape_text(n.message)) for n in (*log.notices, *evidence.notices)]
    sentence = (
        f"{count_noun(log.rows_read, 'row')} read = {log.rows_accepted:,} accepted + {log.rows_rejected:,} rejected"
        f" + {log.rows_ignored:,} ignored."
    )
    return ReadingAccount(
        f"{count_noun(log.retrieval_count, 'retrieval')} with {count_noun(log.result_count, 'result')}",
        sentence,
        (
            ("Rows read", f"{log.rows_read:,}"),
            ("Accepted", f"{log.rows_accepted:,}"),
            ("Rejected", f"{log.rows_rejected:,}"),
            ("Ignored", f"{log.rows_ignored:,}"),
        ),
        log.incomplete,
        make_table(("File", "Format", "SHA-256"), files),
        make_table(("File", "Line", "Field", "Reason"), problems, len(log.problems)),
        make_table(("Notice", "Count", "Meaning"), notices),
    )


def describe_match(evidence: Evidence) -> str:
    """Say how many results the catalogue knows, or what a catalogue would add."""
    results = evidence.log.result_count
    if evidence.catalogue_digest is None:
        return "No catalogue. With one, classes and anchors rest on more than the log's own word."
    documents = count_noun(evidence.catalogue_documents, "document")
    if not results:
        return f"The catalogue has {documents}; the log has no results to match."
    matched = evidence.matched_results
    known = f"{matched:,} of {count_noun(results, 'result')} ({format_share(matched, results)})"
    return f"The catalogue has {documents} and knows {known}."


def list_missing(evidence: Evidence) -> tuple[str, ...]:
    """List what a log lacks, and what to bring."""
    log = evidence.log
    if not log.retrieval_count:
        return ("The log holds no retrieval. Load one with a row, or a list of results, for each search.",)
    lacks = []
    if log.result_count and not (log.class_words != 0).any() and evidence.catalogue_digest is None:
        lacks.append(
            "No result says who wrote it. Bring an authenticity column, or a catalogue with document ids and classes."
        )
    if log.result_count and not (log.signatures.codes >= 0).any():
        lacks.append(
            "No result carries a signature, so every retrieval is unverified while the signature gate asks for one. "
            "The verdicts with signatures waived are shown beside."
        )
    if not (log.times != MISSING_TIME).any():
        lacks.append("No retrieval has a time. A timestamp column gives a trend.")
    return tuple(lacks)


def describe_period(evidence: Evidence) -> str:
    """Return the first and the last day of a log; empty if it has no time."""
    times = evidence.log.times
    known = times[times != MISSING_TIME]
    if not len(known):
        return ""
    first, last = (
        str(np.datetime64(int(moment), "us").astype("datetime64[D]")) for moment in (known.min(), known.max())
    )
    return first if first == last else f"{first} to {last}"


def list_first_records(preview: Preview) -> Table:
    """List the first records of a file as they stand in it."""
    columns = list(dict.fromkeys(key for row in preview.rows for key in row))
    rows = [[escape_text(_write_value(row.get(column)), 160) for column in columns] for row in preview.rows]
    return make_table([escape_text(column, 60) or "(no name)" for column in columns], rows)


def _write_value(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
