"""Bring Arrow arrays into few types, and map them value by value, each distinct one once.

Flows in: an Arrow array of any type.  Flows out: an array of one of few types, or a ``TypedColumn``.
Rules kept here: text whose bytes are not UTF-8 refuses its row (readers of binary formats do not check); types that
JSON does not know are one foreign value, which every rule refuses or calls missing in its own way.
Not here: any rule about what a value means (``values.py``), the columns of a log (``typed_columns.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.records import values

NOT_UTF8 = "is not UTF-8"
"""Reason for a row whose text cannot be decoded."""


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column in canonical form.

    ``values`` is null where a value is missing or refused. ``refused`` maps a row to the reason for which it is
    rejected; ``notices`` gives, per code, a mask of the rows concerned. ``weights`` stands beside anchors, and is
    ``None`` where all are equal.
    """

    values: pa.Array
    refused: dict[int, str] = field(default_factory=dict)
    notices: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    weights: pa.Array | None = None


def simplify(array: pa.Array) -> pa.Array:
    """Return ``array`` as string (or int32 dictionary of strings), integers, float64, bool, null, or as it is."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return simplify(array.storage)
    if pa.types.is_dictionary(kind):
        if kind.value_type == pa.string() and kind.index_type == pa.int32():
            return array
        words = simplify(array.dictionary)
        if words.type == pa.string() and words.null_count == 0:
            return pa.DictionaryArray.from_arrays(array.indices.cast(pa.int32()), words)
        return simplify(array.dictionary_decode())
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return array.cast(pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        # Text that a writer did not mark as text.  Its bytes are checked where text is checked.
        wide = array.cast(pa.binary())
        return pa.Array.from_buffers(pa.string(), len(wide), wide.buffers(), wide.null_count, wide.offset)
    if pa.types.is_decimal(kind):
        return _simplify_decimals(array)
    if pa.types.is_floating(kind) and kind != pa.float64():
        return array.cast(pa.float64())
    return array


def is_text(array: pa.Array) -> bool:
    """Return whether an array holds strings, plain or as dictionary codes."""
    kind = array.type
    return bool(kind == pa.string() or (pa.types.is_dictionary(kind) and kind.value_type == pa.string()))


def map_distinct(array: pa.Array, rule: values.Rule, target: pa.DataType) -> TypedColumn:
    """Map every value through ``rule``, distinct values once."""
    codes, distinct, bad = _find_distinct(array)
    return map_codes(codes, distinct, rule, target, bad)


def map_codes(
    codes: NDArray[np.int64],
    distinct: Sequence[object],
    rule: values.Rule,
    target: pa.DataType,
    undecodable_codes: Collection[int] = (),
) -> TypedColumn:
    """Map ``distinct[codes[row]]`` through ``rule``; code -1 is null, and so is a distinct ``None``."""
    typed: list[object] = [None] * len(distinct)
    refused = dict.fromkeys(undecodable_codes, NOT_UTF8)
    notices: dict[str, list[int]] = {}
    for code, value in enumerate(distinct):
        if code in refused or value is None:
            continue
        try:
            typed[code], notice = rule(value)
        except values.Refused as reason:
            refused[code] = str(reason)
            continue
        if notice is not None:
            notices.setdefault(notice, []).append(code)
    result = take_values(pa.array(typed, target), codes)
    return TypedColumn(
        result, spread_refusals(codes, refused), {n: np.isin(codes, rows) for n, rows in notices.items()}
    )


def take_values(distinct: pa.Array, codes: NDArray[np.int64]) -> pa.Array:
    """Return ``distinct[codes]``, null for -1; text stays dictionary codes, lists are lists of codes."""
    missing = codes < 0
    places = pa.array(codes, pa.int32(), mask=missing if missing.any() else None)
    if distinct.type == pa.string() and not distinct.null_count:
        return pa.DictionaryArray.from_arrays(places, distinct)
    return distinct.take(places)


def read_codes(encoded: pa.DictionaryArray) -> NDArray[np.int64]:
    """Return the codes of a dictionary array, -1 for null."""
    indices = encoded.indices.fill_null(-1) if encoded.null_count else encoded.indices
    codes: NDArray[np.int64] = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def mark_given(array: pa.Array) -> NDArray[np.bool_]:
    """Mark the rows that are not null."""
    return to_mask(array.is_valid()) if array.null_count else np.ones(len(array), np.bool_)


def mark_zeros(words: pa.StringArray) -> NDArray[np.bool_] | None:
    """Mark the texts that hold U+0000; return ``None`` if none does, which one pass over all bytes shows."""
    content = words.buffers()[2]
    if content is None or not len(words):
        return None
    offsets = np.frombuffer(words.buffers()[1], np.int32)[words.offset : words.offset + len(words) + 1]
    if offsets[0] == offsets[-1]:
        return None
    if np.frombuffer(content, np.uint8)[offsets[0] : offsets[-1]].min() > 0:
        return None
    found = to_mask(pc.match_substring(words, "\0"))
    return found if found.any() else None


def merge_columns(first: TypedColumn, second: TypedColumn, where: NDArray[np.bool_]) -> TypedColumn:
    """Return ``second`` in the rows ``where``, ``first`` elsewhere.

    A column refuses and notices nothing in rows of the other.
    """
    mask = pa.array(where)
    weights = None
    if first.weights is not None or second.weights is not None:
        weights = pc.if_else(mask, _list_weights(second), _list_weights(first))
    chosen = pc.if_else(mask, decode_values(second.values), decode_values(first.values))
    notices = dict(first.notices)
    for code, rows in second.notices.items():
        notices[code] = notices[code] | rows if code in notices else rows
    return TypedColumn(chosen, first.refused | second.refused, notices, weights)


def decode_values(array: pa.Array) -> pa.Array:
    """Return ``array`` without dictionary codes, those of the items of lists included."""
    if pa.types.is_list(array.type) and pa.types.is_dictionary(array.type.value_type):
        return array.cast(pa.list_(array.type.value_type.value_type))
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _list_weights(column: TypedColumn) -> pa.ListArray:
    if column.weights is not None:
        return column.weights
    lists = pa.concat_arrays([column.values])  # begins at offset 0
    ones = pa.array(np.ones(len(lists.values)))
    return pa.ListArray.from_arrays(lists.offsets, ones, mask=lists.is_null())


def blank_rows(array: pa.Array, bad: NDArray[np.bool_]) -> pa.Array:
    """Return ``array`` with null where ``bad``."""
    return pc.if_else(pa.array(~bad), array, pa.scalar(None, array.type))


def to_mask(mask: pa.BooleanArray) -> NDArray[np.bool_]:
    """Return a mask as numpy has it; null is False."""
    return np.asarray(pc.fill_null(mask, False).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _find_distinct(array: pa.Array) -> tuple[NDArray[np.int64], list[object], set[int]]:
    """Return codes (-1: null), distinct values as Python has them, and the codes of texts that are not UTF-8."""
    kind = array.type
    if pa.types.is_nested(kind):
        rows: list[object] = array.to_pylist()
        return np.where(mark_given(array), np.arange(len(array)), -1), rows, set()
    if not (is_text(array) or pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return np.where(mark_given(array), 0, -1), [object()], set()
    encoded = array if pa.types.is_dictionary(kind) else array.dictionary_encode()
    codes = read_codes(encoded)
    words = encoded.dictionary
    bad = set(find_undecodable(words)) if is_text(words) else set()
    if bad:
        words = blank_rows(words, np.isin(np.arange(len(words)), list(bad)))
    return codes, words.to_pylist(), bad


def find_undecodable(words: pa.StringArray) -> list[int]:
    """Find the rows of a string array whose bytes are not UTF-8."""
    try:
        words.validate(full=True)
    except pa.ArrowInvalid:
        return [
            row for row, raw in enumerate(words.cast(pa.binary()).to_pylist()) if raw is not None and not _is_utf8(raw)
        ]
    return []


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def spread_refusals(codes: NDArray[np.int64], refused: dict[int, str]) -> dict[int, str]:
    """Return the refused rows, given the refused codes."""
    if not refused:
        return {}
    rows = np.flatnonzero(np.isin(codes, list(refused)))
    return {int(row): refused[int(codes[row])] for row in rows}


def _simplify_decimals(array: pa.Array) -> pa.Array:
    """Return whole decimals as int64 or, where longer, as the text of their digits; others as float64."""
    if array.type.scale == 0:
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            return array.cast(pa.string())
    return pa.array([None if d is None else float(d) for d in array.to_pylist()], pa.float64())
