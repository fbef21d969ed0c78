"""Check one claim, in numbered steps with one status each; the first step that fails gives the status.

Flows in: a token as it stands in a log, a trust store, the time to judge at, and the document and text that the token
came with.  Flows out: ``ClaimOutcome``.

=====  ======================  ======================================================================================
step   status                  fails when
=====  ======================  ======================================================================================
(1)    ``MISSING``             there is no token, or an empty one
(2)    ``UNCHECKED``           no trust store is loaded, whatever the token holds (R34)
(3)    ``MALFORMED``           ``token.read_token`` cannot read it (R35)
(4)    ``ALG_NOT_ALLOWED``     ``alg`` is none of Ed25519, EdDSA, ES256 (R37)
(5)    ``UNKNOWN_KEY``         the store has no usable key of that ``kid`` (R38)
(6)    ``ALG_NOT_ALLOWED``     ``alg`` is not the key's (R37)
(7)    ``BAD_SIGNATURE``       the signature is not 64 bytes, or not that key's over these bytes (R37)
(8)    ``UNTRUSTED_ISSUER``    ``iss`` does not own the key, or is not active (R39)
(9)    ``NOT_PERMITTED``       ``iss`` may not attest this class, or this depth (R39)
(10)   ``KEY_NOT_VALID``       ``iat`` lies outside the window of the key
(11)   ``REVOKED``             the key's revocation reaches the claim (R40)
(12)   ``NOT_YET_VALID``       ``iat`` or ``nbf`` is more than 60 s ahead of the time to judge at (R42)
(13)   ``EXPIRED``             ``exp`` is more than 60 s behind it (R42)
(14)   ``INCONSISTENT``        class, depth and digital source type disagree (R41)
(15)   ``SUBJECT_MISMATCH``    ``sub`` is not the document that the token came with
(16)   ``CONTENT_MISMATCH``    ``content`` is not the digest of the text that it came with
(17)   ``VALID``               never: all of the above hold
=====  ======================  ======================================================================================

Rules kept here: steps (1) to (7) need keys only and are ``check_signature``; steps (8) to (17) need no cryptography
and are ``decide_claim``, so that a what-if over trust or time verifies no signature again.  Nothing of a payload leaves
this module before step (7) holds: until then ``claim`` is ``None`` and the reason describes the form of the token only.
From step (7) on it is a fact that this key signed the payload; whether the payload is true is the originator's
statement, which counts when the status is ``VALID``.
Not here: whole logs (``checked_log``, the same steps on columns), what a claim does to a class
(``guard_core.provenance.evidence``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from guard_core.claims.claim import Claim
from guard_core.claims.content import ContentCheck, compare_content, digest_text, find_near_miss
from guard_core.claims.contradictions import find_contradiction
from guard_core.claims.keys import ALGORITHMS
from guard_core.claims.token import read_token
from guard_core.claims.trust_store import ACTIVE, TrustedKey, TrustStore
from guard_core.errors import MalformedClaimError, OtherKeysError
from guard_core.model import SignatureStatus

LEEWAY: Final = 60
"""Seconds by which clocks may differ."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """Hold what keys alone tell of a token: steps (1) to (7).

    ``status`` is that of the step that failed, ``VALID`` where the signature holds.  Only then are there a ``claim``
    and a ``key`` (its kid and thumbprint), and ``contradiction`` tells which parts of the claim disagree (step (14),
    which depends on nothing else), ``None`` if none do.
    """

    status: SignatureStatus
    reason: str
    claim: Claim | None = None
    key: tuple[str, str] | None = None
    contradiction: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """Hold the status of one claim and the reason for it.

    ``reason`` is one line in words that never quotes the token or the text.  ``claim`` and ``key`` are given when the
    signature holds, also where the status is not ``VALID``: believe them only where it is.  ``key_retired`` is true
    where the key signs nothing new at the time to judge at, although it signed this claim before.
    """

    status: SignatureStatus
    reason: str
    claim: Claim | None = None
    key: TrustedKey | None = None
    content: ContentCheck = ContentCheck.NOT_STATED
    key_retired: bool = False

    def explain(self, text: str | None) -> str:
        """Return the reason; where ``text`` and the one that was signed differ in spelling only, say in which."""
        if self.status is SignatureStatus.CONTENT_MISMATCH and text is not None and self.claim is not None:
            spelling = find_near_miss(text, self.claim.content or "")
            if spelling is not None:
                return f"the text differs from the one that was signed, only in {spelling}"
        return self.reason


NO_CLAIM: Final = ClaimOutcome(SignatureStatus.MISSING, "there is no claim")


def verify_claim(
    token: str | None,
    store: TrustStore | None,
    at: int,
    *,
    document_id: str | None = None,
    text: str | None = None,
    digest: str | None = None,
) -> ClaimOutcome:
    """Check one claim by all steps.

    ``at`` is the time to judge at, in seconds since 1970.  ``document_id`` and the text (or only its ``digest``,
    ``sha256:<hex>``) are what the token came with; without them, steps (15) and (16) have nothing to compare with.
    """
    if token is None or token == "":
        return NO_CLAIM  # (1)
    if store is None:
        return ClaimOutcome(SignatureStatus.UNCHECKED, "no trust store is loaded")  # (2)
    checked = check_signature(token, store)
    claim = checked.claim
    if claim is None:
        return ClaimOutcome(checked.status, checked.reason)
    content = compare_content(claim.content, digest if text is None else digest_text(text))
    is_about = document_id is None or claim.sub == document_id
    outcome = decide_claim(checked, store, at, is_about=is_about, content=content)
    return replace(outcome, reason=outcome.explain(text))


def check_signature(token: str, store: TrustStore) -> CheckedClaim:
    """Check a token by steps (1) to (7), which need the keys of ``store`` and nothing else."""
    # (1): there is a token
    if token == "":
        return CheckedClaim(NO_CLAIM.status, NO_CLAIM.reason)

    # (3): it can be read
    try:
        unverified = read_token(token)
    except MalformedClaimError as error:
        return CheckedClaim(SignatureStatus.MALFORMED, f"the claim cannot be read: {error}")

    # (4): its algorithm is one of ours
    algorithm = ALGORITHMS.get(unverified.algorithm)
    if algorithm is None:
        return CheckedClaim(SignatureStatus.ALG_NOT_ALLOWED, f"its algorithm is none of {', '.join(ALGORITHMS)}")

    # (5): the store has the key; a kid is looked up among names and leads nowhere else
    key = store.keys.get(unverified.kid)
    if key is None:
        skipped = next((each for each in store.skipped if each.kid == unverified.kid), None)
        why = "no key of the trust store has its kid" if skipped is None else f"its key was skipped: {skipped.reason}"
        return CheckedClaim(SignatureStatus.UNKNOWN_KEY, why)

    # (6): the algorithm is the key's
    if algorithm != key.key.algorithm:
        return CheckedClaim(
            SignatureStatus.ALG_NOT_ALLOWED, f"its algorithm is not the key's, which is {key.key.algorithm}"
        )

    # (7): the signature holds over the bytes as received
    if not key.key.has_signed(unverified.signature, unverified.signed):
        why = "the signature does not fit: the claim was altered, or is not that key's"
        return CheckedClaim(SignatureStatus.BAD_SIGNATURE, why)
    claim = unverified.claim
    names = (key.kid, key.key.thumbprint)
    return CheckedClaim(SignatureStatus.VALID, "the signature holds", claim, names, find_contradiction(claim))


def decide_claim(
    checked: CheckedClaim, store: TrustStore, at: int, *, is_about: bool, content: ContentCheck
) -> ClaimOutcome:
    """Decide on a checked claim by steps (8) to (17), which verify nothing again.

    ``is_about`` tells whether the claim's ``sub`` is the document that it came with, ``content`` what is known of its
    text.  Raises ``OtherKeysError`` if ``store`` does not hold the key that the signature was checked with.
    """
    claim = checked.claim
    if claim is None or checked.key is None:
        return ClaimOutcome(checked.status, checked.reason)
    kid, thumbprint = checked.key
    key = store.keys.get(kid)
    if key is None or key.key.thumbprint != thumbprint:
        raise OtherKeysError("the claim was checked with keys of another trust store: check its signature again")
    status, reason = _judge_claim(claim, key, store, at, checked.contradiction, is_about=is_about, content=content)
    return ClaimOutcome(status, reason, claim, key, content, key.is_retired(at))


def _judge_claim(
    claim: Claim,
    key: TrustedKey,
    store: TrustStore,
    at: int,
    contradiction: str | None,
    *,
    is_about: bool,
    content: ContentCheck,
) -> tuple[SignatureStatus, str]:
    # (8): the originator owns the key and is active
    if claim.iss != key.iss:
        return SignatureStatus.UNTRUSTED_ISSUER, "the originator that it names does not own the key that signed it"
    originator = store.originators.get(claim.iss)
    if originator is not None:
        if originator.status != ACTIVE:
            return SignatureStatus.UNTRUSTED_ISSUER, "its originator is not active in the trust store"

        # (9): the originator may say this
        if originator.may_attest is not None and claim.source_class not in originator.may_attest:
            return SignatureStatus.NOT_PERMITTED, f"its originator may not attest {claim.source_class.value}"
        if originator.max_depth is not None and claim.depth > originator.max_depth:
            why = f"its originator may attest depth {originator.max_depth} at most, and it says {claim.depth}"
            return SignatureStatus.NOT_PERMITTED, why

    # (10): issued while the key was in force
    if not key.covers(claim.iat):
        early = key.nbf is not None and claim.iat < key.nbf
        why = "it was issued before its key was in force" if early else "it was issued after its key had retired"
        return SignatureStatus.KEY_NOT_VALID, why

    # (11): not reached by the key's revocation
    if key.revoked is not None and key.revoked.reaches(claim.iat):
        if key.revoked.reaches_all:
            return SignatureStatus.REVOKED, "its key fell into other hands, so no claim by it stands"
        return SignatureStatus.REVOKED, "it was issued after its key had been revoked"

    # (12): issued and in force by now
    if claim.iat > at + LEEWAY:
        return SignatureStatus.NOT_YET_VALID, f"it was issued {claim.iat - at} seconds ahead of the time to judge at"
    if claim.nbf is not None and claim.nbf > at + LEEWAY:
        return SignatureStatus.NOT_YET_VALID, f"it holds only {claim.nbf - at} seconds after the time to judge at"

    # (13): still in force
    if claim.exp is not None and claim.exp < at - LEEWAY:
        return SignatureStatus.EXPIRED, f"it expired {at - claim.exp} seconds before the time to judge at"

    # (14): without a contradiction
    if contradiction is not None:
        return SignatureStatus.INCONSISTENT, contradiction

    # (15): about this document
    if not is_about:
        return SignatureStatus.SUBJECT_MISMATCH, "it is about another document"

    # (16): about this text
    if content is ContentCheck.MISMATCH:
        return SignatureStatus.CONTENT_MISMATCH, "the text is not the one that was signed"

    # (17): everything holds
    return SignatureStatus.VALID, f"attested by its originator, content {_CONTENT_WORDS[content]}"


_CONTENT_WORDS: Final = {
    ContentCheck.CHECKED: "checked",
    ContentCheck.UNCHECKED: "not checked: the text is not at hand",
    ContentCheck.NOT_STATED: "not checked: the claim names none",
}
