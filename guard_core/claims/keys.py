"""Load the public keys that claims may be verified with.

Flows in: the members of a JSON Web Key (RFC 7517, RFC 8037), or the bytes of a point.  Flows out: ``PublicKey``, or
``KeyRefusedError`` with the reason.
Rules kept here: two kinds, Ed25519 and ES256 on P-256; ``alg`` is bound to the key (R37); a key is refused for an
unknown type, a ``use`` other than ``sig``, ``key_ops`` without ``verify``, coordinates that are not canonical, or an
unsafe point (R38): an Ed25519 point of small order lets one signature fit many texts, so that its owner could deny
any of them. A signature has 64 bytes; checking one returns true or false and raises nothing (R37).
Not here: who owns a key and when it counts (``trust_store``); private keys (``sign``).

The cryptography library accepts every encoding of an Ed25519 point, so the point is checked here, by RFC 8032 (5.1.3):
y is below the prime, an x fits it, and it is not one of the eight points of small order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from guard_core.claims import base64url
from guard_core.errors import KeyRefusedError

Algorithm = Literal["Ed25519", "ES256"]

ALGORITHMS: Final[Mapping[str, Algorithm]] = {"Ed25519": "Ed25519", "EdDSA": "Ed25519", "ES256": "ES256"}
"""Accepted names of ``alg`` and what they mean (RFC 9864 calls Ed25519 by its name, RFC 8037 called it EdDSA)."""

SIGNATURE_BYTES: Final = 64

_ECDSA = ec.ECDSA(hashes.SHA256())

_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ORDER_8_Y: Final = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER_Y: Final = frozenset({0, 1, _P - 1, _ORDER_8_Y, _P - _ORDER_8_Y})
"""The y of the points of order 1, 2, 4 and 8; whether x is negative makes no difference."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Hold a public key that passed every check.

    ``algorithm`` is the only one that it verifies; ``point`` its bytes (32 for Ed25519; 65, uncompressed, for P-256);
    ``thumbprint`` its name by RFC 7638.
    """

    algorithm: Algorithm
    point: bytes
    thumbprint: str
    _key: Ed25519PublicKey | ec.EllipticCurvePublicKey

    def has_signed(self, signature: bytes, message: bytes) -> bool:
        """Return whether ``signature`` is one of this key over ``message``."""
        if len(signature) != SIGNATURE_BYTES:
            return False
        try:
            if isinstance(self._key, Ed25519PublicKey):
                self._key.verify(signature, message)
            else:
                r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
                self._key.verify(encode_dss_signature(r, s), message, _ECDSA)
        except InvalidSignature:
            return False
        return True


def load_public_key(jwk: Mapping[str, object]) -> PublicKey:
    """Load the key that a JSON Web Key describes.  Raises ``KeyRefusedError``."""
    use = jwk.get("use")
    if use is not None and use != "sig":
        raise KeyRefusedError("its use is not sig")
    operations = jwk.get("key_ops")
    if operations is not None and not (isinstance(operations, list) and "verify" in operations):
        raise KeyRefusedError("its key_ops do not hold verify")
    kind, curve = jwk.get("kty"), jwk.get("crv")
    if kind == "OKP" and curve == "Ed25519":
        _check_algorithm(jwk, "Ed25519")
        return load_ed25519_key(_read_coordinate(jwk, "x"))
    if kind == "EC" and curve == "P-256":
        _check_algorithm(jwk, "ES256")
        return load_p256_key(b"\x04" + _read_coordinate(jwk, "x") + _read_coordinate(jwk, "y"))
    raise KeyRefusedError("it is neither an Ed25519 nor a P-256 key")


def load_ed25519_key(point: bytes) -> PublicKey:
    """Load the Ed25519 key with these 32 bytes.  Raises ``KeyRefusedError`` for an unsafe point."""
    if len(point) != 32:
        raise KeyRefusedError("an Ed25519 key has 32 bytes")
    number = int.from_bytes(point, "little")
    y = number & ((1 << 255) - 1)
    if y >= _P:
        raise KeyRefusedError("its point is not written canonically")
    if y in _SMALL_ORDER_Y:
        raise KeyRefusedError("its point is of small order, so one signature would fit many texts")
    if not _is_square((y * y - 1) * pow(_D * y * y + 1, -1, _P)):
        raise KeyRefusedError("its point is not on the curve")
    thumbprint = _compute_thumbprint(f'{{"crv":"Ed25519","kty":"OKP","x":"{base64url.encode(point)}"}}')
    return PublicKey("Ed25519", point, thumbprint, Ed25519PublicKey.from_public_bytes(point))


def load_p256_key(point: bytes) -> PublicKey:
    """Load the P-256 key with these 65 bytes (04, x, y).  Raises ``KeyRefusedError`` for a point off the curve."""
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        raise KeyRefusedError("its point is not on the curve") from None
    x, y = base64url.encode(point[1:33]), base64url.encode(point[33:])
    return PublicKey("ES256", point, _compute_thumbprint(f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'), key)


def _check_algorithm(jwk: Mapping[str, object], algorithm: Algorithm) -> None:
    stated = jwk.get("alg")
    if stated is not None and not (isinstance(stated, str) and ALGORITHMS.get(stated) == algorithm):
        raise KeyRefusedError(f"its alg is not {algorithm}, which its type asks for")


def _read_coordinate(jwk: Mapping[str, object], name: str) -> bytes:
    text = jwk.get(name)
    if not isinstance(text, str):
        raise KeyRefusedError(f"its {name} is missing or not text")
    try:
        data = base64url.decode(text.encode("ascii"))
    except ValueError:  # UnicodeEncodeError and binascii.Error are kinds of it
        raise KeyRefusedError(f"its {name} is not canonical base64url") from None
    if len(data) != 32:
        raise KeyRefusedError(f"its {name} is not 32 bytes long")
    return data


def _is_square(number: int) -> bool:
    """Return whether a number is a square modulo the prime of Ed25519 (Euler's criterion)."""
    return pow(number % _P, (_P - 1) // 2, _P) in (0, 1)


def _compute_thumbprint(canonical: str) -> str:
    """Return the SHA-256 of the required members, which are in order of their names, without white space (RFC 7638)."""
    return base64url.encode(hashlib.sha256(canonical.encode("ascii")).digest())
