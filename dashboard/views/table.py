"""``Table``: rows for the screen, with the number of rows there are in all.

Flows in: columns and rows of plain values.  Flows out: ``Table``.
Rules kept here: a table that is cut says so; cells hold text, numbers or nothing.
Not here: how cells are drawn (the pages).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float | bool | None

ROWS_ON_SCREEN = 500
"""Rows of one table that are sent to the browser."""


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` under ``columns``, whose names differ; ``total`` counts the rows before the cut.

    ``numbers`` are the retrievals (numbers in the log) that the rows speak of, ``documents`` the ids of the documents
    as they are; none where the rows speak of others.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    numbers: tuple[int, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def cut(self) -> bool:
        """True if there are more rows than those held here."""
        return self.total > len(self.rows)


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int | None = None,
    numbers: Sequence[int] = (),
    documents: Sequence[str] = (),
) -> Table:
    """A table of ``rows``, of which ``ROWS_ON_SCREEN`` are kept; ``total`` where the caller has cut already."""
    kept = tuple(tuple(row) for row in rows[:ROWS_ON_SCREEN])
    whole = len(rows) if total is None else total
    ids = tuple(documents[:ROWS_ON_SCREEN])
    return Table(told_apart(columns), kept, whole, tuple(numbers[:ROWS_ON_SCREEN]), ids)


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Names of which none occurs twice: a repeated one gets its number."""
    seen: dict[str, int] = {}
    made: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told = name if seen[name] == 1 else f"{name} ({seen[name]})"
        while told in made:
            told += "'"
        made.append(told)
    return tuple(made)
