"""Read provenance out of a metadata column of a table, an object or the JSON text of one (R15).

Flows in: a metadata column.  Flows out: what the metadata hold of a provenance column, member name by member name.
Rules kept here: the first member that holds something counts; null metadata, and text that is not that of an object,
are no metadata; text that begins like an object and is none gets a notice and gives nothing.
Not here: when a row may use its metadata at all (``typed_table.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.batch import COLUMN_TYPES
from guard_core.ingest.records import values
from guard_core.ingest.records.json_strict import BadRecordError, parse_embedded
from guard_core.ingest.tables.arrays import (
    TypedColumn,
    decode_values,
    find_undecodable,
    is_text,
    map_codes,
    mark_given,
    read_codes,
    simplify,
)
from guard_core.ingest.tables.typed_lists import PAIRS, read_anchor_pairs, split_anchor_pairs

Part = tuple[str, TypedColumn, NDArray[np.bool_]]
"""Name of the member, its typed values, and the rows that have it."""


class MetadataColumn:
    """One metadata column. ``bad`` marks rows whose metadata begin like an object and are none."""

    def __init__(self, array: pa.Array, nesting: int) -> None:
        self._array = simplify(array)
        self._codes: NDArray[np.int64] = np.empty(0, np.int64)
        self._objects: list[Mapping[str, object] | None] = []
        self.bad: NDArray[np.bool_] = np.zeros(len(array), np.bool_)
        if is_text(self._array):
            self._parse(nesting)
        elif pa.types.is_map(self._array.type):
            self._codes = np.arange(len(array))
            self._objects = [None if row is None else dict(row) for row in self._array.to_pylist()]

    def read_parts(
        self, column: str, names: tuple[str, ...], whole: Callable[[pa.Array], TypedColumn]
    ) -> Iterator[Part]:
        """Yield what the metadata hold of a provenance column; ``whole`` types a column of an Arrow struct."""
        if pa.types.is_struct(self._array.type):
            present = {member.name for member in self._array.type}
            members = ((name, pc.struct_field(self._array, name)) for name in names if name in present)
            free = np.ones(len(self._array), np.bool_)
            for name, member in members:
                given = mark_given(member) & free
                free &= ~given
                if given.any():
                    yield name, whole(member), given
            return
        taken: set[int] = set()
        is_anchor = column == "human_source_anchor_hash"
        rule, target = (read_anchor_pairs, PAIRS) if is_anchor else (values.RULES[column], COLUMN_TYPES[column])
        for name in names:
            held = [
                None if found is None or code in taken else found.get(name) for code, found in enumerate(self._objects)
            ]
            having = [code for code, value in enumerate(held) if value is not None]
            if having:
                taken.update(having)
                typed = map_codes(self._codes, held, rule, target)
                yield name, split_anchor_pairs(typed) if is_anchor else typed, np.isin(self._codes, having)

    def _parse(self, nesting: int) -> None:
        encoded = self._array if pa.types.is_dictionary(self._array.type) else self._array.dictionary_encode()
        self._codes = read_codes(encoded)
        words = decode_values(encoded.dictionary).cast(pa.binary())
        broken = set(find_undecodable(encoded.dictionary))
        faulty: list[int] = []
        for code, word in enumerate(words.to_pylist()):
            found: Mapping[str, object] | None = None
            try:
                found = None if word is None or code in broken else parse_embedded(word.decode(), nesting)
            except BadRecordError:
                faulty.append(code)
            self._objects.append(found)
        if faulty or broken:
            self.bad = np.isin(self._codes, [*faulty, *broken])
