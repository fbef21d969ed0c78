"""Results that carry signed claims, and a trust store that knows their signers.

Flows in: what a claim says, in a few words.  Flows out: the token, signed by a test key, and the store.
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
from tests.support.claim_tokens import AT, DAY, key_named, store_of_keys
from tests.support.documents import digest

ARCHIVE, PRESS = "https://archive.example", "https://press.example"
HUMAN, MODEL, HYBRID = SourceClass
KEYS = {ARCHIVE: "TEST-KEY-archive", PRESS: "TEST-KEY-press"}


@lru_cache
def store() -> TrustStore:
    """Both originators, without limits."""
    return store_of_keys(*(make_jwks_entry(key_named(kid).public, iss, kid=kid) for iss, kid in KEYS.items()))


@cache
def claim(
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
    """A signed claim; the depth left out is 0 for a human text and 1 for any other; ``anchors`` are texts."""
    said = Claim(
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
    return sign_claim(said, key_named(KEYS[by]), KEYS[by])
