"""The evaluation as a Parquet file: one row for each result, typed.

Flows in: an ``Evaluation`` and a path.  Flows out: a file that is either whole or not there.
Rules kept here: a reader and a crash see the old file or the new one (``whole_file.py``); text is exact, lists are
lists, numbers are numbers.
Retrievals of one query id are told apart by ``retrieval_id``; read back as a log, rows of one query id and one time are
one retrieval (R11), so a log with such repeats is better exported as CSV or JSON.
Not here: what stands in the columns (``rows.py``).
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS, FLOAT_COLUMNS, INTEGER_COLUMNS, LIST_COLUMNS
from guard_core.output.evaluation import STRETCH, Counted, Evaluation
from guard_core.output.rows import export_rows
from guard_core.output.whole_file import whole_file

_ROW_GROUP = 8
"""Stretches of retrievals in one row group."""


def _type(name: str) -> pa.DataType:
    if name in INTEGER_COLUMNS:
        return pa.int64()
    if name in FLOAT_COLUMNS:
        return pa.float64()
    return pa.list_(pa.string()) if name in LIST_COLUMNS else pa.string()


SCHEMA = pa.schema([(name, _type(name)) for name in EXPORT_COLUMNS])
"""Names and types of the columns."""


def write_parquet(evaluation: Evaluation, path: str | Path, progress: Counted | None = None) -> int:
    """Write the file.  Gives the number of retrievals that have no row, for want of results.  Raises
    ``OutputError``."""
    with whole_file(path) as file:
        _write(evaluation, file, progress)
    return evaluation.summary.no_results


def _write(evaluation: Evaluation, file: object, progress: Counted | None) -> None:
    count = evaluation.retrieval_count
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        waiting: list[pa.RecordBatch] = []
        for first in range(0, count, STRETCH):
            last = min(first + STRETCH, count)
            columns = export_rows(evaluation, first, last)
            arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
            waiting.append(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))
            if len(waiting) == _ROW_GROUP or last == count:
                writer.write_table(pa.Table.from_batches(waiting))
                waiting = []
            if progress is not None:
                progress(last, count)
