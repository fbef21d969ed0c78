"""Hold a retrieval log once it is read: what every reader makes and every judgement starts from.

Flows in: nothing.  Flows out: ``Log`` and its parts.
Rules kept here: a log is immutable; rows read = accepted + rejected + ignored; rows of one retrieval stand together,
in judged order (rank, then result id bytes; as listed where no rank is given); text is held as dictionary codes, never
once a row; the text of results is not held at all, only its digest.
Not here: reading (the readers beside this file), what the declarations are worth (``guard_core.provenance.evidence``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, Strings, TextColumn

MISSING_TIME = np.iinfo(np.int64).min
"""Stands in ``Log.times`` where a retrieval has no known time."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One row that was rejected.  ``line`` is the physical line on which its record begins, or the record's number
    from 1; ``field`` the name as written in the file, or the canonical name; ``reason`` never quotes the value."""

    file: str
    line: int
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a reader of the numbers should know: ``code`` as in R61, ``count`` of results or ids concerned."""

    code: str
    count: int
    message: str


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file of a log: display name, detected format (``jsonl``, ``jsonl.gz``, ``json``, ``csv``, ``tsv``,
    ``parquet``...) and the SHA-256 of its bytes as they stand on disk, in hex."""

    name: str
    format: str
    sha256: str
    mapping: tuple[tuple[str, str], ...] = ()
    """Pairs (canonical column, column of the file) in force for this file."""


@dataclass(frozen=True, slots=True)
class Log:
    """A whole retrieval log as columns.

    ``n`` retrievals in order of first occurrence, ``m`` results; the results of retrieval ``i`` are rows
    ``offsets[i]:offsets[i + 1]``.  Per-retrieval columns have length ``n``, per-result columns length ``m``.
    """

    files: tuple[LogFile, ...]
    rows_read: int
    rows_accepted: int
    rows_rejected: int
    rows_ignored: int
    incomplete: bool
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]

    offsets: NDArray[np.int64]
    query_ids: TextColumn
    occurrences: NDArray[np.int32]
    """1 for the first retrieval of a query id, 2 for the second (shown as ``id#2``), ..."""
    queries: TextColumn
    times: NDArray[np.int64]
    """Microseconds since 1970-01-01T00:00Z, or ``MISSING_TIME``."""
    creative: NDArray[np.bool_]
    rejected_results: NDArray[np.int32]
    """How many results of this retrieval could not be read (R71)."""

    result_ids: TextColumn
    document_ids: TextColumn
    ranks: NDArray[np.int32]
    """The rank as given, else the position in the list from 1."""
    ranks_given: NDArray[np.bool_]
    scores: NDArray[np.float64]
    """As given; NaN where missing."""
    class_words: NDArray[np.int8]
    """``ClassWord`` codes."""
    depths: NDArray[np.int32]
    """The declared depth, -1 where none is declared."""
    anchors: Ragged
    """Declared anchors: codes into ``anchor_hashes``."""
    anchor_hashes: Strings
    """Distinct anchors as given in the log."""
    signatures: TextColumn
    """Claims as given; an empty one is missing."""
    text_digests: TextColumn
    """``sha256:<hex>`` of the exact UTF-8 text where the log has the text, else missing."""
    content_digests: TextColumn
    """``sha256:<hex>`` as the log states it in ``content_sha256``, else missing."""
    parents: Ragged
    """Declared ``derived_from``: codes into ``parent_ids``."""
    parent_ids: Strings
    labels: dict[str, TextColumn] = field(default_factory=dict)
    """Grouping columns that the log has: originator, generator, collection, title, url."""

    @property
    def retrieval_count(self) -> int:
        """Number of retrievals, those with zero results included."""
        return len(self.offsets) - 1

    @property
    def result_count(self) -> int:
        """Number of results, exact repeats not included."""
        return int(self.offsets[-1])

    def retrieval_id(self, retrieval: int) -> str:
        """Return ``query_id``, or ``query_id#k`` for its k-th occurrence (R11)."""
        name = self.query_ids.text(retrieval) or ""
        occurrence = int(self.occurrences[retrieval])
        return name if occurrence == 1 else f"{name}#{occurrence}"

    def notice(self, code: str) -> Notice | None:
        """Return the notice of this code, if there is one."""
        return next((n for n in self.notices if n.code == code), None)
