"""Read a flat table to rows: its columns, typed whole, as one ``RowBatch``.

Flows in: a table (column of the file -> Arrow array, null where a value is missing) and the line of each row.
Flows out: ``RowBatch``.
Rules kept here: R7 and R62 (ids), R8, R15 (metadata), R55, R71 (rejected results name their retrieval).  Columns are
checked in the order of ``records.py``, so that a row with several faults is rejected for the same one in every format.
Not here: cutting a file into fields (``delimited.py``, ``parquet.py``), what a value means (``typed_columns.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.ingest.batch import KEPT_AS, METADATA_NOT_UNDERSTOOD, NO_ID, RejectedRow, RowBatch, TableKind
from guard_core.ingest.records.fields import LABEL_COLUMNS, PROVENANCE_COLUMNS
from guard_core.ingest.records.spellings import Spellings
from guard_core.ingest.tables.arrays import (
    TypedColumn,
    blank_rows,
    decode_values,
    is_text,
    mark_given,
    merge_columns,
    read_codes,
    simplify,
    to_mask,
)
from guard_core.ingest.tables.metadata_column import MetadataColumn
from guard_core.ingest.tables.typed_columns import (
    type_by_rule,
    type_depths,
    type_ids,
    type_ranks,
    type_scores,
    type_signatures,
    type_texts,
    type_times,
)
from guard_core.ingest.tables.typed_lists import type_anchors, type_parents

Table = Mapping[str, pa.Array]
"""Column of the file -> values; all of one length."""


@dataclass(frozen=True, slots=True)
class CellRules:
    """How text is read where a file holds only text: lists separated by ``|``, numbers, decimal commas (R14, R17)."""

    cells: bool = False
    decimal_comma: bool = False

    def choose_typer(self, column: str) -> Callable[[pa.Array], TypedColumn]:
        """Return the function that types a canonical column."""
        if column == "score":
            return lambda array: type_scores(array, cells=self.cells, decimal_comma=self.decimal_comma)
        if column == "human_source_anchor_hash":
            return lambda array: type_anchors(array, separated=self.cells)
        if column == "derived_from":
            return lambda array: type_parents(array, separated=self.cells)
        return _TYPERS.get(column) or partial(type_by_rule, column)

    @staticmethod
    def inside(column: str) -> Callable[[pa.Array], TypedColumn]:
        return CellRules().choose_typer(column)


_TYPERS: dict[str, Callable[[pa.Array], TypedColumn]] = {
    "query_id": type_ids,
    "query": type_texts,
    "timestamp": type_times,
    "result_id": type_ids,
    "document_id": type_ids,
    "rank": type_ranks,
    "synthetic_generation_depth": type_depths,
    "source_authenticity_signature": type_signatures,
    **dict.fromkeys(LABEL_COLUMNS, type_texts),
}
"""Columns that are typed whole; any other goes through its scalar rule."""

_BEFORE_PROVENANCE = ("rank", "score", "content_sha256")
_AFTER_PROVENANCE = ("derived_from", "text", *LABEL_COLUMNS)


class TypedTable:
    """The typed columns of some rows, and what is wrong with them.

    ``faults`` maps a row to the field as written and the reason; the first fault of a row stands.
    """

    def __init__(self, rows: int, rules: CellRules) -> None:
        self.rows = rows
        self.rules = rules
        self.columns: dict[str, TypedColumn] = {}
        self.faults: dict[int, tuple[str, str]] = {}
        self.notices: list[tuple[str, NDArray[np.bool_]]] = []
        self.used: dict[tuple[str, str], None] = {}

    def read(self, column: str, table: Table, names: tuple[str, ...], skip: NDArray[np.bool_] | None = None) -> None:
        """Type a canonical column: in each row not in ``skip``, from the first of ``names`` that holds something."""
        free = np.ones(self.rows, np.bool_) if skip is None else ~skip
        for name in names:
            if name not in table:
                continue
            array = table[name]
            given = mark_given(array) & free
            if given.any():
                if int(given.sum()) < len(array) - array.null_count:
                    array = blank_rows(array, ~given)
                self._add(column, name, self.rules.choose_typer(column)(array), given)
                free &= ~given
                if not free.any():
                    return

    def read_retrieval(self, table: Table, names: Mapping[str, tuple[str, ...]]) -> None:
        """Type the columns of the retrieval; a row without a query id is at fault."""
        self.read("query_id", table, names["query_id"])
        self._require("query_id", table, names["query_id"], self._missing("query_id"))
        for column in ("query", "timestamp", "task"):
            self.read(column, table, names[column])

    def read_result(self, table: Table, spellings: Spellings, nesting: int) -> None:
        """Type the columns of the result; a row with neither result id nor document id is at fault (R62)."""
        names = spellings.result
        for column in ("result_id", "document_id"):
            self.read(column, table, names[column])
        lost = self._missing("result_id") & self._missing("document_id")
        self._require("result_id", table, names["result_id"] + names["document_id"], lost)
        for column in _BEFORE_PROVENANCE:
            self.read(column, table, names.get(column, ()))
        metadata = [MetadataColumn(table[name], nesting) for name in spellings.metadata if name in table]
        unread = [np.zeros(self.rows, np.bool_) for _ in metadata]
        for column in PROVENANCE_COLUMNS:
            instead: NDArray[np.bool_] | None = None
            if metadata:
                lacking = _mark_lacking(table, names[column], self.rows)
                instead = np.zeros(self.rows, np.bool_)
                for place, source in enumerate(metadata):
                    unread[place] |= source.bad & lacking
                    for name, part, having in source.read_parts(column, names[column], self.rules.inside(column)):
                        given = having & lacking & ~instead
                        instead |= given
                        if given.any():
                            self._add(column, name, part, given)
            self.read(column, table, names[column], instead)
        self.notices += [(METADATA_NOT_UNDERSTOOD, rows) for rows in unread if rows.any()]
        for column in _AFTER_PROVENANCE:
            self.read(column, table, names.get(column, ()))

    def make_batch(self, lines: NDArray[np.int64], records: NDArray[np.int64] | None = None) -> RowBatch:
        """Return the rows without fault as a batch; ``lines`` and ``records`` are those of all rows."""
        good = np.ones(self.rows, np.bool_)
        good[list(self.faults)] = False
        whole = bool(good.all())
        kept = {name: column.values for name, column in self._name_columns().items()}
        anchors = self.columns.get("human_source_anchor_hash")
        if anchors is not None and anchors.weights is not None:
            kept["anchor_weights"] = anchors.weights
        if not whole:
            chosen = pa.array(good)
            kept = {name: array.filter(chosen) for name, array in kept.items()}
        return RowBatch(
            int(good.sum()),
            lines if whole else lines[good],
            kept,
            records if records is None or whole else records[good],
            tuple(self._rejected(lines, records)),
            notices=self.count_notices(good),
            mapping=tuple(self.used),
        )

    def _name_columns(self) -> dict[str, TypedColumn]:
        """Return the columns under the names of a batch, ids filled from each other, codes and flags never null."""
        found = {KEPT_AS.get(name, name): column for name, column in self.columns.items()}
        result, document = found.get("result_id"), found.get("document_id")
        if result is not None or document is not None:
            found["result_id"] = _fill_ids(result, document)
            found["document_id"] = _fill_ids(document, result)
        for name, default in (("authenticity", int(ClassWord.NONE)), ("creative", False)):
            if name in found and found[name].values.null_count:
                found[name] = TypedColumn(pc.fill_null(found[name].values, default))
        return found

    def _rejected(self, lines: NDArray[np.int64], records: NDArray[np.int64] | None) -> Iterator[RejectedRow]:
        if not self.faults:
            return
        ids, times = self.columns.get("query_id"), self.columns.get("timestamp")
        for row, (name, reason) in sorted(self.faults.items()):
            query_id = None if ids is None or row in ids.refused else ids.values[row].as_py()
            readable = times is not None and (ids is None or row not in ids.refused)
            time = times.values[row].as_py() if times is not None and readable else None
            record = None if records is None else int(records[row])
            yield RejectedRow(int(lines[row]), name, reason, query_id, time, record)

    def count_notices(self, good: NDArray[np.bool_]) -> Counter[str]:
        """Count the ``good`` rows that each notice concerns."""
        counts: Counter[str] = Counter()
        for code, rows in self.notices:
            counts[code] += int((rows & good).sum())
        return +counts

    def _missing(self, column: str) -> NDArray[np.bool_]:
        known = self.columns.get(column)
        if known is None:
            return np.ones(self.rows, np.bool_)
        lost = ~mark_given(known.values)
        lost[list(known.refused)] = False  # that is another fault
        return lost

    def _require(self, column: str, table: Table, names: tuple[str, ...], lost: NDArray[np.bool_]) -> None:
        name = next((name for name in names if name in table), column)
        for row in np.flatnonzero(lost).tolist():
            self.faults.setdefault(row, (name, NO_ID))

    def _add(self, column: str, name: str, part: TypedColumn, given: NDArray[np.bool_]) -> None:
        self.used[column, name] = None
        for row, reason in part.refused.items():
            if given[row]:
                self.faults.setdefault(row, (name, reason))
        self.notices += [(code, rows & given) for code, rows in part.notices.items()]
        known = self.columns.get(column)
        self.columns[column] = part if known is None else merge_columns(known, part, given)


@dataclass(frozen=True, slots=True)
class TableReader:
    """Reads the tables of one file. ``nesting`` bounds JSON inside metadata."""

    kind: TableKind
    spellings: Spellings
    rules: CellRules
    nesting: int

    def read_flat(self, table: Table, lines: NDArray[np.int64], records: NDArray[np.int64] | None = None) -> RowBatch:
        """Return the rows of a flat table; ``lines`` says where each one begins."""
        typed = TypedTable(len(lines), self.rules)
        if self.kind is TableKind.LOG:
            typed.read_retrieval(table, self.spellings.result)
        typed.read_result(table, self.spellings, self.nesting)
        return typed.make_batch(lines, records)


def _mark_lacking(table: Table, names: tuple[str, ...], rows: int) -> NDArray[np.bool_]:
    """Mark the rows that lack a provenance column of their own: nothing there, or an empty text."""
    lacking = np.ones(rows, np.bool_)
    free = np.ones(rows, np.bool_)
    for name in names:
        if name in table:
            array = simplify(table[name])
            given = mark_given(array) & free
            free &= ~given
            lacking &= ~given | (_mark_empty(array) if is_text(array) else np.zeros(rows, np.bool_))
    return lacking


def _mark_empty(array: pa.Array) -> NDArray[np.bool_]:
    """Mark the texts that are empty."""
    if pa.types.is_dictionary(array.type):
        return np.append(to_mask(pc.equal(pc.binary_length(array.dictionary), 0)), False)[read_codes(array)]
    return to_mask(pc.equal(pc.binary_length(array), 0))


def _fill_ids(first: TypedColumn | None, second: TypedColumn | None) -> TypedColumn:
    """Return the ids of ``first``, those of ``second`` where there are none (R62)."""
    if first is None or second is None:
        only = first or second
        assert only is not None
        return only
    if not first.values.null_count:
        return first
    return TypedColumn(pc.coalesce(decode_values(first.values), decode_values(second.values)))
