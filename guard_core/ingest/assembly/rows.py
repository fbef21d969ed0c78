"""The rows of a whole log while it is put together: every column as numbers, one array for all files.

Flows in: ``RowBatch`` objects, in order.  Flows out: ``Rows``, whose rows can be picked, compared and moved as numbers.
Rules kept here: no loop over rows; a missing value has one fixed stand-in for each column.
Not here: which rows belong together (``grouping.py``), which are equal (``repeats.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.columns import Ragged, TextColumn
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
        """The rows of these numbers, in this order."""
        return Rows(
            self.files[rows],
            self.records[rows],
            self.lines[rows],
            {name: TextColumn(column.codes[rows], column.values) for name, column in self.text.items()},
            self.ranks[rows],
            self.scores[rows],
            self.class_words[rows],
            self.depths[rows],
            self.times[rows],
            self.creative[rows],
            take_lists(self.anchors, rows),
            self.anchor_hashes,
            take_lists(self.parents, rows),
            self.parent_ids,
        )


def list_members(offsets: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the members of the lists of these rows stand, and the offsets of the lists once they stand together."""
    lengths = offsets[rows + 1] - offsets[rows]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    places = np.arange(ends[-1]) + np.repeat(offsets[rows] - ends[:-1], lengths)
    return places, ends


def take_lists(lists: Ragged, rows: NDArray[np.int64]) -> Ragged:
    """The lists of these rows, in this order."""
    places, ends = list_members(lists.offsets, rows)
    return Ragged(ends, lists.codes[places], None if lists.weights is None else lists.weights[places])


class _Numbers(Generic[_T]):
    """Collects one column of numbers; ``missing`` stands for a missing value."""

    def __init__(self, column: str, missing: _T) -> None:
        self._column = column
        self._missing = missing
        self._parts: list[NDArray[_T]] = []

    def add(self, batch: RowBatch) -> None:
        column = batch.columns.get(self._column)
        if column is None:
            self._parts.append(np.broadcast_to(self._missing, batch.rows))
            return
        if column.null_count:
            column = column.fill_null(self._missing.item())
        self._parts.append(np.asarray(column.to_numpy(zero_copy_only=False), dtype=type(self._missing)))

    def finish(self) -> NDArray[_T]:
        return joined(self._parts, type(self._missing))


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
        lengths = joined(self._lengths, np.int32)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        weights = joined(self._weights, np.float64) if self._weighted else None
        return Ragged(offsets, words.codes, weights), words.values


class RowCollector:
    """Takes in batches; ``finish`` gives all their rows."""

    def __init__(self) -> None:
        self._text: dict[str, TextPool] = {}
        self._ranks = _Numbers("rank", np.int32(0))
        self._scores = _Numbers("score", np.float64(np.nan))
        self._class_words = _Numbers("authenticity", np.int8(ClassWord.NONE))
        self._depths = _Numbers("synthetic_generation_depth", np.int32(-1))
        self._times = _Numbers("timestamp", np.int64(MISSING_TIME))
        self._creative = _Numbers("creative", np.bool_(False))
        self._anchors = _Lists()
        self._parents = _Lists()
        self._files: list[NDArray[np.int32]] = []
        self._records: list[NDArray[np.int64]] = []
        self._lines: list[NDArray[np.int64]] = []
        self._rows = 0

    def add(self, batch: RowBatch, file: int) -> None:
        """Take in the rows of a batch of the file of this number."""
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
        self._ranks.add(batch)
        self._scores.add(batch)
        self._class_words.add(batch)
        self._depths.add(batch)
        self._times.add(batch)
        self._creative.add(batch)
        self._anchors.add(batch.columns.get("anchors"), batch.columns.get("anchor_weights"), batch.rows)
        self._parents.add(batch.columns.get("derived_from"), None, batch.rows)
        self._rows += batch.rows

    def finish(self) -> Rows:
        """All rows.  The collector is empty afterwards."""
        text = {
            name: self._text.pop(name).finish() if name in self._text else TextColumn.missing(self._rows)
            for name in TEXT_COLUMNS
        }
        anchors, hashes = self._anchors.finish()
        parents, ids = self._parents.finish()
        return Rows(
            joined(self._files, np.int32),
            joined(self._records, np.int64),
            joined(self._lines, np.int64),
            text,
            self._ranks.finish(),
            self._scores.finish(),
            self._class_words.finish(),
            self._depths.finish(),
            self._times.finish(),
            self._creative.finish(),
            anchors,
            hashes,
            parents,
            ids,
        )


def joined(parts: list[NDArray[_T]], dtype: type[_T]) -> NDArray[_T]:
    """Arrays one after the other; ``parts`` is empty afterwards, so that no column is held twice for long.

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
