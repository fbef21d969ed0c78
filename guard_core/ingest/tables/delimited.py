"""CSV and TSV to rows: the header, then blocks of lines through the two tiers of ``delimited_fields.py``.

Flows in: an ``InputFile``.  Flows out: ``RowBatch`` objects in file order, with physical line numbers from 1.
Rules kept here: R14 (the header line shows the delimiter; with a semicolon a decimal comma is a decimal point), R2, R7
(an empty cell is missing, no other), R17 (``|`` between the entries of a list), R60 (the apostrophes of a file that we
wrote ourselves come off again); a last line that the end of the file cuts is rejected and makes the log
``incomplete``.
Not here: fields of a block (``delimited_fields.py``), what cells mean (``tabular.py``).

A file that we wrote ourselves is known by its header, which is exactly ``EXPORT_COLUMNS``.  Its rows are grouped by the
retrieval that they came from, and columns that our judgement added are not read as if the log had declared them.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile
from guard_core.files.limits import Limits
from guard_core.files.lines import LineBlock, cut_lines
from guard_core.ingest.batch import RejectedRow, RowBatch, TableKind
from guard_core.ingest.detect import ACCEPTED, header_delimiter
from guard_core.ingest.mapping import require_columns
from guard_core.ingest.records.spellings import Spellings, spellings
from guard_core.ingest.tables.arrays import bits
from guard_core.ingest.tables.delimited_fields import RECORD, Fields, Layout, fast_fields, strict_fields
from guard_core.ingest.tables.export_columns import (
    EXPORT_COLUMNS,
    FLOAT_COLUMNS,
    INTEGER_COLUMNS,
    RETRIEVAL_ID,
    SIGNED_COLUMNS,
)
from guard_core.ingest.tables.tabular import CellRules, TableReading

BLOCK = 8 * 1024 * 1024
"""Bytes of whole lines that are read at a time."""

_HEADER_LINES = 1000


def read_delimited(
    source: InputFile,
    kind: TableKind,
    mapping: Mapping[str, str],
    limits: Limits,
    *,
    delimiter: str | None = None,
    fast: bool = True,
) -> Iterator[RowBatch]:
    """Read CSV or TSV; ``delimiter`` where the format was named by the user, ``fast`` is False only in tests.

    Raises ``LogError`` as ``source`` does, and for a header that cannot be used; ``MappingError`` for a mapped column
    that the header does not have.
    """
    parts = cut_lines(source.chunks(BLOCK), limits.line_bytes)
    header, piece, line = read_header(source.name, parts, limits, delimiter)
    if not header.names:
        return
    require_columns(mapping, header.names, source.name)
    table = _Table(source, header, kind, mapping, limits, fast)
    rest = b""
    while piece is not None:
        following = next(parts, None)
        if piece.too_long:
            if rest:
                yield table.read(LineBlock(rest), line, last=True)
                line, rest = line + rest.count(b"\n"), b""
            reason = f"the line is longer than {limits.line_bytes:,} bytes"
            yield RowBatch(0, np.empty(0, np.int64), {}, rejected=(RejectedRow(line, RECORD, reason),))
            line += 1
        elif piece.data:
            last = following is None or following.too_long
            whole = LineBlock(rest + piece.data, piece.open_end)
            yield table.read(whole, line, last=last)
            rest = table.rest
            line += whole.data.count(b"\n") - rest.count(b"\n")
        piece = following


@dataclasses.dataclass(frozen=True, slots=True)
class Header:
    """The names of the columns (trimmed; none if the file is empty) and the delimiter."""

    names: tuple[str, ...]
    delimiter: str

    @property
    def ours(self) -> bool:
        """Whether Source Guard wrote the file, as the rows of an evaluation."""
        return self.names == EXPORT_COLUMNS

    @property
    def guarded(self) -> bool:
        """Whether Source Guard wrote the file, so that the apostrophes of the formula guard come off."""
        return self.ours or self.names == SIGNED_COLUMNS


def read_header(
    name: str, parts: Iterator[LineBlock], limits: Limits, delimiter: str | None = None
) -> tuple[Header, LineBlock | None, int]:
    """The header, the piece that is left after it, and the line on which that begins.

    Raises ``LogError`` for a header that is no UTF-8, too long, has too many columns or only one.
    """
    line = 1
    for piece in parts:
        if piece.too_long:
            raise LogError(name, f"has a header line longer than {limits.line_bytes:,} bytes", ACCEPTED)
        data = piece.data
        while data:
            first, newline, data = data.partition(b"\n")
            line += 1
            if first.strip():
                return _parsed(name, first, limits, delimiter), LineBlock(data, piece.open_end and bool(newline)), line
    return Header((), ","), None, line


def _parsed(name: str, raw: bytes, limits: Limits, delimiter: str | None) -> Header:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise LogError(name, "has a header line that is not UTF-8", "write it as UTF-8") from None
    mark = delimiter or header_delimiter(text)
    if mark is None:
        raise LogError(name, "has a header line of one column only", "put comma, semicolon or tab between its names")
    try:
        fields = next(csv.reader([text], delimiter=mark, strict=True))
    except csv.Error:
        raise LogError(name, "has a header line with a quote that is not closed", "keep it on one line") from None
    if len(fields) > limits.columns:
        raise LogError(name, f"has {len(fields)} columns, more than {limits.columns}", "leave out what is not needed")
    return Header(tuple(field.strip() for field in fields), mark)


class _Table:
    """What is known of the file once its header is; reads blocks.  ``rest``: the tail that needs the next block."""

    def __init__(
        self,
        source: InputFile,
        header: Header,
        kind: TableKind,
        mapping: Mapping[str, str],
        limits: Limits,
        fast: bool,
    ) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), 2 * limits.line_bytes))
        self.rest = b""
        self._source = source
        self._fast = fast
        self._ours, self._guarded = header.ours, header.guarded
        self._rows = 0
        self._limits = limits
        self._retrievals: dict[str, int] = {}
        names = _canonical_only(spellings(kind, mapping)) if self._ours else spellings(kind, mapping)
        read = names.names() | ({RETRIEVAL_ID} if self._ours else set())
        wanted = {name: place for place, name in enumerate(header.names) if name and name in read}
        repeated = [name for name in wanted if header.names.count(name) > 1]
        if repeated:
            raise LogError(source.name, f"has the column {repeated[0]} twice", "name each column once")
        place = next((wanted[name] for name in names.result.get("query_id", ()) if name in wanted), None)
        self._layout = Layout(header.delimiter, len(header.names), wanted, limits.line_bytes, place)
        rules = CellRules(cells=True, decimal_comma=header.delimiter == ";")
        self._reading = TableReading(kind, names, rules, limits.nesting)

    def read(self, piece: LineBlock, line: int, *, last: bool) -> RowBatch:
        """The rows of whole lines, the first of which is ``line``."""
        fields = None if piece.open_end or not self._fast else fast_fields(piece.data, line, self._layout)
        if fields is None:
            fields = strict_fields(piece.data, line, self._layout, last=last)
        self.rest = fields.rest
        if piece.open_end and self._source.incomplete:
            fields = _without_last(fields)
        self._rows += len(fields.lines) + len(fields.rejected)
        if self._rows > self._limits.rows:
            raise LogError(
                self._source.name, f"has more than {self._limits.rows:,} rows", "split it or raise the limit"
            )
        columns = fields.columns
        if self._guarded:
            columns = {name: _unguarded(name, column) for name, column in columns.items()}
        records = self._records(columns.pop(RETRIEVAL_ID, None)) if self._ours else None
        batch = self._reading.flat(columns, fields.lines, records)
        incomplete = fields.cut or self._source.incomplete
        return dataclasses.replace(batch, rejected=_in_order(fields.rejected, batch.rejected), incomplete=incomplete)

    def _records(self, retrievals: pa.Array | None) -> NDArray[np.int64] | None:
        """A number for each retrieval of a file that we wrote."""
        if retrievals is None:
            return None
        encoded = retrievals.dictionary_encode()
        numbers = [self._retrievals.setdefault(r, len(self._retrievals) + 1) for r in encoded.dictionary.to_pylist()]
        codes: NDArray[np.int32] = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        return np.array([*numbers, 0], dtype=np.int64)[codes]


def _without_last(fields: Fields) -> Fields:
    """The last line of a gzip stream that ended early is no row, even if it looks like one: its last value may be
    cut."""
    if fields.cut or not len(fields.lines):
        return fields
    columns = {name: column[:-1] for name, column in fields.columns.items()}
    cut = RejectedRow(int(fields.lines[-1]), RECORD, "the file ends within this row")
    return Fields(columns, fields.lines[:-1], (*fields.rejected, cut), cut=True)


def _canonical_only(names: Spellings) -> Spellings:
    """Only the canonical names of columns: other names in a file of ours mean what we added."""
    own = {column: tuple(name for name in found if name == column) for column, found in names.result.items()}
    return dataclasses.replace(names, result=own, metadata=())


def _unguarded(name: str, column: pa.Array) -> pa.Array:
    """Text without the apostrophe that the formula guard put in front of it (R60)."""
    if name in INTEGER_COLUMNS or name in FLOAT_COLUMNS:
        return column
    guarded = pc.starts_with(column, "'")
    if not bits(guarded).any():
        return column
    return pc.if_else(guarded, pc.utf8_slice_codeunits(column, 1), column)


def _in_order(first: tuple[RejectedRow, ...], second: tuple[RejectedRow, ...]) -> tuple[RejectedRow, ...]:
    return tuple(sorted((*first, *second), key=lambda rejected: rejected.line))
