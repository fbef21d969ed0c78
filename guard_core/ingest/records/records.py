"""Records, flat or nested, to rows: the strict form, one record at a time, that defines what a record means.

Flows in: records as ``dict`` of JSON values, each with its line.  Flows out: ``RowBatch`` objects.
Rules kept here: R7 and R62 (ids), R8, R9 (nested records), R15 (metadata), R71 (rejected results say whose they
are), R55.
A record with a list of results is nested, one without is flat; in a file that has nested records, a record without
results and without an id of its own is a retrieval with zero results.  A nested record that was judged already is
rejected (``own_output.py``).
Not here: text to records (``json_strict.py``), single values (``values.py``), grouping (``assemble.py``).

A row keeps nothing of what a rejected row said but its query id and time, and counts none of its notices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from guard_core.ingest.batch import (
    COLUMN_TYPES,
    METADATA_NOT_UNDERSTOOD,
    NO_ID,
    NOT_A_LIST,
    NOT_AN_OBJECT,
    RECORD,
    EmptyRetrieval,
    RejectedRow,
    RowBatch,
    TableKind,
)
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records import values
from guard_core.ingest.records.fields import LABEL_COLUMNS, PROVENANCE_COLUMNS
from guard_core.ingest.records.json_strict import BadRecordError, parse_embedded, shown
from guard_core.ingest.records.own_output import OBJECT_FAULT, RECORD_FAULT, is_evaluation, is_judged
from guard_core.ingest.records.spellings import Spellings, find, written


class _RowRefusedError(Exception):
    """A row that is rejected: the field as written, and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(reason)


@dataclass(slots=True)
class _Rows:
    """Accepted rows so far, as lists."""

    lines: list[int] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    cells: dict[str, list[object]] = field(default_factory=lambda: {column: [] for column in COLUMN_TYPES})

    def add(self, row: Mapping[str, object], line: int, record: int) -> None:
        self.lines.append(line)
        self.records.append(record)
        for column, cells in self.cells.items():
            cells.append(row.get(column))

    def batch(self, nested: bool) -> RowBatch:
        columns = {
            column: pa.array(cells, COLUMN_TYPES[column])
            for column, cells in self.cells.items()
            if any(cell is not None for cell in cells)
        }
        records = np.array(self.records, np.int64) if nested else None
        return RowBatch(len(self.lines), np.array(self.lines, np.int64), columns, records)


@dataclass(frozen=True, slots=True)
class _Retrieval:
    """What a nested record says of itself."""

    query_id: str
    query: str | None
    time: int | None
    creative: bool


_RESULT_COLUMNS = (
    "rank",
    "score",
    "content_sha256",
    *PROVENANCE_COLUMNS,
    "derived_from",
    "text",
    *LABEL_COLUMNS,
)
"""Columns of a result beside its ids, in the order in which they are read."""


