"""Signed claims: who says that a document is human, and whether to take their word for it.

A *claim* is a compact JWS in which an *originator* says of a *document* what class it has, at what depth, from which
human sources.  A *trust store* says whose word is taken, for what and when.  One claim::

    from guard_core.claims import read_trust_store, verify

    store = read_trust_store("trust.json")
    outcome = verify(token, store, at=1796040000, document_id="doc-7", text="...")
    print(outcome.status.value, outcome.reason)

The floors, each standing on those below:

==================================  ===============================================================================
``batch``, ``columns``              a whole log: each distinct token once, and what-ifs over trust without verifying
``verify``, ``sign``                the numbered steps of a check; making keys and claims
``trust_file``                      the loading rules of a trust store
``trust_store``, ``token``          whose word is taken; a token taken apart, still nobody's word
``keys``, ``vocabulary``,           safe public keys; when class, depth and source type agree; text digests;
``content``, ``files``, ``words``   files with care; what each status means to a reader
``claim``, ``base64url``,           nouns; one spelling of bytes; JSON that no two parsers read differently
``strict_json``
==================================  ===============================================================================

Rules kept here: R34 to R42.  Nothing in a payload is believed before its signature holds, no header leads to a key, a
file or an address, and a private key never leaves its file.
"""

from __future__ import annotations

from guard_core.claims.batch import CheckedLog, DecidedLog, check_log, decide_log, unchecked
from guard_core.claims.claim import Claim, SourceClass
from guard_core.claims.columns import KeptChecks
from guard_core.claims.content import ContentCheck, near_miss, text_digest
from guard_core.claims.sign import (
    SigningKey,
    generate_key,
    jwks_entry,
    read_key_file,
    sign_claim,
    trust_store_text,
    write_key_file,
)
from guard_core.claims.trust_file import parse_trust_store, read_trust_store
from guard_core.claims.trust_store import SUSPENDED, Originator, Revocation, SkippedKey, TrustedKey, TrustStore
from guard_core.claims.verify import Checked, Outcome, check_signature, decide, verify
from guard_core.claims.words import STATUS_WORDS, StatusWords

__all__ = [
    "STATUS_WORDS",
    "SUSPENDED",
    "Checked",
    "CheckedLog",
    "Claim",
    "ContentCheck",
    "DecidedLog",
    "KeptChecks",
    "Originator",
    "Outcome",
    "Revocation",
    "SigningKey",
    "SkippedKey",
    "SourceClass",
    "StatusWords",
    "TrustStore",
    "TrustedKey",
    "check_log",
    "check_signature",
    "decide",
    "decide_log",
    "generate_key",
    "jwks_entry",
    "near_miss",
    "parse_trust_store",
    "read_key_file",
    "read_trust_store",
    "sign_claim",
    "text_digest",
    "trust_store_text",
    "unchecked",
    "verify",
    "write_key_file",
]
