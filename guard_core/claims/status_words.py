"""Say what each status of a claim means, and what to do about it.

Flows in: a status.  Flows out: two sentences.
Rules kept here: every status has words; none of them says that a text *is* human, only who attests it.
Not here: the reason of one claim (``verify.ClaimOutcome.reason``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from guard_core.model import SignatureStatus


@dataclass(frozen=True, slots=True)
class StatusWords:
    """Hold the words for one status: ``meaning`` says what is known, ``advice`` what a curator can do."""

    meaning: str
    advice: str


STATUS_WORDS: Mapping[SignatureStatus, StatusWords] = MappingProxyType(
    {
        SignatureStatus.MISSING: StatusWords(
            "The result carries no claim.",
            "Ask the originator to attest the document, or sign the catalogue.",
        ),
        SignatureStatus.UNCHECKED: StatusWords(
            "There is a claim, and no trust store to check it with.",
            "Give a trust store.",
        ),
        SignatureStatus.MALFORMED: StatusWords(
            "The claim cannot be read, so nothing in it counts.",
            "Look for a step that cut or re-encoded it, and export the log again.",
        ),
        SignatureStatus.ALG_NOT_ALLOWED: StatusWords(
            "The claim names an algorithm that is not accepted, or not the key's.",
            "Ask the originator to sign with Ed25519 or ES256, by the key's own algorithm.",
        ),
        SignatureStatus.UNKNOWN_KEY: StatusWords(
            "The trust store has no usable key of that name.",
            "Add the originator's public key if you trust it, or see why the key was skipped.",
        ),
        SignatureStatus.BAD_SIGNATURE: StatusWords(
            "The signature does not fit: the claim was altered, or is not that key's.",
            "Treat the document as unattested, and find out where the claim comes from.",
        ),
        SignatureStatus.UNTRUSTED_ISSUER: StatusWords(
            "The claim names an originator that does not own the key, or is not active.",
            "Check who signs in whose name, and the originator's status in the trust store.",
        ),
        SignatureStatus.NOT_PERMITTED: StatusWords(
            "The originator may not attest this class or this depth.",
            "Leave it at that, or widen may_attest or max_depth in the trust store.",
        ),
        SignatureStatus.KEY_NOT_VALID: StatusWords(
            "The claim was issued outside the time in which its key signs.",
            "Ask the originator to attest the document again with its current key.",
        ),
        SignatureStatus.REVOKED: StatusWords(
            "The key was revoked, and the revocation reaches this claim.",
            "Ask the originator to attest the document again with a new key.",
        ),
        SignatureStatus.NOT_YET_VALID: StatusWords(
            "The claim is dated after the time to judge at.",
            "Check the clocks, and the time that was given.",
        ),
        SignatureStatus.EXPIRED: StatusWords(
            "The claim has run out.",
            "Ask the originator to attest the document again.",
        ),
        SignatureStatus.INCONSISTENT: StatusWords(
            "Class, depth and digital source type of the claim contradict each other.",
            "Ask the originator to correct the claim.",
        ),
        SignatureStatus.SUBJECT_MISMATCH: StatusWords(
            "The claim is about another document: it was copied onto this one.",
            "Find out how it got here; the document that it names keeps it.",
        ),
        SignatureStatus.CONTENT_MISMATCH: StatusWords(
            "The text is not the one that was signed.",
            "Compare the text with its source; where only its spelling differs, the reason says so.",
        ),
        SignatureStatus.VALID: StatusWords(
            "An originator of the trust store attests the document.",
            "Nothing to do: it is the originator's word, and its signature holds.",
        ),
    }
)