class RecordReader:
    """Collects rows from records; ``take`` hands over what has come together.

    ``nested`` says that the file is known to hold nested records.  Records of a file are numbered by their lines.
    """

    def __init__(self, options: ReadOptions, *, nested: bool = False) -> None:
        self.spellings: Spellings = options.spellings
        self.nested = nested and options.kind is TableKind.LOG
        self._kind = options.kind
        self._nesting = options.limits.nesting
        self._mapping = options.mapping
        self._own_ids = tuple(
            name
            for column in ("result_id", "document_id")
            for name in self.spellings.result[column]
            if name != "id" or name in options.mapping.values()
        )
        self._flat = _Rows()
        self._in_records = _Rows()
        self._rejected: list[RejectedRow] = []
        self._empty: list[EmptyRetrieval] = []
        self._notices: Counter[str] = Counter()
        self._used: dict[tuple[str, str], None] = {}

    def is_nested(self, record: Mapping[str, object]) -> bool:
        """True for a record with a member that lists results, be it empty or null."""
        return self._kind is TableKind.LOG and self.spellings.results in record

    def read(self, record: Mapping[str, object], line: int) -> None:
        """Take in one record."""
        self._see_mapped(record)
        if self._kind is TableKind.LOG:
            listed = record.get(self.spellings.results)
            if listed is not None or (self.nested and find(record, self._own_ids) is None):
                self._read_nested(record, listed, line)
                return
        self._read_flat(record, line)

    def reject(self, line: int, fault: BadRecordError) -> None:
        """Take in a record that could not be read."""
        self._rejected.append(RejectedRow(line, fault.field, str(fault)))

    def take(self) -> list[RowBatch]:
        """The rows since the last call: one batch of flat rows, one of nested ones, as far as there are any."""
        batches = [rows.batch(nested) for rows, nested in ((self._flat, False), (self._in_records, True)) if rows.lines]
        first = batches[0] if batches else RowBatch(0, np.empty(0, np.int64), {})
        batches[:1] = [
            RowBatch(
                first.rows,
                first.lines,
                first.columns,
                first.records,
                tuple(self._rejected),
                tuple(self._empty),
                notices=self._notices,
                mapping=tuple(self._used),
            )
        ]
        self._flat, self._in_records = _Rows(), _Rows()
        self._rejected, self._empty, self._notices, self._used = [], [], Counter(), {}
        return batches

    def _see_mapped(self, record: Mapping[str, object]) -> None:
        """A mapped column counts as found where it is there, be it null."""
        for pair in self._mapping.items():
            if pair[1] in record:
                self._used[pair] = None

    # -- flat ------------------------------------------------------------------------------------------------------

    def _read_flat(self, record: Mapping[str, object], line: int) -> None:
        notices: Counter[str] = Counter()
        try:
            row: dict[str, object] = {}
            if self._kind is TableKind.LOG:
                about = self._about(record, self.spellings.result, notices)
                row = {"query_id": about.query_id, "query": about.query, "timestamp": about.time}
                row["creative"] = about.creative or None
            row.update(self._row(record, notices))
        except _RowRefusedError as fault:
            query_id, time = self._whose(record)
            self._rejected.append(RejectedRow(line, *_told(fault, record), query_id, time))
            return
        self._notices += notices
        self._flat.add(row, line, line)

    def _whose(self, record: Mapping[str, object]) -> tuple[str | None, int | None]:
        """Query id and time of a rejected flat row, as far as they can be read (R71)."""
        if self._kind is not TableKind.LOG:
            return None, None
        query_id = find(record, self.spellings.result["query_id"])
        time = find(record, self.spellings.result["timestamp"])
        try:
            return values.read_id(query_id[1]) if query_id else None, values.read_time(time[1])[0] if time else None
        except values.Refused:
            return None, None

    # -- nested ----------------------------------------------------------------------------------------------------

    def _read_nested(self, record: Mapping[str, object], listed: object, line: int) -> None:
        name = self.spellings.results
        notices: Counter[str] = Counter()
        if is_judged(record):
            self._rejected.append(RejectedRow(line, RECORD, RECORD_FAULT))
            return
        try:
            about = self._about(record, self.spellings.retrieval, notices)
            if listed is not None and not isinstance(listed, list):
                raise _RowRefusedError(name, NOT_A_LIST)
        except _RowRefusedError as fault:
            self._rejected.append(RejectedRow(line, *_told(fault, record)))
            return
        self._notices += notices
        accepted = rejected = 0
        for item in listed or ():
            notices = Counter()
            try:
                if not isinstance(item, dict):
                    raise _RowRefusedError(name, NOT_AN_OBJECT)
                self._see_mapped(item)
                row = self._row(item, notices)
            except _RowRefusedError as fault:
                whose = about.query_id, about.time, line
                self._rejected.append(RejectedRow(line, fault.name, fault.reason, *whose))
                rejected += 1
                continue
            row.update(
                query_id=about.query_id, query=about.query, timestamp=about.time, creative=about.creative or None
            )
            self._notices += notices
            self._in_records.add(row, line, line)
            accepted += 1
        if not accepted:
            self._empty.append(
                EmptyRetrieval(line, line, about.query_id, about.query, about.time, about.creative, rejected == 0)
            )

    # -- parts of a row --------------------------------------------------------------------------------------------

    def _about(
        self, record: Mapping[str, object], names: Mapping[str, tuple[str, ...]], notices: Counter[str]
    ) -> _Retrieval:
        query_id = self._id(record, names, "query_id")
        if query_id is None:
            raise _RowRefusedError(written(record, names["query_id"], "query_id"), NO_ID)
        query = self._value(record, names, "query", notices)
        time = self._value(record, names, "timestamp", notices)
        task = self._value(record, names, "task", notices)
        return _Retrieval(
            query_id,
            query if isinstance(query, str) else None,
            time if isinstance(time, int) else None,
            task is True,
        )

    def _row(self, record: Mapping[str, object], notices: Counter[str]) -> dict[str, object]:
        names = self.spellings.result
        result_id = self._id(record, names, "result_id")
        document_id = self._id(record, names, "document_id")
        if result_id is None and document_id is None:
            both = names["result_id"] + names["document_id"]
            raise _RowRefusedError(written(record, both, "result_id"), NO_ID)
        row: dict[str, object] = {
            "result_id": document_id if result_id is None else result_id,
            "document_id": result_id if document_id is None else document_id,
        }
        provenance = self._with_metadata(record, notices)
        for column in _RESULT_COLUMNS:
            if column not in names:
                continue
            source = provenance.get(column, record) if provenance else record
            typed = self._value(source, names, column, notices)
            if column == "text":
                row["text_digest"] = typed
            elif column != "human_source_anchor_hash":
                row[column] = typed
            elif typed:
                row["anchors"], row["anchor_weights"] = (list(part) for part in zip(*_pairs(typed), strict=True))
        return row

    def _id(self, record: Mapping[str, object], names: Mapping[str, tuple[str, ...]], column: str) -> str | None:
        typed = self._value(record, names, column, Counter())
        return typed if isinstance(typed, str) else None

    def _value(
        self,
        record: Mapping[str, object],
        names: Mapping[str, tuple[str, ...]],
        column: str,
        notices: Counter[str],
    ) -> object:
        found = find(record, names[column])
        if found is None:
            return None
        name, value = found
        self._used[column, name] = None
        try:
            typed, notice = values.RULES[column](value)
        except values.Refused as fault:
            raise _RowRefusedError(shown(name), str(fault)) from None
        if notice is not None:
            notices[notice] += 1
        return typed

    def _with_metadata(
        self, record: Mapping[str, object], notices: Counter[str]
    ) -> dict[str, Mapping[str, object]] | None:
        """For each provenance column that the record does not have itself, the metadata that has it (R15)."""
        names = self.spellings.result
        lacking = [c for c in PROVENANCE_COLUMNS if (find(record, names[c]) or ("", ""))[1] == ""]
        if not lacking or not any(name in record for name in self.spellings.metadata):
            return None
        places: dict[str, Mapping[str, object]] = {}
        for name in self.spellings.metadata:
            metadata = record.get(name)
            if isinstance(metadata, str):
                try:
                    metadata = parse_embedded(metadata, self._nesting)
                except BadRecordError:
                    notices[METADATA_NOT_UNDERSTOOD] += 1
            if isinstance(metadata, dict):
                for column in lacking:
                    if column not in places and find(metadata, names[column]) is not None:
                        places[column] = metadata
        return places


def _told(fault: _RowRefusedError, record: Mapping[str, object]) -> tuple[str, str]:
    """Field and reason of a rejected record; a whole evaluation has no id, and is told by its name."""
    return (RECORD, OBJECT_FAULT) if fault.reason == NO_ID and is_evaluation(record) else (fault.name, fault.reason)


def _pairs(anchors: object) -> tuple[tuple[str, float], ...]:
    assert isinstance(anchors, tuple)
    return anchors
