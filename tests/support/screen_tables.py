"""Read the rows of a table on screen.

Flows in: a ``Table`` of the dashboard.  Flows out: its cells, row by row, as plain values.
Rules kept here: the cells are those of the frame, which is what a page draws.
Not here: the frames that a page has drawn (``AppTest``).
"""

from __future__ import annotations

from dashboard.views.table import Cell, Table


def list_rows(table: Table) -> list[tuple[Cell, ...]]:
    """Return the rows that are shown, each a tuple of text, numbers or ``None``."""
    columns = [table.frame[name].array.__arrow_array__().to_pylist() for name in table.columns]
    return list(zip(*columns, strict=True))
