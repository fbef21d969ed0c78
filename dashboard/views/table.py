"""Hold the rows of a table on screen as a pandas frame.

Flows in: columns and rows of plain values.  Flows out: ``Table``.
Rules kept here: a table that is cut knows how many rows there are in all; a cell is text, a number or nothing; a frame
is made when it is first drawn, so that a table that nobody unfolds costs nothing.
Not here: drawing (``app_pages/panel.py``), escapes (``dashboard/text.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import pyarrow as pa

Cell = str | int | float | bool | None

ROWS_ON_SCREEN = 500
"""Rows of one table that are sent to the browser."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table, as far as it is shown.

    ``total`` counts the rows before the cut.  ``numbers`` are the retrievals (numbers in the log) that the rows
    describe, ``documents`` the ids of the documents, not escaped; empty where the rows describe something else.
    """

    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    total: int
    numbers: tuple[int, ...] = ()
    documents: tuple[str, ...] = ()

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows that are shown, in columns of Arrow types, each named once."""
        columns = zip(*self.cells, strict=True) if self.cells else ((),) * len(self.columns)
        arrays = (pd.arrays.ArrowExtensionArray(pa.array(column)) for column in columns)
        return pd.DataFrame(dict(zip(self.columns, arrays, strict=True)), copy=False)

    @property
    def is_cut(self) -> bool:
        """True if there are more rows than those held here."""
        return self.total > len(self.cells)


@dataclass(frozen=True, slots=True)
class TitledTable:
    """A table with a sentence that says what it means."""

    title: str
    numbers: Table


def make_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int | None = None,
    numbers: Sequence[int] = (),
    documents: Sequence[str] = (),
) -> Table:
    """Return a table of the first ``ROWS_ON_SCREEN`` rows; ``total`` counts all rows where the caller has cut them."""
    kept = slice(ROWS_ON_SCREEN)
    whole = len(rows) if total is None else total
    return Table(
        number_repeats(columns), tuple(map(tuple, rows[kept])), whole, tuple(numbers[kept]), tuple(documents[kept])
    )


def number_repeats(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with a number behind each that occurred before, so that no two are equal."""
    seen: dict[str, int] = {}
    made: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique = name if seen[name] == 1 else f"{name} ({seen[name]})"
        while unique in made:
            unique += "'"
        made.append(unique)
    return tuple(made)
