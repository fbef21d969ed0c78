"""Count rejected results by retrieval, and keep the retrievals that have no other results.

Flows in: ``RejectedRow`` objects of each file; then the accepted rows, and the retrievals that they make.  Flows out:
for each retrieval how many of its results were rejected, and a row without a result for each that has only rejected
ones.
Rules kept here: R71 (a retrieval knows how many of its results were rejected); R9, for flat rows too: a retrieval whose
results were all rejected stays, with zero results, so that no list vanishes because none of its rows can be read.
Not here: why a row is rejected (the readers), the list of problems (``assemble.py``).
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.assembly.rows import Rows, mark_changes
from guard_core.ingest.batch import EmptyRetrieval, RejectedRow, RowBatch
from guard_core.ingest.log import MISSING_TIME

_Whose = tuple[int, int, str, int | None]
"""File, nested record (-1: flat), query id and time of a rejected result."""

_FLAT = -1


class RejectionCounts:
    """Counts rejected results by the retrieval to which they belong, as far as that could be read."""

    def __init__(self) -> None:
        self._whose: Counter[_Whose] = Counter()
        self._lines: dict[_Whose, int] = {}

    def add(self, rejected: RejectedRow, file: int) -> None:
        """Count a rejected result."""
        if rejected.query_id is None:
            return
        record = _FLAT if rejected.record is None else rejected.record
        key = file, record, rejected.query_id, rejected.time
        self._whose[key] += 1
        self._lines.setdefault(key, rejected.line)

    def make_rows(self, file: int) -> RowBatch | None:
        """Return a row without a result for each flat retrieval of a file that has lost results.

        ``drop_unneeded`` removes those for which there is another row.
        """
        lost = [(line, key) for key, line in self._lines.items() if key[:2] == (file, _FLAT)]
        if not lost:
            return None
        columns = {
            "query_id": pa.array([key[2] for _, key in lost], pa.string()),
            "timestamp": pa.array([key[3] for _, key in lost], pa.int64()),
        }
        return RowBatch(len(lost), np.array([line for line, _ in lost], np.int64), columns)

    def count_by_retrieval(self, rows: Rows, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the rejected results of each retrieval (R71).

        A flat row goes to the retrieval of its query id and time; where there is none (the time may be what could not
        be read) to the first of that query id in its file.
        """
        counts = np.zeros(len(offsets) - 1, np.int64)
        if not self._whose:
            return counts
        first = offsets[:-1]
        query_ids = rows.text["query_id"]
        names = pa.array(sorted({whose[2] for whose in self._whose}), query_ids.values.type)
        codes = dict(zip(names.to_pylist(), pc.index_in(names, query_ids.values).to_pylist(), strict=True))
        wanted = np.array([code for code in codes.values() if code is not None], np.int64)
        exact: dict[tuple[int, int, int, int], int] = {}
        by_query: dict[tuple[int, int, int], int] = {}
        for retrieval in np.flatnonzero(np.isin(query_ids.codes[first], wanted)).tolist():
            row = first[retrieval]
            key = int(rows.files[row]), int(rows.records[row]), int(query_ids.codes[row])
            time = int(rows.times[row])
            exact.setdefault((*key, time), retrieval)
            by_query.setdefault(key, retrieval)
        for (file, record, name, known), count in self._whose.items():
            code = codes[name]
            if code is not None:
                elsewhere = by_query.get((file, record, code), -1)
                place = exact.get((file, record, code, MISSING_TIME if known is None else known), elsewhere)
                if place >= 0:
                    counts[place] += count
        return counts


def drop_unneeded(rows: Rows) -> Rows:
    """Return the rows without those of ``RejectionCounts.make_rows`` whose retrieval has others.

    One with a time belongs to its query id and time. One without may belong to any retrieval of its query id (its time
    may be what could not be read), and stays only where there is no other.
    """
    made = (rows.text["result_id"].codes < 0) & (rows.records == _FLAT)
    if not made.any():
        return rows
    owner = (rows.files.astype(np.int64) << 32) | rows.text["query_id"].codes
    near = np.flatnonzero(np.isin(owner, owner[made]))
    order = near[np.lexsort((made[near], rows.times[near], owner[near]))]  # the made one last among equals
    again = ~mark_changes(owner[order], rows.times[order])
    others = np.isin(owner, owner[~made | (rows.times != MISSING_TIME)])
    drop = made & (rows.times == MISSING_TIME) & others
    drop[order[again & made[order]]] = True
    return rows.take(np.flatnonzero(~drop))


def make_placeholders(empty: tuple[EmptyRetrieval, ...]) -> RowBatch:
    """Return one row without a result for each nested retrieval without results, to be grouped like any other."""
    columns = {
        "query_id": pa.array([e.query_id for e in empty], pa.string()),
        "query": pa.array([e.query for e in empty], pa.string()),
        "timestamp": pa.array([e.time for e in empty], pa.int64()),
        "creative": pa.array([e.creative for e in empty], pa.bool_()),
    }
    lines = np.array([e.line for e in empty], np.int64)
    return RowBatch(len(empty), lines, columns, lines)
