"""Type whole columns by the rules of ``values.py``, each distinct value once.

Flows in: an Arrow array as a reader found it (of any type; null is missing).  Flows out: ``TypedColumn``: the canonical
array of ``batch.py``, which rows are refused and why, and which rows a notice concerns.
Rules kept here: none of its own.  A rule is a function of ``values.py``; a column either maps its distinct values
through that function or, where a type or a pattern proves that the function would agree, is converted whole.  Tests
hold the two equal.  Types that JSON does not know (dates, binary...) are of no use to a column that does not ask for
them.
Not here: lists (``typed_lists.py``), which column of a file is meant, what makes up a row (``typed_table.py``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.batch import COLUMN_TYPES, KEPT_AS
from guard_core.ingest.records import values
from guard_core.ingest.tables.arrays import (
    NOT_UTF8,
    TypedColumn,
    blank_rows,
    find_undecodable,
    is_text,
    map_distinct,
    mark_given,
    mark_zeros,
    read_codes,
    simplify,
    spread_refusals,
    to_mask,
)

_PLAIN_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_PLAIN_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
_OFFSET = r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"


def type_ids(array: pa.Array) -> TypedColumn:
    """Type ids as text (R7); an empty one is null."""
    found = simplify(array)
    if pa.types.is_integer(found.type):
        return TypedColumn(found.cast(pa.string()))
    if not is_text(found):
        return map_distinct(found, lambda value: (values.read_id(value), None), pa.string())
    return _check_text(found, empty_is_missing=True)


def type_texts(array: pa.Array) -> TypedColumn:
    """Type text for showing and grouping; an empty one stays empty."""
    found = simplify(array)
    if not is_text(found):
        return map_distinct(found, values.read_text, pa.string())
    return _check_text(found, empty_is_missing=False)


def type_signatures(array: pa.Array) -> TypedColumn:
    """Type claims as given; an empty one is null (R34)."""
    found = simplify(array)
    if not is_text(found):
        return map_distinct(found, values.read_signature, pa.string())
    return _check_text(found, empty_is_missing=True)


def type_ranks(array: pa.Array) -> TypedColumn:
    """Type ranks as int32, at least 1."""
    return _type_integers(array, values.read_rank, 1)


def type_depths(array: pa.Array) -> TypedColumn:
    """Type declared depths as int32, at least 0."""
    return _type_integers(array, values.read_depth, 0)


def type_scores(array: pa.Array, *, cells: bool = False, decimal_comma: bool = False) -> TypedColumn:
    """Type scores as finite float64 (R19); ``cells``: text is that of a table cell, see ``values.read_score_text``."""
    found = simplify(array)
    if pa.types.is_decimal(array.type):
        found = pa.array([None if d is None else float(d) for d in array.to_pylist()], pa.float64())
    if is_text(found) and cells:
        return _type_score_cells(found, decimal_comma)
    if not (pa.types.is_integer(found.type) or pa.types.is_floating(found.type)):
        return map_distinct(found, values.read_score, pa.float64())
    numbers = found.cast(pa.float64(), safe=False)
    bad = to_mask(pc.invert(pc.is_finite(numbers)))
    if not bad.any():
        return TypedColumn(numbers)
    return TypedColumn(blank_rows(numbers, bad), notices={values.SCORE_NOT_A_NUMBER: bad})


def type_times(array: pa.Array) -> TypedColumn:
    """Type instants as int64 microseconds since the epoch, UTC (R13), Arrow's times and dates included."""
    found = simplify(array)
    kind = found.type
    if is_text(found):
        return _type_time_texts(found)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        naive = getattr(kind, "tz", None) is None
        return _keep_instants(_to_microseconds(found), mark_given(found) if naive else None)
    if pa.types.is_integer(kind):
        seconds = pc.fill_null(found.cast(pa.float64(), safe=False), 0.0)
        within = np.abs(seconds.to_numpy(zero_copy_only=False)) < 1e12
        safe = pc.if_else(pa.array(within), found, pa.scalar(None, kind)).cast(pa.int64())
        return _keep_instants(pc.multiply(safe, 1_000_000), None, mark_given(found) & ~within)
    return map_distinct(found, values.read_time, pa.int64())


def type_by_rule(column: str, array: pa.Array) -> TypedColumn:
    """Type a canonical column by its scalar rule alone."""
    return map_distinct(simplify(array), values.RULES[column], COLUMN_TYPES[KEPT_AS.get(column, column)])


def _check_text(array: pa.Array, *, empty_is_missing: bool) -> TypedColumn:
    """Return text as it is, but for what cannot be kept: U+0000 or broken UTF-8 (R7, R8)."""
    words = array.dictionary if pa.types.is_dictionary(array.type) else array
    bad = dict.fromkeys(find_undecodable(words), NOT_UTF8)
    zero = mark_zeros(words)
    if zero is not None:
        bad |= {int(row): "holds U+0000" for row in np.flatnonzero(zero) if row not in bad}
    empty = to_mask(pc.equal(pc.binary_length(words), 0)) if empty_is_missing else np.zeros(len(words), np.bool_)
    if not bad and not empty.any():
        return TypedColumn(array)
    gone = empty.copy()
    gone[list(bad)] = True
    if words is array:
        return TypedColumn(blank_rows(array, gone), bad)
    codes = read_codes(array)
    lost = (codes >= 0) & np.append(gone, False)[codes]
    kept = blank_rows(array.indices, lost)
    if bad:
        words = blank_rows(words, gone).fill_null("")
    return TypedColumn(pa.DictionaryArray.from_arrays(kept, words), spread_refusals(codes, bad))


