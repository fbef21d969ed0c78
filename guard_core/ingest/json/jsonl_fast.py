"""Read blocks of JSON Lines whose lines are all clean records, as whole columns (docs/adr/0002).

Flows in: the bytes of a block.  Flows out: the rows that the strict reader would make of it, or ``None``, where only
the strict reader may read it.
Rules kept here: a block goes to ``line_shapes`` first and to Arrow's parser otherwise, but no text reaches that parser
before ``line_scan`` has scanned it; a block counts only if it parsed to one object for each line; Arrow's guesses are
accepted only where they lose nothing (integers beyond 64 bits, or text that was taken for a date, refuse the column or
the block); what Arrow reads in another way than the strict reader, or cannot tell apart, is left to the strict reader.
Not here: types of columns (``typed_columns.py``) and rows made of columns (``typed_table.py``), which are the same as
for other tables.

Arrow itself refuses repeated members, members of several types and broken surrogate pairs.  It does not refuse ``Inf``
for a number, nor tell a member that is null from one that is not there.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
from numpy.typing import NDArray

from guard_core.ingest.batch import NO_ID, RowBatch, TableKind
from guard_core.ingest.json.line_columns import LineColumns
from guard_core.ingest.json.line_scan import LineScan, scan_lines
from guard_core.ingest.json.line_shapes import read_shapes
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records.own_output import is_judged
from guard_core.ingest.tables.arrays import to_mask
from guard_core.ingest.tables.nested_table import read_nested
from guard_core.ingest.tables.typed_table import CellRules, TableReader

_NUMBERS = frozenset({"rank", "score", "synthetic_generation_depth", "timestamp"})
"""LineColumns in which a float is what the strict reader would see too."""

_TRIES = 3
"""Blocks in a row that ``line_shapes`` refuses, after which it is no longer tried."""

_MOST_NAMES = 500
"""Distinct member names of a block up to which Arrow parses it, since Arrow makes a whole column of each."""

_MEMBER_NAME = re.compile(rb'"([^"\\]*)"[ \t]*:')

_EXACT_SECONDS = 9e9
"""Epoch seconds up to which microseconds are the same in doubles and in integers."""


@dataclass(frozen=True, slots=True)
class BlockRows:
    """The rows of a block.  Lines of ``batches`` count from 1 within it; ``nested``: it has nested records."""

    batches: list[RowBatch]
    lines: int
    nested: bool


class FastTier:
    """Reads clean blocks of one file, and learns the types of its columns from block to block."""

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

    def read(self, data: bytes, *, nested: bool | None) -> BlockRows | None:
        """Return the rows of a block, ``None`` if it is not clean.

        ``nested`` says whether the file is known to be nested, ``None`` for its first block.
        """
        found = self._read_columns(data)
        if found is None:
            return None
        has_results = self._options.kind is TableKind.LOG and self._spellings.results in found.columns
        if nested and not has_results:
            return None
        table = (
            self._select_nested(found.columns) if has_results else self._select_members(found.columns, self._column_of)
        )
        if table is None:
            return None
        lines = np.arange(1, found.lines + 1, dtype=np.int64)
        batches = read_nested(self._reader, table, lines) if has_results else [self._reader.read_flat(table, lines)]
        if any(rejected.reason == NO_ID for batch in batches for rejected in batch.rejected):
            return None  # only the strict reader knows under which name a row has no id
        mapped = tuple(pair for pair in self._options.mapping.items() if pair[1] in _member_names(found.columns))
        batches[0] = dataclasses.replace(batches[0], mapping=(*batches[0].mapping, *mapped))
        return BlockRows(batches, found.lines, has_results)

    def _read_columns(self, data: bytes) -> LineColumns | None:
        """Return the members of the lines as columns; members that nobody reads may be left out."""
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
        columns = {name: _join_chunks(parsed.column(name)) for name in parsed.column_names}
        if not all(map(_is_finite, columns.values())):
            return None
        if scan.escapes and not all(map(_is_valid, columns.values())):
            return None
        return LineColumns(columns, scan.lines)

    def _parse(self, scan: LineScan) -> pa.Table | None:
        """Return the block as a table, in types that lose nothing; types learned here speed up later blocks."""
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
                if (kind := self._choose_type(name, found)) is not None
            }
            if all(known.get(name) == kind or table.schema.field(name).type == kind for name, kind in wanted.items()):
                self._types = {**self._types, **wanted}
                return table
            known = wanted
        return None

    def _choose_type(self, name: str, found: pa.DataType) -> pa.DataType | None:
        """Return the type in which to read a member, given the one that Arrow guessed; ``None`` to let it guess."""
        if name not in self._names:
            return None
        if name == self._spellings.results and pa.types.is_list(found) and pa.types.is_struct(found.value_type):
            members = [(member.name, self._choose_type(member.name, member.type)) for member in found.value_type]
            return pa.list_(pa.struct([(name, kind) for name, kind in members if kind is not None]))
        if self._column_of.get(name) == "score" and (pa.types.is_integer(found) or pa.types.is_floating(found)):
            return pa.float64()
        if pa.types.is_null(found):
            return None
        return _with_text(found, pa.types.is_temporal)

    def _select_members(
        self, members: Mapping[str, pa.Array], column_of: Mapping[str, str]
    ) -> dict[str, pa.Array] | None:
        """Return the members that are read, text as dictionary codes; ``None`` if the strict reader might see other
        values."""
        table: dict[str, pa.Array] = {}
        for name, array in members.items():
            if name not in self._names or name == self._spellings.results:
                continue
            if not self._is_same_to_both(column_of.get(name), array):
                return None
            if pa.types.is_null(array.type):
                continue
            if pa.types.is_string(array.type):
                table[name] = array.dictionary_encode()
            elif _has_type(array.type, pa.types.is_null):
                # Arrow miscounts columns of nothing but nulls inside others when lists are taken apart.
                table[name] = array.cast(_with_text(array.type, pa.types.is_null))
            else:
                table[name] = array
        return table

    def _select_nested(self, members: Mapping[str, pa.Array]) -> dict[str, pa.Array] | None:
        """Return the members of nested records and of their results, as ``_table`` does."""
        listed = members[self._spellings.results]
        if is_judged(members) or not (pa.types.is_list(listed.type) and pa.types.is_struct(listed.type.value_type)):
            return None
        items = listed.values
        inside = {member.name: items.field(place) for place, member in enumerate(items.type)}
        results = self._select_members(inside, self._column_of)
        table = self._select_members(members, {**self._column_of, **self._retrieval_column_of})
        if results is None or table is None or not results:
            return None
        whole = pa.StructArray.from_arrays(list(results.values()), list(results), mask=items.is_null())
        table[self._spellings.results] = pa.ListArray.from_arrays(listed.offsets, whole, mask=listed.is_null())
        return table

    def _is_same_to_both(self, column: str | None, array: pa.Array) -> bool:
        """Return whether the strict reader would have found the same values."""
        if column is None:
            return not _has_type(array.type, pa.types.is_struct) and not _has_type(array.type, pa.types.is_list)
        if _has_type(array.type, pa.types.is_temporal):
            return False
        if not _has_type(array.type, pa.types.is_floating):
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
    """Return the names of members, those of results in nested records included."""
    names = set(columns)
    for array in columns.values():
        if pa.types.is_list(array.type) and pa.types.is_struct(array.type.value_type):
            names.update(member.name for member in array.type.value_type)
    return names


def _join_chunks(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _is_valid(array: pa.Array) -> bool:
    """Return whether all text is UTF-8; an escape may have made something else."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _with_text(kind: pa.DataType, test: Callable[[pa.DataType], bool]) -> pa.DataType:
    """Return ``kind`` with text in place of each type, however deep, that passes ``test``."""
    if test(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_with_text(kind.value_type, test))
    if pa.types.is_struct(kind):
        return pa.struct([(member.name, _with_text(member.type, test)) for member in kind])
    return kind


def _has_type(kind: pa.DataType, test: Callable[[pa.DataType], bool]) -> bool:
    """Return whether a type, or one inside it, passes ``test``."""
    if test(kind):
        return True
    return any(_has_type(kind.field(place).type, test) for place in range(kind.num_fields))


def _is_finite(array: pa.Array) -> bool:
    """Return whether no number in the column, however deep, is ``NaN``, ``Infinity`` or ``Inf``."""
    if pa.types.is_floating(array.type):
        finite: NDArray[np.bool_] = to_mask(pc.or_kleene(pc.is_finite(array), pc.is_null(array)))
        return bool(finite.all())
    if pa.types.is_struct(array.type):
        return all(_is_finite(array.field(place)) for place in range(array.type.num_fields))
    if pa.types.is_list(array.type):
        return _is_finite(array.flatten())
    return True
