"""Make test keys, trust stores and tokens, for the tests of claims and the conformance claims.

Flows in: names.  Flows out: the same keys, trust store and tokens at every run.
Rules kept here: every private key is the hash of its published name, which says that it is a test key; a token that
has to be wrong is made from raw bytes, since ``sign`` refuses to make it.
Not here: what a verifier finds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from guard_core.claims import (
    Originator,
    SigningKey,
    TrustStore,
    digest_text,
    format_trust_store,
    make_jwks_entry,
    parse_trust_store,
)
from guard_core.claims.base64url import encode
from guard_core.claims.sign import make_signing_key

AT = 1796040000
"""2026-11-30T12:00:00Z, the time to judge at."""

DAY = 86_400
TEXT = "The ferry left at seven.\nNobody waved."
TEXT_DIGEST = digest_text(TEXT)
OTHER_DIGEST = digest_text("another text")

ARCHIVE = "https://archive.test-keys.example"
VENDOR = "https://vendor.test-keys.example"
SLEEPER = "https://sleeper.test-keys.example"
BUREAU = "https://bureau.test-keys.example"
UNLISTED = "https://unlisted.test-keys.example"

_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class Case:
    """Hold one claim with the status that it must get, and why."""

    name: str
    status: str
    reason: str
    token: str
    document: str = "doc-1"
    text: str | None = TEXT


@lru_cache
def make_key(kid: str) -> SigningKey:
    """Make the key of this name; a name with ``p256`` in it gives a P-256 key."""
    seed = hashlib.sha256(f"TEST KEY, NEVER TRUST: {kid}".encode()).digest()
    if "p256" in kid:
        return make_signing_key(ec.derive_private_key(int.from_bytes(seed) % (_P256_ORDER - 1) + 1, ec.SECP256R1()))
    return make_signing_key(Ed25519PrivateKey.from_private_bytes(seed))


KEY = "TEST-KEY-archive"
P256 = "TEST-KEY-archive-p256"


def entry(kid: str, iss: str, **members: object) -> dict[str, object]:
    """Return the entry of a test key in a trust store."""
    return {**make_jwks_entry(make_key(kid).public, iss, kid=kid), **members}


def store_document() -> dict[str, object]:
    """Return the trust store of the tests, before it is written."""
    every_class = ["human-authored", "model-generated", "hybrid"]
    return {
        "keys": [
            entry(KEY, ARCHIVE),
            entry(P256, ARCHIVE),
            entry("TEST-KEY-window", ARCHIVE, nbf=AT - 100 * DAY, exp=AT - 50 * DAY),
            entry("TEST-KEY-superseded", ARCHIVE, revoked={"at": AT - 50 * DAY, "reason": "superseded"}),
            entry("TEST-KEY-stolen", ARCHIVE, revoked={"at": AT - 50 * DAY, "reason": "keyCompromise"}),
            entry("TEST-KEY-vendor", VENDOR),
            entry("TEST-KEY-sleeper", SLEEPER),
            entry("TEST-KEY-bureau", BUREAU),
            entry("TEST-KEY-unlisted", UNLISTED),
            entry("TEST-KEY-encryption-p256", ARCHIVE, use="enc"),
            entry("TEST-KEY-operations", ARCHIVE, key_ops=["sign"]),
            {"kty": "OKP", "crv": "Ed25519", "kid": "TEST-KEY-small-order", "iss": ARCHIVE, "x": encode(bytes(32))},
            {"kty": "AKP", "alg": "ML-DSA-65", "kid": "TEST-KEY-post-quantum", "iss": ARCHIVE, "pub": "AAAA"},
        ],
        "issuers": {
            ARCHIVE: {"name": "Archive (test keys)", "may_attest": every_class, "max_depth": 9, "status": "active"},
            VENDOR: {"name": "Vendor (test keys)", "may_attest": ["model-generated", "hybrid"], "max_depth": 2},
            SLEEPER: {"name": "Sleeper (test keys)", "may_attest": every_class, "status": "suspended"},
            BUREAU: {"name": "Bureau (test keys)", "may_attest": every_class, "max_depth": 9, "status": "active"},
        },
    }


def store_text() -> str:
    """Return the text of the trust store."""
    return json.dumps(store_document(), indent=1) + "\n"


@lru_cache
def store() -> TrustStore:
    """Return the trust store of the tests, read."""
    return parse_trust_store(store_text().encode(), "trust_store.json")


def make_store(*entries: dict[str, str | int], originators: Iterable[Originator] = ()) -> TrustStore:
    """Make a trust store with these entries and limits: written, and read."""
    return parse_trust_store(format_trust_store(entries, originators).encode(), "trust.json")


def header(kid: str = KEY, **members: object) -> dict[str, object]:
    """Return a header as it should be, with members changed or added."""
    algorithm = "ES256" if "p256" in kid else "Ed25519"
    return {"alg": algorithm, "kid": kid, "typ": "source-authenticity+jwt", **members}


def payload(**members: object) -> dict[str, object]:
    """Return a human-authored claim on doc-1, with members changed or added; a member that is ``None`` is left out."""
    whole = {
        "iss": ARCHIVE,
        "sub": "doc-1",
        "iat": AT - DAY,
        "source_class": "human-authored",
        "synthetic_generation_depth": 0,
        "content": TEXT_DIGEST,
        **members,
    }
    return {name: value for name, value in whole.items() if value is not None}


def model_payload(depth: object = 1, **members: object) -> dict[str, object]:
    """Return a model-generated claim on doc-1."""
    return payload(source_class="model-generated", synthetic_generation_depth=depth, **members)


def encode_part(value: object) -> bytes:
    """Return bytes as they are, anything else as compact JSON."""
    return value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()


def token(body: object, *, kid: str = KEY, head: object = None) -> str:
    """Sign these bytes or values with the test key of this name."""
    signed = f"{encode(encode_part(header(kid) if head is None else head))}.{encode(encode_part(body))}"
    return f"{signed}.{encode(make_key(kid).sign(signed.encode()))}"


def replace_segment(original: str, segment: int, text: str) -> str:
    """Return a token with one of its three segments replaced."""
    segments = original.split(".")
    segments[segment] = text
    return ".".join(segments)
