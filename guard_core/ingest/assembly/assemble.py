"""Assemble batches of rows of several files into one ``Log``.

Flows in: ``RowBatch`` objects, file after file.  Flows out: ``Log``.
Rules kept here: rows read = accepted + rejected + ignored; R3 (nothing to read, nothing usable), R9 (retrievals without
results stay), R11 (``id#2``), R12 (exact repeats are merged and counted as ignored), R20 and R61 (notices).
Not here: to which retrieval a rejected result belongs (``rejections.py``), order and grouping (``grouping.py``),
equality (``repeats.py``), files and formats (``reading.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import TextColumn, add_up_lengths, number_items
from guard_core.errors import LogError
from guard_core.files.limits import Limits
from guard_core.ingest.assembly.grouping import group_rows
from guard_core.ingest.assembly.identifiers import count_suspicious_ids
from guard_core.ingest.assembly.memory import release_unused_memory
from guard_core.ingest.assembly.notices import make_notices
from guard_core.ingest.assembly.rejections import RejectionCounts, drop_unneeded, make_placeholders
from guard_core.ingest.assembly.repeats import mark_repeated_retrievals
from guard_core.ingest.assembly.rows import RowCollector, Rows, mark_changes
from guard_core.ingest.batch import RejectedRow, RowBatch, TableKind
from guard_core.ingest.log import Log, LogFile, Notice, Problem
from guard_core.ingest.records.fields import LABEL_COLUMNS
from guard_core.ingest.records.own_output import ADVICE, FAULT, OBJECT_FAULT, RECORD_FAULT
from guard_core.ingest.records.spellings import Spellings, choose_spellings
from guard_core.visible import visible

PROBLEMS_LISTED = 10_000
"""Problems beyond these are counted, not listed."""

_LOG_SPELLINGS = choose_spellings(TableKind.LOG, {})
_NAMED, _NAME_SHOWN = 12, 40
"""How many columns of a file of no use are named, and how much of each name."""


class Assembly:
    """Assembles a log: ``add`` batches file by file, then ``finish``."""

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
        self._rejections = RejectionCounts()
        self._notices: Counter[str] = Counter()
        self._incomplete = False

    def add(self, batch: RowBatch, name: str) -> None:
        """Add a batch of the file of this display name, which ``end_file`` will complete."""
        file = len(self._files)
        self._collector.add(batch, file)
        self._accepted += batch.rows + sum(empty.counts_as_row for empty in batch.empty)
        self._retrievals_of_file += batch.rows + len(batch.empty)
        self._ignored += batch.ignored
        self._notices += batch.notices
        self._incomplete = self._incomplete or batch.incomplete
        if batch.empty:
            self._collector.add(make_placeholders(batch.empty), file)
        for rejected in batch.rejected:
            self._reject(rejected, name, file)
        if self._rows_read > self._limits.rows:
            raise LogError(name, f"there are more than {self._limits.rows:,} rows", "split the log, or raise the limit")

    def end_file(
        self,
        file: LogFile,
        *,
        incomplete: bool = False,
        columns: Callable[[], Sequence[str]] = tuple,
        spellings: Spellings = _LOG_SPELLINGS,
    ) -> None:
        """Complete a file.

        ``columns`` gives the names that stand in it, and is called only where they help; ``spellings`` are those that
        it was read by. Raises ``LogError`` if the
        file holds records of which none yields a retrieval (R3).
        """
        read, rejected = self._rows_read - self._at_start[0], self._rejected - self._at_start[1]
        if not read:
            self._notices["empty_log"] += 1
        elif not self._retrievals_of_file:
            if rejected and self._problems[-1].reason in (OBJECT_FAULT, RECORD_FAULT):
                raise LogError(file.name, FAULT, ADVICE)
            ignored = read - rejected
            ids = ("query_id", "document_id", "result_id")
            names = "; ".join(" or ".join(spellings.result[column]) for column in ids)
            first = next((p for p in self._problems if p.file == file.name), None)
            why = "" if first is None else f" (first: line {first.line}, {first.field}: {first.reason})"
            raise LogError(
                file.name,
                f"no retrieval found: {read:,} records read, {ignored:,} ignored, {rejected:,} rejected{why}",
                f"looked for {visible(names)}, or a list under {visible(spellings.results)}{_name_columns(columns())}; "
                "map other column names with --map",
            )
        lost = self._rejections.make_rows(len(self._files))
        if lost is not None:
            self._collector.add(lost, len(self._files))
        self._files.append(file)
        self._incomplete = self._incomplete or incomplete
        self._at_start, self._retrievals_of_file = (self._rows_read, self._rejected), 0

    def add_notice(self, code: str, count: int = 1) -> None:
        """Add to the count of a notice."""
        self._notices[code] += count

    def finish(self) -> Log:
        """Return the log of all files."""
        release_unused_memory()  # the threads of the readers are gone
        rows = drop_unneeded(self._collector.finish())
        release_unused_memory()  # and so are the parts of the columns
        grouped = group_rows(rows)
        rows, offsets = grouped.rows, grouped.offsets
        rejected = self._rejections.count_by_retrieval(rows, offsets)
        repeated = mark_repeated_retrievals(rows, offsets, rejected)
        merged = grouped.merged
        if repeated.any():
            sizes = np.diff(offsets)
            # A retrieval of which all results were rejected is no row of its own.
            rowless = (rows.text["result_id"].codes[offsets[:-1]] < 0) & (rejected > 0)
            merged += int(sizes[repeated & ~rowless].sum())
            rows = rows.take(np.flatnonzero(np.repeat(~repeated, sizes)))
            offsets = add_up_lengths(sizes[~repeated])
            rejected = rejected[~repeated]
        self._accepted -= merged
        self._ignored += merged
        self._notices.update(exact_repeat=merged, order_differs_from_rank=grouped.misordered)
        log = self._log(rows, offsets, rejected)
        release_unused_memory()
        return log

    @property
    def _rows_read(self) -> int:
        return self._accepted + self._rejected + self._ignored

    def _reject(self, rejected: RejectedRow, name: str, file: int) -> None:
        self._rejected += 1
        if len(self._problems) < PROBLEMS_LISTED:
            self._problems.append(Problem(name, rejected.line, rejected.field, rejected.reason))
        self._rejections.add(rejected, file)

    def _log(self, rows: Rows, offsets: NDArray[np.int64], rejected: NDArray[np.int64]) -> Log:
        first, sizes = offsets[:-1], np.diff(offsets)
        with_results = rows.text["result_id"].codes[first] >= 0
        query_ids = TextColumn(rows.text["query_id"].codes[first], rows.text["query_id"].values)
        queries = TextColumn(_find_first_given(rows.text["query"].codes, first), rows.text["query"].values)
        creative = np.logical_and.reduceat(rows.creative, first) if len(first) else np.empty(0, np.bool_)
        times = rows.times[first]
        if not with_results.all():
            rows = rows.take(np.flatnonzero(np.repeat(with_results, sizes)))
            sizes = np.where(with_results, sizes, 0)
            offsets = add_up_lengths(sizes)
        self._notice_ids(query_ids, rows)
        listed = number_items(sizes) + 1
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
            occurrences=_number_occurrences(query_ids.codes),
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
        forms, hidden = count_suspicious_ids(columns)
        self._notices.update(id_unicode_form=forms, id_hidden_characters=hidden)

    def _all_notices(self) -> tuple[Notice, ...]:
        unlisted = self._rejected - len(self._problems)
        self._notices["problems_not_listed"] = unlisted
        return tuple(make_notices(self._notices))


def _find_first_given(codes: NDArray[np.int32], first: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return for each retrieval the first code that is not missing, in judged order."""
    if not len(first):
        return np.empty(0, np.int32)
    nowhere = len(codes)
    places = np.where(codes >= 0, np.arange(nowhere), nowhere)
    return np.append(codes, np.int32(-1))[np.minimum.reduceat(places, first)]


def _number_occurrences(query_ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the retrievals of each query id: 1 for the first, 2 for the second..."""
    order = np.argsort(query_ids, kind="stable")
    ordered = query_ids[order]
    new = mark_changes(ordered)
    starts = np.flatnonzero(new)
    occurrences = np.empty(len(order), np.int32)
    occurrences[order] = np.arange(len(order)) - starts[np.cumsum(new) - 1] + 1
    return occurrences


def _name_columns(columns: Sequence[str]) -> str:
    """Say which columns a file has instead of those that were looked for."""
    if not columns:
        return ""
    shown = [visible(name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…") for name in columns[:_NAMED]]
    more = len(columns) - len(shown)
    return f"; the file has {', '.join(shown)}" + (f" and {more:,} more" if more else "")
