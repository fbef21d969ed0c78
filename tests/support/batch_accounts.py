"""Turn batches into plain values, for tests that compare readers.

Flows in: ``RowBatch`` objects.  Flows out: rows, rejected rows and notices as values, whatever the encoding of columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from guard_core.ingest.batch import EmptyRetrieval, RejectedRow, RowBatch


@dataclass(frozen=True)
class Account:
    """Hold all that batches tell but the encoding of their columns."""

    rows: list[tuple[int, int | None, dict[str, object]]]
    rejected: list[RejectedRow]
    empty: list[EmptyRetrieval]
    notices: Counter[str]
    incomplete: bool


def gather_account(batches: Iterable[RowBatch]) -> Account:
    """Return what the batches tell, in the order of lines."""
    found = Account([], [], [], Counter(), False)
    incomplete = False
    for batch in batches:
        found.rows.extend(_rows(batch))
        found.rejected.extend(batch.rejected)
        found.empty.extend(batch.empty)
        found.notices.update(batch.notices)
        incomplete = incomplete or batch.incomplete
    found.rows.sort(key=lambda row: row[0])
    found.rejected.sort(key=lambda one: one.line)
    found.empty.sort(key=lambda one: one.line)
    return Account(found.rows, found.rejected, found.empty, +found.notices, incomplete)


def _rows(batch: RowBatch) -> Iterable[tuple[int, int | None, dict[str, object]]]:
    for row in range(batch.rows):
        cells = {name: array[row].as_py() for name, array in batch.columns.items()}
        weights = cells.pop("anchor_weights", None)
        anchors = cells.pop("anchors", None)
        cells = {name: cell for name, cell in cells.items() if cell is not None and cell != []}
        if anchors:
            cells["anchors"] = list(zip(anchors, weights or [1.0] * len(anchors), strict=True))
        cells.setdefault("authenticity", 0)
        cells.setdefault("creative", False)
        record = None if batch.records is None else int(batch.records[row])
        yield int(batch.lines[row]), record, cells
