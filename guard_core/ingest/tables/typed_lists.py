"""Type columns whose values are lists: anchors and parents.

Flows in: an Arrow array: text (one entry, or several between ``|`` in a cell), lists of text, lists of objects, one
object.  Flows out: ``TypedColumn`` with a list of texts (or of dictionary codes of texts) for each row, null where
there is none; anchors also have ``weights``.
Rules kept here: those of ``values.read_anchors`` (R17) and ``values.read_parents``; lists whose entries are all plain
text are taken whole, since the function would agree, any other goes through the function.
Not here: what an anchor resolves to, what a parent is.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from guard_core.ingest.records import values
from guard_core.ingest.tables.arrays import (
    TypedColumn,
    find_undecodable,
    is_text,
    map_distinct,
    mark_zeros,
    read_codes,
    simplify,
    to_mask,
)

TEXTS = pa.list_(pa.string())
PAIRS = pa.list_(pa.struct([("hash", pa.string()), ("weight", pa.float64())]))
"""Anchors before hashes and weights part."""


def type_anchors(array: pa.Array, *, separated: bool = False) -> TypedColumn:
    """Type declared anchors as given, with their weights; ``separated``: a text may hold several, between ``|``."""
    found = simplify(array)
    whole = _wrap_texts(found, separated) if is_text(found) else _take_plain_lists(found)
    if whole is not None:
        return TypedColumn(whole)
    return split_anchor_pairs(map_distinct(found, lambda value: read_anchor_pairs(value, separated), PAIRS))


def read_anchor_pairs(value: object, separated: bool = False) -> tuple[object, str | None]:
    """Apply ``values.read_anchors`` as a rule for a column of ``PAIRS``."""
    found, notice = values.read_anchors(value, separated)
    return found or None, notice


def split_anchor_pairs(column: TypedColumn) -> TypedColumn:
    """Split a column of ``PAIRS`` into hashes, with their weights beside them."""
    weights = _pick_member(column.values, "weight")
    equal = pc.all(pc.equal(weights.flatten(), 1.0)).as_py() is not False
    return TypedColumn(_pick_member(column.values, "hash"), column.refused, column.notices, None if equal else weights)


def type_parents(array: pa.Array, *, separated: bool = False) -> TypedColumn:
    """Type the ids of the documents from which each one derives; ``separated``: a text may hold several."""
    found = simplify(array)
    whole = _wrap_texts(found, separated) if is_text(found) else _take_plain_lists(found)
    if whole is not None:
        return TypedColumn(whole)
    return map_distinct(found, lambda value: (values.read_parents(value, separated) or None, None), TEXTS)


def is_list(kind: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's list types."""
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


def make_lists(array: pa.Array) -> pa.ListArray:
    """Return an array of any list type as plain lists."""
    if not (pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type)):
        return array.cast(pa.list_(array.type.value_type))
    # Arrow 26 casts list views to lists whose offsets are too few.
    lengths = pc.list_value_length(array).fill_null(0).to_numpy()
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    return pa.ListArray.from_arrays(offsets, array.flatten(), mask=array.is_null())


def _wrap_texts(array: pa.Array, separated: bool) -> pa.ListArray | None:
    """Return texts that are one entry each as lists of dictionary codes; ``None`` if some text is not."""
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = encoded.dictionary
    if find_undecodable(words) or mark_zeros(words) is not None:
        return None
    if separated and to_mask(pc.match_substring(words, values.LIST_SEPARATOR)).any():
        return None
    codes = read_codes(encoded)
    empty = np.append(to_mask(pc.equal(pc.binary_length(words), 0)), True)[codes]
    offsets = np.concatenate(([0], np.cumsum(~empty))).astype(np.int32)
    entries = pa.DictionaryArray.from_arrays(pa.array(codes[~empty], pa.int32()), words)
    return pa.ListArray.from_arrays(pa.array(offsets), entries, mask=pa.array(empty) if empty.any() else None)


def _take_plain_lists(array: pa.Array) -> pa.ListArray | None:
    """Return lists of nothing but good, non-empty text, else ``None``."""
    if not is_list(array.type):
        return None
    lists = make_lists(array)
    entries = simplify(lists.values)
    if not is_text(entries):
        return None
    if pa.types.is_dictionary(entries.type):
        entries = entries.dictionary_decode()
    if entries.null_count or find_undecodable(entries):
        return None
    if to_mask(pc.equal(pc.binary_length(entries), 0)).any() or mark_zeros(entries) is not None:
        return None
    return pa.ListArray.from_buffers(
        TEXTS, len(lists), lists.buffers()[:2], lists.null_count, lists.offset, children=[entries]
    )


def _pick_member(lists: pa.ListArray, name: str) -> pa.ListArray:
    """Return lists of one member of the objects in ``lists`` (which begins at offset 0, fresh from ``take``)."""
    return pa.ListArray.from_arrays(lists.offsets, lists.values.field(name), mask=lists.is_null())
