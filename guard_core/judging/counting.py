"""Count what the judged results of each retrieval are, for all retrievals at once.

Flows in: ``Evidence`` and which rows are judged.  Flows out: ``ListLayout`` (where rows stand), ``BeliefCounts``
(counts, depths and anchors under one belief) and ``RetrievalMarks`` (what does not depend on the belief).
Rules kept here: effective anchors, depths and findings are taken over list entries whatever is counted (R48).
Not here: numbering of profiles (``profiles.py``), metrics (``statistics.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import (
    BASES,
    CLASSES,
    CONFLICTS,
    DEPTH_1,
    DEPTH_2_PLUS,
    DOCUMENTS,
    GATES,
    HUMAN,
    RESULTS,
    STATUSES,
    UNKNOWN,
)
from guard_core.judging.categories import Category, find_category, merge_categories
from guard_core.judging.items import is_upheld
from guard_core.judging.masses import AnchorSums, count_repeats, find_greatest, sum_anchors
from guard_core.judging.rule import ClaimMarks, is_untraced, passes_gate
from guard_core.model import Belief, Conflict, SignatureStatus
from guard_core.provenance.evidence import Evidence

_UNCHECKED = STATUSES.code(SignatureStatus.UNCHECKED)
_MISSING = STATUSES.code(SignatureStatus.MISSING)
_VALID = STATUSES.code(SignatureStatus.VALID)
_CONTRADICTED = CONFLICTS.bits((Conflict.CLASS_CONFLICT, Conflict.CONTENT_MISMATCH))
_UPHELD = np.array([is_upheld(basis) for basis in BASES.members])


@dataclass(frozen=True, slots=True)
class ListLayout:
    """Where the judged rows of each kept retrieval stand."""

    owner: NDArray[np.int32]
    entries: NDArray[np.int32]
    starts: NDArray[np.int64]
    filled: NDArray[np.bool_]
    longest: int

    @staticmethod
    def from_lengths(owner: NDArray[np.int32], lengths: NDArray[np.int64]) -> ListLayout:
        """Return the layout of lists of these lengths, whose rows belong to ``owner``."""
        return ListLayout(
            owner=owner,
            entries=lengths.astype(np.int32),
            starts=np.cumsum(lengths) - lengths,
            filled=lengths > 0,
            longest=int(lengths.max(initial=0)),
        )

    @property
    def size(self) -> int:
        """Number of kept retrievals."""
        return len(self.entries)

    def any(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each retrieval has a row that is true."""
        hit = np.zeros(self.size, bool)
        hit[self.owner[rows]] = True
        return hit


@dataclass(frozen=True, slots=True)
class BeliefCounts:
    """What the judged results of each retrieval are under one belief (arrays by unit and category first)."""

    counts: NDArray[np.int32]
    anchored: NDArray[np.int32]
    deepest: NDArray[np.int32]
    deep_unknown: NDArray[np.bool_]
    untraced: NDArray[np.bool_]
    effective: NDArray[np.float64]
    sums: AnchorSums
    units: tuple[int, ...]
    """The units whose counts differ: ``(RESULTS,)`` where no document repeats."""


def select_rows(
    evidence: Evidence,
    top_k: int | None,
    keep: NDArray[np.bool_] | None,
    drop: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64] | slice, NDArray[np.int32], NDArray[np.int64]]:
    """Return kept retrievals, judged rows, the kept retrieval of each judged row, and judged rows a retrieval.

    Rows that ``drop`` marks are taken out of the lists first; ``top_k`` then takes the first k of what is left.
    """
    offsets = evidence.log.offsets
    lengths = np.diff(offsets)
    kept = np.arange(len(lengths)) if keep is None else np.flatnonzero(keep)
    listed = lengths[kept]
    if drop is not None:
        rows = _number_rows(offsets[:-1][kept], listed)
        owner = np.repeat(np.arange(len(kept), dtype=np.int32), listed)
        left = ~drop[rows]
        rows, owner = rows[left], owner[left]
        judged = np.bincount(owner, minlength=len(kept)).astype(np.int64)
        if top_k is not None and judged.max(initial=0) > top_k:
            first = _number_rows(np.zeros(len(kept), np.int64), judged) < top_k
            rows, owner = rows[first], owner[first]
            judged = np.minimum(judged, top_k)
        return kept, rows, owner, judged
    judged = listed if top_k is None else np.minimum(listed, top_k)
    owner = np.repeat(np.arange(len(kept), dtype=np.int32), judged)
    if len(owner) == evidence.log.result_count:
        return kept, slice(None), owner, judged
    return kept, _number_rows(offsets[:-1][kept], judged), owner, judged


