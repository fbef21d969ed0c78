"""Turn the entries of one result list into the items that a policy counts.

Flows in: ``SearchResult`` and the policy's ``signatures`` and ``count``.  Flows out: ``JudgedResult`` (an entry with
the evidence that counts under the policy) and ``CountedItem``.
Rules kept here: a class that only the log declares counts as UNKNOWN unless the policy goes by declarations (R33,
R64); a signature that was checked and is not VALID counts as absent (R46); among entries of one document the less
trusted counts, and what any entry closes stays closed, so that repeating a document under a better label gains
nothing.
Not here: the verdict (``rule.py``, ``guard.py``); the same for whole logs (``counting.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guard_core.judging.rule import ClaimMarks, closes_depth_1, is_untraced, passes_gate
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
    SynthesisPolicy,
)


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """One list entry with the evidence that counts under a policy.

    ``depth`` is ``None`` where it is not known; ``depth_unknown`` marks a synthetic entry of unknown depth;
    ``untraced`` an entry that cannot be traced to who wrote it (finding ``source_attribution_loss``); ``passes`` one
    that passes gate 1.
    """

    document: str
    authenticity: AuthenticityClass
    depth: int | None
    anchors: tuple[Anchor, ...]
    depth_unknown: bool
    untraced: bool
    passes: bool


@dataclass(frozen=True, slots=True)
class CountedItem:
    """One counted item: a list entry, or a document with all its entries.

    ``human`` only if every entry is; ``deep``, ``unknown`` and ``unanchored_depth_1`` if any entry is; ``depth_1`` if
    it is neither human, deep nor unknown; ``anchored`` only if every entry has a resolved human source.
    """

    human: bool
    depth_1: bool
    deep: bool
    unknown: bool
    unanchored_depth_1: bool
    anchored: bool

    def closes(self, policy: SynthesisPolicy) -> bool:
        """Return whether this item closes the depth-1 route under ``policy``."""
        return closes_depth_1(policy, deep=self.deep, unknown=self.unknown, unanchored=self.unanchored_depth_1)


def find_status(result: SearchResult) -> SignatureStatus:
    """Return the status given, else UNCHECKED for a signature that is there and MISSING for one that is not (R34)."""
    if result.signature is not None:
        return result.signature
    return SignatureStatus.UNCHECKED if result.source_signature else SignatureStatus.MISSING


def mark_claim(result: SearchResult) -> ClaimMarks[bool]:
    """Return what is known of a result's claim and catalogue entry."""
    status = find_status(result)
    valid, unchecked = status is SignatureStatus.VALID, status is SignatureStatus.UNCHECKED
    return ClaimMarks(
        present=bool(result.source_signature) and (valid or unchecked),
        valid=valid,
        refused=not (valid or unchecked or status is SignatureStatus.MISSING),
        catalogued=result.catalogued,
    )


def result_passes_gate(result: SearchResult, gate: SignatureGate) -> bool:
    """Return whether one result passes gate 1 (R46, R64)."""
    return passes_gate(gate, mark_claim(result))


def judge_result(result: SearchResult, gate: SignatureGate) -> JudgedResult:
    """Return one entry with the evidence that counts for a policy with ``signatures = gate``."""
    document = result.document_id or result.result_id
    declared = gate.belief is Belief.DECLARED
    counts = declared or is_upheld(result.basis)
    authenticity = result.authenticity if counts else AuthenticityClass.UNKNOWN
    anchors = result.anchors if declared else result.upheld_anchors
    if anchors is None:
        anchors = (Anchor(document),) if authenticity is AuthenticityClass.HUMAN_AUTHORED else ()
    depth = _depth(authenticity, result.depth)
    synthetic = authenticity in (AuthenticityClass.SYNTHETIC_DEPTH_1, AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS)
    claims = mark_claim(result)
    return JudgedResult(
        document=document,
        authenticity=authenticity,
        depth=depth,
        anchors=anchors,
        depth_unknown=synthetic and depth is None,
        untraced=is_untraced(
            claims,
            unknown=authenticity is AuthenticityClass.UNKNOWN,
            contradicted=Conflict.CLASS_CONFLICT in result.conflicts or Conflict.CONTENT_MISMATCH in result.conflicts,
            synthetic=synthetic,
            anchored=bool(anchors),
        ),
        passes=passes_gate(gate, claims),
    )


def is_upheld(basis: Basis | None) -> bool:
    """Return whether a class of this basis counts without the log's word."""
    return basis in (Basis.SIGNED, Basis.CATALOGUE)


def _depth(authenticity: AuthenticityClass, stated: int | None) -> int | None:
    """Return the depth of a class: 0, 1, what is stated for deeper content (2 at least), else unknown."""
    match authenticity:
        case AuthenticityClass.HUMAN_AUTHORED:
            return 0
        case AuthenticityClass.SYNTHETIC_DEPTH_1:
            return 1
        case AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS:
            return stated if stated is not None and stated >= 2 else None
        case AuthenticityClass.UNKNOWN:
            return None


def gather_items(judged: Sequence[JudgedResult], count: CountUnit) -> list[CountedItem]:
    """Return the items that ``count`` counts, in the order of their best rank."""
    if count is CountUnit.RESULTS:
        return [_merge_entries([result]) for result in judged]
    documents: dict[str, list[JudgedResult]] = {}
    for result in judged:
        documents.setdefault(result.document, []).append(result)
    return [_merge_entries(entries) for entries in documents.values()]


def _merge_entries(entries: Sequence[JudgedResult]) -> CountedItem:
    classes = [r.authenticity for r in entries]
    deep = AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS in classes
    unknown = AuthenticityClass.UNKNOWN in classes
    human = all(c is AuthenticityClass.HUMAN_AUTHORED for c in classes)
    return CountedItem(
        human=human,
        depth_1=not (human or deep or unknown),
        deep=deep,
        unknown=unknown,
        unanchored_depth_1=any(
            c is AuthenticityClass.SYNTHETIC_DEPTH_1 and not r.anchors for c, r in zip(classes, entries, strict=True)
        ),
        anchored=all(r.anchors for r in entries),
    )


def sum_anchor_masses(judged: Sequence[JudgedResult]) -> dict[str, float]:
    """Return the mass of each human source over the judged entries; an entry spreads a mass of 1."""
    masses: dict[str, float] = {}
    for result in judged:
        for anchor in result.anchors:
            masses[anchor.source] = masses.get(anchor.source, 0.0) + anchor.weight
    return masses
