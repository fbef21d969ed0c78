"""Write the evaluation as a Parquet file: one row for each result, typed.

Flows in: an ``Evaluation`` and a path.  Flows out: a file that is either whole or not there.
Rules kept here: a reader and a crash see the old file or the new one (``whole_file.py``); text is exact, lists are
lists, numbers are numbers.
Retrievals of one query id are told apart by ``retrieval_id``; read back as a log, rows of one query id and one time are
one retrieval (R11), so a log with such repeats is better exported as CSV or JSON.
Not here: what stands in the columns (``columns.py``).
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from guard_core.output.arrays import as_file_type
from guard_core.output.columns import COLUMNS, make_rows
from guard_core.output.evaluation import Counted, Evaluation
from guard_core.output.whole_file import open_whole_file

_ROW_GROUP = 8
"""Stretches of retrievals in one row group."""


SCHEMA = pa.schema([(column.name, column.type) for column in COLUMNS])
"""Names and types of the columns."""


def write_parquet(evaluation: Evaluation, path: str | Path, progress: Counted | None = None) -> int:
    """Write the file and return how many retrievals have no row, because they have no results.  Raises
    ``OutputError``."""
    with open_whole_file(path) as file:
        _write(evaluation, file, progress)
    return evaluation.summary.no_results


def _write(evaluation: Evaluation, file: object, progress: Counted | None) -> None:
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        waiting: list[pa.RecordBatch] = []
        for stretch in evaluation.stretches(progress):
            arrays = [as_file_type(array, COLUMNS[place].type) for place, array in enumerate(make_rows(stretch))]
            waiting.append(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))
            if len(waiting) == _ROW_GROUP or stretch.last == evaluation.retrieval_count:
                writer.write_table(pa.Table.from_batches(waiting))
                waiting = []
