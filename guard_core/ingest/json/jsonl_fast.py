"""The fast tier of JSON Lines: whole pieces through Arrow's parser, if every line in them is a clean record.

Flows in: the bytes of a piece.  Flows out: the same rows that the strict reader would make of it, or ``None``: read it
strictly.
Rules kept here: no text reaches the parser before ``line_scan`` has looked at it; a piece counts only if it parsed to
one object for each line; Arrow's guesses are accepted only where they lose nothing (integers beyond 64 to_mask, dates
that were text and the like send a column or a piece back); anything that Arrow reads otherwise than the strict reader,
or cannot tell apart, is left to the strict reader.
Not here: what values mean (``typed_columns.py``), how rows are made of columns (``typed_table.py``): they are the same as for
other tables.

Arrow itself refuses repeated members, members of several types and broken surrogate pairs.  It does not refuse ``Inf``
for a number, nor tell a member that is null from one that is not there.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
from numpy.typing import NDArray

from guard_core.ingest.batch import NO_ID, RowBatch, TableKind
from guard_core.ingest.json.line_columns import Columns
from guard_core.ingest.json.line_scan import LineScan, scan_lines
from guard_core.ingest.json.line_shapes import read_shapes
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records.own_output import is_judged
from guard_core.ingest.tables.arrays import to_mask
from guard_core.ingest.tables.nested_table import read_nested
from guard_core.ingest.tables.typed_table import CellRules, TableReader

_NUMBERS = frozenset({"rank", "score", "synthetic_generation_depth", "timestamp"})
"""Columns in which a float is what the strict reader would see too."""

_TRIES = 3
"""Pieces in a row that are not of a few shapes, until it is taken for granted."""

_MOST_NAMES = 500
"""Distinct member names of a piece up to which it is given to Arrow, which makes a whole column of each."""

_MEMBER_NAME = re.compile(rb'"([^"\\]*)"[ \t]*:')

_EXACT_SECONDS = 9e9
"""Up to here microseconds of epoch seconds are the same whether counted in doubles or in integers."""


@dataclass(frozen=True, slots=True)
class Clean:
    """What a clean piece was read to."""

    batches: list[RowBatch]
    lines: int
    nested: bool


class FastTier:
    """Reads pieces of one file; learns the types of its columns from piece to piece."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._limits = options.limits
        self._spellings = options.spellings
        self._reader = TableReader(options.kind, self._spellings, CellRules(), options.limits.nesting)
        self._column_of = {name: column for column, names in self._spellings.result.items() for name in names}
        self._retrieval_column_of = {
            name: column for column, names in self._spellings.retrieval.items() for name in names
        }
        self._names = self._spellings.names()
        self._types: dict[str, pa.DataType] = {}
        self._misses = 0

    def read(self, data: bytes, *, nested: bool | None) -> Clean | None:
        """Read a piece.  ``nested`` says whether the file is known to be, ``None`` for its first piece."""
        found = self._columns(data)
        if found is None:
            return None
        has_results = self._options.kind is TableKind.LOG and self._spellings.results in found.columns
        if nested and not has_results:
            return None
        table = self._nested_table(found.columns) if has_results else self._table(found.columns, self._column_of)
        if table is None:
            return None
        lines = np.arange(1, found.lines + 1, dtype=np.int64)
        batches = read_nested(self._reader, table, lines) if has_results else [self._reader.read_flat(table, lines)]
        if any(rejected.reason == NO_ID for batch in batches for rejected in batch.rejected):
            return None  # only the strict reader knows under which name a row has no id
        mapped = tuple(pair for pair in self._options.mapping.items() if pair[1] in _member_names(found.columns))
        batches[0] = dataclasses.replace(batches[0], mapping=(*batches[0].mapping, *mapped))
        return Clean(batches, found.lines, has_results)

    def _columns(self, data: bytes) -> Columns | None:
        """The members of the lines as columns; those that are of no use here may be left out."""
        if self._misses < _TRIES:
            found = read_shapes(data, self._limits, self._names.__contains__)
            if found is not None:
                self._misses = 0
                return found
            self._misses += 1
        scan = scan_lines(data, self._limits)
        if scan is not None and len(set(_MEMBER_NAME.findall(scan.data))) > _MOST_NAMES:
            return None
        parsed = None if scan is None else self._parse(scan)
        if scan is None or parsed is None or parsed.num_rows != scan.lines:
            return None
        columns = {name: _whole(parsed.column(name)) for name in parsed.column_names}
        if not all(map(_finite, columns.values())):
            return None
        if scan.escapes and not all(map(_is_valid, columns.values())):
            return None
        return Columns(columns, scan.lines)

    def _parse(self, scan: LineScan) -> pa.Table | None:
        """The piece as a table, in types that lose nothing; what is learned here speeds up the pieces to come."""
        known = dict(self._types)
        for _ in range(3):
            try:
                table = _parse(scan.data, known)
            except pa.ArrowException:
                if not known:
                    return None
                known = {}
                continue
            wanted = {
                name: kind
                for name, found in zip(table.column_names, table.schema.types, strict=True)
                if (kind := self._lossless(name, found)) is not None
            }
            if all(known.get(name) == kind or table.schema.field(name).type == kind for name, kind in wanted.items()):
                self._types = {**self._types, **wanted}
                return table
            known = wanted
        return None

    def _lossless(self, name: str, found: pa.DataType) -> pa.DataType | None:
        """The type in which to read a member, given the one that was guessed; ``None`` to leave it to guessing."""
        if name not in self._names:
            return None
        if name == self._spellings.results and pa.types.is_list(found) and pa.types.is_struct(found.value_type):
            members = [(member.name, self._lossless(member.name, member.type)) for member in found.value_type]
            return pa.list_(pa.struct([(name, kind) for name, kind in members if kind is not None]))
        if self._column_of.get(name) == "score" and (pa.types.is_integer(found) or pa.types.is_floating(found)):
            return pa.float64()
        if pa.types.is_null(found):
            return None
        return _without_times(found)

    def _table(self, members: Mapping[str, pa.Array], column_of: Mapping[str, str]) -> dict[str, pa.Array] | None:
        """The members that are read, text as dictionary codes; ``None`` if the strict reader might see other values."""
        table: dict[str, pa.Array] = {}
        for name, array in members.items():
            if name not in self._names or name == self._spellings.results:
                continue
            if not self._same_to_both(column_of.get(name), array):
                return None
            if pa.types.is_null(array.type):
                continue
            if pa.types.is_string(array.type):
                table[name] = array.dictionary_encode()
            else:  # columns of nothing but nulls inside others are miscounted by Arrow when lists are taken apart
                table[name] = array.cast(_without_nulls(array.type)) if _has(array.type, pa.types.is_null) else array
        return table

    def _nested_table(self, members: Mapping[str, pa.Array]) -> dict[str, pa.Array] | None:
        """The same for nested records, with the members of their results checked too."""
        listed = members[self._spellings.results]
        if is_judged(members) or not (pa.types.is_list(listed.type) and pa.types.is_struct(listed.type.value_type)):
            return None
        items = listed.values
        inside = {member.name: items.field(place) for place, member in enumerate(items.type)}
        results = self._table(inside, self._column_of)
        table = self._table(members, {**self._column_of, **self._retrieval_column_of})
        if results is None or table is None or not results:
            return None
        whole = pa.StructArray.from_arrays(list(results.values()), list(results), mask=items.is_null())
        table[self._spellings.results] = pa.ListArray.from_arrays(listed.offsets, whole, mask=listed.is_null())
        return table

    def _same_to_both(self, column: str | None, array: pa.Array) -> bool:
        """True if the strict reader would have found the same values."""
        if column is None:
            return not _has(array.type, pa.types.is_struct) and not _has(array.type, pa.types.is_list)
        if _has(array.type, pa.types.is_temporal):
            return False
        if not _has(array.type, pa.types.is_floating):
            return True
        if column == "timestamp":
            return bool(pc.all(pc.less(pc.abs(array), _EXACT_SECONDS)).as_py())
        return column in _NUMBERS or column == "human_source_anchor_hash"


