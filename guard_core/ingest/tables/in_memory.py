"""Read a table that is in memory already, of pandas, Arrow or any library that hands out Arrow streams.

Flows in: a pandas DataFrame, an Arrow table or record batch, an object with ``__arrow_c_stream__``.
Flows out: ``RowBatch`` objects, with row numbers from 1 in place of lines (R2).
Rules kept here: what a column means is what it means in Parquet; integer ids keep every digit; the index of a DataFrame
is no column; only the columns that are read are converted.
Not here: what columns mean (``typed_table.py``, ``nested_table.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import pyarrow as pa

from guard_core.errors import LogError
from guard_core.ingest.batch import RowBatch, TableKind
from guard_core.ingest.log import LogFile
from guard_core.ingest.mapping import require_columns
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records.own_output import ADVICE, FAULT, is_judged
from guard_core.ingest.tables.nested_table import is_nested_table, read_nested
from guard_core.ingest.tables.typed_table import CellRules, TableReader
from guard_core.ingest.tables.uuids import spell_uuids
from guard_core.visible import visible

NAME = "<table>"
"""What a table in memory is called where a file has its name."""

BATCH_ROWS = 256 * 1024


class ArrowStream(Protocol):
    """A table in memory: DataFrames of pandas and polars, Arrow tables and record batches, results of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class MemoryTable:
    """One table of rows, as ``TableFile`` is one file of them: a context manager.

    Raises ``LogError`` for a table that is none or has a column twice, ``MappingError`` for a mapped column that is not
    there.
    """

    name = NAME
    incomplete = False
    format_differs = False

    def __init__(self, table: ArrowStream, options: ReadOptions) -> None:
        self._options = options
        self._used: dict[tuple[str, str], None] = {}
        self.spellings = spellings = options.spellings
        self.columns, self._rows, self._table = _convert(table, options)
        if len(self.columns) > options.limits.columns:
            fault = f"has {len(self.columns)} columns, more than {options.limits.columns}"
            raise LogError(NAME, fault, "leave out what is not needed")
        require_columns(options.mapping, self.columns, NAME)
        if spellings.results in self.columns and is_judged(self.columns):
            raise LogError(NAME, FAULT, ADVICE)
        wanted = [name for name in self.columns if name in spellings.names()]
        repeated = sorted(name for name in wanted if self.columns.count(name) > 1)
        if repeated:
            raise LogError(NAME, f"has the column {repeated[0]} twice", "name each column once")
        self._reader = TableReader(options.kind, spellings, CellRules(), options.limits.nesting)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    @property
    def file(self) -> LogFile:
        """What was read; a table has no bytes on disk, and so no digest of them."""
        return LogFile(NAME, "table", "", tuple(self._used))

    def batches(self) -> Iterator[RowBatch]:
        """Read all rows, in the order of the table."""
        if not self._table.num_columns:
            yield self._reader.read_flat({}, np.arange(1, self._rows + 1, dtype=np.int64))
        first = 1
        for part in self._table.to_batches(max_chunksize=BATCH_ROWS):
            columns = dict(zip(part.schema.names, spell_uuids(part).columns, strict=True))
            lines = np.arange(first, first + part.num_rows, dtype=np.int64)
            first += part.num_rows
            nested = self._options.kind is TableKind.LOG and is_nested_table(self._reader, columns)
            made = read_nested(self._reader, columns, lines) if nested else [self._reader.read_flat(columns, lines)]
            for batch in made:
                self._used.update(dict.fromkeys(batch.mapping))
                yield batch


def _is_frame(table: ArrowStream) -> bool:
    """Return whether this is a DataFrame of pandas, which is loaded already if it is."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def _convert(table: ArrowStream, options: ReadOptions) -> tuple[list[str], int, pa.Table]:
    """Return the names of all columns, the number of rows, and the columns that are read as an Arrow table."""
    wanted = options.spellings.names()
    if not _is_frame(table):
        try:
            arrow = pa.table(table)
        except (pa.ArrowException, OSError, TypeError, ValueError) as fault:
            kind = type(table).__name__
            raise LogError(NAME, f"{kind} is no table", "give a path, a DataFrame or an Arrow table") from fault
        return (
            arrow.column_names,
            arrow.num_rows,
            arrow.select([i for i, name in enumerate(arrow.column_names) if name in wanted]),
        )
    names = [str(name) for name in table.columns]  # type: ignore[attr-defined]  # a DataFrame has them
    places = {name: place for place, name in enumerate(names) if name in wanted}  # who calls says what is there twice
    columns = {name: _convert_column(table.iloc[:, place], name) for name, place in places.items()}  # type: ignore[attr-defined]  # as above
    return names, len(table), pa.table(columns)  # type: ignore[arg-type]  # as above


def _convert_column(values: object, name: str) -> pa.Array | pa.ChunkedArray:
    """Return a column of a DataFrame as an Arrow array."""
    fault: Exception | None = None
    try:
        array = pa.Array.from_pandas(values)
        kind = array.type
        if not (isinstance(kind, pa.ExtensionType) and kind.extension_name.startswith("pandas.")):
            return array  # what pandas alone has, such as periods, is stored as numbers that mean something else
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        fault = error
    said = "holds values of several types, or of one that Arrow does not know"
    raise LogError(NAME, said, "make them text", f"column {visible(name)}") from fault
