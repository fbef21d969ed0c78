"""Signed claims: what originators state of documents, and whether to believe them.

A *claim* is a compact JWS in which an *originator* states of a *document* what class it has, at what depth, from which
human sources.  A *trust store* says whose claims count, for what and when.  One claim::

    from guard_core.claims import read_trust_store, verify_claim

    store = read_trust_store("trust.json")
    outcome = verify_claim(token, store, at=1796040000, document_id="doc-7", text="...")
    print(outcome.status.value, outcome.reason)

The floors, each of which stands on those below:

=============================  ====================================================================================
``checked_log``,               a whole log, each distinct token checked once; what-ifs over trust that verify
``claim_columns``              nothing again
``verify``, ``sign``           the numbered steps of a check; making keys and claims
``trust_file``                 the loading rules of a trust store
``trust_store``, ``token``     whose claims count; a token taken apart, not yet verified
``keys``, ``contradictions``,  safe public keys; class against depth and source type; digests of texts;
``content``, ``small_files``,  trust stores and keys on disk; what each status means
``status_words``
``claim``, ``base64url``,      what a claim is; bytes with one spelling; JSON that no two parsers read differently
``strict_json``
=============================  ====================================================================================

Rules kept here: R34 to R42.  Nothing in a payload is believed before its signature holds, no header leads to a key, a
file or an address, and a private key never leaves its file.
"""

from __future__ import annotations

from guard_core.claims.checked_log import CheckedLog, DecidedLog, check_log, decide_log
from guard_core.claims.claim import Claim, SourceClass
from guard_core.claims.claim_columns import KeptChecks
from guard_core.claims.content import ContentCheck, digest_text
from guard_core.claims.sign import (
    SigningKey,
    format_trust_store,
    generate_key,
    make_jwks_entry,
    read_key_file,
    sign_claim,
    write_key_file,
)
from guard_core.claims.status_words import STATUS_WORDS
from guard_core.claims.trust_file import parse_trust_store, read_trust_store
from guard_core.claims.trust_store import SUSPENDED, Originator, Revocation, TrustedKey, TrustStore
from guard_core.claims.verify import ClaimOutcome, verify_claim

__all__ = [
    "STATUS_WORDS",
    "SUSPENDED",
    "CheckedLog",
    "Claim",
    "ClaimOutcome",
    "ContentCheck",
    "DecidedLog",
    "KeptChecks",
    "Originator",
    "Revocation",
    "SigningKey",
    "SourceClass",
    "TrustStore",
    "TrustedKey",
    "check_log",
    "decide_log",
    "digest_text",
    "format_trust_store",
    "generate_key",
    "make_jwks_entry",
    "parse_trust_store",
    "read_key_file",
    "read_trust_store",
    "sign_claim",
    "verify_claim",
    "write_key_file",
]
