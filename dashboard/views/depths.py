"""Split the depths of results by rank, originator, generator or month.

Flows in: ``Statistics``, a belief, what to split by.  Flows out: ``DepthSplit``.
Rules kept here: every judged result falls into exactly one group, so that the groups add up to the histogram; what
has no originator or no time is a group of its own and comes last; of many groups the strongest (of months the latest)
are shown and the rest is one group, named as such.
Not here: the histogram as a whole (``overview.py``), the figure (``charts/depths.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dashboard.text import escape_text
from dashboard.views.table import Table, make_table, number_repeats
from dashboard.words import format_share
from guard_core.columns import TextColumn
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.statistics import DEPTH_BUCKETS, Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence

RANK, ORIGINATOR, GENERATOR, MONTH = "rank", "originator", "generator", "month"

RANKS = (1, 2, 4, 6, 11, 21, 51)
"""The first rank of each group of ranks; the last group is open."""

STRONGEST = 8
"""Originators, and generators, with a group of their own."""

LATEST = 18
"""Months with a group of their own."""

Places = NDArray[np.int64] | slice

_NO_TIME = "no time"

_DEEP = tuple(DEPTH_BUCKETS.index(bucket) for bucket in ("2", "3", "4+"))


@dataclass(frozen=True, slots=True)
class DepthSplit:
    """``counts[i][j]`` results of group ``i`` have the depth ``DEPTH_BUCKETS[j]``; groups stand in the order of the
    screen."""

    by: str
    groups: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    title: str
    numbers: Table


def list_splits(evidence: Evidence) -> tuple[str, ...]:
    """List what the depths of a log can be split by."""
    by = [RANK]
    if (evidence.originators.codes >= 0).any():
        by.append(ORIGINATOR)
    if (evidence.generators.codes >= 0).any():
        by.append(GENERATOR)
    if (evidence.log.times != MISSING_TIME).any():
        by.append(MONTH)
    return tuple(by)


def split_depths(
    statistics: Statistics, belief: Belief, by: str, places: NDArray[np.int64] | None = None
) -> DepthSplit:
    """Count the depths of each group of judged results; ``by`` is one of :func:`list_splits`.

    ``places`` are places among the judged results, all if it is ``None``.
    """
    names, group = _group_results(statistics, by, slice(None) if places is None else places)
    bucket = _find_buckets(statistics, belief, slice(None) if places is None else places)
    size = len(DEPTH_BUCKETS)
    flat = np.bincount(group.astype(np.int64) * size + bucket, minlength=len(names) * size)
    counts = flat.reshape(len(names), size)
    filled = np.flatnonzero(counts.sum(axis=1))
    groups = number_repeats([names[i] for i in filled.tolist()])
    kept = [tuple(row) for row in counts[filled].tolist()]
    rows = [
        (name, *row, sum(row), format_share(sum(row[j] for j in _DEEP), sum(row)))
        for name, row in zip(groups, kept, strict=True)
    ]
    columns = (by.capitalize(), *(f"Depth {b}" for b in DEPTH_BUCKETS), "Results", "Machine on machine")
    return DepthSplit(by, groups, tuple(kept), _title_split(by, groups, kept), make_table(columns, rows))


def count_depths(statistics: Statistics, belief: Belief, places: NDArray[np.int64]) -> dict[str, int]:
    """Count the judged results at these places by depth, in the buckets of a histogram."""
    bucket = _find_buckets(statistics, belief, places)
    return dict(zip(DEPTH_BUCKETS, np.bincount(bucket, minlength=len(DEPTH_BUCKETS)).tolist(), strict=True))


def _title_split(by: str, groups: tuple[str, ...], counts: list[tuple[int, ...]]) -> str:
    """Compare the first group with the last; of originators and generators name the one with the largest share."""
    if not groups:
        return "No depth: no result is judged"
    deep = [sum(row[j] for j in _DEEP) for row in counts]
    totals = [sum(row) for row in counts]
    if not any(deep):
        return f"No {by} has machine text built on machine text"
    if len(groups) == 1:
        return (
            f"Machine text built on machine text: {format_share(deep[0], totals[0])} of the results, all in one group"
        )
    shares = [part / whole for part, whole in zip(deep, totals, strict=True)]
    if by in (ORIGINATOR, GENERATOR):
        most = max(range(len(groups)), key=lambda i: (shares[i], totals[i]))
        return f"Most machine text built on machine text: {groups[most]}, {format_share(deep[most], totals[most])}"
    last = len(groups) - 1 if groups[-1] != _NO_TIME or len(groups) == 2 else len(groups) - 2
    what = "at rank" if by == RANK else "in"
    first = f"{format_share(deep[0], totals[0])} {what} {groups[0]}"
    return (
        f"Machine text built on machine text: {first}, {format_share(deep[last], totals[last])} {what} {groups[last]}"
    )


def _find_buckets(statistics: Statistics, belief: Belief, places: Places) -> NDArray[np.int64]:
    depths = statistics.depths(belief)[places]
    return np.where(depths < 0, len(DEPTH_BUCKETS) - 1, np.minimum(depths, len(DEPTH_BUCKETS) - 2))


def _group_results(statistics: Statistics, by: str, places: Places) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of groups, and the group of each result."""
    if by == RANK:
        return _group_by_rank(statistics, places)
    if by == MONTH:
        return _group_by_month(statistics, places)
    evidence = statistics.evidence
    return _group_by_label(evidence.originators if by == ORIGINATOR else evidence.generators, statistics, places)


