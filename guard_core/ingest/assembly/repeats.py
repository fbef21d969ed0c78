"""Find rows and retrievals that are equal to earlier ones in every column read (R12).

Flows in: ``Rows``.  Flows out: masks of those that repeat an earlier one, and keys that order rows by what they hold.
Rules kept here: hashes only find candidates; equality is decided column by column.
Not here: what happens to the rows that repeat others (``assemble.py``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, add_up_lengths, count_items
from guard_core.ingest.assembly.rows import TEXT_COLUMNS, Rows, list_members, mark_changes, mark_tied

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)


def mark_repeated_rows(rows: Rows, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the rows of flat files that give a rank and equal an earlier row of their retrieval in every column."""
    repeated = np.zeros(len(rows), np.bool_)
    ids = rows.text["result_id"].codes
    chosen = np.flatnonzero((rows.records < 0) & (rows.ranks > 0))
    if not len(chosen):
        return repeated
    order = chosen[np.lexsort((ids[chosen], rows.ranks[chosen], groups[chosen]))]
    tied = mark_tied(groups[order], rows.ranks[order], ids[order])
    candidates = np.sort(order[tied])
    if not len(candidates):
        return repeated
    hashes = hash_rows(rows, candidates)
    by_hash = np.lexsort((candidates, hashes, ids[candidates], rows.ranks[candidates], groups[candidates]))
    ordered, ordered_hashes = candidates[by_hash], hashes[by_hash]
    first = mark_changes(groups[ordered], ordered_hashes)
    leaders = ordered[np.flatnonzero(first)][np.cumsum(first) - 1]
    others = ~first
    equal = compare_rows(rows, leaders[others], ordered[others])
    repeated[ordered[others][equal]] = True
    return repeated


def mark_repeated_retrievals(rows: Rows, offsets: NDArray[np.int64], rejected: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the retrievals that are equal to an earlier one.

    They agree in query id, instant, query, task, results in order, and the number of results that could not be read.
    """
    count = len(offsets) - 1
    repeated = np.zeros(count, np.bool_)
    query_ids = rows.text["query_id"].codes[offsets[:-1]]
    times = np.bincount(query_ids, minlength=1)
    chosen = np.flatnonzero(times[query_ids] > 1)
    if not len(chosen):
        return repeated
    places, ends = list_members(offsets, chosen)
    position = np.arange(len(places)) - np.repeat(ends[:-1], np.diff(ends))
    with np.errstate(over="ignore"):
        mixed = _mix(hash_rows(rows, places) + _mix(position.astype(np.uint64)))
        hashes = np.add.reduceat(mixed, ends[:-1])
    keys = (hashes, rejected[chosen], np.diff(ends), query_ids[chosen])
    order = np.lexsort((chosen, *keys))
    first = mark_changes(*(key[order] for key in keys))
    leaders = chosen[order][np.flatnonzero(first)][np.cumsum(first) - 1][~first]
    others = chosen[order][~first]
    left, pair_ends = list_members(offsets, leaders)
    right, _ = list_members(offsets, others)
    different = add_up_lengths(~compare_rows(rows, left, right))
    repeated[others] = different[pair_ends[1:]] == different[pair_ends[:-1]]
    return repeated


def compare_rows(rows: Rows, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the pairs of rows that are equal in every column read."""
    equal = np.ones(len(left), np.bool_)
    for column in _columns(rows):
        equal &= column[left] == column[right]
    for lists in (rows.anchors, rows.parents):
        equal &= _lists_equal(lists, left, right)
    return equal


def hash_rows(rows: Rows, chosen: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash every column read of each chosen row."""
    hashes = np.zeros(len(chosen), np.uint64)
    with np.errstate(over="ignore"):
        for column in _columns(rows):
            hashes = _mix(hashes + column[chosen].astype(np.uint64))
        for lists in (rows.anchors, rows.parents):
            places, ends = list_members(lists.offsets, chosen)
            members = _mix(lists.codes[places].astype(np.uint64))
            sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(members, dtype=np.uint64)))
            hashes = _mix(hashes + (sums[ends[1:]] - sums[ends[:-1]]))
    return hashes


def make_sort_keys(rows: Rows, chosen: NDArray[np.int64]) -> list[tuple[object, ...]]:
    """Return what each chosen row holds, as a key that sorts alike whatever stood before it in the file."""
    keys: list[tuple[object, ...]] = []
    for row in chosen.tolist():
        given = (rows.text[name].text(row) for name in TEXT_COLUMNS)
        texts = tuple((text is not None, text or "") for text in given)
        anchors = slice(rows.anchors.offsets[row], rows.anchors.offsets[row + 1])
        parents = slice(rows.parents.offsets[row], rows.parents.offsets[row + 1])
        weights = () if rows.anchors.weights is None else tuple(rows.anchors.weights[anchors].tolist())
        hashes = tuple(rows.anchor_hashes[code].as_py() for code in rows.anchors.codes[anchors].tolist())
        names = tuple(rows.parent_ids[code].as_py() for code in rows.parents.codes[parents].tolist())
        scored = not np.isnan(rows.scores[row])
        score = (scored, float(rows.scores[row]) if scored else 0.0, bool(np.signbit(rows.scores[row])))
        numbers = (int(rows.class_words[row]), int(rows.depths[row]), bool(rows.creative[row]))
        keys.append((texts, score, numbers, hashes, weights, names))
    return keys


def _columns(rows: Rows) -> list[NDArray[np.int64]]:
    """Return every column but lists, as integers that are equal where the values are."""
    scores = rows.scores.view(np.int64)
    scores = np.where(np.isnan(rows.scores), np.int64(-1), scores)
    return [
        *(rows.text[name].codes for name in TEXT_COLUMNS),  # type: ignore[list-item]  # int32 and int64 mix well
        rows.ranks,  # type: ignore[list-item]
        scores,
        rows.class_words,  # type: ignore[list-item]
        rows.depths,  # type: ignore[list-item]
        rows.times,
        rows.creative,  # type: ignore[list-item]
    ]


def _lists_equal(lists: Ragged, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
    lengths = count_items(lists)
    equal: NDArray[np.bool_] = lengths[left] == lengths[right]
    pairs = np.flatnonzero(equal)
    left_places, ends = list_members(lists.offsets, left[pairs])
    right_places, _ = list_members(lists.offsets, right[pairs])
    differs = lists.codes[left_places] != lists.codes[right_places]
    if lists.weights is not None:
        differs |= lists.weights[left_places] != lists.weights[right_places]
    sums = add_up_lengths(differs)
    equal[pairs] = sums[ends[1:]] == sums[ends[:-1]]
    return equal


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = (values + _ODD) * _MULTIPLIER
    return mixed ^ (mixed >> _SHIFT)
