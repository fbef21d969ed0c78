"""Turn the entries of one result list into the items that a policy counts.

Flows in: ``SearchResult`` and the policy's ``signatures`` and ``count``.  Flows out: ``JudgedResult`` (an entry with
the evidence that counts under the policy) and how many items there are of each category.
Rules kept here: a class that only the log declares counts as UNKNOWN unless the policy goes by declarations (R33,
R64); a signature that was checked and is not VALID counts as absent (R46).
Not here: the verdict (``rule.py``, ``guard.py``); the same for whole logs (``counting.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from guard_core.judging.categories import Category, find_category, merge_categories
from guard_core.judging.rule import ClaimMarks, is_untraced, passes_gate
from guard_core.model import (
    Anchor,
    AuthenticityClass,
    Basis,
    Belief,
    Conflict,
    CountUnit,
    SearchResult,
    SignatureGate,
    SignatureStatus,
)


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """One list entry with the evidence that counts under a policy.

    ``depth`` is ``None`` where it is not known; ``untraced`` marks an entry that cannot be traced to who wrote it
    (finding ``source_attribution_loss``), ``passes`` one that passes gate 1.
    """

    document: str
    authenticity: AuthenticityClass
    category: Category
    depth: int | None
    anchors: tuple[Anchor, ...]
    untraced: bool
    passes: bool


def find_status(result: SearchResult) -> SignatureStatus:
    """Return the status given, else UNCHECKED for a signature that is there and MISSING for one that is not (R34)."""
    if result.signature is not None:
        return result.signature
    return SignatureStatus.UNCHECKED if result.source_signature else SignatureStatus.MISSING


def mark_claim(status: SignatureStatus, signed: bool, catalogued: bool) -> ClaimMarks[bool]:
    """Return what is known of the claim of a result, ``signed`` if it carries one, and of its catalogue entry."""
    valid, unchecked = status is SignatureStatus.VALID, status is SignatureStatus.UNCHECKED
    return ClaimMarks(
        present=signed and (valid or unchecked),
        valid=valid,
        refused=not (valid or unchecked or status is SignatureStatus.MISSING),
        catalogued=catalogued,
    )


def result_passes_gate(result: SearchResult, gate: SignatureGate) -> bool:
    """Return whether one result passes gate 1 (R46, R64)."""
    return passes_gate(gate, mark_claim(find_status(result), bool(result.source_signature), result.catalogued))


def judge_result(result: SearchResult, gate: SignatureGate) -> JudgedResult:
    """Return one entry with the evidence that counts for a policy with ``signatures = gate``."""
    document = result.document_id or result.result_id
    declared = gate.belief is Belief.DECLARED
    counts = declared or is_upheld(result.basis)
    authenticity = result.authenticity if counts else AuthenticityClass.UNKNOWN
    anchors = result.anchors if declared else result.upheld_anchors
    if anchors is None:
        anchors = (Anchor(document),) if authenticity is AuthenticityClass.HUMAN_AUTHORED else ()
    category, untraced, passes = _weigh_entry(
        gate,
        find_status(result),
        bool(result.source_signature),
        result.catalogued,
        authenticity,
        bool(anchors),
        bool(result.conflicts)
        and (Conflict.CLASS_CONFLICT in result.conflicts or Conflict.CONTENT_MISMATCH in result.conflicts),
    )
    return JudgedResult(
        document, authenticity, category, _find_depth(category, result.depth), anchors, untraced, passes
    )


@cache
def _weigh_entry(
    gate: SignatureGate,
    status: SignatureStatus,
    signed: bool,
    catalogued: bool,
    authenticity: AuthenticityClass,
    anchored: bool,
    contradicted: bool,
) -> tuple[Category, bool, bool]:
    """Return the category of an entry, whether it is untraced and whether it passes; each combination once."""
    claims = mark_claim(status, signed, catalogued)
    untraced = is_untraced(
        claims,
        unknown=authenticity is AuthenticityClass.UNKNOWN,
        contradicted=contradicted,
        synthetic=authenticity in (AuthenticityClass.SYNTHETIC_DEPTH_1, AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS),
        anchored=anchored,
    )
    return find_category(authenticity, anchored), untraced, passes_gate(gate, claims)


def is_upheld(basis: Basis | None) -> bool:
    """Return whether a class of this basis counts without the log's word."""
    return basis in (Basis.SIGNED, Basis.CATALOGUE)


def _find_depth(category: Category, stated: int | None) -> int | None:
    """Return the depth of an entry: 0, 1, what is stated for deeper content (2 at least), else unknown."""
    if category is Category.HUMAN:
        return 0
    if category in (Category.DEPTH_1_ANCHORED, Category.DEPTH_1_UNANCHORED):
        return 1
    return stated if category is Category.DEEP and stated is not None and stated >= 2 else None


def count_items(entries: Sequence[JudgedResult], unit: CountUnit) -> tuple[list[int], int]:
    """Return how many items there are of each category, and how many of them have only entries with a human source."""
    counts, anchored = [0] * len(Category), 0
    if unit is CountUnit.RESULTS:
        for entry in entries:
            counts[entry.category] += 1
            anchored += bool(entry.anchors)
        return counts, anchored
    documents: dict[str, list[JudgedResult]] = {}
    for entry in entries:
        documents.setdefault(entry.document, []).append(entry)
    for document in documents.values():
        counts[merge_categories([entry.category for entry in document])] += 1
        anchored += all(entry.anchors for entry in document)
    return counts, anchored


def sum_anchor_masses(judged: Sequence[JudgedResult]) -> dict[str, float]:
    """Return the mass of each human source over the judged entries; an entry spreads a mass of 1."""
    masses: dict[str, float] = {}
    for result in judged:
        for anchor in result.anchors:
            masses[anchor.source] = masses.get(anchor.source, 0.0) + anchor.weight
    return masses
