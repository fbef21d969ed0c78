"""Cut a block of CSV lines into fields, in two tiers that agree.

Flows in: a block of whole lines, the width of the header, the columns wanted.  Flows out: ``BlockFields``: one array of
text for each wanted column (null: an empty cell), the line of each row, and the rows that are rejected.
Rules kept here: R14: a row of another width than the header is rejected, quoted text is kept byte for byte, whatever
line ends it holds; a quote that is not closed costs its own line only; lines end at ``\\n``, with or without ``\\r``.
Not here: reading the file, the header, what a cell means.

The fast tier is Arrow's reader, for blocks that are proved clean: quotes around whole fields only, no carriage return
but at line ends, no blank line, every row of the right width, all of it UTF-8.  The strict tier is the standard
library's reader, line by line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv
from numpy.typing import NDArray

from guard_core.ingest.batch import RECORD, RejectedRow
from guard_core.ingest.records.values import Refused, read_id

NOT_CLOSED = "has a quote that is not closed"
MISPLACED = "has a quote or a carriage return in the middle of a field"
_PART = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The delimiter, the number of columns, and the places of those that are wanted, by name."""

    delimiter: str
    width: int
    wanted: dict[str, int]
    line_bytes: int
    query_place: int | None = None
    """Where the query id stands, so that a row of the wrong width says whose it seems to be (R71)."""


@dataclass(frozen=True, slots=True)
class BlockFields:
    """The rows of a block.

    ``rest`` is the tail of the block that needs the next one, since a quote is open in it. ``cut``: the end of the file
    cuts the last line, which has no newline and too few fields or an open quote.
    """

    columns: dict[str, pa.Array]
    lines: NDArray[np.int64]
    rejected: tuple[RejectedRow, ...] = ()
    rest: bytes = b""
    cut: bool = False


