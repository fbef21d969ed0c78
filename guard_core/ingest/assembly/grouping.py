"""Group rows into retrievals, and put each retrieval in the order in which it is judged.

Flows in: ``Rows`` in the order in which they were read.  Flows out: ``Rows`` in which the rows of a retrieval stand
together in judged order, with the offsets of the retrievals.
Rules kept here: R10 (order) and R11 (one retrieval: the rows of a flat file with one query id and one instant, or one
nested record).  Retrievals are in order of first occurrence.  A retrieval in which any row has no rank is as listed.
Rows that agree in rank and result id but in nothing else are ordered by what they hold, so that the order of lines
never matters where ranks are given.
Not here: rows and retrievals that are equal (``repeats.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.assembly.repeats import make_sort_keys, mark_repeated_rows
from guard_core.ingest.assembly.rows import Rows, mark_changes, mark_tied


@dataclass(frozen=True, slots=True)
class GroupedRows:
    """Rows by retrieval.

    The rows of retrieval ``i`` are ``offsets[i]:offsets[i + 1]``; one without results still has a row, whose result id
    is missing. ``merged`` rows were exact repeats of others (R12); ``misordered`` nested lists were not in rank order.
    """

    rows: Rows
    offsets: NDArray[np.int64]
    merged: int
    misordered: int


def group_rows(rows: Rows) -> GroupedRows:
    """Group the rows of each retrieval, in judged order."""
    starts = _starts(rows)
    if not _contiguous(rows, starts):
        rows = rows.take(_together(rows, starts))
        starts = _starts(rows)
    groups = np.cumsum(starts) - 1
    misordered = _misordered(rows, groups)
    ranked = _all_ranked(rows, groups)
    merged = 0
    rising = groups[1:] != groups[:-1]
    rising |= rows.ranks[1:] > rows.ranks[:-1]
    if not np.all(rising | ~ranked[groups[1:]]) or bool(np.any(rows.ranks[~ranked[groups]] > 0)):
        repeated = mark_repeated_rows(rows, groups)
        if repeated.any():
            merged = int(repeated.sum())
            rows, groups = rows.take(np.flatnonzero(~repeated)), groups[~repeated]
        rows = rows.take(_judged_order(rows, groups, ranked))
    offsets = np.searchsorted(groups, np.arange(len(ranked) + 1)).astype(np.int64)
    return GroupedRows(rows, offsets, merged, misordered)


def _keys(rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    return rows.files, rows.records, rows.text["query_id"].codes, rows.times


def _starts(rows: Rows) -> NDArray[np.bool_]:
    """Mark the rows that do not belong to the retrieval of the row before them."""
    return mark_changes(*_keys(rows))


def _contiguous(rows: Rows, starts: NDArray[np.bool_]) -> bool:
    """Return whether the rows of each retrieval already stand together, retrievals in order of their lines."""
    first = np.flatnonzero(starts)
    lines, files = rows.lines[first], rows.files[first]
    if not np.all((lines[1:] > lines[:-1]) | (files[1:] > files[:-1])):
        return False
    keys = [key[first] for key in _keys(rows)]
    order = np.lexsort(keys)
    return bool(mark_changes(*(key[order] for key in keys)).all())


def _together(rows: Rows, starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the order of rows in which retrievals stand together, in order of first occurrence, rows as listed."""
    first = np.flatnonzero(starts)
    keys = [key[first] for key in _keys(rows)]
    by_line = np.lexsort((rows.lines[first], rows.files[first]))
    order = by_line[np.lexsort([key[by_line] for key in keys])]  # equal keys: by line
    new = mark_changes(*(key[order] for key in keys))
    leader = order[np.flatnonzero(new)][np.cumsum(new) - 1]  # the first run of each run's retrieval
    rank_of_run = np.empty(len(first), np.int64)
    rank_of_run[by_line] = np.arange(len(first))
    run_key = np.empty(len(first), np.int64)
    run_key[order] = rank_of_run[leader]
    runs = np.cumsum(starts) - 1
    return np.lexsort((rows.lines, run_key[runs]))


def _all_ranked(rows: Rows, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the retrievals of which every row gives a rank."""
    ranked = np.ones(int(groups[-1]) + 1 if len(groups) else 0, np.bool_)
    ranked[groups[rows.ranks == 0]] = False
    return ranked


def _misordered(rows: Rows, groups: NDArray[np.int64]) -> int:
    """Count the nested lists that give ranks which do not rise as listed."""
    given, before = rows.ranks[1:] > 0, rows.ranks[:-1] > 0
    falls = (groups[1:] == groups[:-1]) & (rows.records[1:] >= 0) & given & before & (rows.ranks[1:] < rows.ranks[:-1])
    return len(np.unique(groups[1:][falls]))


def _judged_order(rows: Rows, groups: NDArray[np.int64], ranked: NDArray[np.bool_]) -> NDArray[np.int64]:
    ranks = np.where(ranked[groups], rows.ranks, 0)
    order = np.lexsort((ranks, groups))
    tied = mark_tied(groups[order], ranks[order]) & (ranks[order] > 0)
    if not tied.any():
        return order
    places = np.flatnonzero(tied)
    tied_rows = order[places]
    ids = _byte_order(rows, tied_rows)
    order[places] = tied_rows[np.lexsort((ids, ranks[tied_rows], groups[tied_rows]))]
    result_ids = rows.text["result_id"].codes
    places = np.flatnonzero(mark_tied(groups[order], ranks[order], result_ids[order]) & (ranks[order] > 0))
    if len(places):
        tied_rows = order[places]
        what = make_sort_keys(rows, tied_rows)
        where = list(
            zip(groups[tied_rows].tolist(), ranks[tied_rows].tolist(), _byte_order(rows, tied_rows), strict=True)
        )
        order[places] = tied_rows[sorted(range(len(what)), key=lambda row: (where[row], what[row]))]
    return order


def _byte_order(rows: Rows, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for the chosen rows, where their result id stands when ids are sorted by their bytes."""
    column = rows.text["result_id"]
    codes, inverse = np.unique(column.codes[chosen], return_inverse=True)
    names = column.values.take(pa.array(codes)).cast(pa.large_binary())
    places = np.empty(len(codes), np.int64)
    places[pc.array_sort_indices(names).to_numpy()] = np.arange(len(codes))
    return places[inverse]
