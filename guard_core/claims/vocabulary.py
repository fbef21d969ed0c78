"""When a claim agrees with itself: class against depth, and class against the IPTC digital source type.

Flows in: the members of a claim.  Flows out: a sentence on what disagrees, or ``None``.
Rules kept here (R41): depth 0 if and only if human-authored; a digital source type must leave room for the class.
Terms are looked up in the closed table of ``guard_core.class_words``; a term outside it is unknown and never backs
``human-authored``. A term that says nothing of the author (``composite``, ``screenCapture``, ...) agrees with every
class.  The terms for edits inherit from the parents that the claim lists: by the same table a human edit of synthetic
text is hybrid, and an algorithmic change keeps the class of what it changed.
Not here: who may say so (``verify``).
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
"""What an edit can be when the claim lists parents; without parents the table's own word stands."""


def classes_of_term(term: str, has_parents: bool) -> frozenset[SourceClass]:
    """The classes that a digital source type leaves room for."""
    word = find_class_of_term(term)
    if word is None:
        return _EVERY_CLASS - {SourceClass.HUMAN_AUTHORED}
    if has_parents:
        inherited = _CLASSES_OF_EDIT.get(find_term(term) or "")
        if inherited is not None:
            return inherited
    return _CLASSES_OF_WORD[word]


def disagreement(claim: Claim) -> str | None:
    """What in a claim disagrees with its class, in words; ``None`` if nothing does."""
    human = claim.source_class is SourceClass.HUMAN_AUTHORED
    if human and claim.depth != 0:
        return f"it says human-authored at depth {claim.depth}, and only depth 0 is human"
    if not human and claim.depth == 0:
        return f"it says {claim.source_class.value} at depth 0, which is human"
    term = claim.digital_source_type
    if term is not None and claim.source_class not in classes_of_term(term, bool(claim.derived_from)):
        return f"its digital source type is not one of {claim.source_class.value} text"
    return None