def read_clean_fields(block: bytes, line: int, layout: ColumnLayout) -> BlockFields | None:
    """Return the fields of a clean block that begins on ``line``; ``None`` if it is not clean."""
    if layout.width == 1 or len(block) > layout.line_bytes:
        return None
    if block.count(b"\r") != block.count(b"\r\n"):
        return None
    quoted = b'"' in block
    if quoted and not _is_plainly_quoted(block, layout.delimiter):
        return None
    count = block.count(b"\n") + (not block.endswith(b"\n"))
    try:
        table = pv.read_csv(
            pa.BufferReader(block),
            pv.ReadOptions(column_names=[str(place) for place in range(layout.width)], block_size=_PART),
            pv.ParseOptions(delimiter=layout.delimiter, quote_char='"' if quoted else False, ignore_empty_lines=True),
            pv.ConvertOptions(
                column_types={str(place): pa.string() for place in layout.wanted.values()},
                include_columns=[str(place) for place in layout.wanted.values()],
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != count:
        return None
    columns = {name: table.column(str(place)).combine_chunks() for name, place in layout.wanted.items()}
    return BlockFields(columns, np.arange(line, line + count, dtype=np.int64))


def _is_plainly_quoted(block: bytes, delimiter: str) -> bool:
    """Return whether each pair of quotes encloses a whole field on one line, so that there is one way to read them."""
    raw = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(raw == ord('"'))
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    before = raw[opening[opening > 0] - 1]
    after = raw[closing[closing < len(raw) - 1] + 1]
    mark, newline, carriage = ord(delimiter), ord("\n"), ord("\r")
    if not np.all((before == mark) | (before == newline)):
        return False
    if not np.all((after == mark) | (after == newline) | (after == carriage)):
        return False
    ends = np.flatnonzero(raw == newline)
    return bool(np.all(np.searchsorted(quotes, ends) % 2 == 0))


def read_any_fields(block: bytes, line: int, layout: ColumnLayout, *, last: bool) -> BlockFields:
    """Return the fields of any block that begins on ``line``; ``last``: no block follows it."""
    reader = _LineReader(_lines(block), layout)
    cells: dict[str, list[str | None]] = {name: [] for name in layout.wanted}
    starts: list[int] = []
    rejected: list[RejectedRow] = []
    cut = False
    while (row := reader.next_row(last)) is not None:
        cut = row.short and not block.endswith(b"\n") and reader.at_end()
        if row.fault is not None:
            rejected.append(RejectedRow(line + row.start, RECORD, row.fault, _query_id(row.fields, layout.query_place)))
            continue
        starts.append(line + row.start)
        for name, place in layout.wanted.items():
            cells[name].append(row.fields[place] or None)
    columns = {name: pa.array(column, pa.string()) for name, column in cells.items()}
    return BlockFields(columns, np.array(starts, np.int64), tuple(rejected), reader.rest(), cut)


@dataclass(frozen=True, slots=True)
class _Row:
    start: int
    fields: Sequence[str] = ()
    fault: str | None = None
    short: bool = False


@dataclass(slots=True)
class _LineReader:
    """The standard library's reader over lines, which can go back to the line after the one that went wrong."""

    lines: list[str]
    layout: ColumnLayout
    position: int = 0
    _reader: Iterator[list[str]] | None = field(default=None)
    _open_from: int | None = None

    def next_row(self, last: bool) -> _Row | None:
        """Return the next row that is not blank; ``None`` at the end, or where only the next block can tell."""
        while self.position < len(self.lines):
            start = self.position
            if self._reader is None:
                self._reader = csv.reader(self._feed(), delimiter=self.layout.delimiter, strict=True)
            try:
                fields = next(self._reader)
            except csv.Error:
                at_end = self.position >= len(self.lines) and _ends_open(self.lines[start:], self.layout.delimiter)
                if at_end and not last and sum(map(len, self.lines[start:])) <= self.layout.line_bytes:
                    self._open_from = start
                    return None
                self.position = start + 1
                self._reader = None
                return _Row(start, fault=NOT_CLOSED if at_end else MISPLACED, short=at_end)
            if fields and (len(fields) > 1 or self.layout.width == 1 or fields[0].strip()):
                return self._checked(start, fields)
        return None

    def rest(self) -> bytes:
        """Return the lines from the row in which a quote is open at the end of the block."""
        if self._open_from is None:
            return b""
        return "".join(self.lines[self._open_from :]).encode("utf-8", "surrogateescape")

    def at_end(self) -> bool:
        """Return whether the row that came last is the last line."""
        return self.position >= len(self.lines)

    def _feed(self) -> Iterator[str]:
        while self.position < len(self.lines):
            self.position += 1
            yield self.lines[self.position - 1]

    def _checked(self, start: int, fields: list[str]) -> _Row:
        if len(fields) != self.layout.width:
            fault = f"has {len(fields)} fields where the header has {self.layout.width}"
            return _Row(start, fields, fault, short=len(fields) < self.layout.width)
        raw = "".join(self.lines[start : self.position]).encode("utf-8", "surrogateescape")
        if len(raw) > self.layout.line_bytes:
            return _Row(start, fault=f"is longer than {self.layout.line_bytes:,} bytes")
        try:
            raw.decode()
        except UnicodeDecodeError as fault:
            return _Row(start, fault=f"is not UTF-8 (byte {fault.start + 1})")
        return _Row(start, fields)


def _query_id(fields: Sequence[str], place: int | None) -> str | None:
    if place is None or place >= len(fields):
        return None
    try:
        return read_id(fields[place])
    except Refused:
        return None


def _lines(block: bytes) -> list[str]:
    """Split a block into lines with their ends, at ``\\n`` only; bytes that are not UTF-8 stand as half surrogates."""
    return list(io.StringIO(block.decode("utf-8", "surrogateescape"), newline="\n"))


def _ends_open(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether the only thing wrong with ``lines`` is that a quote is open at their end."""
    try:
        list(csv.reader([*lines[:-1], lines[-1] + '"'], delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True
