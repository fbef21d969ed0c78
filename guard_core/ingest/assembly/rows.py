"""Hold the rows of a whole log during assembly: every column as numbers, one array for all files.

Flows in: ``RowBatch`` objects, in order.  Flows out: ``Rows``, whose rows can be picked, compared and moved as numbers.
Rules kept here: no loop over rows; a missing value has one fixed stand-in for each column.
Not here: which rows belong together (``grouping.py``), which are equal (``repeats.py``).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.columns import Ragged, TextColumn, add_up_lengths, number_items
from guard_core.ingest.assembly.text_pool import TextPool
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.log import MISSING_TIME
from guard_core.ingest.records.fields import LABEL_COLUMNS

TEXT_COLUMNS = (
    "query_id",
    "query",
    "result_id",
    "document_id",
    "source_authenticity_signature",
    "text_digest",
    "content_sha256",
    *LABEL_COLUMNS,
)
_T = TypeVar("_T", bound=np.generic)


@dataclass(slots=True)
class Rows:
    """Rows as columns of one length.  ``records`` is -1 in flat files; ``files`` numbers the files from 0."""

    files: NDArray[np.int32]
    records: NDArray[np.int64]
    lines: NDArray[np.int64]
    text: dict[str, TextColumn]
    ranks: NDArray[np.int32]
    """0 where none is given."""
    scores: NDArray[np.float64]
    class_words: NDArray[np.int8]
    depths: NDArray[np.int32]
    times: NDArray[np.int64]
    creative: NDArray[np.bool_]
    anchors: Ragged
    anchor_hashes: pa.Array
    parents: Ragged
    parent_ids: pa.Array

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: NDArray[np.int64]) -> Rows:
        """Return the rows of these numbers, in this order."""
        numbers = ("files", "records", "lines", "ranks", "scores", "class_words", "depths", "times", "creative")
        return dataclasses.replace(
            self,
            **{name: getattr(self, name)[rows] for name in numbers},
            text={name: TextColumn(column.codes[rows], column.values) for name, column in self.text.items()},
            anchors=take_lists(self.anchors, rows),
            parents=take_lists(self.parents, rows),
        )


def list_members(offsets: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the members of the lists of these rows stand, and the offsets of those lists put together."""
    lengths = offsets[rows + 1] - offsets[rows]
    return np.repeat(offsets[rows], lengths) + number_items(lengths), add_up_lengths(lengths)


def take_lists(lists: Ragged, rows: NDArray[np.int64]) -> Ragged:
    """Return the lists of these rows, in this order."""
    places, ends = list_members(lists.offsets, rows)
    return Ragged(ends, lists.codes[places], None if lists.weights is None else lists.weights[places])


def mark_changes(*keys: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Mark the first row, and each row that differs from the one before it in some key."""
    changes = np.ones(len(keys[0]), np.bool_)
    if len(changes):
        changes[1:] = False
        for key in keys:
            changes[1:] |= key[1:] != key[:-1]
    return changes


def mark_tied(*keys: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Mark the rows that agree with a neighbour in every key."""
    same = ~mark_changes(*keys)
    tied = same.copy()
    tied[:-1] |= same[1:]
    return tied


class _Lists:
    """Collects one column of lists of text.  Weights are held only from the first that differ."""

    def __init__(self) -> None:
        self._pool = TextPool()
        self._lengths: list[NDArray[np.int32]] = []
        self._weights: list[NDArray[np.float64]] = []
        self._weighted = False

    def add(self, lists: pa.Array | None, weights: pa.Array | None, rows: int) -> None:
        if lists is None:
            self._lengths.append(np.broadcast_to(np.int32(0), rows))
            return
        members = lists.flatten()  # leaves out what null lists may cover
        self._lengths.append(lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32))
        self._pool.add(members)
        equal = np.broadcast_to(np.float64(1), len(members))
        given = equal if weights is None else weights.flatten().to_numpy(zero_copy_only=False)
        self._weighted = self._weighted or bool(np.any(given != equal))
        self._weights.append(given)

    def finish(self) -> tuple[Ragged, pa.Array]:
        words = self._pool.finish()
        lengths = join_parts(self._lengths, np.int32)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        weights = join_parts(self._weights, np.float64) if self._weighted else None
        return Ragged(offsets, words.codes, weights), words.values


