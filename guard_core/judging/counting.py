"""Counting: per-retrieval columns of one reading of the evidence, over the judged rows.

Flows in: ``Evidence`` and which rows are judged.  Flows out: ``Shape`` (where rows stand), ``Reading`` (counts, depths,
anchors of one reading) and the flags that do not depend on the reading.
Rules kept here: what is counted for a document that stands several times is the less trusted, and what any of its
entries closes stays closed; effective anchors, depths and findings are taken over list entries whatever is counted
(R48). Not here: numbering of profiles (``profiles.py``), metrics (``statistics.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import BASES, CONFLICTS, DEPTH_1, DEPTH_2_PLUS, DOCUMENTS, HUMAN, RESULTS, STATUSES, UNKNOWN
from guard_core.judging.masses import AnchorSums, anchor_sums, greatest, occurrences
from guard_core.judging.profiles import Category
from guard_core.model import Basis, Belief, Conflict, SignatureStatus
from guard_core.provenance.evidence import Evidence

_OPEN_STATUSES = [
    STATUSES.code(status) for status in (SignatureStatus.MISSING, SignatureStatus.UNCHECKED, SignatureStatus.VALID)
]
_UPHELD_BASES = BASES.code(Basis.CATALOGUE)
"""Basis codes up to this one do not rest on the log's word."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the judged rows of each kept retrieval stand."""

    owner: NDArray[np.int32]
    entries: NDArray[np.int32]
    starts: NDArray[np.int64]
    filled: NDArray[np.bool_]
    longest: int

    @staticmethod
    def of(owner: NDArray[np.int32], lengths: NDArray[np.int64]) -> Shape:
        starts = np.cumsum(lengths) - lengths
        return Shape(owner, lengths.astype(np.int32), starts, lengths > 0, int(lengths.max(initial=0)))

    @property
    def size(self) -> int:
        return len(self.entries)

    def any(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether a retrieval has a row that is true."""
        hit = np.zeros(self.size, bool)
        hit[self.owner[rows]] = True
        return hit


@dataclass(frozen=True, slots=True)
class Reading:
    """Per-retrieval columns of one reading of the evidence."""

    counts: NDArray[np.int32]
    anchored: NDArray[np.int32]
    deepest: NDArray[np.int32]
    deep_unknown: NDArray[np.bool_]
    untraced: NDArray[np.bool_]
    effective: NDArray[np.float64]
    sums: AnchorSums
    units: tuple[int, ...]
    """The units whose counts differ: ``(RESULTS,)`` where no document repeats."""


def select(
    evidence: Evidence,
    top_k: int | None,
    keep: NDArray[np.bool_] | None,
    drop: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64] | slice, NDArray[np.int32], NDArray[np.int64]]:
    """Kept retrievals, judged rows, the kept retrieval of each judged row, and judged rows a retrieval.

    Rows that ``drop`` marks are taken out of the lists first; ``top_k`` then takes the first k of what is left.
    """
    offsets = evidence.log.offsets
    lengths = np.diff(offsets)
    kept = np.arange(len(lengths)) if keep is None else np.flatnonzero(keep)
    listed = lengths[kept]
    if drop is not None:
        rows = _rows_of(offsets[:-1][kept], listed)
        owner = np.repeat(np.arange(len(kept), dtype=np.int32), listed)
        left = ~drop[rows]
        rows, owner = rows[left], owner[left]
        judged = np.bincount(owner, minlength=len(kept)).astype(np.int64)
        if top_k is not None and judged.max(initial=0) > top_k:
            first = _rows_of(np.zeros(len(kept), np.int64), judged) < top_k
            rows, owner = rows[first], owner[first]
            judged = np.minimum(judged, top_k)
        return kept, rows, owner, judged
    judged = listed if top_k is None else np.minimum(listed, top_k)
    owner = np.repeat(np.arange(len(kept), dtype=np.int32), judged)
    if len(owner) == evidence.log.result_count:
        return kept, slice(None), owner, judged
    return kept, _rows_of(offsets[:-1][kept], judged), owner, judged


def _rows_of(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of lists that begin at ``starts`` and are of these lengths, one list after the other."""
    ends = np.cumsum(lengths)
    rows: NDArray[np.int64] = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
    return rows


def reading(
    evidence: Evidence,
    belief: Belief,
    rows: NDArray[np.int64] | slice,
    shape: Shape,
    documents: NDArray[np.int32],
    repeated: NDArray[np.bool_],
) -> Reading:
    """All counts of one reading."""
    results = evidence.under(belief)
    classes, depths = results.classes[rows], results.depths[rows]
    anchored, sums = anchor_sums(results.anchors, rows, shape.owner, shape.size, shape.longest)
    synthetic = (classes == DEPTH_1) | (classes == DEPTH_2_PLUS)
    status = evidence.signature_statuses[rows]
    contradicted = (
        evidence.conflicts[rows] & CONFLICTS.bits((Conflict.CLASS_CONFLICT, Conflict.CONTENT_MISMATCH))
    ) != 0
    traced = (status == STATUSES.code(SignatureStatus.VALID)) | evidence.catalogued[rows]
    refused = ~np.isin(status, _OPEN_STATUSES)
    untraced = (classes == UNKNOWN) | ~traced | contradicted | refused | (synthetic & ~anchored)
    by_results, by_documents, anchored_documents = _counts(classes, anchored, shape, documents, repeated)
    return Reading(
        counts=np.stack((by_results, by_documents)),
        anchored=np.stack((sums.anchored, anchored_documents if anchored_documents is not None else sums.anchored)),
        deepest=greatest(depths, shape.starts, shape.filled, -1),
        deep_unknown=shape.any(synthetic & (depths < 0)),
        untraced=shape.any(untraced),
        effective=sums.effective,
        sums=sums,
        units=(RESULTS,) if anchored_documents is None else (RESULTS, DOCUMENTS),
    )


_CATEGORY = np.array(
    [
        *(Category.HUMAN, Category.DEPTH_1_UNANCHORED, Category.DEEP, Category.UNKNOWN),
        *(Category.HUMAN, Category.DEPTH_1_ANCHORED, Category.DEEP, Category.UNKNOWN),
    ],
    np.int64,
)
"""The category of each class, first without a human source and then with one."""


def _counts(
    classes: NDArray[np.uint8],
    anchored: NDArray[np.bool_],
    shape: Shape,
    documents: NDArray[np.int32],
    repeated: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32] | None]:
    """Items by category (6, n) for both units, and the anchored documents (``None``: as the anchored results)."""
    category = _CATEGORY[classes + anchored * np.uint8(4)]
    by_results = _tally(shape.owner, category, shape.size)
    if not repeated.any():
        return by_results, by_results, None
    # Documents that stand once count as their entry; only the repeated ones are merged.
    single = ~repeated
    by_documents = _tally(shape.owner[single], category[single], shape.size)
    anchored_documents = np.bincount(shape.owner[single], weights=anchored[single], minlength=shape.size).astype(
        np.int32
    )
    owner, merged, has_anchor = _merge(
        shape.owner[repeated], documents[repeated], category[repeated], anchored[repeated]
    )
    by_documents = by_documents + _tally(owner, merged, shape.size)
    anchored_documents = anchored_documents + np.bincount(owner, weights=has_anchor, minlength=shape.size).astype(
        np.int32
    )
    return by_results, by_documents, anchored_documents


