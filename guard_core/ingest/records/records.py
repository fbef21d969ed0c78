"""Read records, flat or nested, to rows, one at a time: the strict form, which defines what a record means.

Flows in: records as ``dict`` of JSON values, each with its line.  Flows out: ``RowBatch`` objects.
Rules kept here: R7 and R62 (ids), R8, R9 (nested records), R15 (metadata), R55, R71 (rejected results name their
retrieval).  A record with a list of results is nested, one without is flat; in a file that has nested records, a record
without results and without an id of its own is a retrieval with zero results.  A nested record that was judged already
is rejected (``own_output.py``).  Of a rejected row only query id and time are kept, and none of its notices counts.
Not here: text to records (``json_strict.py``), single values (``values.py``), grouping (``assemble.py``).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from guard_core.ingest.batch import (
    COLUMN_TYPES,
    KEPT_AS,
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
from guard_core.ingest.records.json_strict import BadRecordError, ParsedRecord, parse_embedded, shorten_name
from guard_core.ingest.records.own_output import OBJECT_FAULT, RECORD_FAULT, is_evaluation, is_judged
from guard_core.ingest.records.spellings import Spellings, find_value, find_written_name


class _RowRefusedError(Exception):
    """A row that is rejected: the field as written, and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(reason)


@dataclass(slots=True)
class _RowLists:
    """Accepted rows so far, column by column."""

    lines: list[int] = field(default_factory=list)
    cells: dict[str, list[object]] = field(default_factory=lambda: {column: [] for column in COLUMN_TYPES})

    def add(self, row: Mapping[str, object], line: int) -> None:
        self.lines.append(line)
        for column, cells in self.cells.items():
            cells.append(row.get(column))

    def make_batch(self, nested: bool) -> RowBatch:
        columns = {
            column: pa.array(cells, COLUMN_TYPES[column])
            for column, cells in self.cells.items()
            if any(cell is not None for cell in cells)
        }
        lines = np.array(self.lines, np.int64)
        return RowBatch(len(lines), lines, columns, records=lines if nested else None)


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
    """Reads records one by one; ``take_batches`` hands over their rows.

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
            if name != "id" or name in (*options.mapping.values(), *options.own_names.values())
        )
        self._flat = _RowLists()
        self._in_records = _RowLists()
        self._rejected: list[RejectedRow] = []
        self._empty: list[EmptyRetrieval] = []
        self._notices: Counter[str] = Counter()
        self._used: dict[tuple[str, str], None] = {}

    def learn_nesting(self, records: Iterable[ParsedRecord]) -> None:
        """Learn whether the file is nested: one of its first records has a list of results, be it empty or null."""
        is_log = self._kind is TableKind.LOG
        self.nested = is_log and any(isinstance(r, dict) and self.spellings.results in r for r in records)

    def read(self, record: ParsedRecord, line: int) -> None:
        """Read one record, or list the fault of one that is none."""
        if isinstance(record, BadRecordError):
            self._rejected.append(RejectedRow(line, record.field, str(record)))
            return
        self._note_mapped(record)
        if self._kind is TableKind.LOG:
            listed = record.get(self.spellings.results)
            if listed is not None or (self.nested and find_value(record, self._own_ids) is None):
                self._read_nested(record, listed, line)
                return
        self._read_flat(record, line)

    def take_batches(self) -> list[RowBatch]:
        """Return the rows since the last call: one batch of flat rows, one of nested ones, as far as there are any."""
        lists = ((self._flat, False), (self._in_records, True))
        batches = [rows.make_batch(nested) for rows, nested in lists if rows.lines]
        first = batches[0] if batches else RowBatch(0, np.empty(0, np.int64), {})
        batches[:1] = [
            dataclasses.replace(
                first,
                rejected=tuple(self._rejected),
                empty=tuple(self._empty),
                notices=self._notices,
                mapping=tuple(self._used),
            )
        ]
        self._flat, self._in_records = _RowLists(), _RowLists()
        self._rejected, self._empty, self._notices, self._used = [], [], Counter(), {}
        return batches

    def _note_mapped(self, record: Mapping[str, object]) -> None:
        """Count a mapped column as found where it is there, be it null."""
        for pair in self._mapping.items():
            if pair[1] in record:
                self._used[pair] = None

    # -- flat ------------------------------------------------------------------------------------------------------

    def _read_flat(self, record: Mapping[str, object], line: int) -> None:
        notices: Counter[str] = Counter()
        try:
            is_log = self._kind is TableKind.LOG
            row = self._read_retrieval(record, self.spellings.result, notices) if is_log else {}
            row |= self._read_result(record, notices)
        except _RowRefusedError as fault:
            query_id, time = self._read_owner(record)
            self._rejected.append(RejectedRow(line, *_name_fault(fault, record), query_id, time))
            return
        self._notices += notices
        self._flat.add(row, line)

    def _read_owner(self, record: Mapping[str, object]) -> tuple[str | None, int | None]:
        """Return query id and time of a rejected flat row, as far as they can be read (R71)."""
        if self._kind is not TableKind.LOG:
            return None, None
        query_id = find_value(record, self.spellings.result["query_id"])
        time = find_value(record, self.spellings.result["timestamp"])
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
            retrieval = self._read_retrieval(record, self.spellings.retrieval, notices)
            if listed is not None and not isinstance(listed, list):
                raise _RowRefusedError(name, NOT_A_LIST)
        except _RowRefusedError as fault:
            self._rejected.append(RejectedRow(line, *_name_fault(fault, record)))
            return
        self._notices += notices
        query_id, time = str(retrieval["query_id"]), _as_int(retrieval["timestamp"])
        accepted = rejected = 0
        for item in listed or ():
            notices = Counter()
            try:
                if not isinstance(item, dict):
                    raise _RowRefusedError(name, NOT_AN_OBJECT)
                self._note_mapped(item)
                row = self._read_result(item, notices) | retrieval
            except _RowRefusedError as fault:
                self._rejected.append(RejectedRow(line, fault.name, fault.reason, query_id, time, record=line))
                rejected += 1
                continue
            self._notices += notices
            self._in_records.add(row, line)
            accepted += 1
        if not accepted:
            query = retrieval["query"]
            self._empty.append(
                EmptyRetrieval(
                    line=line,
                    query_id=query_id,
                    query=query if isinstance(query, str) else None,
                    time=time,
                    creative=retrieval["creative"] is True,
                    counts_as_row=rejected == 0,
                )
            )

    # -- parts of a row --------------------------------------------------------------------------------------------

    def _read_retrieval(
        self, record: Mapping[str, object], names: Mapping[str, tuple[str, ...]], notices: Counter[str]
    ) -> dict[str, object]:
        """Read the columns of a retrieval."""
        query_id = self._read_value(record, names, "query_id", Counter())
        if query_id is None:
            raise _RowRefusedError(find_written_name(record, names["query_id"], "query_id"), NO_ID)
        return {
            "query_id": query_id,
            "query": self._read_value(record, names, "query", notices),
            "timestamp": self._read_value(record, names, "timestamp", notices),
            "creative": self._read_value(record, names, "task", notices) or None,
        }

    def _read_result(self, record: Mapping[str, object], notices: Counter[str]) -> dict[str, object]:
        """Read the columns of a result (R62)."""
        names = self.spellings.result
        result_id = self._read_value(record, names, "result_id", Counter())
        document_id = self._read_value(record, names, "document_id", Counter())
        if result_id is None and document_id is None:
            both = names["result_id"] + names["document_id"]
            raise _RowRefusedError(find_written_name(record, both, "result_id"), NO_ID)
        row: dict[str, object] = {
            "result_id": document_id if result_id is None else result_id,
            "document_id": result_id if document_id is None else document_id,
        }
        provenance = self._find_in_metadata(record, notices)
        for column in _RESULT_COLUMNS:
            if column not in names:
                continue
            typed = self._read_value(provenance.get(column, record), names, column, notices)
            if column != "human_source_anchor_hash":
                row[KEPT_AS.get(column, column)] = typed
            elif typed:
                assert isinstance(typed, tuple)
                row["anchors"], row["anchor_weights"] = (list(part) for part in zip(*typed, strict=True))
        return row

    def _read_value(
        self, record: Mapping[str, object], names: Mapping[str, tuple[str, ...]], column: str, notices: Counter[str]
    ) -> object:
        found = find_value(record, names[column])
        if found is None:
            return None
        name, value = found
        self._used[column, name] = None
        try:
            typed, notice = values.RULES[column](value)
        except values.Refused as fault:
            raise _RowRefusedError(shorten_name(name), str(fault)) from None
        if notice is not None:
            notices[notice] += 1
        return typed

    def _find_in_metadata(self, record: Mapping[str, object], notices: Counter[str]) -> dict[str, Mapping[str, object]]:
        """Find, for each provenance column that the record does not have itself, the metadata that has it (R15)."""
        names = self.spellings.result
        places: dict[str, Mapping[str, object]] = {}
        if not any(name in record for name in self.spellings.metadata):
            return places
        lacking = [c for c in PROVENANCE_COLUMNS if (find_value(record, names[c]) or ("", ""))[1] == ""]
        if not lacking:
            return places
        for name in self.spellings.metadata:
            metadata = record.get(name)
            if isinstance(metadata, str):
                try:
                    metadata = parse_embedded(metadata, self._nesting)
                except BadRecordError:
                    notices[METADATA_NOT_UNDERSTOOD] += 1
            if isinstance(metadata, dict):
                for column in lacking:
                    if column not in places and find_value(metadata, names[column]) is not None:
                        places[column] = metadata
        return places


def _name_fault(fault: _RowRefusedError, record: Mapping[str, object]) -> tuple[str, str]:
    """Return field and reason of a rejected record; a whole evaluation, which has no id, is called one."""
    return (RECORD, OBJECT_FAULT) if fault.reason == NO_ID and is_evaluation(record) else (fault.name, fault.reason)


def _as_int(value: object) -> int | None:
    return value if isinstance(value, int) else None
