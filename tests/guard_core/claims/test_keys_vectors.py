"""Test against published answers: Wycheproof, CCTV, RFC 7515 and RFC 8037.

Flows in: the folder of acceptance vectors.  Flows out: every vector whose answer is another than the published one.
The published JWS vectors are no claims (no ``typ``, a payload of their own), so the JWS groups are judged by the
parts of our check that apply to any JWS: base64url, algorithm bound to the key, key rules, signature.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from guard_core.claims import base64url, strict_json
from guard_core.claims.keys import ALGORITHMS, PublicKey, load_ed25519_key, load_p256_key, load_public_key
from guard_core.claims.trust_file import parse_trust_store
from guard_core.errors import KeyRefusedError, StrictJsonError, TrustStoreError


def holds(jws: str, jwk: dict[str, object]) -> bool:
    """Our steps that apply to any compact JWS."""
    try:
        key = load_public_key(jwk)
        header, payload, signature = (base64url.decode(part.encode("ascii")) for part in jws.split("."))
        members = strict_json.parse(header, max_bytes=1 << 14)
    except (KeyRefusedError, StrictJsonError, ValueError):
        return False
    del payload
    if not isinstance(members, dict) or ALGORITHMS.get(str(members.get("alg"))) != key.algorithm:
        return False
    return key.has_signed(signature, jws.rpartition(".")[0].encode("ascii"))


@pytest.mark.parametrize(
    ("name", "load", "member", "count"),
    [
        ("ed25519_test", load_ed25519_key, "pk", 151),
        ("ecdsa_secp256r1_sha256_p1363_test", load_p256_key, "uncompressed", 262),
    ],
    ids=["ed25519", "p256"],
)
def test_wycheproof_signatures(
    shared: Path, name: str, load: Callable[[bytes], PublicKey], member: str, count: int
) -> None:
    seen, wrong = 0, []
    for group in json.loads((shared / f"vectors/wycheproof/{name}.json").read_text())["testGroups"]:
        key = load(bytes.fromhex(group["publicKey"][member]))
        for test in group["tests"]:
            seen += 1
            if key.has_signed(bytes.fromhex(test["sig"]), bytes.fromhex(test["msg"])) != (test["result"] == "valid"):
                wrong.append(test["tcId"])
    assert (seen, wrong) == (count, [])


NOT_OURS = {346, 347, 350, 351, 372, 373}
"""Marked valid although the algorithm is not the key's, or a character outside base64url occurs; a strict verifier
refuses."""


def test_wycheproof_jws(shared: Path) -> None:
    seen, applicable, wrong = 0, 0, []
    path = shared / "vectors/wycheproof/json_web_signature_test.json"
    for group in json.loads(path.read_text())["testGroups"]:
        jwk = group.get("public") or {"kty": "oct"}
        ours = jwk.get("alg", "ES256") == "ES256" and jwk["kty"] == "EC"
        for test in group["tests"]:
            seen += 1
            applicable += ours
            expected = test["result"] == "valid" and ours and test["tcId"] not in NOT_OURS
            if holds(test["jws"], jwk) != expected:
                wrong.append(test["tcId"])
    assert (seen, wrong) == (401, [])
    assert applicable == 41


def test_wycheproof_key_sets(shared: Path) -> None:
    """Key sets with symmetric keys, repeated kids and unusable keys give no key that would accept the token."""
    wrong = []
    for group in json.loads((shared / "vectors/wycheproof/json_web_key_test.json").read_text())["testGroups"]:
        keys = group.get("public") or group.get("private")
        entries = [{**each, "iss": "issuer"} for each in keys.get("keys", [keys])]
        try:
            store = parse_trust_store(json.dumps({"keys": entries}).encode(), "keys.json")
        except TrustStoreError:
            continue
        if store.keys:
            wrong.append(group["comment"])
    assert wrong == []


def test_cctv_ed25519(shared: Path) -> None:
    vectors = json.loads((shared / "vectors/ed25519-cctv/ed25519vectors.json").read_text())
    accepted = []
    for vector in vectors:
        flags = set(vector["flags"] or ())
        try:
            key = load_ed25519_key(bytes.fromhex(vector["key"]))
        except KeyRefusedError:
            assert flags & {"low_order_A", "non_canonical_A"}, vector["number"]
            continue
        assert not flags & {"low_order_A", "non_canonical_A"}, vector["number"]
        if key.has_signed(bytes.fromhex(vector["sig"]), vector["msg"].encode()):
            accepted.append(flags)
    assert (len(vectors), len(accepted)) == (914, 86)
    assert not [flags for flags in accepted if flags & {"non_canonical_R", "low_order_residue"}]


def test_rfc_8037(shared: Path) -> None:
    for name in ("rfc8037_appendix_a.json", "cookbook_curve25519_jws.json"):
        vector = json.loads((shared / "vectors/jose" / name).read_text())
        jwk = vector.get("key") or vector["input"]["key"]
        compact = vector.get("compact") or vector["output"]["compact"]
        public = {member: value for member, value in jwk.items() if member != "d"}
        assert holds(compact, public)
        assert not holds(compact[:-2] + "AA", public)


def test_rfc_7515(shared: Path) -> None:
    vector = json.loads((shared / "vectors/jose/rfc7515_appendix_a.json").read_text())
    public = {member: value for member, value in vector["key"].items() if member != "d"}
    assert holds(vector["compact"], public)
    assert not holds(vector["unsecured_A5"], public)
