"""Gather one column out of many batches of rows.

Flows in: ``RowBatch``.  Flows out: Arrow and numpy columns, ``TextColumn`` and ``Ragged``.
Rules kept here: a column that a batch does not have is missing in its rows.
Not here: what a column means; the columns of a log, which its assembly makes row by row (``assembly/``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.columns import Ragged, Strings, TextColumn, add_up_lengths, encode_texts
from guard_core.ingest.batch import RowBatch


def gather_column(batches: Sequence[RowBatch], name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """Return one column of all batches, cast to ``kind``; null where a batch does not have it."""
    chunks = [b.columns[name].cast(kind) if name in b.columns else pa.nulls(b.rows, kind) for b in batches]
    return pa.chunked_array(chunks, kind)


def gather_numbers(batches: Sequence[RowBatch], name: str, kind: pa.DataType, missing: int) -> NDArray[np.int64]:
    """Return a column of whole numbers, ``missing`` where there is none."""
    filled = pc.fill_null(gather_column(batches, name, kind), pa.scalar(missing, kind))
    values: NDArray[np.int64] = filled.to_numpy().astype(np.int64)
    return values


def gather_texts(batches: Sequence[RowBatch], name: str) -> TextColumn:
    """Return a column of texts whose codes compare as the texts do."""
    return encode_texts(gather_column(batches, name, pa.large_string()))


def gather_lists(batches: Sequence[RowBatch], name: str, weights: str | None = None) -> tuple[Ragged, Strings]:
    """Return a column of lists of texts, with the sorted texts that it codes; ``weights`` names the weights' column."""
    lists = gather_column(batches, name, pa.large_list(pa.large_string()))
    offsets = add_up_lengths(pc.fill_null(pc.list_value_length(lists), 0).to_numpy())
    texts = encode_texts(pc.list_flatten(lists))
    given = None
    if weights is not None and any(weights in b.columns for b in batches):
        given = np.concatenate([_read_weights(b, name, weights) for b in batches])
        if np.all(given == 1.0):
            given = None
    return Ragged(offsets, texts.codes, given), texts.values


def _read_weights(batch: RowBatch, name: str, weights: str) -> NDArray[np.float64]:
    if name not in batch.columns:
        return np.empty(0)
    if weights not in batch.columns:
        return np.ones(len(batch.columns[name].flatten()))
    values: NDArray[np.float64] = batch.columns[weights].flatten().to_numpy(zero_copy_only=False)
    return values