_NUMBERS: dict[str, np.generic] = {
    "rank": np.int32(0),
    "score": np.float64(np.nan),
    "authenticity": np.int8(ClassWord.NONE),
    "synthetic_generation_depth": np.int32(-1),
    "timestamp": np.int64(MISSING_TIME),
    "creative": np.bool_(False),
}
"""Columns of numbers, with what stands for a missing value."""


class RowCollector:
    """Collects batches; ``finish`` returns all their rows."""

    def __init__(self) -> None:
        self._text: dict[str, TextPool] = {}
        self._numbers: dict[str, list[NDArray[Any]]] = {name: [] for name in _NUMBERS}
        self._anchors = _Lists()
        self._parents = _Lists()
        self._files: list[NDArray[np.int32]] = []
        self._records: list[NDArray[np.int64]] = []
        self._lines: list[NDArray[np.int64]] = []
        self._rows = 0

    def add(self, batch: RowBatch, file: int) -> None:
        """Add the rows of a batch of the file of this number."""
        if not batch.rows:
            return
        self._files.append(np.broadcast_to(np.int32(file), batch.rows))
        self._lines.append(np.asarray(batch.lines, np.int64))
        flat = np.broadcast_to(np.int64(-1), batch.rows)
        self._records.append(flat if batch.records is None else batch.records)
        for name in TEXT_COLUMNS:
            column = batch.columns.get(name)
            pool = self._text.get(name)
            if column is None:
                if pool is not None:
                    pool.add_missing(batch.rows)
                continue
            if pool is None:
                pool = self._text[name] = TextPool()
                pool.add_missing(self._rows)
            pool.add(column)
        for name, parts in self._numbers.items():
            parts.append(_read_numbers(batch, name))
        self._anchors.add(batch.columns.get("anchors"), batch.columns.get("anchor_weights"), batch.rows)
        self._parents.add(batch.columns.get("derived_from"), None, batch.rows)
        self._rows += batch.rows

    def finish(self) -> Rows:
        """Return all rows.  The collector is empty afterwards."""
        text = {
            name: self._text.pop(name).finish() if name in self._text else TextColumn.missing(self._rows)
            for name in TEXT_COLUMNS
        }
        anchors, hashes = self._anchors.finish()
        parents, ids = self._parents.finish()
        return Rows(
            files=join_parts(self._files, np.int32),
            records=join_parts(self._records, np.int64),
            lines=join_parts(self._lines, np.int64),
            text=text,
            ranks=self._join_numbers("rank"),
            scores=self._join_numbers("score"),
            class_words=self._join_numbers("authenticity"),
            depths=self._join_numbers("synthetic_generation_depth"),
            times=self._join_numbers("timestamp"),
            creative=self._join_numbers("creative"),
            anchors=anchors,
            anchor_hashes=hashes,
            parents=parents,
            parent_ids=ids,
        )

    def _join_numbers(self, name: str) -> NDArray[Any]:
        return join_parts(self._numbers[name], type(_NUMBERS[name]))


def _read_numbers(batch: RowBatch, name: str) -> NDArray[Any]:
    missing, column = _NUMBERS[name], batch.columns.get(name)
    if column is None:
        return np.broadcast_to(missing, batch.rows)
    if column.null_count:
        column = column.fill_null(missing.item())
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=type(missing))


def join_parts(parts: list[NDArray[_T]], dtype: type[_T]) -> NDArray[_T]:
    """Join arrays one after the other; ``parts`` is empty afterwards, so that no column is held twice for long.

    Many equal values that take no room (``broadcast_to``) still take none if there is nothing else.
    """
    if not parts:
        return np.empty(0, dtype)
    rows = sum(map(len, parts))
    if all(part.strides == (0,) for part in parts) and all(part[0] == parts[0][0] for part in parts if len(part)):
        whole = np.broadcast_to(parts[0][0], rows) if len(parts[0]) else np.concatenate(parts)
    else:
        whole = np.concatenate(parts)
    parts.clear()
    return whole
