"""Write the evaluation as CSV: one row for each result.

Flows in: an ``Evaluation``.  Flows out: UTF-8 bytes on a binary stream.
Rules kept here: numbers are plain and exact, text cells that a spreadsheet would run get an apostrophe (R60), a
missing value is an empty cell (R57); Source Guard reads the file back to the same ids, ranks and scores (R59).
Not here: what stands in the columns (``columns.py``).

On a terminal hidden characters are shown as escapes; into a file or a pipe every character goes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, repeat
from typing import BinaryIO

import numpy as np

from guard_core.ingest.tables.export_columns import guard_text
from guard_core.output.arrays import NUMBER, read_values
from guard_core.output.columns import COLUMNS, OF_RETRIEVAL, Column, JudgedStretch
from guard_core.output.evaluation import Counted, Evaluation
from guard_core.visible import visible

LIST_SEPARATOR = "|"

_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')


def write_csv(
    evaluation: Evaluation, out: BinaryIO, progress: Counted | None = None, for_terminal: bool = False
) -> int:
    """Write a header and one row for each result.  Returns how many retrievals have no row, because they have
    no results."""
    out.write((",".join(column.name for column in COLUMNS) + "\n").encode())
    for stretch in evaluation.stretches(progress):
        lengths = np.diff(stretch.log.offsets[stretch.first : stretch.last + 1]).tolist()
        cells = []
        for column in COLUMNS:
            written = _write_cells(column, read_values(column.make(stretch)), for_terminal)
            cells.append(_repeat(written, lengths) if column.name in OF_RETRIEVAL else written)
        out.write("".join(",".join(row) + "\n" for row in zip(*cells, strict=True)).encode())
    return evaluation.summary.no_results


def _write_cells(column: Column[JudgedStretch], values: Sequence[object], for_terminal: bool) -> list[str]:
    if column.type == NUMBER:  # not by distinct values: 0.0 and -0.0 are equal and not the same
        return ["" if value is None else repr(value) for value in values]
    cells = {value: write_cell(value, for_terminal) for value in set(values)}
    return [cells[value] for value in values]


def _repeat(cells: Sequence[str], times: Sequence[int]) -> list[str]:
    """Repeat the cell of each retrieval once for each of its results."""
    return list(chain.from_iterable(map(repeat, cells, times)))


def write_cell(value: object, for_terminal: bool = False) -> str:
    """Write a value as a cell; a tuple is a list."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = LIST_SEPARATOR.join(map(str, value)) if isinstance(value, tuple) else str(value)
    return _quoted(guard_text(visible(text) if for_terminal else text))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _NEEDS_QUOTES.search(cell) else cell
