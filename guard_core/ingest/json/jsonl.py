"""Read JSON Lines: whole lines in large blocks, in two threads, by a fast tier where that is safe.

Flows in: an ``InputFile``.  Flows out: ``RowBatch`` objects in file order, with physical line numbers from 1.
Rules kept here: blank lines are no rows; a line longer than the limit is rejected; a last line without newline that
does not parse is a cut (R4); a file is known to hold nested records if its first block does.  The fast tiers of
``jsonl_fast.py`` read a block only if every line of it is a clean record; any other block is read here line by line by
the strict reader, which defines what lines mean (docs/adr/0002).  A format whose lines wrap a record, such as
``{"trace": {...}}``, is read by the same two functions with ``unwrap``, by the strict reader only.
Not here: JSON itself (``json_strict.py``), records (``records.py``), compression and encodings (``guard_core.files``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from guard_core.files.input_file import InputFile
from guard_core.files.lines import LineBlock, cut_lines
from guard_core.ingest.batch import RECORD, RejectedRow, RowBatch
from guard_core.ingest.json.jsonl_fast import BlockRows, FastTier
from guard_core.ingest.mapping import require_mapped
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions
from guard_core.ingest.records.json_strict import WHITE_SPACE, BadRecordError, ParsedRecord, parse_line
from guard_core.ingest.records.records import RecordReader
from guard_core.ingest.threads import run_in_order

BLOCK = 8 * 1024 * 1024
"""Bytes of whole lines that are read at a time."""

_BLANK = WHITE_SPACE.encode()


Unwrap: TypeAlias = Callable[[dict[str, object]], dict[str, object]]
"""From the object on a line to the record in it; raises ``BadRecordError`` for a line that has none."""


def read_json_lines(file: InputFile, options: ReadOptions, unwrap: Unwrap | None = None) -> Iterator[RowBatch]:
    """Read the rows of JSON Lines.

    Raises ``LogError`` as ``file`` does, and ``MappingError`` for a mapped column that is in no record.
    """
    blocks = cut_lines(file.chunks(BLOCK), options.limits.line_bytes)
    return require_mapped(_read_blocks(BlockReader(options, unwrap=unwrap), blocks), options.mapping, file.name)


def _read_blocks(reader: BlockReader, blocks: Iterator[LineBlock]) -> Iterator[RowBatch]:
    line = 0
    for read in _read_ahead(reader, blocks):
        for batch in read.batches:
            yield _shift_lines(batch, line)
        line += read.lines


def _read_ahead(reader: BlockReader, blocks: Iterator[LineBlock]) -> Iterator[BlockRows]:
    for block in blocks:
        yield reader.read_first(block)
        if not block.too_long:
            break
    yield from run_in_order((partial(reader.read, block) for block in blocks), "jsonl")


def read_line_records(
    _file: InputFile, chunks: Iterator[bytes], options: RecordOptions, unwrap: Unwrap | None = None
) -> RawRecords:
    """Read the records of JSON Lines as they stand in it."""
    return RawRecords((), _read_raw(chunks, options, unwrap))


def _read_raw(chunks: Iterator[bytes], options: RecordOptions, unwrap: Unwrap | None) -> Iterator[dict[str, object]]:
    for block in cut_lines(chunks, options.limits.line_bytes):
        if _may_hold(block.data, options.hints):
            for line in block.data.split(b"\n"):
                if _may_hold(line, options.hints):
                    with suppress(BadRecordError):  # reading the rows lists it
                        record = parse_line(line, options.limits.nesting)
                        yield record if unwrap is None else unwrap(record)


def _may_hold(data: bytes, hints: tuple[bytes, ...]) -> bool:
    return not hints or any(hint in data for hint in hints)


class BlockReader:
    """Reads blocks of one file, independently of each other once ``read_first`` has seen the first one."""

    def __init__(self, options: ReadOptions, *, fast: bool = True, unwrap: Unwrap | None = None) -> None:
        self._options = options
        self._limits = options.limits
        self._nested = False
        self._unwrap = unwrap
        self._fast = FastTier(options) if fast and unwrap is None else None

    def read_first(self, block: LineBlock) -> BlockRows:
        """Read the first block of a file and learn from it whether the file is nested."""
        read = self._read(block, nested=None)
        self._nested = read.nested
        return read

    def read(self, block: LineBlock) -> BlockRows:
        """Read one block."""
        return self._read(block, nested=self._nested)

    def _read(self, block: LineBlock, nested: bool | None) -> BlockRows:
        if block.too_long:
            rejected = RejectedRow(1, RECORD, f"the line is longer than {self._limits.line_bytes:,} bytes")
            batch = RowBatch(0, np.empty(0, np.int64), {}, rejected=(rejected,))
            return BlockRows([batch], 1, nested or False)
        if self._fast is not None and not block.open_end:
            try:
                clean = self._fast.read(block.data, nested=nested)
            except pa.ArrowException:  # columns that do not go together: the strict reader takes each line by itself
                clean = None
            if clean is not None:
                return clean
        return self._read_strictly(block, nested)

    def _read_strictly(self, block: LineBlock, nested: bool | None) -> BlockRows:
        lines = block.data.split(b"\n")
        if not block.open_end:
            lines.pop()
        reader = RecordReader(self._options, nested=nested or False)
        records = self._parse_lines(lines)
        if nested is None:
            records = list(records)
            reader.learn_nesting(record for _, record in records)
        incomplete = False
        for number, record in records:
            incomplete = block.open_end and number == len(lines) and isinstance(record, BadRecordError)
            if incomplete:
                record = BadRecordError(f"the file ends within this record: it {record}")  # noqa: PLW2901  # says more
            reader.read(record, number)
        batches = reader.take_batches()
        if incomplete:
            batches[0] = dataclasses.replace(batches[0], incomplete=True)
        return BlockRows(batches, len(lines), reader.nested)

    def _parse_lines(self, lines: list[bytes]) -> Iterable[tuple[int, ParsedRecord]]:
        for number, line in enumerate(lines, 1):
            if line.strip(_BLANK):
                try:
                    yield number, self._parse(line)
                except BadRecordError as fault:
                    yield number, fault

    def _parse(self, line: bytes) -> dict[str, object]:
        if len(line) > self._limits.line_bytes:
            raise BadRecordError(f"the line is longer than {self._limits.line_bytes:,} bytes")
        record = parse_line(line, self._limits.nesting)
        return record if self._unwrap is None else self._unwrap(record)


def _shift_lines(batch: RowBatch, by: int) -> RowBatch:
    """Return ``batch`` with its lines counted from the beginning of the file."""
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
        empty=tuple(dataclasses.replace(e, line=e.line + by) for e in batch.empty),
    )
