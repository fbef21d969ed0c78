"""Test how keys and claims are made: the same bytes each time, what is not signed, where a private key may be."""

from __future__ import annotations

import json
import logging
import os
import pickle
import stat
import traceback
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims import (
    Claim,
    Originator,
    SigningKey,
    SourceClass,
    digest_text,
    format_trust_store,
    generate_key,
    make_jwks_entry,
    parse_trust_store,
    read_key_file,
    sign_claim,
    verify_claim,
    write_key_file,
)
from guard_core.claims.keys import Algorithm
from guard_core.claims.sign import encode_claim, make_signing_key
from guard_core.claims.strict_json import MAX_INTEGER
from guard_core.errors import KeyFileError, KeyRefusedError, SigningError, TrustStoreError
from guard_core.model import SignatureStatus
from tests.support.claim_tokens import ARCHIVE, AT, KEY, P256, TEXT, TEXT_DIGEST, make_key, make_store

CLAIM = Claim(ARCHIVE, "doc-1", AT, SourceClass.HUMAN_AUTHORED, 0, content=TEXT_DIGEST)
ALGORITHMS: tuple[Algorithm, ...] = ("Ed25519", "ES256")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_new_key_signs_a_valid_claim(algorithm: Algorithm, tmp_path: Path) -> None:
    key = generate_key(algorithm)
    write_key_file(tmp_path / "archive.key", key)
    again = read_key_file(tmp_path / "archive.key")
    assert again == key
    limits = Originator(ARCHIVE, "Archive", frozenset({SourceClass.HUMAN_AUTHORED}), 0)
    store = make_store(make_jwks_entry(key.public, ARCHIVE, nbf=AT - 1, exp=AT + 1), originators=[limits])
    assert store.originators[ARCHIVE] == limits
    assert store.keys[key.kid].key.thumbprint == key.kid
    assert (store.keys[key.kid].nbf, store.keys[key.kid].exp) == (AT - 1, AT + 1)
    outcome = verify_claim(sign_claim(CLAIM, again), store, AT, document_id="doc-1", text=TEXT)
    assert (outcome.status, outcome.claim) == (SignatureStatus.VALID, CLAIM)


@pytest.mark.parametrize("kid", [KEY, P256])
def test_the_same_claim_has_the_same_bytes(kid: str) -> None:
    key = make_key(kid)
    assert sign_claim(CLAIM, key) == sign_claim(replace(CLAIM), key)
    assert encode_claim(CLAIM).decode() == (
        f'{{"iss":"{ARCHIVE}","sub":"doc-1","iat":{AT},"source_class":"human-authored",'
        f'"synthetic_generation_depth":0,"content":"{TEXT_DIGEST}"}}'
    )


digests = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__)
times = st.integers(-MAX_INTEGER, MAX_INTEGER)
texts = st.text(max_size=20)
claims = st.builds(
    Claim,
    iss=texts,
    sub=texts,
    iat=times,
    source_class=st.sampled_from(SourceClass),
    depth=st.integers(0, 3),
    exp=st.none() | times,
    nbf=st.none() | times,
    jti=st.none() | texts,
    digital_source_type=st.none() | st.sampled_from(["digitalCapture", "trainedAlgorithmicMedia", "composite"]),
    anchors=st.lists(digests, max_size=4).map(tuple),
    content=st.none() | digests,
    derived_from=st.lists(texts, max_size=4).map(tuple),
)


@given(claims, st.sampled_from([KEY, P256]))
def test_what_is_signed_is_what_is_read_and_the_rest_is_not_signed(claim: Claim, kid: str) -> None:
    key = make_key(kid)
    store = make_store(make_jwks_entry(key.public, claim.iss or "x"))
    try:
        text = sign_claim(claim, key)
    except SigningError:
        outcome = None
    else:
        outcome = verify_claim(text, store, claim.iat)
        assert outcome.claim == claim
        assert outcome.status not in (SignatureStatus.MALFORMED, SignatureStatus.INCONSISTENT)
    assert (outcome is None) == (not _is_consistent(claim))


def _is_consistent(claim: Claim) -> bool:
    human = claim.source_class is SourceClass.HUMAN_AUTHORED
    fits = {
        None: True,
        "composite": True,
        "digitalCapture": human,
        "trainedAlgorithmicMedia": claim.source_class is SourceClass.MODEL_GENERATED,
    }
    return human == (claim.depth == 0) and fits[claim.digital_source_type]