def _number_rows(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the rows of lists that begin at ``starts`` and are of these lengths, one list after the other."""
    ends = np.cumsum(lengths)
    rows: NDArray[np.int64] = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
    return rows


def mark_claims(evidence: Evidence, rows: NDArray[np.int64] | slice) -> ClaimMarks[NDArray[np.bool_]]:
    """Return what is known of the claims and catalogue entries of the judged rows."""
    status = evidence.signature_statuses[rows]
    valid = status == _VALID
    present = valid | (status == _UNCHECKED)
    return ClaimMarks(
        present=present, valid=valid, refused=~present & (status != _MISSING), catalogued=evidence.catalogued[rows]
    )


def count_belief(
    evidence: Evidence,
    belief: Belief,
    rows: NDArray[np.int64] | slice,
    layout: ListLayout,
    claims: ClaimMarks[NDArray[np.bool_]],
    documents: NDArray[np.int32],
    repeated: NDArray[np.bool_],
) -> BeliefCounts:
    """Count the judged rows under one belief; ``repeated`` marks rows whose document stands again in its list."""
    results = evidence.under(belief)
    classes, depths = results.classes[rows], results.depths[rows]
    anchored, sums = sum_anchors(results.anchors, rows, layout.owner, layout.size, layout.longest)
    synthetic = (classes == DEPTH_1) | (classes == DEPTH_2_PLUS)
    untraced = is_untraced(
        claims,
        unknown=classes == UNKNOWN,
        contradicted=(evidence.conflicts[rows] & _CONTRADICTED) != 0,
        synthetic=synthetic,
        anchored=anchored,
    )
    by_results, by_documents, anchored_documents = _count_items(classes, anchored, layout, documents, repeated)
    return BeliefCounts(
        counts=np.stack((by_results, by_documents)),
        anchored=np.stack((sums.anchored, anchored_documents if anchored_documents is not None else sums.anchored)),
        deepest=find_greatest(depths, layout.starts, layout.filled, -1),
        deep_unknown=layout.any(synthetic & (depths < 0)),
        untraced=layout.any(untraced),
        effective=sums.effective,
        sums=sums,
        units=(RESULTS,) if anchored_documents is None else (RESULTS, DOCUMENTS),
    )


_CATEGORY = np.array([[find_category(member, anchored) for member in CLASSES.members] for anchored in (False, True)])
"""The category of each class, first without a human source and then with one."""

_MERGED = np.array(
    [
        merge_categories([category for category in Category if held >> category & 1] or [Category.HUMAN])
        for held in range(1 << len(Category))
    ]
)
"""The category of a document, by the bits ``1 << category`` of its entries."""


def _count_items(
    classes: NDArray[np.uint8],
    anchored: NDArray[np.bool_],
    layout: ListLayout,
    documents: NDArray[np.int32],
    repeated: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32] | None]:
    """Count items by category (6, n) for both units, and anchored documents (``None``: as the anchored results)."""
    category = _CATEGORY.ravel()[classes + anchored * np.uint8(len(CLASSES))]
    by_results = _count_categories(layout.owner, category, layout.size)
    if not repeated.any():
        return by_results, by_results, None
    # Documents that stand once count as their entry; only the repeated ones are merged.
    single = ~repeated
    by_documents = _count_categories(layout.owner[single], category[single], layout.size)
    anchored_documents = np.bincount(layout.owner[single], weights=anchored[single], minlength=layout.size).astype(
        np.int32
    )
    owner, merged, has_anchor = _merge_documents(
        layout.owner[repeated], documents[repeated], category[repeated], anchored[repeated]
    )
    by_documents = by_documents + _count_categories(owner, merged, layout.size)
    anchored_documents = anchored_documents + np.bincount(owner, weights=has_anchor, minlength=layout.size).astype(
        np.int32
    )
    return by_results, by_documents, anchored_documents


def _count_categories(owner: NDArray[np.int32], category: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """Count the items of each category in each retrieval, as (6, size)."""
    width = len(Category)
    flat = np.bincount(owner.astype(np.int64) * width + category, minlength=size * width)
    return flat.reshape(size, width).T.astype(np.int32)


def _merge_documents(
    owner: NDArray[np.int32], documents: NDArray[np.int32], category: NDArray[np.int64], anchored: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Merge the entries of one document in one retrieval into one item: what any entry closes stays closed."""
    key = (owner.astype(np.int64) << 32) | documents
    groups, inverse = np.unique(key, return_inverse=True)
    size = len(groups)

    held = np.zeros(size, np.uint8)
    for each in Category:
        held[inverse[category == each]] |= np.uint8(1 << each)
    has_anchor = np.ones(size, bool)
    has_anchor[inverse[~anchored]] = False
    return (groups >> 32).astype(np.int32), _MERGED[held], has_anchor


@dataclass(frozen=True, slots=True)
class RetrievalMarks:
    """What is true of each retrieval under either belief; ``gates`` has one row for each ``SignatureGate``."""

    gates: NDArray[np.bool_]
    human_only: NDArray[np.bool_]
    creative: NDArray[np.bool_]
    duplicate_documents: NDArray[np.bool_]
    class_conflict: NDArray[np.bool_]
    depth_conflict: NDArray[np.bool_]
    rank_repeated: NDArray[np.bool_]
    results_rejected: NDArray[np.bool_]


def mark_retrievals(
    evidence: Evidence,
    rows: NDArray[np.int64] | slice,
    kept: NDArray[np.int64],
    layout: ListLayout,
    claims: ClaimMarks[NDArray[np.bool_]],
    repeated_document: NDArray[np.bool_],
) -> RetrievalMarks:
    """Return the marks of the kept retrievals."""
    log = evidence.log
    conflicts = evidence.conflicts[rows]
    declared = evidence.under(Belief.DECLARED)
    proved_human = (declared.classes[rows] == HUMAN) & _UPHELD[evidence.bases[rows]]
    return RetrievalMarks(
        gates=np.stack([~layout.any(~passes_gate(gate, claims)) for gate in GATES.members]),
        human_only=layout.filled & ~layout.any(~proved_human),
        creative=log.creative[kept],
        duplicate_documents=layout.any(repeated_document),
        class_conflict=layout.any((conflicts & CONFLICTS.bit(Conflict.CLASS_CONFLICT)) != 0),
        depth_conflict=layout.any((conflicts & CONFLICTS.bit(Conflict.DEPTH_CONFLICT)) != 0),
        rank_repeated=layout.any(_mark_repeated_ranks(log.ranks[rows], log.ranks_given[rows], layout)),
        results_rejected=log.rejected_results[kept] > 0,
    )


def _mark_repeated_ranks(ranks: NDArray[np.int32], given: NDArray[np.bool_], layout: ListLayout) -> NDArray[np.bool_]:
    """Mark the rows whose given rank stands more than once in their retrieval."""
    # A rank that is not given gets a key of its own, so that it repeats nothing.
    keys = np.where(given, ranks, -1 - np.arange(len(ranks), dtype=np.int32))
    return count_repeats(keys.astype(np.int32), layout.owner, layout.longest) > 1
