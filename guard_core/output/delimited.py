"""The evaluation as CSV: one row for each result.

Flows in: an ``Evaluation``.  Flows out: UTF-8 bytes on a binary stream.
Rules kept here: numbers are plain and exact, text cells that a spreadsheet would run get an apostrophe (R60), a
missing value is an empty cell (R57); Source Guard reads the file back to the same ids, ranks and scores (R59).
Not here: what stands in the columns (``rows.py``).

On a terminal hidden characters are shown as escapes; into a file or a pipe every character goes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import BinaryIO

from guard_core.ingest.tables.export_columns import (
    EXPORT_COLUMNS,
    FLOAT_COLUMNS,
    INTEGER_COLUMNS,
    guarded,
)
from guard_core.output.evaluation import STRETCH, Counted, Evaluation
from guard_core.output.rows import export_rows
from guard_core.visible import visible

LIST_SEPARATOR = "|"

_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')


def write_csv(
    evaluation: Evaluation, out: BinaryIO, progress: Counted | None = None, for_terminal: bool = False
) -> int:
    """Write a header and one row for each result.  Gives the number of retrievals that have no row, for want of
    results."""
    out.write((",".join(EXPORT_COLUMNS) + "\n").encode())
    count = evaluation.retrieval_count
    for first in range(0, count, STRETCH):
        last = min(first + STRETCH, count)
        columns = export_rows(evaluation, first, last)
        cells = [_cells(name, values, for_terminal) for name, values in columns.items()]
        out.write("".join(",".join(row) + "\n" for row in zip(*cells, strict=True)).encode())
        if progress is not None:
            progress(last, count)
    return evaluation.summary.no_results


def _cells(name: str, values: Sequence[object], for_terminal: bool) -> list[str]:
    if name in FLOAT_COLUMNS:  # not by distinct values: 0.0 and -0.0 are equal and not the same
        return ["" if value is None else repr(value) for value in values]
    cells = {value: cell_of(name, value, for_terminal) for value in set(values)}
    return [cells[value] for value in values]


def cell_of(name: str, value: object, for_terminal: bool = False) -> str:
    """A value of the column ``name`` as a cell; a tuple is a list.  Numbers with a fraction are not passed here."""
    if value is None:
        return ""
    if name in INTEGER_COLUMNS:
        return str(value)
    text = LIST_SEPARATOR.join(map(str, value)) if isinstance(value, tuple) else str(value)
    return _quoted(guarded(visible(text) if for_terminal else text))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _NEEDS_QUOTES.search(cell) else cell
