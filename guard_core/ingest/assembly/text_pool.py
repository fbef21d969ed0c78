"""Collect the text of one column across batches, keeping each distinct value once.

Flows in: string arrays, plain or dictionary-encoded.  Flows out: one ``TextColumn``: a code for each row, and the
distinct values.
Rules kept here: memory is bounded by the distinct values and four bytes a row; no loop over rows.
Not here: what the text means.

Each batch brings a dictionary of its own.  They are merged into one whenever those waiting hold as much text as the
merged one, so that every text is hashed a bounded number of times however long the file is.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.columns import TextColumn

_WAIT_BYTES = 16 * 1024 * 1024
_LARGE_BYTES = 1 << 30
"""From here on offsets are 64-bit: 32-bit ones end at 2 GiB."""


def encode_column(array: pa.Array | pa.ChunkedArray) -> pa.DictionaryArray:
    """Return ``array`` as int32 codes into distinct values."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if pa.types.is_dictionary(array.type):
        if not array.dictionary.null_count:
            return array
        array = array.dictionary_decode()
    return array.dictionary_encode()


class TextPool:
    """Collects the text of one column; ``finish`` returns the codes of all rows, in order."""

    def __init__(self) -> None:
        self._type: pa.DataType = pa.string()
        self._values: pa.Array = pa.array([], pa.string())
        self._codes: list[NDArray[np.int32]] = []
        self._waiting: list[tuple[int, pa.DictionaryArray]] = []
        self._waiting_bytes = 0

    def add(self, array: pa.Array) -> None:
        """Add the text of further rows."""
        batch = encode_column(array)
        self._waiting.append((len(self._codes), batch))
        self._codes.append(np.empty(0, np.int32))
        self._waiting_bytes += batch.dictionary.nbytes
        if self._waiting_bytes > max(_WAIT_BYTES, self._values.nbytes):
            self._merge()

    def add_missing(self, rows: int) -> None:
        """Add ``rows`` rows without text."""
        self._codes.append(np.full(rows, -1, np.int32))

    def finish(self) -> TextColumn:
        """Return all rows. The pool is empty afterwards."""
        self._merge()
        codes = np.concatenate(self._codes) if self._codes else np.empty(0, np.int32)
        self._codes = []
        return _drop_unused(codes, self._values)

    def _merge(self) -> None:
        if not self._waiting:
            return
        if self._values.nbytes + self._waiting_bytes > _LARGE_BYTES:
            self._type = pa.large_string()
        kind = pa.dictionary(pa.int32(), self._type)
        known = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), self._values.cast(self._type))
        batches = [batch.cast(kind) if batch.type != kind else batch for _, batch in self._waiting]
        merged = pa.chunked_array([known, *batches], kind).unify_dictionaries()
        for (place, _), batch in zip(self._waiting, merged.chunks[1:], strict=True):
            self._codes[place] = _codes(batch.indices)
        self._values = merged.chunk(0).dictionary
        self._waiting, self._waiting_bytes = [], 0


def _drop_unused(codes: NDArray[np.int32], values: pa.Array) -> TextColumn:
    """Remove values that no row has: batches may bring values of rows that they do not have (any more)."""
    used = np.zeros(len(values) + 1, np.bool_)
    used[codes] = True  # the last place is that of -1
    used = used[:-1]
    if used.all():
        return TextColumn(codes, values)
    renumbered = np.append(np.cumsum(used) - 1, -1).astype(np.int32)
    return TextColumn(renumbered[codes], values.filter(pa.array(used)))


def _codes(indices: pa.Int32Array) -> NDArray[np.int32]:
    if indices.null_count:
        indices = indices.fill_null(-1)
    return np.asarray(indices.to_numpy(zero_copy_only=False), dtype=np.int32)