def _parse(data: bytes, types: Mapping[str, pa.DataType]) -> pa.Table:
    return pj.read_json(
        pa.BufferReader(data),
        read_options=pj.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pj.ParseOptions(
            explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="infer"
        ),
    )


def _member_names(columns: Mapping[str, pa.Array]) -> set[str]:
    """The names of members, of results in nested records too."""
    names = set(columns)
    for array in columns.values():
        if pa.types.is_list(array.type) and pa.types.is_struct(array.type.value_type):
            names.update(member.name for member in array.type.value_type)
    return names


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _is_valid(array: pa.Array) -> bool:
    """True if all text is UTF-8; an escape may have made something else."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _without_times(kind: pa.DataType) -> pa.DataType:
    """``kind`` with text where Arrow has guessed a time."""
    if pa.types.is_temporal(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_without_times(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _without_times(field.type)) for field in kind])
    return kind


def _without_nulls(kind: pa.DataType) -> pa.DataType:
    """``kind`` with text in place of a type that has no values."""
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_without_nulls(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(member.name, _without_nulls(member.type)) for member in kind])
    return kind


def _has(kind: pa.DataType, test: object) -> bool:
    """True if a type or one inside it passes ``test``."""
    if callable(test) and test(kind):
        return True
    return any(_has(kind.field(place).type, test) for place in range(kind.num_fields))


def _finite(array: pa.Array) -> bool:
    """True if no number in the column, however deep, is ``NaN``, ``Infinity`` or ``Inf``."""
    if pa.types.is_floating(array.type):
        finite: NDArray[np.bool_] = to_mask(pc.or_kleene(pc.is_finite(array), pc.is_null(array)))
        return bool(finite.all())
    if pa.types.is_struct(array.type):
        return all(_finite(array.field(place)) for place in range(array.type.num_fields))
    if pa.types.is_list(array.type):
        return _finite(array.flatten())
    return True
