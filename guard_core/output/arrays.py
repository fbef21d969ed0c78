"""Make Arrow arrays of columns, and read their values back as Python has them.

Flows in: numpy arrays, ``TextColumn``, ``Ragged``.  Flows out: Arrow arrays; lists of plain values.
Rules kept here: words and texts stay dictionary codes, and numbers without missing values are not copied; times become
ISO 8601 text in UTC where a file has text.
Not here: which columns there are (``columns.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.columns import Ragged, Strings, TextColumn

INTEGER, NUMBER, TEXT, TEXTS = pa.int64(), pa.float64(), pa.string(), pa.list_(pa.string())
"""The types that columns have in a file."""

INSTANT = pa.timestamp("us", "UTC")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_values(array: pa.Array) -> list[object]:
    """Return the values of an array of one of these columns as Python has them; a list becomes a tuple."""
    kind = array.type
    if array.null_count == len(array):
        return [None] * len(array)
    if pa.types.is_dictionary(kind):
        if len(array.dictionary) > len(array):
            return read_values(array.dictionary.take(array.indices))
        words = [*read_values(array.dictionary), None]  # the last place is that of -1
        indices = array.indices.fill_null(-1) if array.null_count else array.indices
        return [words[code] for code in indices.to_numpy().tolist()]
    if pa.types.is_list(kind):
        lists: list[object] = [()] * len(array)
        edges = array.offsets.to_numpy() - array.offsets[0].as_py()
        filled = np.flatnonzero(np.diff(edges))
        items = tuple(read_values(array.flatten()))
        bounds = zip(filled.tolist(), edges[filled].tolist(), edges[filled + 1].tolist(), strict=True)
        for place, start, stop in bounds:  # most lists of a log are empty
            lists[place] = items[start:stop]
        return lists
    if pa.types.is_timestamp(kind):
        return [None if moment is None else format_time(moment) for moment in array.cast(INTEGER).to_pylist()]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return array.to_numpy(zero_copy_only=False).tolist()  # type: ignore[no-any-return]  # a list of texts and None
    values: list[object] = (array.fill_null(0) if array.null_count else array).to_numpy().tolist()
    if array.null_count:
        for place in np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False)).tolist():
            values[place] = None
    return values


def format_time(microseconds: int) -> str:
    """Return an instant as ISO 8601 text in UTC."""
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat().replace("+00:00", "Z")


def as_file_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column in the type that it has in a file."""
    if pa.types.is_dictionary(array.type) and pa.types.is_list(array.type.value_type):
        array = array.dictionary_decode()
    if pa.types.is_timestamp(array.type):
        return pa.array(read_values(array), kind)
    return array if array.type == kind else array.cast(kind)


def make_words(codes: NDArray[np.uint8], words: Sequence[str | None]) -> pa.Array:
    """Make a column of words from their codes; the last of the words may be ``None``."""
    missing = None
    if words[-1] is None:
        missing, words = codes == len(words) - 1, words[:-1]
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8), mask=missing), pa.array(words, pa.string()))


def make_integers(values: NDArray[np.int32]) -> pa.Array:
    """Make a column of numbers from 0; a negative one is null."""
    missing = values < 0
    return pa.array(values, mask=missing if missing.any() else None)


def make_numbers(values: NDArray[np.float64]) -> pa.Array:
    """Make a column of numbers; NaN is null."""
    missing = np.isnan(values)
    return pa.array(values, mask=missing if missing.any() else None)


def make_texts(column: TextColumn, rows: slice | NDArray[np.int64]) -> pa.Array:
    missing = column.codes[rows] < 0
    indices = pa.array(column.codes[rows], mask=missing if missing.any() else None)
    return pa.DictionaryArray.from_arrays(indices, column.values, safe=False)


def make_lists(column: Ragged, values: Strings, rows: slice) -> pa.Array:
    bounds = column.offsets[rows.start : rows.stop + 1]
    codes = pa.array(column.codes[bounds[0] : bounds[-1]])
    items = pa.DictionaryArray.from_arrays(codes, values, safe=False)
    return pa.ListArray.from_arrays(pa.array((bounds - bounds[0]).astype(np.int32)), items)
