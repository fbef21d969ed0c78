"""Batches of rows of several files to one ``Log``.

Flows in: ``RowBatch`` objects, file after file.  Flows out: ``Log``.
Rules kept here: rows read = accepted + rejected + ignored; R3 (nothing to read, nothing usable), R9 (retrievals without
results stay), R11 (``id#2``), R12 (exact repeats are merged and counted as ignored), R20 and R61 (notices), R71 (a
retrieval knows how many of its results were rejected).
Not here: order and grouping (``grouping.py``), equality (``repeats.py``), files and formats (``reading.py``).
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.errors import LogError
from guard_core.ingest.batch import EmptyRetrieval, Limits, Rejected, RowBatch
from guard_core.ingest.fields import LABEL_COLUMNS, SPELLINGS
from guard_core.ingest.grouping import group
from guard_core.ingest.identifiers import suspicious_ids
from guard_core.ingest.log import MISSING_TIME, Log, LogFile, Notice, Problem, TextColumn
from guard_core.ingest.memory import give_back_unused
from guard_core.ingest.notices import make_notices
from guard_core.ingest.own_output import ADVICE, FAULT, OBJECT_FAULT, RECORD_FAULT
from guard_core.ingest.repeats import repeated_retrievals
from guard_core.ingest.rows import RowCollector, Rows

PROBLEMS_LISTED = 10_000
"""Problems beyond these are counted, not listed."""

_Whose = tuple[int, int, str, int | None]
"""File, nested record (-1: flat), query id and time of a rejected result."""


class Assembly:
    """Takes in batches file by file; ``finish`` makes the log."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._collector = RowCollector()
        self._files: list[LogFile] = []
        self._accepted = 0
        self._rejected = 0
        self._ignored = 0
        self._at_start = (0, 0)
        self._retrievals_of_file = 0
        self._problems: list[Problem] = []
        self._whose: Counter[_Whose] = Counter()
        self._notices: Counter[str] = Counter()
        self._incomplete = False

    def add(self, batch: RowBatch, name: str) -> None:
        """Take in a batch of the file of this display name, which ``end_file`` will complete."""
        file = len(self._files)
        self._collector.add(batch, file)
        self._accepted += batch.rows + sum(empty.counts_as_row for empty in batch.empty)
        self._retrievals_of_file += batch.rows + len(batch.empty)
        self._ignored += batch.ignored
        self._notices += batch.notices
        self._incomplete = self._incomplete or batch.incomplete
        if batch.empty:
            self._collector.add(_placeholders(batch.empty), file)
        for rejected in batch.rejected:
            self._reject(rejected, name, file)
        if self._rows_read > self._limits.rows:
            raise LogError(name, f"there are more than {self._limits.rows:,} rows", "split the log, or raise the limit")

    def end_file(self, file: LogFile, *, incomplete: bool = False) -> None:
        """Complete a file.  Raises ``LogError`` if it holds records of which none yields a retrieval (R3)."""
        read, rejected = self._rows_read - self._at_start[0], self._rejected - self._at_start[1]
        if not read:
            self._notices["empty_log"] += 1
        elif not self._retrievals_of_file:
            if rejected and self._problems[-1].reason in (OBJECT_FAULT, RECORD_FAULT):
                raise LogError(file.name, FAULT, ADVICE)
            ignored = read - rejected
            names = "; ".join(_accepted_names(column) for column in ("query_id", "document_id", "result_id"))
            first = next((p for p in self._problems if p.file == file.name), None)
            why = "" if first is None else f" (first: line {first.line}, {first.field}: {first.reason})"
            raise LogError(
                file.name,
                f"no retrieval found: {read:,} records read, {ignored:,} ignored, {rejected:,} rejected{why}",
                f"looked for {names}, or a list under results; map other column names with --map",
            )
        self._files.append(file)
        self._incomplete = self._incomplete or incomplete
        self._at_start, self._retrievals_of_file = (self._rows_read, self._rejected), 0

    def notice(self, code: str, count: int = 1) -> None:
        """Add to the count of a notice."""
        self._notices[code] += count

    def finish(self) -> Log:
        """The log of all files."""
        give_back_unused()  # the threads of the readers are gone
        rows = self._collector.finish()
        give_back_unused()  # and so are the pieces of the columns
        grouped = group(rows)
        rows, offsets = grouped.rows, grouped.offsets
        rejected = self._rejected_results(rows, offsets)
        repeated = repeated_retrievals(rows, offsets, rejected)
        merged = grouped.merged
        if repeated.any():
            sizes = np.diff(offsets)
            # A retrieval of which all results were rejected is no row of its own.
            rowless = (rows.text["result_id"].codes[offsets[:-1]] < 0) & (rejected > 0)
            merged += int(sizes[repeated & ~rowless].sum())
            rows = rows.take(np.flatnonzero(np.repeat(~repeated, sizes)))
            offsets = np.concatenate(([0], np.cumsum(sizes[~repeated]))).astype(np.int64)
            rejected = rejected[~repeated]
        self._accepted -= merged
        self._ignored += merged
        self._notices.update(exact_repeat=merged, order_differs_from_rank=grouped.misordered)
        log = self._log(rows, offsets, rejected)
        give_back_unused()
        return log

    @property
    def _rows_read(self) -> int:
        return self._accepted + self._rejected + self._ignored

    def _reject(self, rejected: Rejected, name: str, file: int) -> None:
        self._rejected += 1
        if len(self._problems) < PROBLEMS_LISTED:
            self._problems.append(Problem(name, rejected.line, rejected.field, rejected.reason))
        if rejected.query_id is not None:
            record = -1 if rejected.record is None else rejected.record
            self._whose[file, record, rejected.query_id, rejected.time] += 1

    def _rejected_results(self, rows: Rows, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many results of each retrieval were rejected (R71).

        A flat row goes to the retrieval of its query id and time; where there is none (the time may be what could not
        be read) to the first of that query id in its file.
        """
        counts = np.zeros(len(offsets) - 1, np.int64)
        if not self._whose:
            return counts
        first = offsets[:-1]
        query_ids = rows.text["query_id"]
        names = pa.array(sorted({whose[2] for whose in self._whose}), query_ids.values.type)
        codes = dict(zip(names.to_pylist(), pc.index_in(names, query_ids.values).to_pylist(), strict=True))
        wanted = np.array([code for code in codes.values() if code is not None], np.int64)
        exact: dict[tuple[int, int, int, int], int] = {}
        by_query: dict[tuple[int, int, int], int] = {}
        for retrieval in np.flatnonzero(np.isin(query_ids.codes[first], wanted)).tolist():
            row = first[retrieval]
            key = int(rows.files[row]), int(rows.records[row]), int(query_ids.codes[row])
            time = int(rows.times[row])
            exact.setdefault((*key, time), retrieval)
            by_query.setdefault(key, retrieval)
        for (file, record, name, known), count in self._whose.items():
            code = codes[name]
            if code is not None:
                elsewhere = by_query.get((file, record, code), -1)
                place = exact.get((file, record, code, MISSING_TIME if known is None else known), elsewhere)
                if place >= 0:
                    counts[place] += count
        return counts

    def _log(self, rows: Rows, offsets: NDArray[np.int64], rejected: NDArray[np.int64]) -> Log:
        first, sizes = offsets[:-1], np.diff(offsets)
        with_results = rows.text["result_id"].codes[first] >= 0
        query_ids = TextColumn(rows.text["query_id"].codes[first], rows.text["query_id"].values)
        queries = TextColumn(_first_given(rows.text["query"].codes, first), rows.text["query"].values)
        creative = np.logical_and.reduceat(rows.creative, first) if len(first) else np.empty(0, np.bool_)
        times = rows.times[first]
        if not with_results.all():
            rows = rows.take(np.flatnonzero(np.repeat(with_results, sizes)))
            sizes = np.where(with_results, sizes, 0)
            offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self._notice_ids(query_ids, rows)
        listed = np.arange(len(rows), dtype=np.int64) - np.repeat(offsets[:-1], sizes) + 1
        given = rows.ranks > 0
        return Log(
            files=tuple(self._files),
            rows_read=self._rows_read,
            rows_accepted=self._accepted,
            rows_rejected=self._rejected,
            rows_ignored=self._ignored,
            incomplete=self._incomplete,
            problems=tuple(self._problems),
            notices=self._all_notices(),
            offsets=offsets,
            query_ids=query_ids,
            occurrences=_occurrences(query_ids.codes),
            queries=queries,
            times=times,
            creative=creative,
            rejected_results=rejected.astype(np.int32),
            result_ids=rows.text["result_id"],
            document_ids=rows.text["document_id"],
            ranks=np.where(given, rows.ranks, listed).astype(np.int32),
            ranks_given=given,
            scores=rows.scores,
            class_words=rows.class_words,
            depths=rows.depths,
            anchors=rows.anchors,
            anchor_hashes=rows.anchor_hashes,
            signatures=rows.text["source_authenticity_signature"],
            text_digests=rows.text["text_digest"],
            content_digests=rows.text["content_sha256"],
            parents=rows.parents,
            parent_ids=rows.parent_ids,
            labels={name: rows.text[name] for name in LABEL_COLUMNS if len(rows.text[name].values)},
        )

    def _notice_ids(self, query_ids: TextColumn, rows: Rows) -> None:
        columns = [query_ids.values, rows.text["result_id"].values, rows.text["document_id"].values]
        forms, hidden = suspicious_ids(columns)
        self._notices.update(id_unicode_form=forms, id_hidden_characters=hidden)

    def _all_notices(self) -> tuple[Notice, ...]:
        unlisted = self._rejected - len(self._problems)
        self._notices["problems_not_listed"] = unlisted
        return tuple(make_notices(self._notices))


def _placeholders(empty: tuple[EmptyRetrieval, ...]) -> RowBatch:
    """One row without a result for each retrieval without results, which is then grouped and compared like any."""
    columns = {
        "query_id": pa.array([e.query_id for e in empty], pa.string()),
        "query": pa.array([e.query for e in empty], pa.string()),
        "timestamp": pa.array([e.time for e in empty], pa.int64()),
        "creative": pa.array([e.creative for e in empty], pa.bool_()),
    }
    lines = np.array([e.line for e in empty], np.int64)
    return RowBatch(len(empty), lines, columns, np.array([e.record for e in empty], np.int64))


def _first_given(codes: NDArray[np.int32], first: NDArray[np.int64]) -> NDArray[np.int32]:
    """For each retrieval the first code that is not missing, in judged order."""
    if not len(first):
        return np.empty(0, np.int32)
    nowhere = len(codes)
    places = np.where(codes >= 0, np.arange(nowhere), nowhere)
    return np.append(codes, np.int32(-1))[np.minimum.reduceat(places, first)]


def _occurrences(query_ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """1 for the first retrieval of a query id, 2 for the second, ..."""
    order = np.argsort(query_ids, kind="stable")
    ordered = query_ids[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    occurrences = np.empty(len(order), np.int32)
    occurrences[order] = np.arange(len(order)) - starts[np.cumsum(new) - 1] + 1
    return occurrences


def _accepted_names(column: str) -> str:
    return " or ".join((column, *SPELLINGS[column]))
