"""Number the distinct combinations of counts that the retrievals of a log have: their profiles.

Flows in: per-retrieval integer columns.  Flows out: ``Profiles``, and the profile number of each retrieval.
Rules kept here: packing is exact (no hashing of values into fewer bits); everything that any judging field of a
policy can ask for is in a profile, under both beliefs and for both counting units, so that a policy is judged once a
profile.
Not here: how the columns are made (``statistics.py``), the judgement (``judge.py``).

Retrievals of ten results repeat: a million retrievals have some hundred profiles under plain labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_PACKED = 1 << 62
"""Keys are compacted before they would grow beyond this."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """``p`` distinct profiles.  First axes: belief (2), unit (2), category (6) or gate (4, in the order of
    ``SignatureGate``)."""

    entries: NDArray[np.int32]
    """Judged list entries (p)."""
    counts: NDArray[np.int32]
    """Items by category (2, 2, 6, p)."""
    anchored: NDArray[np.int32]
    """Items with a resolved human source (2, 2, p)."""
    deepest: NDArray[np.int32]
    """Greatest known depth, -1 if none is known (2, p)."""
    deep_unknown: NDArray[np.bool_]
    """A synthetic entry of unknown depth is among them (2, p)."""
    effective: NDArray[np.float64]
    """Effective anchors, NaN if nothing is anchored (2, p)."""
    untraced: NDArray[np.bool_]
    """An entry cannot be traced to who wrote it (2, p)."""
    gates: NDArray[np.bool_]
    """Every judged entry passes gate 1 (4, p)."""
    human_only: NDArray[np.bool_]
    creative: NDArray[np.bool_]
    duplicate_documents: NDArray[np.bool_]
    class_conflict: NDArray[np.bool_]
    depth_conflict: NDArray[np.bool_]
    rank_repeated: NDArray[np.bool_]
    results_rejected: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Number of distinct profiles."""
        return len(self.entries)


def number_profiles(
    columns: Iterable[NDArray[np.generic]], retrievals: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the distinct rows of integer or boolean ``columns``, each of length ``retrievals``.

    Returns the profile number of each retrieval, in order of first occurrence, and the first retrieval of each profile.
    """
    key = np.zeros(retrievals, np.int64)
    size = 1
    if retrievals == 0:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    for column in columns:
        values = column.astype(np.int64)
        low = int(values.min())
        span = int(values.max()) - low + 1
        if span == 1:
            continue
        if size * span >= _PACKED:
            codes = _number_distinct(key)
            key, size = codes.astype(np.int64), int(codes.max()) + 1
        key = key * span + (values - low)
        size *= span
    codes = _number_distinct(key)
    first = np.empty(int(codes.max()) + 1, np.int64)
    first[codes[::-1]] = np.arange(retrievals - 1, -1, -1)
    return codes, first


def number_floats(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Number floats so that equal ones have equal codes; all NaN are equal."""
    return _number_distinct(np.where(np.isnan(values), -1.0, values))


def _number_distinct(values: NDArray[np.generic]) -> NDArray[np.int32]:
    """Number the distinct values in the order in which they first occur."""
    indices = pa.array(values).dictionary_encode().indices
    return np.asarray(indices.to_numpy(), dtype=np.int32)