def _type_integers(array: pa.Array, rule: Callable[[object], int | None], least: int) -> TypedColumn:
    found = simplify(array)
    if not pa.types.is_integer(found.type):
        return map_distinct(found, lambda value: (rule(value), None), pa.int32())
    low = pc.less(found, pa.scalar(least, found.type))
    bad = to_mask(low)
    if found.type.bit_width >= 32:
        bad |= to_mask(pc.greater(found, pa.scalar(values.INT32_MAX, found.type)))
    if not bad.any():
        return TypedColumn(found.cast(pa.int32()))
    column = map_distinct(found.filter(pa.array(bad)), lambda value: (rule(value), None), pa.int32())
    rows = np.flatnonzero(bad)
    return TypedColumn(
        blank_rows(found, bad).cast(pa.int32()), {int(rows[row]): why for row, why in column.refused.items()}
    )


def _type_score_cells(array: pa.Array, decimal_comma: bool) -> TypedColumn:
    text = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    if decimal_comma:
        text = pc.replace_substring(text, ",", ".")
    odd = np.zeros(len(text), np.bool_)
    try:
        numbers = text.cast(pa.float64())
    except pa.ArrowInvalid:
        odd = to_mask(pc.invert(pc.match_substring_regex(text, _PLAIN_NUMBER)))
        numbers = blank_rows(text, odd).cast(pa.float64())
    bad = to_mask(pc.invert(pc.is_finite(numbers)))
    mended = map_distinct(text.filter(pa.array(odd)), lambda value: values.read_score_text(str(value)), pa.float64())
    if odd.any():
        numbers = pc.replace_with_mask(numbers, pa.array(odd), mended.values)
        for mask in mended.notices.values():
            bad[np.flatnonzero(odd)[mask]] = True
    if not bad.any():
        return TypedColumn(numbers)
    return TypedColumn(blank_rows(numbers, bad), notices={values.SCORE_NOT_A_NUMBER: bad})


def _type_time_texts(array: pa.Array) -> TypedColumn:
    """Type texts as instants: whole, if all are of the usual form, else one by one."""
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = encoded.dictionary
    if not find_undecodable(words):
        for pattern, target in (
            (_PLAIN_TIME + _OFFSET, pa.timestamp("us", "UTC")),
            (_PLAIN_TIME + "$", pa.timestamp("us")),
        ):
            if pc.all(pc.match_substring_regex(words, pattern)).as_py():
                try:
                    instants = words.cast(target).cast(pa.int64()).take(encoded.indices)
                except pa.ArrowInvalid:
                    break
                return _keep_instants(instants, mark_given(encoded) if target.tz is None else None)
    return map_distinct(encoded, values.read_time, pa.int64())


def _keep_instants(
    instants: pa.Int64Array, naive: NDArray[np.bool_] | None, unknown: NDArray[np.bool_] | None = None
) -> TypedColumn:
    """Return the instants inside the years that clocks can show; ``naive`` rows get the notice of an assumed UTC."""
    outside = to_mask(pc.or_(pc.less(instants, values.FIRST_TIME), pc.greater(instants, values.LAST_TIME)))
    lost = outside if unknown is None else outside | unknown
    notices: dict[str, NDArray[np.bool_]] = {}
    if lost.any():
        instants = blank_rows(instants, lost)
        notices[values.TIME_UNKNOWN] = lost
    if naive is not None and (naive & ~lost).any():
        notices[values.TIME_ASSUMED_UTC] = naive & ~lost
    return TypedColumn(instants, notices=notices)


def _to_microseconds(array: pa.Array) -> pa.Int64Array:
    """Return Arrow's times in microseconds; digits beyond them are cut off, as in text."""
    kind = array.type
    if pa.types.is_date(kind):
        array = array.cast(pa.timestamp("ms"))
        kind = array.type
    counts = array.cast(pa.int64())
    if kind.unit == "ns":
        floor = np.floor_divide(pc.fill_null(counts, 0).to_numpy(zero_copy_only=False), 1000)
        return pa.array(floor, pa.int64(), mask=~to_mask(array.is_valid()))
    factor = {"s": 1_000_000, "ms": 1_000, "us": 1}[kind.unit]
    bound = np.iinfo(np.int64).max // factor
    # What would overflow lies far outside any clock: leave it there.
    return pc.multiply(
        pc.max_element_wise(pc.min_element_wise(counts, bound, skip_nulls=False), -bound, skip_nulls=False), factor
    )
