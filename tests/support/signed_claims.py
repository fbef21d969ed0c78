"""Make signed claims for the results of a log, and a trust store with the keys of their originators.

Flows in: what a claim states, in a few words.  Flows out: the token, signed by a test key, and the store.
"""

from __future__ import annotations

from functools import cache, lru_cache

from guard_core.claims import (
    Claim,
    SourceClass,
    TrustStore,
    make_jwks_entry,
    sign_claim,
)
from tests.support.catalogues_and_logs import digest
from tests.support.claim_tokens import AT, DAY, make_key, make_store

ARCHIVE, PRESS = "https://archive.example", "https://press.example"
HUMAN, MODEL, HYBRID = SourceClass
KEYS = {ARCHIVE: "TEST-KEY-archive", PRESS: "TEST-KEY-press"}


@lru_cache
def make_trust_store() -> TrustStore:
    """Return the trust store with both originators, without limits."""
    return make_store(*(make_jwks_entry(make_key(kid).public, iss, kid=kid) for iss, kid in KEYS.items()))


@cache
def make_claim(
    document: str,
    source_class: SourceClass = HUMAN,
    depth: int | None = None,
    *,
    by: str = ARCHIVE,
    text: str | None = None,
    anchors: tuple[str, ...] = (),
    parents: tuple[str, ...] = (),
    exp: int | None = None,
) -> str:
    """Sign a claim; without a depth it is 0 for a human text and 1 for any other; ``anchors`` are texts."""
    unsigned = Claim(
        iss=by,
        sub=document,
        iat=AT - DAY,
        exp=exp,
        source_class=source_class,
        depth=(0 if source_class is HUMAN else 1) if depth is None else depth,
        anchors=tuple(digest(anchor) for anchor in anchors),
        content=None if text is None else digest(text),
        derived_from=parents,
    )
    return sign_claim(unsigned, make_key(KEYS[by]), KEYS[by])