@pytest.mark.parametrize(
    "changes",
    [
        {"depth": 1},
        {"depth": -1},
        {"source_class": SourceClass.HYBRID},
        {"digital_source_type": "trainedAlgorithmicMedia"},
        {"content": "sha256:ABC"},
        {"anchors": ("doc-1",)},
        {"anchors": (TEXT_DIGEST,) * 65},
        {"derived_from": ("doc-0",) * 65},
        {"sub": "\ud800"},
        {"jti": "j" * 16_384},
        {"iat": 2**53},
    ],
    ids=str,
)
def test_a_claim_that_every_verifier_refuses_is_not_signed(changes: dict[str, object]) -> None:
    with pytest.raises(SigningError, match=r"^the claim"):
        sign_claim(replace(CLAIM, **changes), make_key(KEY))  # type: ignore[arg-type]  # wrong on purpose


def test_a_key_file_is_for_its_owner_only_and_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "archive.key"
    before = os.umask(0)
    try:
        write_key_file(path, make_key(KEY))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_bytes()
    with pytest.raises(KeyFileError, match="exists already"):
        write_key_file(path, generate_key())
    assert path.read_bytes() == content
    link = tmp_path / "link.key"
    link.symlink_to(tmp_path / "elsewhere.key")
    with pytest.raises(KeyFileError, match="exists already"):
        write_key_file(link, generate_key())
    with pytest.raises(KeyFileError, match="cannot be made"):
        write_key_file(tmp_path / "no folder" / "a.key", generate_key())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_leaves_no_key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, opened = tmp_path / "archive.key", os.open

    def full(name: str | Path, flags: int, mode: int = 0o777) -> int:
        handle = opened(name, flags, mode)
        device = opened("/dev/full", os.O_WRONLY)
        os.dup2(device, handle)
        os.close(device)
        return handle

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(KeyFileError, match="cannot be written"):
        write_key_file(path, make_key(KEY))
    monkeypatch.undo()
    assert not path.exists()


def _pem(
    private: ed448.Ed448PrivateKey | rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, password: bytes = b""
) -> bytes:
    encryption = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def _unusable() -> dict[str, bytes]:
    whole = make_key(KEY).encode_private()
    return {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "spoilt": whole.replace(b"M", b"!", 1),
        "public": b"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
        "ed448": _pem(ed448.Ed448PrivateKey.generate()),
        "p384": _pem(ec.generate_private_key(ec.SECP384R1())),
        "password": _pem(ec.generate_private_key(ec.SECP256R1()), b"swordfish"),
        "large": b"x" * (64 * 1024 + 1),
    }


@pytest.mark.parametrize("name", _unusable())
def test_a_key_file_of_no_use_is_refused_without_its_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.key"
    data = _unusable()[name]
    path.write_bytes(data)
    with pytest.raises(KeyFileError) as caught:
        read_key_file(path)
    report = "".join(traceback.format_exception(caught.value))
    lines = [line.decode("ascii") for line in data.splitlines() if len(line) > 20 and not line.startswith(b"---")]
    assert not [line for line in lines if line in report]
    assert caught.value.__cause__ is None


def test_a_private_key_is_in_no_text_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    for kid in (KEY, P256):
        key = make_key(kid)
        assert "PRIVATE" in key.encode_private().decode()
        body = "".join(key.encode_private().decode().splitlines()[1:-1])
        with caplog.at_level(logging.DEBUG):
            logging.getLogger(__name__).debug("%r %s", key, key)
            sign_claim(CLAIM, key)
        texts = [
            repr(key),
            str(key),
            caplog.text,
            json.dumps(make_jwks_entry(key.public, ARCHIVE)),
            sign_claim(CLAIM, key),
        ]
        assert not [text for text in texts if body[-40:] in text or "_private" in text]
        with pytest.raises(TypeError):
            pickle.dumps(key)


def test_a_private_key_has_no_place_in_a_trust_store() -> None:
    for text in (
        make_key(KEY).encode_private(),
        format_trust_store([make_jwks_entry(make_key(KEY).public, "a") | {"d": "AA"}]).encode(),
    ):
        with pytest.raises(TrustStoreError):
            parse_trust_store(text, "trust.json")


def test_the_kid_is_the_thumbprint_unless_the_store_says_otherwise() -> None:
    key = make_key(KEY)
    named = make_store(make_jwks_entry(key.public, ARCHIVE, kid="k1"))
    assert verify_claim(sign_claim(CLAIM, key, "k1"), named, AT).status is SignatureStatus.VALID
    assert verify_claim(sign_claim(CLAIM, key), named, AT).status is SignatureStatus.UNKNOWN_KEY


def test_other_curves_sign_nothing() -> None:
    with pytest.raises(KeyRefusedError):
        make_signing_key(ec.generate_private_key(ec.SECP384R1()))
    assert isinstance(generate_key(), SigningKey)
    assert digest_text("") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
