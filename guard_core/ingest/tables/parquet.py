"""Read Parquet, flat or with a list of results in each record.

Flows in: an ``InputFile``, which Arrow opens again by its path.  Flows out: ``RowBatch`` objects in file order, with
record numbers from 1 in place of lines (R2).
Rules kept here: only the columns that are read are decoded; integer ids keep every digit; a file may not decode to more
rows or bytes than the limits, nor to far more bytes than it has; the file must still be the one that was opened.
Not here: what columns mean (``typed_table.py``, ``nested_table.py``).

Text is taken as dictionary codes.  Row groups of ordinary size are read one a thread, larger ones in batches.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile
from guard_core.ingest.batch import RowBatch, TableKind
from guard_core.ingest.mapping import require_columns
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions
from guard_core.ingest.records.own_output import ADVICE, FAULT, is_judged
from guard_core.ingest.records.spellings import Spellings
from guard_core.ingest.tables.nested_table import is_nested_table, read_nested
from guard_core.ingest.tables.typed_lists import is_list
from guard_core.ingest.tables.typed_table import CellRules, TableReader
from guard_core.ingest.tables.uuids import spell_uuids
from guard_core.ingest.threads import run_in_order

BATCH_ROWS = 256 * 1024
_GROUP_ROWS = 2 * BATCH_ROWS
_WIDEST = 4096
_RAW_ROWS = 1024
_ALLOWANCE = 1 << 30
"""Decoded bytes up to which no ratio is asked for: well-packed columns of few values reach any ratio."""


def read_parquet(file: InputFile, options: ReadOptions) -> Iterator[RowBatch]:
    """Read the rows of a Parquet file.

    Raises ``LogError`` for a file that is damaged, cut, changed while it is read or beyond the limits, and
    ``MappingError`` for a mapped column that it does not have.
    """
    with _open_parquet(file) as path:
        file.start_hashing()
        yield from _ParquetRows(file, path, options).batches()
    file.check_unchanged()


def read_parquet_records(file: InputFile, options: RecordOptions) -> RawRecords:
    """Read the records of a Parquet file as they stand in it."""
    with _open_parquet(file) as path:
        names = tuple(pq.read_schema(path).names)
    return RawRecords(names, _read_raw(file, options))


def _read_raw(file: InputFile, options: RecordOptions) -> Iterator[dict[str, object]]:
    with _open_parquet(file) as path:
        parquet = pq.ParquetFile(path)
        leaves = None if options.names is None else [leaf.path for leaf in list_wanted_leaves(parquet, options.names)]
        if leaves != []:
            for batch in parquet.iter_batches(_RAW_ROWS, columns=leaves):
                yield from spell_uuids(batch).to_pylist()


@contextmanager
def _open_parquet(file: InputFile) -> Iterator[Path]:
    """Give the path of the plain Parquet file; raise ``LogError`` for what Arrow cannot read."""
    try:
        with _unpacked(file) as path:
            yield path
    except (pa.ArrowException, OSError, UnicodeDecodeError) as fault:
        raise LogError(file.name, "is not a whole Parquet file", "copy or write it again") from fault


@contextmanager
def _unpacked(file: InputFile) -> Iterator[Path]:
    """Give the path of the plain Parquet file, which for a compressed one is a temporary one."""
    if file.packing is None:
        yield file.path
        return
    with tempfile.NamedTemporaryFile(prefix="source-guard-", suffix=".parquet") as unpacked:
        for chunk in file.chunks():
            unpacked.write(chunk)
        unpacked.flush()
        yield Path(unpacked.name)


class _ParquetRows:
    """The rows of one Parquet file: which columns of it are read, and within which bounds."""

    def __init__(self, file: InputFile, path: Path, options: ReadOptions) -> None:
        self._file = file
        self._path = path
        self._limits = limits = options.limits
        self._decoded = 0
        names = options.spellings
        self._reader = TableReader(options.kind, names, CellRules(), limits.nesting)
        parquet = pq.ParquetFile(path)
        self._meta = parquet.metadata
        present = parquet.schema_arrow.names
        if len(present) > limits.columns:
            raise self._fault(f"has {len(present)} columns, more than {limits.columns}", "leave out what is not needed")
        require_columns(options.mapping, present, file.name)
        if names.results in present and is_judged(present):
            raise self._fault(FAULT, ADVICE)
        repeated = sorted(name for name in names.names() if present.count(name) > 1)
        if repeated:
            raise self._fault(f"has the column {repeated[0]} twice", "name each column once")
        leaves = list_wanted_leaves(parquet, names)
        self._leaves = [leaf.path for leaf in leaves]
        self._text = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        if any(leaf.length > _WIDEST for leaf in leaves):
            raise self._fault(f"has values of a fixed width above {_WIDEST} bytes", "write them as text")
        self._batch_rows = BATCH_ROWS
        self._check_rows({parquet.schema.column(place).path: place for place in range(len(parquet.schema))})

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows, in file order."""
        groups = [self._meta.row_group(group).num_rows for group in range(self._meta.num_row_groups)]
        if not self._leaves:
            yield self._reader.read_flat({}, np.arange(1, self._meta.num_rows + 1, dtype=np.int64))
            return
        done = 0
        for rows, size, batches in self._read_ahead(groups):
            done += rows
            self._decoded += size
            bound = min(self._limits.decoded_bytes, max(_ALLOWANCE, self._limits.gzip_ratio * self._file.size))
            if self._decoded > bound:
                raise self._fault(f"decodes to more than {bound:,} bytes", "split it or raise the limits")
            yield from batches
            self._file.report_progress(self._file.size * done // max(self._meta.num_rows, 1))

    def _read_ahead(self, groups: list[int]) -> Iterator[_Read]:
        """Read row groups in threads; large ones are read here and typed in threads."""
        starts = np.concatenate(([0], np.cumsum(groups))).tolist()
        if max(groups, default=0) <= _GROUP_ROWS:
            return run_in_order((partial(self._read_group, n, start) for n, start in enumerate(starts[:-1])), "parquet")
        return run_in_order((partial(self._type_batch, batch, first) for batch, first in self._stream()), "parquet")

    def _read_group(self, group: int, start: int) -> _Read:
        rows = size = 0
        batches: list[RowBatch] = []
        file = pq.ParquetFile(self._path, read_dictionary=self._text)
        for batch in file.iter_batches(self._batch_rows, [group], self._leaves, use_threads=False):
            count, weight, typed = self._type_batch(batch, start + rows + 1)
            rows, size = rows + count, size + weight
            batches += typed
        return rows, size, batches

    def _stream(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        first = 1
        file = pq.ParquetFile(self._path, read_dictionary=self._text)
        for batch in file.iter_batches(self._batch_rows, columns=self._leaves, use_threads=True):
            yield batch, first
            first += batch.num_rows

    def _type_batch(self, batch: pa.RecordBatch, first: int) -> _Read:
        for column in batch.columns:
            _check_codes(column)
        table = dict(zip(batch.schema.names, spell_uuids(batch).columns, strict=True))
        lines = np.arange(first, first + batch.num_rows, dtype=np.int64)
        if self._reader.kind is TableKind.LOG and is_nested_table(self._reader, table):
            return batch.num_rows, batch.nbytes, read_nested(self._reader, table, lines)
        return batch.num_rows, batch.nbytes, [self._reader.read_flat(table, lines)]

    def _check_rows(self, places: Mapping[str, int]) -> None:
        """Bound the values that are decoded at a time; a record of a nested file holds many."""
        values = 0
        for number in range(self._meta.num_row_groups):
            group = self._meta.row_group(number)
            most = max((group.column(places[leaf]).num_values for leaf in self._leaves), default=0)
            values += most
            if most > group.num_rows:
                self._batch_rows = min(self._batch_rows, max(1, BATCH_ROWS * group.num_rows // most))
        if max(values, self._meta.num_rows) > self._limits.rows:
            raise self._fault(f"has more than {self._limits.rows:,} rows", "split it or raise the limit")

    def _fault(self, fault: str, advice: str) -> LogError:
        return LogError(self._file.name, fault, advice)


_Read = tuple[int, int, list[RowBatch]]
"""Records read, bytes decoded, and their rows."""


def list_wanted_leaves(file: pq.ParquetFile, names: Spellings) -> list[pq.ColumnSchema]:
    """List the leaf columns that are read: those of a retrieval or result, inside the list of results too."""
    read = names.names()
    leaves = [file.schema.column(place) for place in range(len(file.schema))]
    top = [name for name in file.schema_arrow.names if name in read]
    found = [leaf for leaf in leaves if any(leaf.path == name or leaf.path.startswith(name + ".") for name in top)]
    inner = [leaf.path for leaf in found if leaf.path.startswith(names.results + ".")]
    stem = _find_stem(inner) if len(inner) > 1 else ""
    return [
        leaf
        for leaf in found
        if leaf.path not in inner
        or not stem
        or any((leaf.path[len(stem) :] + ".").startswith(name + ".") for name in read)
    ]


def _check_codes(array: pa.Array) -> None:
    """Raise ``ArrowInvalid`` for codes outside their dictionary, which Arrow does not check in a damaged file."""
    if pa.types.is_dictionary(array.type):
        bounds = pc.min_max(array.indices).as_py()
        if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] < len(array.dictionary):
            raise pa.ArrowInvalid("dictionary codes out of bounds")
        return
    array.validate()
    if is_list(array.type):
        _check_codes(array.values)
    elif pa.types.is_struct(array.type):
        for place in range(array.type.num_fields):
            _check_codes(array.field(place))


def _find_stem(paths: list[str]) -> str:
    """Return what paths of leaves have in common, up to a dot."""
    common = []
    for parts in zip(*(path.split(".")[:-1] for path in paths), strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return ".".join([*common, ""])
