"""Several entries of one catalogue for one document: which one counts.

Flows in: the columns of all entries, as they stand in the file.  Flows out: for each document the entry that counts.
Rules kept here: the least trusted entry counts: no class before synthetic of unknown or greater depth, that before
depth 1, that before human; documents whose entries differ in class or depth are marked (R27); the order of entries in
the file never matters.
Not here: what a class word and a depth say (``classes.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, count_items, list_pairs, number_items, pair_codes, sort_distinct
from guard_core.provenance.classes import ClassReading

_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Odd constants of the splitmix64 generator (Steele, Lea and Flood 2014)."""


def counting_entries(
    documents: NDArray[np.int32],
    reading: ClassReading,
    anchors: Ragged,
    parents: Ragged,
    ties: Sequence[NDArray[np.int32]],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """For each document (0, 1, ... in ``documents``) the row of the entry that counts.

    Equal in class and depth, an entry with parents counts before one without, then the one with fewer anchors;
    ``ties`` are further columns that decide in a fixed way between entries that are worth the same.  Gives the rows,
    which documents have entries that differ in class or depth, and which rows say the same as the entry that counts.
    """
    count = int(documents.max()) + 1 if len(documents) else 0
    if count == len(documents):
        rows = np.empty(count, np.int64)
        rows[documents] = np.arange(count)
        return rows, np.zeros(count, bool), np.ones(count, bool)
    depths = np.where(reading.depths < 0, np.iinfo(np.int32).max, reading.depths)
    keys: list[NDArray[np.generic]] = [
        *ties,
        list_keys(parents),
        list_keys(anchors),
        count_items(anchors),
        -(count_items(parents) > 0).astype(np.int8),
        -depths,
        -reading.classes.astype(np.int8),
        documents,
    ]
    order = np.lexsort(keys)  # the last key is the first to decide
    first = np.flatnonzero(np.diff(documents[order], prepend=-1))
    rows = order[first]
    chosen = rows[documents]
    same = (reading.classes == reading.classes[chosen]) & (depths == depths[chosen])
    differs = np.zeros(count, bool)
    differs[documents[~same]] = True
    return rows, differs, same


def contents_of(documents: NDArray[np.int32], contents: NDArray[np.int32], count: int) -> Ragged:
    """The distinct contents of each document, in the order of their digests."""
    stated = contents >= 0
    pairs = sort_distinct(pair_codes(documents[stated], contents[stated]))
    return list_pairs(pairs, count)


def list_keys(lists: Ragged) -> NDArray[np.uint64]:
    """A number for each list that depends on its items, their order and weights: equal lists have equal numbers, others
    hardly ever."""
    values = (lists.codes.astype(np.uint64) + np.uint64(1)) * np.uint64(_MIX[0])
    values ^= number_items(count_items(lists)).astype(np.uint64) * np.uint64(_MIX[1])
    if lists.weights is not None:
        values ^= lists.weights.view(np.uint64) * np.uint64(_MIX[2])
    values ^= values >> np.uint64(30)
    values *= np.uint64(_MIX[1])
    values ^= values >> np.uint64(27)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    keys: NDArray[np.uint64] = sums[lists.offsets[1:]] - sums[lists.offsets[:-1]]
    return keys
