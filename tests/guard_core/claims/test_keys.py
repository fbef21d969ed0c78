"""Test public keys: which are refused and why, names of algorithms, thumbprints, and signatures of any shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims.base64url import decode, encode
from guard_core.claims.keys import ALGORITHMS, load_ed25519_key, load_p256_key, load_public_key
from guard_core.errors import KeyRefusedError
from tests.support.claim_tokens import ARCHIVE, KEY, P256, entry, make_key

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P

SMALL_ORDER_Y = [
    0,
    1,
    P - 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
]
SMALL_ORDER = [(y | sign << 255).to_bytes(32, "little") for y in SMALL_ORDER_Y for sign in (0, 1)]
NOT_CANONICAL = [(y | sign << 255).to_bytes(32, "little") for y in (P, P + 1, P + 17, 2**255 - 1) for sign in (0, 1)]


@pytest.mark.parametrize(
    ("point", "reason"),
    [*((point, "small order") for point in SMALL_ORDER), *((point, "canonically") for point in NOT_CANONICAL)],
    ids=lambda value: value.hex() if isinstance(value, bytes) else value,
)
def test_an_unsafe_point_is_refused(point: bytes, reason: str) -> None:
    with pytest.raises(KeyRefusedError, match=reason):
        load_ed25519_key(point)


def doubled(y: int) -> int:
    """The y of twice a point, by the addition law of the curve; x only occurs squared."""
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    return (y * y + x2) * pow(2 - y * y + x2, -1, P) % P


def test_those_are_all_the_points_of_small_order() -> None:
    for y in SMALL_ORDER_Y:
        assert doubled(doubled(doubled(y))) == 1  # eight times the point is the neutral one
    # The order of the group is eight times a prime: eight such points; x is 0 in two of them, the others are pairs.
    assert sum(1 if y * y % P == 1 else 2 for y in set(SMALL_ORDER_Y)) == 8


def test_half_of_all_encodings_are_no_point() -> None:
    reasons = [reason_to_refuse(y.to_bytes(32, "little")) for y in range(2, 202)]
    assert set(reasons) == {None, "its point is not on the curve"}
    assert 60 < reasons.count(None) < 140


def reason_to_refuse(point: bytes) -> str | None:
    try:
        load_ed25519_key(point)
    except KeyRefusedError as error:
        return str(error)
    return None


@pytest.mark.parametrize("length", [0, 31, 33])
def test_an_ed25519_key_has_32_bytes(length: int) -> None:
    with pytest.raises(KeyRefusedError):
        load_ed25519_key(bytes(length))


@pytest.mark.parametrize(
    ("kid", "changes", "reason"),
    [
        (KEY, {"kty": "RSA"}, "neither"),
        (KEY, {"kty": None}, "neither"),
        (KEY, {"crv": "Ed448"}, "neither"),
        (KEY, {"crv": "X25519"}, "neither"),
        (KEY, {"crv": ["Ed25519"]}, "neither"),
        (KEY, {"use": "enc"}, "use"),
        (KEY, {"use": ["sig"]}, "use"),
        (KEY, {"key_ops": []}, "key_ops"),
        (KEY, {"key_ops": ["sign"]}, "key_ops"),
        (KEY, {"key_ops": "verify"}, "key_ops"),
        (KEY, {"alg": "ES256"}, "alg"),
        (KEY, {"alg": "none"}, "alg"),
        (KEY, {"alg": ["Ed25519"]}, "alg"),
        (KEY, {"x": None}, "x is missing"),
        (KEY, {"x": 7}, "x is missing"),
        (KEY, {"x": "AA"}, "32 bytes"),
        (KEY, {"x": "é" * 43}, "base64url"),
        (KEY, {"x": "A" * 41}, "base64url"),
        (KEY, {"x": "A" * 43 + "="}, "base64url"),
        (KEY, {"x": " " + "A" * 43}, "base64url"),
        (P256, {"crv": "P-384"}, "neither"),
        (P256, {"crv": "secp256k1"}, "neither"),
        (P256, {"alg": "EdDSA"}, "alg"),
        (P256, {"y": None}, "y is missing"),
        (P256, {"x": encode(bytes(32)), "y": encode(bytes(32))}, "curve"),
        (P256, {"x": encode(b"\xff" * 32)}, "curve"),
        (P256, {"y": encode(bytes(33))}, "32 bytes"),
    ],
    ids=str,
)
def test_an_entry_is_refused(kid: str, changes: dict[str, object], reason: str) -> None:
    with pytest.raises(KeyRefusedError, match=reason):
        load_public_key(entry(kid, ARCHIVE, **changes))


def test_p256_coordinates_are_canonical() -> None:
    prime = 2**256 - 2**224 + 2**192 + 2**96 - 1
    root_of_b = 0x66485C780E2F83D72433BD5D84A06BB6541C2AF31DAE871728BF856A174F93F4  # y where x is 0
    assert load_p256_key(b"\4" + bytes(32) + root_of_b.to_bytes(32)).algorithm == "ES256"
    with pytest.raises(KeyRefusedError):
        load_p256_key(b"\4" + prime.to_bytes(32) + root_of_b.to_bytes(32))
    with pytest.raises(KeyRefusedError):
        load_p256_key(b"\0")


@pytest.mark.parametrize("alg", ["Ed25519", "EdDSA", None])
def test_both_names_of_ed25519_and_none_are_good(alg: str | None) -> None:
    assert load_public_key(entry(KEY, ARCHIVE, alg=alg, use=None, key_ops=["verify", "sign"])).algorithm == "Ed25519"
    assert set(ALGORITHMS) == {"Ed25519", "EdDSA", "ES256"}


def test_thumbprint_of_rfc_8037(shared: Path) -> None:
    vector = json.loads((shared / "vectors/jose/rfc8037_appendix_a.json").read_text())
    jwk = {name: value for name, value in vector["key"].items() if name != "d"}
    assert load_public_key(jwk).thumbprint == vector["thumbprint_sha256"]


@given(st.binary(max_size=80), st.sampled_from([KEY, P256]))
def test_a_check_says_yes_or_no_whatever_the_signature(signature: bytes, kid: str) -> None:
    assert make_key(kid).public.has_signed(signature, b"message") is False


def test_an_es256_signature_has_a_second_form() -> None:
    """(r, n - s) holds as well, by design of ECDSA: so neither token nor signature may serve as an identity."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    key = make_key(P256)
    signature = key.sign(b"message")
    second = signature[:32] + (order - int.from_bytes(signature[32:])).to_bytes(32)
    assert key.public.has_signed(signature, b"message")
    assert key.public.has_signed(second, b"message")


@given(st.binary(max_size=100))
def test_base64url_has_one_spelling(data: bytes) -> None:
    assert decode(encode(data).encode()) == data


@given(st.text("ABab01-_+/= \n", max_size=12))
def test_no_other_spelling_is_read(text: str) -> None:
    try:
        data = decode(text.encode())
    except ValueError:
        return
    assert encode(data) == text
