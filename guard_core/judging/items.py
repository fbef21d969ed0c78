"""From result list entries to the items that a policy counts, one retrieval at a time.

Flows in: ``SearchResult`` and the policy's ``signatures`` and ``count``.  Flows out: ``Reading`` (one entry as the
policy sees it) and ``Item`` (what is counted). Rules kept here: a class that only the log declares counts as UNKNOWN
unless the policy believes declarations (R33, R64); a signature that was checked and is not VALID counts as absent
(R46); among entries of one document the less trusted counts, and what any entry closes stays closed, so that
repeating a document under a better label gains nothing. Not here: the verdict (``guard.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

_UPHELD = (Basis.SIGNED, Basis.CATALOGUE)


@dataclass(frozen=True, slots=True)
class Reading:
    """One list entry as a policy reads it.

    ``depth`` is ``None`` where it is not known; ``depth_unknown`` marks a synthetic entry of unknown depth;
    ``untraced`` an entry that cannot be traced to who wrote it (finding ``source_attribution_loss``).
    """

    document: str
    authenticity: AuthenticityClass
    depth: int | None
    anchors: tuple[Anchor, ...]
    depth_unknown: bool
    untraced: bool


@dataclass(frozen=True, slots=True)
class Item:
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
        """Whether this item closes the depth-1 route under ``policy`` (R50)."""
        return (
            self.deep
            or (self.unknown and not policy.allow_unknown)
            or (self.unanchored_depth_1 and policy.require_anchor)
        )


def signature_status(result: SearchResult) -> SignatureStatus:
    """The status given, else UNCHECKED for a signature that is there and MISSING for one that is not (R34)."""
    if result.signature is not None:
        return result.signature
    return SignatureStatus.UNCHECKED if result.source_signature else SignatureStatus.MISSING


def passes_gate(result: SearchResult, gate: SignatureGate) -> bool:
    """Gate 1 for one result (R46, R64)."""
    status = signature_status(result)
    match gate:
        case SignatureGate.PRESENT:
            return bool(result.source_signature) and status in (SignatureStatus.UNCHECKED, SignatureStatus.VALID)
        case SignatureGate.VERIFIED:
            return status is SignatureStatus.VALID
        case SignatureGate.CATALOGUED:
            return status is SignatureStatus.VALID or result.catalogued
        case SignatureGate.IGNORED:
            return True


def reading_of(result: SearchResult, gate: SignatureGate) -> Reading:
    """One entry as a policy with ``signatures = gate`` reads it."""
    document = result.document_id or result.result_id
    declared = gate.belief is Belief.DECLARED
    counts = declared or result.basis in _UPHELD
    authenticity = result.authenticity if counts else AuthenticityClass.UNKNOWN
    anchors = result.anchors if declared else result.upheld_anchors
    if anchors is None:
        anchors = (Anchor(document),) if authenticity is AuthenticityClass.HUMAN_AUTHORED else ()
    depth = _depth(authenticity, result.depth)
    synthetic = authenticity in (AuthenticityClass.SYNTHETIC_DEPTH_1, AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS)
    status = signature_status(result)
    contradicted = (
        Conflict.CLASS_CONFLICT in result.conflicts
        or Conflict.CONTENT_MISMATCH in result.conflicts
        or status not in (SignatureStatus.MISSING, SignatureStatus.UNCHECKED, SignatureStatus.VALID)
    )
    return Reading(
        document=document,
        authenticity=authenticity,
        depth=depth,
        anchors=anchors,
        depth_unknown=synthetic and depth is None,
        untraced=authenticity is AuthenticityClass.UNKNOWN
        or not (status is SignatureStatus.VALID or result.catalogued)
        or contradicted
        or (synthetic and not anchors),
    )


def _depth(authenticity: AuthenticityClass, stated: int | None) -> int | None:
    """The depth of a class: 0, 1, what is stated for deeper content (2 at least), else unknown."""
    match authenticity:
        case AuthenticityClass.HUMAN_AUTHORED:
            return 0
        case AuthenticityClass.SYNTHETIC_DEPTH_1:
            return 1
        case AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS:
            return stated if stated is not None and stated >= 2 else None
        case AuthenticityClass.UNKNOWN:
            return None


def gather_items(readings: Sequence[Reading], count: CountUnit) -> list[Item]:
    """The items that ``count`` counts, in the order of their best rank."""
    if count is CountUnit.RESULTS:
        return [_item([r]) for r in readings]
    entries: dict[str, list[Reading]] = {}
    for reading in readings:
        entries.setdefault(reading.document, []).append(reading)
    return [_item(group) for group in entries.values()]


def _item(entries: Sequence[Reading]) -> Item:
    classes = [r.authenticity for r in entries]
    deep = AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS in classes
    unknown = AuthenticityClass.UNKNOWN in classes
    human = all(c is AuthenticityClass.HUMAN_AUTHORED for c in classes)
    return Item(
        human=human,
        depth_1=not (human or deep or unknown),
        deep=deep,
        unknown=unknown,
        unanchored_depth_1=any(
            c is AuthenticityClass.SYNTHETIC_DEPTH_1 and not r.anchors for c, r in zip(classes, entries, strict=True)
        ),
        anchored=all(r.anchors for r in entries),
    )


def anchor_masses(readings: Sequence[Reading]) -> dict[str, float]:
    """The mass of each human source over the judged entries, in order of first occurrence; an entry spreads a mass of
    1."""
    masses: dict[str, float] = {}
    for reading in readings:
        for anchor in reading.anchors:
            masses[anchor.source] = masses.get(anchor.source, 0.0) + anchor.weight
    return masses
