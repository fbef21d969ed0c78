"""Spell the UUIDs of an Arrow table as text, as every other format writes them.

Flows in: an Arrow array, as Parquet, Arrow files and tables in memory hold it (``arrow.uuid``: 16 bytes each).
Flows out: the same array with the 36 lower-case characters of each UUID, inside lists and objects too.
Rules kept here: R7 (an id is text); 16 bytes that no type calls a UUID are left as they are.
Not here: what a column means (``typed_table.py``).
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pyarrow as pa

from guard_core.ingest.tables.typed_lists import is_list, make_lists

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_LENGTH = 36
_DASHES = [8, 13, 18, 23]
_PLACES = [place for place in range(_LENGTH) if place not in _DASHES]

Cells = TypeVar("Cells", pa.Array, pa.RecordBatch)


def spell_uuids(cells: Cells) -> Cells:
    """Return an array, or the columns of a batch, with UUIDs as text."""
    if isinstance(cells, pa.RecordBatch):
        if not any(_holds_uuids(kind) for kind in cells.schema.types):
            return cells
        return pa.RecordBatch.from_arrays([spell_uuids(column) for column in cells.columns], cells.schema.names)
    kind = cells.type
    if not _holds_uuids(kind):
        return cells
    if is_list(kind):
        lists = pa.concat_arrays([make_lists(cells)])  # begins at offset 0
        return pa.ListArray.from_arrays(lists.offsets, spell_uuids(lists.values), mask=lists.is_null())
    if pa.types.is_struct(kind):
        members = [spell_uuids(member) for member in cells.flatten()]
        return pa.StructArray.from_arrays(members, [member.name for member in kind], mask=cells.is_null())
    if pa.types.is_dictionary(kind):
        return spell_uuids(cells.dictionary).take(cells.indices)
    encoded = cells.storage.dictionary_encode()
    return pa.DictionaryArray.from_arrays(encoded.indices, _spell_words(encoded.dictionary))


def _holds_uuids(kind: pa.DataType) -> bool:
    """Return whether a type is that of UUIDs, or of lists or objects with some inside."""
    if is_list(kind) or pa.types.is_dictionary(kind):
        return _holds_uuids(kind.value_type)
    if pa.types.is_struct(kind):
        return any(_holds_uuids(member.type) for member in kind)
    return isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"


def _spell_words(words: pa.FixedSizeBinaryArray) -> pa.StringArray:
    """Return the text of each of ``words``, 16 bytes each and none null."""
    raw = np.frombuffer(words.buffers()[1] or b"", np.uint8).reshape(-1, 16)[words.offset : words.offset + len(words)]
    text = np.full((len(words), _LENGTH), ord("-"), np.uint8)
    text[:, _PLACES] = _DIGITS[np.stack([raw >> 4, raw & 15], axis=2).reshape(-1, 32)]
    ends = pa.py_buffer(np.arange(len(words) + 1, dtype=np.int32) * _LENGTH)
    return pa.StringArray.from_buffers(len(words), ends, pa.py_buffer(text))
