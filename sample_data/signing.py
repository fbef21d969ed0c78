"""Sign the claims of the sample, and make the trust store that they are checked with.

**Every key here is a TEST key.**  Its private half follows from its name by one line of code, so anybody can sign with
it: never use one, never trust one outside this sample.

Flows in: documents, each with what a check of its claim has to say.  Flows out: tokens, the text of
``trust_store.json``.
Rules: the same document gives the same bytes; a claim that is to fail has one fault, and it is a fault that happens.
This is the only part of the sample that needs the library, and of it only ``guard_core.claims``: a signature that the
library makes is checked in the tests by another one.
Not here: which claim has which fault (``documents.py``, ``generate.py``), what the numbers must be
(``expectation.py``).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from guard_core.claims import Claim, SigningKey, SourceClass, make_jwks_entry, sign_claim
from guard_core.claims.base64url import encode
from guard_core.claims.claim import TOKEN_TYPE
from guard_core.claims.sign import encode_claim, make_signing_key
from sample_data.documents import ARCHIVE, GAZETTE, PRESS, STUDIO, Document

_CLASSES = {
    "human": SourceClass.HUMAN_AUTHORED,
    "hybrid": SourceClass.HYBRID,
    "model": SourceClass.MODEL_GENERATED,
}
_CAPTURED = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_DAY = 86_400


def parse_day(text: str) -> int:
    """Return the start of a day in UTC, in seconds since 1970."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@dataclass(frozen=True, slots=True)
class TestKey:
    """A key of the trust store: its name says that it is a test key, ``window`` when it signs."""

    __test__ = False  # a class whose name starts with Test is none of pytest's here

    kid: str
    iss: str
    window: tuple[str, str | None] = ("2026-01-01", None)
    revoked: tuple[str, str] | None = None
    p256: bool = False
    use: str = "sig"


ARCHIVE_KEY = TestKey("TEST-archive-2026", ARCHIVE)
OLD_ARCHIVE_KEY = TestKey("TEST-archive-2025", ARCHIVE, ("2025-01-01", "2026-01-01"))
PRESS_KEY = TestKey("TEST-press-2026", PRESS)
OLD_PRESS_KEY = TestKey("TEST-press-2024", PRESS, ("2024-01-01", None), ("2026-01-15", "superseded"))
LOST_PRESS_KEY = TestKey("TEST-press-laptop", PRESS, revoked=("2026-08-20", "keyCompromise"))
STUDIO_KEY = TestKey("TEST-studio-2026", STUDIO, p256=True)
MISFILED_STUDIO_KEY = TestKey("TEST-studio-spare", STUDIO, use="enc")
GAZETTE_KEY = TestKey("TEST-gazette-2026", GAZETTE)
UNLISTED_KEY = TestKey("TEST-studio-unlisted", STUDIO)

LISTED = (
    ARCHIVE_KEY, OLD_ARCHIVE_KEY, PRESS_KEY, OLD_PRESS_KEY, LOST_PRESS_KEY, STUDIO_KEY, MISFILED_STUDIO_KEY,
    GAZETTE_KEY,
)  # fmt: skip

ISSUERS: dict[str, dict[str, object]] = {
    ARCHIVE: {"name": ARCHIVE, "may_attest": ["human-authored"], "max_depth": 0, "status": "active"},
    PRESS: {"name": PRESS, "may_attest": ["human-authored", "hybrid"], "max_depth": 1, "status": "active"},
    STUDIO: {"name": STUDIO, "may_attest": ["model-generated", "hybrid"], "status": "active"},
    GAZETTE: {"name": GAZETTE, "may_attest": ["human-authored"], "max_depth": 0, "status": "suspended"},
}


@cache
def make_private_key(key: TestKey) -> SigningKey:
    """Return the private half of a test key: public knowledge, because it follows from the name."""
    seed = hashlib.sha256(f"Source Guard sample, test key, never to be trusted: {key.kid}".encode()).digest()
    if key.p256:
        return make_signing_key(ec.derive_private_key(int.from_bytes(seed) % (_P256_ORDER - 1) + 1, ec.SECP256R1()))
    return make_signing_key(Ed25519PrivateKey.from_private_bytes(seed))


def write_trust_store() -> str:
    """Return the text of the trust store: usable keys, one skipped for its use, one for its kind, and limits."""
    keys: list[dict[str, object]] = []
    for key in LISTED:
        start, end = key.window
        entry: dict[str, object] = {
            **make_jwks_entry(
                make_private_key(key).public,
                key.iss,
                kid=key.kid,
                nbf=parse_day(start),
                exp=None if end is None else parse_day(end),
            ),
            "use": key.use,
        }
        if key.revoked is not None:
            entry["revoked"] = {"at": parse_day(key.revoked[0]), "reason": key.revoked[1]}
        keys.append(entry)
    modulus = hashlib.sha512(b"Source Guard sample, no RSA key at all").digest()
    keys.append({"kty": "RSA", "n": encode(modulus * 4), "e": "AQAB", "kid": "TEST-gazette-rsa", "iss": GAZETTE})
    return json.dumps({"keys": keys, "issuers": ISSUERS}, indent=1) + "\n"