def _tally(owner: NDArray[np.int32], category: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """Items of each category a retrieval, as (6, size)."""
    width = len(Category)
    flat = np.bincount(owner.astype(np.int64) * width + category, minlength=size * width)
    return flat.reshape(size, width).T.astype(np.int32)


def _merge(
    owner: NDArray[np.int32], documents: NDArray[np.int32], category: NDArray[np.int64], anchored: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Entries of one document in one retrieval as one item: what any entry closes stays closed."""
    key = (owner.astype(np.int64) << 32) | documents
    groups, inverse = np.unique(key, return_inverse=True)
    size = len(groups)

    def holds(wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        out = np.zeros(size, bool)
        out[inverse[wanted]] = True
        return out

    unanchored = holds(category == Category.DEPTH_1_UNANCHORED)
    unknown = holds(category == Category.UNKNOWN)
    merged = np.full(size, Category.HUMAN, np.int64)
    merged[holds(category == Category.DEPTH_1_ANCHORED)] = Category.DEPTH_1_ANCHORED
    merged[unanchored] = Category.DEPTH_1_UNANCHORED
    merged[unknown] = Category.UNKNOWN
    merged[unknown & unanchored] = Category.UNKNOWN_AND_UNANCHORED
    merged[holds(category == Category.DEEP)] = Category.DEEP
    return (groups >> 32).astype(np.int32), merged, ~holds(~anchored)


def flags_of(
    evidence: Evidence,
    rows: NDArray[np.int64] | slice,
    kept: NDArray[np.int64],
    shape: Shape,
    repeated_document: NDArray[np.bool_],
) -> dict[str, NDArray[np.bool_]]:
    """The per-retrieval facts that do not depend on the reading."""
    log = evidence.log
    status = evidence.signature_statuses[rows]
    catalogued = evidence.catalogued[rows]
    conflicts = evidence.conflicts[rows]
    valid = status == STATUSES.code(SignatureStatus.VALID)
    upheld = evidence.bases[rows] <= _UPHELD_BASES
    return {
        "present": ~shape.any(~(valid | (status == STATUSES.code(SignatureStatus.UNCHECKED)))),
        "verified": ~shape.any(~valid),
        "catalogued": ~shape.any(~(valid | catalogued)),
        "human_only": shape.filled & ~shape.any((evidence.under(Belief.DECLARED).classes[rows] != HUMAN) | ~upheld),
        "creative": log.creative[kept],
        "duplicate_documents": shape.any(repeated_document),
        "class_conflict": shape.any((conflicts & CONFLICTS.bit(Conflict.CLASS_CONFLICT)) != 0),
        "depth_conflict": shape.any((conflicts & CONFLICTS.bit(Conflict.DEPTH_CONFLICT)) != 0),
        "rank_repeated": shape.any(_repeated_ranks(log.ranks[rows], log.ranks_given[rows], shape)),
        "results_rejected": log.rejected_results[kept] > 0,
    }


def _repeated_ranks(ranks: NDArray[np.int32], given: NDArray[np.bool_], shape: Shape) -> NDArray[np.bool_]:
    """Rows whose given rank stands more than once in their retrieval."""
    # A rank that is not given gets a key of its own, so that it repeats nothing.
    keys = np.where(given, ranks, -1 - np.arange(len(ranks), dtype=np.int32))
    return occurrences(keys.astype(np.int32), shape.owner, shape.longest) > 1
