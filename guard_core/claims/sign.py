"""Make keys, claims and the text of a trust store.

Flows in: what an originator states of a document, and its private key.  Flows out: tokens, key files, and a trust store
with the public half.
Rules kept here: the same claim and key give the same bytes, for ES256 too (RFC 6979); a claim that every verifier would
refuse is not signed; a ``kid`` is the key's thumbprint (RFC 7638), so that it names one key only; a private key lives
in its own file, for its owner only (mode 0600), and never in a trust store, a message, a log line or a ``repr``.
Not here: which documents to attest (``guard_core.corpus.attestation``), checking (``verify``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from guard_core.claims import base64url
from guard_core.claims.claim import TOKEN_TYPE, Claim
from guard_core.claims.contradictions import find_contradiction
from guard_core.claims.keys import Algorithm, PublicKey, load_ed25519_key, load_p256_key
from guard_core.claims.small_files import read_small_file, write_private_file
from guard_core.claims.token import read_token
from guard_core.claims.trust_store import Originator
from guard_core.errors import KeyFileError, KeyRefusedError, MalformedClaimError, SigningError
from guard_core.files.input_file import escape_file_name

_MAX_KEY_FILE: Final = 64 * 1024
_ECDSA = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Hold a private key and its public half; the private half has no ``repr`` and cannot be pickled."""

    public: PublicKey
    _private: Ed25519PrivateKey | ec.EllipticCurvePrivateKey = field(repr=False, compare=False)

    @property
    def kid(self) -> str:
        """The name of the key, which is its thumbprint."""
        return self.public.thumbprint

    def sign(self, message: bytes) -> bytes:
        """Sign a message with 64 bytes, always the same for one message."""
        if isinstance(self._private, Ed25519PrivateKey):
            return self._private.sign(message)
        r, s = decode_dss_signature(self._private.sign(message, _ECDSA))
        return r.to_bytes(32) + s.to_bytes(32)

    def encode_private(self) -> bytes:
        """Return the private key itself (PKCS #8 in PEM), for a key file and for nothing else."""
        return self._private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def generate_key(algorithm: Algorithm = "Ed25519") -> SigningKey:
    """Generate a key from the randomness of the operating system."""
    return make_signing_key(
        Ed25519PrivateKey.generate() if algorithm == "Ed25519" else ec.generate_private_key(ec.SECP256R1())
    )


def make_signing_key(private: Ed25519PrivateKey | ec.EllipticCurvePrivateKey) -> SigningKey:
    """Make a key from one of the cryptography library.  Raises ``KeyRefusedError`` for a curve other than P-256."""
    if isinstance(private, Ed25519PrivateKey):
        return SigningKey(load_ed25519_key(private.public_key().public_bytes_raw()), private)
    if not isinstance(private.curve, ec.SECP256R1):
        raise KeyRefusedError("it is neither an Ed25519 nor a P-256 key")
    point = private.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return SigningKey(load_p256_key(point), private)


def write_key_file(path: str | Path, key: SigningKey) -> None:
    """Write a new private key file (PKCS #8 in PEM, mode 0600).  Raises ``KeyFileError``; never writes over a file."""
    write_private_file(path, key.encode_private(), KeyFileError)


def read_key_file(path: str | Path) -> SigningKey:
    """Read a private key file.  Raises ``KeyFileError``, whose message holds nothing of the file."""
    name = escape_file_name(path)
    data = read_small_file(path, _MAX_KEY_FILE, KeyFileError)
    try:
        private = serialization.load_pem_private_key(data, password=None)
    except TypeError:
        raise KeyFileError(name, "is protected by a password", "use a key file without one, mode 0600") from None
    except (ValueError, UnsupportedAlgorithm):
        raise KeyFileError(name, "holds no private key in PEM", "make one with keygen") from None
    if not isinstance(private, Ed25519PrivateKey | ec.EllipticCurvePrivateKey):
        raise KeyFileError(name, "holds a key that is neither Ed25519 nor P-256", "make one with keygen")
    try:
        return make_signing_key(private)
    except KeyRefusedError as error:
        raise KeyFileError(name, f"holds a key that is of no use: {error}", "make one with keygen") from None


def sign_claim(claim: Claim, key: SigningKey, kid: str | None = None) -> str:
    """Sign a claim and return its token.

    ``kid`` is given only where a trust store calls the key by another name than its thumbprint.  Raises
    ``SigningError`` for a claim that would be ``MALFORMED`` or ``INCONSISTENT``.
    """
    header = {"alg": key.public.algorithm, "kid": key.kid if kid is None else kid, "typ": TOKEN_TYPE}
    try:
        signed = f"{base64url.encode(_encode_json(header))}.{base64url.encode(encode_claim(claim))}"
    except UnicodeEncodeError:
        raise SigningError("the claim holds half of a surrogate pair") from None
    token = f"{signed}.{base64url.encode(key.sign(signed.encode('ascii')))}"
    try:
        same = read_token(token).claim == claim
    except MalformedClaimError as error:
        raise SigningError(f"the claim cannot be signed: {error}") from None
    fault = find_contradiction(claim)
    if fault is not None or not same:
        raise SigningError(f"the claim cannot be signed: {fault or 'it does not read back the same'}")
    return token


def encode_claim(claim: Claim) -> bytes:
    """Return the payload of a claim in UTF-8: members in a fixed order, ``None`` left out, no white space."""
    members: dict[str, object] = {
        "iss": claim.iss,
        "sub": claim.sub,
        "iat": claim.iat,
        "nbf": claim.nbf,
        "exp": claim.exp,
        "jti": claim.jti,
        "source_class": claim.source_class.value,
        "digitalSourceType": claim.digital_source_type,
        "synthetic_generation_depth": claim.depth,
        "human_source_anchor_hash": claim.anchors[0] if len(claim.anchors) == 1 else list(claim.anchors) or None,
        "content": claim.content,
        "derived_from": list(claim.derived_from) or None,
    }
    return _encode_json({name: value for name, value in members.items() if value is not None})


def make_jwks_entry(
    key: PublicKey, iss: str, *, kid: str | None = None, nbf: int | None = None, exp: int | None = None
) -> dict[str, str | int]:
    """Make the entry of a trust store for a public key that ``iss`` owns, with the window in which it signs."""
    entry: dict[str, str | int] = {"kty": "OKP", "crv": "Ed25519", "x": base64url.encode(key.point)}
    if key.algorithm == "ES256":
        x, y = key.point[1:33], key.point[33:]
        entry = {"kty": "EC", "crv": "P-256", "x": base64url.encode(x), "y": base64url.encode(y)}
    entry |= {"kid": key.thumbprint if kid is None else kid, "alg": key.algorithm, "use": "sig", "iss": iss}
    return entry | ({} if nbf is None else {"nbf": nbf}) | ({} if exp is None else {"exp": exp})


def format_trust_store(entries: Iterable[dict[str, str | int]], originators: Iterable[Originator] = ()) -> str:
    """Return the text of a trust store that holds these entries and limits."""
    limits: dict[str, dict[str, object]] = {}
    for each in originators:
        classes = None if each.may_attest is None else sorted(c.value for c in each.may_attest)
        limit = {"name": each.name, "may_attest": classes, "max_depth": each.max_depth, "status": each.status}
        limits[each.iss] = {name: value for name, value in limit.items() if value is not None}
    return json.dumps({"keys": list(entries), "issuers": limits}, indent=1, ensure_ascii=False) + "\n"


def _encode_json(members: dict[str, object] | dict[str, str]) -> bytes:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