def find_key(document: Document) -> TestKey:
    """Return the key that its originator signs a document with."""
    early = _number(document) % 4 == 0
    if document.originator == ARCHIVE:
        return OLD_ARCHIVE_KEY if early else ARCHIVE_KEY
    if document.originator == PRESS:
        return OLD_PRESS_KEY if early and document.origin == "human" else PRESS_KEY
    return GAZETTE_KEY if document.originator == GAZETTE else STUDIO_KEY


def find_issue_time(document: Document) -> int:
    """Return when the claim on a document was issued: rewrites in two weeks, each depth after the last."""
    number = _number(document)
    if document.role.startswith("retold"):
        return parse_day("2026-08-01") + ((document.depth or 1) - 1) * 3 * _DAY + number % (3 * _DAY)
    first = "2025-02-01" if find_key(document) in (OLD_ARCHIVE_KEY, OLD_PRESS_KEY) else "2026-02-01"
    return parse_day(first) + number % (120 * _DAY)


def make_claim(document: Document) -> Claim:
    """Return a truthful claim of the originator about a document; that on an answer names no content to check."""
    return Claim(
        iss=document.originator or "",
        sub=document.id,
        iat=find_issue_time(document),
        source_class=_CLASSES[document.origin or ""],
        depth=document.depth or 0,
        anchors=document.anchors,
        content=None if document.role == "unanchored" else document.digest,
    )


@cache
def sign_document(document: Document, almanac: Document) -> str | None:
    """Return the claim that a result carries, with the fault that its status needs; ``None`` if it carries none.

    ``almanac`` is the popular source, whose claim others adorn themselves with.
    """
    if document.status == "MISSING":
        return None
    claim, key = make_claim(document), find_key(document)
    match document.status:
        case "MALFORMED":  # an exporter cut its columns
            return _token(claim, key)[:256]
        case "ALG_NOT_ALLOWED":  # "no algorithm, no signature, please believe me"
            return _forge_token({"alg": "none", "kid": key.kid, "typ": TOKEN_TYPE}, claim, None)
        case "UNKNOWN_KEY":  # one key was never handed over, one stands in the store for another use
            key = MISFILED_STUDIO_KEY if document.role == "summary" else UNLISTED_KEY
        case "BAD_SIGNATURE":  # somebody made a human of the machine, and cannot sign that
            head, _, tail = _token(claim, key).split(".")
            better = replace(claim, source_class=SourceClass.HUMAN_AUTHORED, depth=0, anchors=())
            return f"{head}.{encode(encode_claim(better))}.{tail}"
        case "UNTRUSTED_ISSUER" if document.originator == STUDIO:  # the studio signs in the name of the press
            claim = replace(claim, iss=PRESS)
        case "NOT_PERMITTED":  # a studio of machines says that it is human
            claim = replace(claim, source_class=SourceClass.HUMAN_AUTHORED, depth=0, anchors=())
        case "KEY_NOT_VALID":  # signed with last year's key
            claim, key = replace(claim, iat=parse_day("2026-03-05")), OLD_ARCHIVE_KEY
        case "REVOKED":  # signed with the key on the laptop that was lost
            key = LOST_PRESS_KEY
        case "NOT_YET_VALID":
            claim = replace(claim, nbf=parse_day("2027-01-01"))
        case "EXPIRED":
            claim = replace(claim, exp=parse_day("2026-09-01"))
        case "INCONSISTENT":  # a photograph, made by a model
            captured = replace(claim, digital_source_type=_CAPTURED)
            return _forge_token({"alg": "ES256", "kid": key.kid, "typ": TOKEN_TYPE}, captured, key)
        case "SUBJECT_MISMATCH":  # a rewrite wears the claim of the book
            claim, key = make_claim(almanac), find_key(almanac)
        case "CONTENT_MISMATCH":  # signed with a line feed at its end, or in an earlier wording
            text = f"{document.text}\n" if document.topic == "ridge" else f"Draft. {document.text}"
            claim = replace(claim, content="sha256:" + hashlib.sha256(text.encode()).hexdigest())
        case _:
            pass  # VALID, and UNTRUSTED_ISSUER by an originator that is suspended: nothing is wrong with the claim
    return _token(claim, key)


def _token(claim: Claim, key: TestKey) -> str:
    return sign_claim(claim, make_private_key(key), key.kid)


def _forge_token(header: dict[str, str], claim: Claim, key: TestKey | None) -> str:
    """Return a token that ``sign_claim`` would not make; without a key its signature is empty."""
    signed = f"{encode(json.dumps(header, separators=(',', ':')).encode())}.{encode(encode_claim(claim))}"
    return f"{signed}.{'' if key is None else encode(make_private_key(key).sign(signed.encode()))}"


def _number(document: Document) -> int:
    return int.from_bytes(hashlib.sha256(document.id.encode()).digest()[:6])