def group_ranks(statistics: Statistics) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of groups of ranks, and the group of each judged result."""
    return _group_by_rank(statistics, slice(None))


def _group_by_rank(statistics: Statistics, places: Places) -> tuple[list[str], NDArray[np.int64]]:
    ranks = statistics.evidence.log.ranks[statistics.rows][places]
    names = [str(first) if after == first + 1 else f"{first} to {after - 1}" for first, after in pairwise(RANKS)]
    group = np.searchsorted(np.array(RANKS), ranks, side="right") - 1
    return [*names, f"{RANKS[-1]} and later"], np.maximum(group, 0)


def _group_by_label(column: TextColumn, statistics: Statistics, places: Places) -> tuple[list[str], NDArray[np.int64]]:
    codes = column.codes[statistics.rows][places]
    size = len(column.values)
    counts = np.bincount(codes[codes >= 0], minlength=size)
    used = np.flatnonzero(counts)
    values = column.values.take(pa.array(used))
    ordered = pc.sort_indices(values).to_numpy(zero_copy_only=False)
    rank = np.empty(len(used), np.int64)
    rank[ordered] = np.arange(len(used))
    strongest = used[np.lexsort((rank, -counts[used]))][:STRONGEST]
    names = [escape_text(name, 28) for name in column.values.take(pa.array(strongest)).to_pylist()]
    place = np.full(size + 1, len(strongest), np.int64)
    place[strongest] = np.arange(len(strongest))
    place[-1] = len(strongest) + 1  # -1, nobody named, reads the last place
    others = len(used) - len(strongest)
    return [*names, f"{others:,} others", "none named"], place[codes]


def _group_by_month(statistics: Statistics, places: Places) -> tuple[list[str], NDArray[np.int64]]:
    times = statistics.evidence.log.times[statistics.retrievals]
    known = times != MISSING_TIME
    months = times.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
    present = np.unique(months[known])
    kept = present[-LATEST:]
    names = [str(np.datetime64(int(month), "M")) for month in kept.tolist()]
    # Group 0 is what came before the months that are kept.
    place = np.searchsorted(kept, months, side="right")
    place[~known] = len(kept) + 1
    first = f"before {names[0]}" if names else "before"
    return [first, *names, _NO_TIME], place[statistics.owner[places]].astype(np.int64)
