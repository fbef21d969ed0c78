"""JSON Lines to rows: whole lines in large pieces, read in two threads, by a fast tier where that is safe.

Flows in: an ``InputFile``.  Flows out: ``RowBatch`` objects in file order, with physical line numbers from 1.
Rules kept here: blank lines are no rows; a line longer than the limit is rejected; a last line without newline that
does not parse is a cut (R4); a file is known to hold nested records if its first piece does.
Two tiers: ``jsonl_fast`` takes a piece only if every line in it is a clean record; any other piece is read here line
by line by the strict reader, which defines what lines mean.  Whatever the fast tier accepts, the strict one reads to
the same rows.
Not here: JSON itself (``json_strict.py``), records (``records.py``), gzip and encodings (``input_file.py``).
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa

from guard_core.errors import MappingError
from guard_core.files.input_file import InputFile
from guard_core.files.lines import LineBlock, cut_lines
from guard_core.ingest.batch import RECORD, RejectedRow, RowBatch
from guard_core.ingest.json.jsonl_fast import FastTier
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions
from guard_core.ingest.records.json_strict import WHITE_SPACE, BadRecordError, parse_line
from guard_core.ingest.records.records import RecordReader

BLOCK = 8 * 1024 * 1024
"""Bytes of whole lines that are read at a time."""

_THREADS = 2
_BLANK = WHITE_SPACE.encode()


@dataclass(frozen=True, slots=True)
class BlockRows:
    """What a piece was read to: batches whose lines count from 1 within it, and the number of its lines."""

    batches: list[RowBatch]
    lines: int


def read_json_lines(file: InputFile, options: ReadOptions) -> Iterator[RowBatch]:
    """Read the rows of JSON Lines.

    Raises ``LogError`` as ``file`` does, and ``MappingError`` for a mapped column that is in no record.
    """
    reader = BlockReader(options)
    found: set[tuple[str, str]] = set()
    line = 0
    any_record = False
    for result in _in_order(reader, cut_lines(file.chunks(BLOCK), options.limits.line_bytes)):
        for batch in result.batches:
            found.update(batch.mapping)
            any_record = any_record or batch.rows > 0 or bool(batch.empty)
            yield _moved(batch, line)
        line += result.lines
    if any_record:
        check_mapping(file.name, options.mapping, found)


def read_line_records(_file: InputFile, chunks: Iterator[bytes], options: RecordOptions) -> RawRecords:
    """Read the records of JSON Lines as they stand in it."""
    return RawRecords((), _read_raw(chunks, options))


def _read_raw(chunks: Iterator[bytes], options: RecordOptions) -> Iterator[dict[str, object]]:
    for block in cut_lines(chunks, options.limits.line_bytes):
        if _may_hold(block.data, options.hints):
            for line in block.data.split(b"\n"):
                if _may_hold(line, options.hints):
                    with suppress(BadRecordError):  # reading the rows lists it
                        yield parse_line(line, options.limits.nesting)


def _may_hold(data: bytes, hints: tuple[bytes, ...]) -> bool:
    return not hints or any(hint in data for hint in hints)


def check_mapping(name: str, mapping: Mapping[str, str], found: set[tuple[str, str]]) -> None:
    """Raise ``MappingError`` if a column of the user's mapping was in none of the records."""
    for column, member in mapping.items():
        if (column, member) not in found:
            raise MappingError(name, f"no record has the column that is mapped to {column}", "check the mapping")


class BlockReader:
    """Reads pieces, independently of each other once ``first`` has seen the first one."""

    def __init__(self, options: ReadOptions, *, fast: bool = True) -> None:
        self._options = options
        self._limits = options.limits
        self._nested = False
        self._fast = FastTier(options) if fast else None

    def read_first(self, block: LineBlock) -> BlockRows:
        """Read the first piece of a file and learn from it whether the file is nested."""
        return self.read(block, first=True)

    def read(self, block: LineBlock, *, first: bool = False) -> BlockRows:
        """Read one block."""
        if block.too_long:
            reason = f"the line is longer than {self._limits.line_bytes:,} bytes"
            return BlockRows([self._rejecting(RejectedRow(1, RECORD, reason))], 1)
        if self._fast is not None and not block.open_end:
            try:
                clean = self._fast.read(block.data, nested=None if first else self._nested)
            except pa.ArrowException:  # columns that do not go together: the strict reader takes each line by itself
                clean = None
            if clean is not None:
                self._nested = clean.nested if first else self._nested
                return BlockRows(clean.batches, clean.lines)
        return self._read_strictly(block, first=first)

    def _read_strictly(self, block: LineBlock, *, first: bool) -> BlockRows:
        lines = block.data.split(b"\n")
        if not block.open_end:
            lines.pop()
        records: list[tuple[int, dict[str, object] | BadRecordError]] = []
        reader = RecordReader(self._options, nested=self._nested)
        incomplete = False
        for number, line in enumerate(lines, 1):
            if not line.strip(_BLANK):
                continue
            try:
                found: dict[str, object] | BadRecordError = self._parse(line)
            except BadRecordError as fault:
                found = fault
                if block.open_end and number == len(lines):
                    found = BadRecordError(f"the file ends within this record: it {fault}")
                    incomplete = True
            if first:
                records.append((number, found))
            else:
                _take_in(reader, number, found)
        if first:
            self._nested = any(reader.is_nested(found) for _, found in records if isinstance(found, dict))
            reader.nested = self._nested
            for number, found in records:
                _take_in(reader, number, found)
        batches = reader.take()
        if incomplete:
            batches[0] = dataclasses.replace(batches[0], incomplete=True)
        return BlockRows(batches, len(lines))

    def _parse(self, line: bytes) -> dict[str, object]:
        if len(line) > self._limits.line_bytes:
            raise BadRecordError(f"the line is longer than {self._limits.line_bytes:,} bytes")
        return parse_line(line, self._limits.nesting)

    def _rejecting(self, rejected: RejectedRow) -> RowBatch:
        reader = RecordReader(self._options)
        return dataclasses.replace(reader.take()[0], rejected=(rejected,))


def _take_in(reader: RecordReader, number: int, found: dict[str, object] | BadRecordError) -> None:
    if isinstance(found, BadRecordError):
        reader.reject(number, found)
    else:
        reader.read(found, number)


def _in_order(reader: BlockReader, parts: Iterator[LineBlock]) -> Iterator[BlockRows]:
    """Pieces read in threads, a bounded number ahead, in file order."""
    for block in parts:
        yield reader.read_first(block)
        if not block.too_long:
            break
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="source-guard-jsonl") as pool:
        ahead: deque[Future[BlockRows]] = deque()
        for block in parts:
            ahead.append(pool.submit(reader.read, block))
            if len(ahead) > _THREADS:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def _moved(batch: RowBatch, by: int) -> RowBatch:
    """``batch`` with its lines counted from the beginning of the file."""
    if by == 0:
        return batch
    return dataclasses.replace(
        batch,
        lines=batch.lines + by,
        records=None if batch.records is None else batch.records + by,
        rejected=tuple(
            dataclasses.replace(r, line=r.line + by, record=None if r.record is None else r.record + by)
            for r in batch.rejected
        ),
        empty=tuple(dataclasses.replace(e, line=e.line + by, record=e.record + by) for e in batch.empty),
    )
