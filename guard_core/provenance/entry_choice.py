"""Choose the entry that counts among several for one document.

Flows in: the columns of all entries, several a document.  Flows out: ``ChosenEntries``.
Rules kept here: the least trusted entry counts: no class before synthetic of unknown or greater depth, that before
depth 1, that before human; documents whose entries differ in class or depth are marked (R27); the order of entries
never matters.
Not here: what a class word and a depth mean (``classes.py``), the columns of the chosen entries (``entries.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, count_items, number_items
from guard_core.provenance.classes import StatedClasses

_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Odd constants of the splitmix64 generator (Steele, Lea and Flood 2014)."""


@dataclass(frozen=True, slots=True, eq=False)
class ChosenEntries:
    """Hold, for each document, the row of its entry and whether its rows are ``differing`` in class or depth; and which
    rows are ``equal`` in class and depth to the one that counts."""

    rows: NDArray[np.int64]
    differing: NDArray[np.bool_]
    equal: NDArray[np.bool_]


def choose_entries(
    documents: NDArray[np.int32],
    reading: StatedClasses,
    anchors: Ragged,
    parents: Ragged,
    ties: Sequence[NDArray[np.int32]],
) -> ChosenEntries:
    """Choose the entry that counts for each document (0, 1, ... in ``documents``).

    Of entries equal in class and depth, one with parents counts before one without, then the one with fewer anchors;
    ``ties`` are further columns that decide in a fixed way between entries that are worth the same.
    """
    count = int(documents.max()) + 1 if len(documents) else 0
    if count == len(documents):
        rows = np.empty(count, np.int64)
        rows[documents] = np.arange(count)
        return ChosenEntries(rows, np.zeros(count, bool), np.ones(count, bool))
    depths = np.where(reading.depths < 0, np.iinfo(np.int32).max, reading.depths)
    keys: list[NDArray[np.generic]] = [
        *ties,
        hash_lists(parents),
        hash_lists(anchors),
        count_items(anchors),
        -(count_items(parents) > 0).astype(np.int8),
        -depths,
        -reading.classes.astype(np.int8),
        documents,
    ]
    order = np.lexsort(keys)  # the last key is the first to decide
    rows = order[np.flatnonzero(np.diff(documents[order], prepend=-1))]
    chosen = rows[documents]
    equal = (reading.classes == reading.classes[chosen]) & (depths == depths[chosen])
    differing = np.zeros(count, bool)
    differing[documents[~equal]] = True
    return ChosenEntries(rows, differing, equal)


def hash_lists(lists: Ragged) -> NDArray[np.uint64]:
    """Return a hash of each list's items, their order and weights: equal lists have equal ones, others hardly ever."""
    values = (lists.codes.astype(np.uint64) + np.uint64(1)) * np.uint64(_MIX[0])
    values ^= number_items(count_items(lists)).astype(np.uint64) * np.uint64(_MIX[1])
    if lists.weights is not None:
        values ^= lists.weights.view(np.uint64) * np.uint64(_MIX[2])
    values ^= values >> np.uint64(30)
    values *= np.uint64(_MIX[1])
    values ^= values >> np.uint64(27)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    hashes: NDArray[np.uint64] = sums[lists.offsets[1:]] - sums[lists.offsets[:-1]]
    return hashes
