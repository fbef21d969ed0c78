"""Find where a claim contradicts itself: class against depth, and class against the IPTC digital source type.

Flows in: a claim.  Flows out: a clause that says what disagrees, or ``None``.
Rules kept here (R41): depth 0 if and only if human-authored; a digital source type must leave room for the class.
Terms are looked up in the closed table of ``guard_core.class_words``; a term outside it is unknown and leaves no room
for ``human-authored``.  A term that says nothing of the author (``composite``, ``screenCapture``, ...) leaves room for
every class.  Where the claim lists parents, a human edit may be one of synthetic text, which makes it hybrid, and an
algorithmic change keeps the class of what it changed.
Not here: who may attest what (``verify``).
"""

from __future__ import annotations

from typing import Final

from guard_core.claims.claim import Claim, SourceClass
from guard_core.class_words import ClassWord, find_class_of_term, find_term

_EVERY_CLASS: Final = frozenset(SourceClass)

_CLASSES_OF_WORD: Final = {
    ClassWord.HUMAN: frozenset({SourceClass.HUMAN_AUTHORED}),
    ClassWord.MODEL: frozenset({SourceClass.MODEL_GENERATED}),
    ClassWord.HYBRID: frozenset({SourceClass.HYBRID}),
    ClassWord.NONE: _EVERY_CLASS,
}

_CLASSES_OF_EDIT: Final = {
    "humanEdits": frozenset({SourceClass.HUMAN_AUTHORED, SourceClass.HYBRID}),
    "minorHumanEdits": frozenset({SourceClass.HUMAN_AUTHORED, SourceClass.HYBRID}),
    "algorithmicallyEnhanced": _EVERY_CLASS,
}
"""The classes of an edit whose claim lists parents; without parents the class of the table holds."""


def find_possible_classes(term: str, has_parents: bool) -> frozenset[SourceClass]:
    """Return the classes that a digital source type leaves room for."""
    word = find_class_of_term(term)
    if word is None:
        return _EVERY_CLASS - {SourceClass.HUMAN_AUTHORED}
    if has_parents:
        return _CLASSES_OF_EDIT.get(find_term(term) or "", _CLASSES_OF_WORD[word])
    return _CLASSES_OF_WORD[word]


def find_contradiction(claim: Claim) -> str | None:
    """Find what in a claim contradicts its class, in words; ``None`` if nothing does."""
    human = claim.source_class is SourceClass.HUMAN_AUTHORED
    if human and claim.depth != 0:
        return f"it says human-authored at depth {claim.depth}, and only depth 0 is human"
    if not human and claim.depth == 0:
        return f"it says {claim.source_class.value} at depth 0, which is human"
    term = claim.digital_source_type
    if term is not None and claim.source_class not in find_possible_classes(term, bool(claim.derived_from)):
        return f"its digital source type is not one of {claim.source_class.value} text"
    return None
