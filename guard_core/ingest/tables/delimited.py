"""Read CSV and TSV: the header, then blocks of lines through the two tiers of ``delimited_fields.py``.

Flows in: an ``InputFile``.  Flows out: ``RowBatch`` objects in file order, with physical line numbers from 1.
Rules kept here: R14 (with a semicolon a decimal comma is a decimal point), R2, R7 (an empty cell is missing, no other),
R17 (``|`` between the entries of a list), R60 (the apostrophes of a file that Source Guard wrote come off again); a
last line that the end of the file cuts is rejected and makes the log ``incomplete``.
Not here: the header (``header.py``), fields of a block (``delimited_fields.py``), what cells mean (``typed_table.py``).

The rows of an evaluation that Source Guard wrote are grouped by the retrieval from which they came, and columns that
the judgement added are not read as if the log had declared them.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile
from guard_core.files.lines import LineBlock, cut_lines
from guard_core.ingest.batch import RECORD, RejectedRow, RowBatch
from guard_core.ingest.mapping import require_columns
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions
from guard_core.ingest.records.spellings import Spellings
from guard_core.ingest.tables.arrays import to_mask
from guard_core.ingest.tables.delimited_fields import BlockFields, ColumnLayout, read_any_fields, read_clean_fields
from guard_core.ingest.tables.export_columns import (
    NUMBER_COLUMNS,
    RETRIEVAL_ID,
)
from guard_core.ingest.tables.header import TableHeader, read_header
from guard_core.ingest.tables.typed_table import CellRules, TableReader

BLOCK = 8 * 1024 * 1024
"""Bytes of whole lines that are read at a time."""


def read_delimited(
    file: InputFile, options: ReadOptions, *, delimiter: str | None = None, fast: bool = True
) -> Iterator[RowBatch]:
    """Read the rows of CSV or TSV; ``delimiter`` where the user named the format; ``fast`` is False only in tests.

    Raises ``LogError`` as ``file`` does, and for a header that cannot be used; ``MappingError`` for a mapped column
    that the header does not have.
    """
    limits = options.limits
    blocks = cut_lines(file.chunks(BLOCK), limits.line_bytes)
    header, block, line = read_header(file.name, blocks, limits, delimiter)
    if not header.names:
        return
    require_columns(options.mapping, header.names, file.name)
    table = _DelimitedTable(file, header, options, fast)
    rest = b""
    while block is not None:
        following = next(blocks, None)
        if block.too_long:
            if rest:
                yield table.read(LineBlock(rest), line, last=True)
                line, rest = line + rest.count(b"\n"), b""
            reason = f"the line is longer than {limits.line_bytes:,} bytes"
            yield RowBatch(0, np.empty(0, np.int64), {}, rejected=(RejectedRow(line, RECORD, reason),))
            line += 1
        elif block.data:
            last = following is None or following.too_long
            whole = LineBlock(rest + block.data, block.open_end)
            yield table.read(whole, line, last=last)
            rest = table.rest
            line += whole.data.count(b"\n") - rest.count(b"\n")
        block = following


def read_delimited_records(file: InputFile, chunks: Iterator[bytes], options: RecordOptions) -> RawRecords:
    """Read the records of CSV or TSV as they stand in it."""
    blocks = cut_lines(chunks, options.limits.line_bytes)
    header, block, line = read_header(file.name, blocks, options.limits)
    read = None if options.names is None else options.names.names()
    wanted = {name: place for place, name in enumerate(header.names) if name and (read is None or name in read)}
    layout = ColumnLayout(header.delimiter, len(header.names), wanted, options.limits.line_bytes)
    return RawRecords(tuple(wanted), _read_raw(header, layout, block, blocks, line) if wanted else iter(()))


def _read_raw(
    header: TableHeader, layout: ColumnLayout, block: LineBlock | None, blocks: Iterator[LineBlock], line: int
) -> Iterator[dict[str, object]]:
    rest = b""
    while block is not None:
        following = next(blocks, None)
        fields = read_any_fields(rest + block.data, line, layout, last=following is None or following.too_long)
        rest = fields.rest
        columns = {
            name: _unguard(name, column) if header.is_guarded else column for name, column in fields.columns.items()
        }
        yield from pa.table(columns).to_pylist()
        block = following


class _DelimitedTable:
    """Reads blocks of a file whose header is known.  ``rest``: the tail of a block that needs the next one."""

    def __init__(self, file: InputFile, header: TableHeader, options: ReadOptions, fast: bool) -> None:
        limits = options.limits
        csv.field_size_limit(max(csv.field_size_limit(), 2 * limits.line_bytes))
        self.rest = b""
        self._file = file
        self._fast = fast
        self._header = header
        self._rows = 0
        self._limits = limits
        self._retrievals: dict[str, int] = {}
        names = _keep_canonical(options.spellings) if header.is_export else options.spellings
        read = names.names() | ({RETRIEVAL_ID} if header.is_export else set())
        wanted = {name: place for place, name in enumerate(header.names) if name and name in read}
        repeated = [name for name in wanted if header.names.count(name) > 1]
        if repeated:
            raise LogError(file.name, f"has the column {repeated[0]} twice", "name each column once")
        place = next((wanted[name] for name in names.result.get("query_id", ()) if name in wanted), None)
        self._layout = ColumnLayout(header.delimiter, len(header.names), wanted, limits.line_bytes, place)
        rules = CellRules(cells=True, decimal_comma=header.delimiter == ";")
        self._reader = TableReader(options.kind, names, rules, limits.nesting)

    def read(self, block: LineBlock, line: int, *, last: bool) -> RowBatch:
        """Return the rows of whole lines, the first of which is ``line``."""
        fields = None if block.open_end or not self._fast else read_clean_fields(block.data, line, self._layout)
        if fields is None:
            fields = read_any_fields(block.data, line, self._layout, last=last)
        self.rest = fields.rest
        if block.open_end and self._file.incomplete:
            fields = _reject_last(fields)
        self._rows += len(fields.lines) + len(fields.rejected)
        if self._rows > self._limits.rows:
            raise LogError(self._file.name, f"has more than {self._limits.rows:,} rows", "split it or raise the limit")
        columns = fields.columns
        if self._header.is_guarded:
            columns = {name: _unguard(name, column) for name, column in columns.items()}
        records = self._records(columns.pop(RETRIEVAL_ID, None)) if self._header.is_export else None
        batch = self._reader.read_flat(columns, fields.lines, records)
        incomplete = fields.cut or self._file.incomplete
        return dataclasses.replace(
            batch, rejected=_merge_rejected(fields.rejected, batch.rejected), incomplete=incomplete
        )

    def _records(self, retrievals: pa.Array | None) -> NDArray[np.int64] | None:
        """Number the retrievals of an evaluation that Source Guard wrote."""
        if retrievals is None:
            return None
        encoded = retrievals.dictionary_encode()
        numbers = [self._retrievals.setdefault(r, len(self._retrievals) + 1) for r in encoded.dictionary.to_pylist()]
        codes: NDArray[np.int32] = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        return np.array([*numbers, 0], dtype=np.int64)[codes]


def _reject_last(fields: BlockFields) -> BlockFields:
    """Reject the last line of a packed stream that ended early, even if it looks whole: its last value may be cut."""
    if fields.cut or not len(fields.lines):
        return fields
    columns = {name: column[:-1] for name, column in fields.columns.items()}
    cut = RejectedRow(int(fields.lines[-1]), RECORD, "the file ends within this row")
    return BlockFields(columns, fields.lines[:-1], (*fields.rejected, cut), cut=True)


def _keep_canonical(names: Spellings) -> Spellings:
    """Keep only the canonical names of columns: in an evaluation, other names mean what the judgement added."""
    own = {column: tuple(name for name in found if name == column) for column, found in names.result.items()}
    return dataclasses.replace(names, result=own, metadata=())


def _unguard(name: str, column: pa.Array) -> pa.Array:
    """Return text without the apostrophe that the formula guard put in front of it (R60)."""
    if name in NUMBER_COLUMNS:
        return column
    guarded = pc.starts_with(column, "'")
    if not to_mask(guarded).any():
        return column
    return pc.if_else(guarded, pc.utf8_slice_codeunits(column, 1), column)


def _merge_rejected(first: tuple[RejectedRow, ...], second: tuple[RejectedRow, ...]) -> tuple[RejectedRow, ...]:
    return tuple(sorted((*first, *second), key=lambda rejected: rejected.line))
