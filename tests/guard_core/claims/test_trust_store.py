"""Test how a trust store is loaded: what refuses it, what is skipped and why, its digest, and what-ifs."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims import SUSPENDED, Revocation, TrustStore, parse_trust_store, read_trust_store
from guard_core.errors import InputError, TrustStoreError
from tests.support.claim_tokens import ARCHIVE, AT, KEY, P256, entry, store, store_document, store_text

SECRET = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"  # noqa: S105  # the private key of an RFC example


def load(document: object) -> TrustStore:
    return parse_trust_store(json.dumps(document).encode(), "trust.json")


def test_keys_originators_and_skipped() -> None:
    loaded = store()
    assert len(loaded.keys) == 9
    assert loaded.keys[P256].key.algorithm == "ES256"
    assert loaded.originators[ARCHIVE].max_depth == 9
    assert [(each.entry, each.kid) for each in loaded.skipped] == [
        (10, "TEST-KEY-encryption-p256"),
        (11, "TEST-KEY-operations"),
        (12, "TEST-KEY-small-order"),
        (13, "TEST-KEY-post-quantum"),
    ]
    assert all(each.reason for each in loaded.skipped)
    assert loaded.notices == ()


@pytest.mark.parametrize(
    ("document", "place", "fault"),
    [
        ([], None, "not a JSON object"),
        ({}, None, "no list of keys"),
        ({"keys": {}}, None, "no list of keys"),
        ({"keys": [], "issuers": []}, "issuers", "not an object"),
        ({"keys": [{"kty": "oct", "k": SECRET}]}, "keys entry 1", "private or symmetric"),
        ({"keys": [{"kty": "oct"}]}, "keys entry 1", "private or symmetric"),
        ({"keys": [{}, entry(KEY, ARCHIVE, d=SECRET)]}, "keys entry 2", "private or symmetric"),
        ({"keys": [{"kty": "AKP", "priv": SECRET}]}, "keys entry 1", "private or symmetric"),
        ({"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "p": SECRET}]}, "keys entry 1", "private or symmetric"),
        (entry(KEY, ARCHIVE, d=SECRET), "top level", "private or symmetric"),
        ({"keys": [entry(KEY, ARCHIVE), entry(KEY, ARCHIVE)]}, "keys entry 2", "the kid of entry 1"),
        ({"keys": [entry(KEY, ARCHIVE, use="enc"), entry(KEY, ARCHIVE)]}, "keys entry 2", "the kid of entry 1"),
        ({"keys": [], "issuers": {"a": []}}, "issuers entry 'a'", "not an object"),
        ({"keys": [], "issuers": {"a": {"name": 1}}}, "issuers entry 'a'", "name is not text"),
        ({"keys": [], "issuers": {"a": {"status": True}}}, "issuers entry 'a'", "status is not text"),
        ({"keys": [], "issuers": {"a": {"max_depth": -1}}}, "issuers entry 'a'", "max_depth"),
        ({"keys": [], "issuers": {"a": {"max_depth": 1.0}}}, "issuers entry 'a'", "max_depth"),
        ({"keys": [], "issuers": {"a": {"max_depth": True}}}, "issuers entry 'a'", "max_depth"),
        ({"keys": [], "issuers": {"a": {"may_attest": "hybrid"}}}, "issuers entry 'a'", "may_attest"),
        ({"keys": [], "issuers": {"a": {"may_attest": ["human"]}}}, "issuers entry 'a'", "may_attest"),
        ({"keys": [], "issuers": {"a": {"may_attest": [["hybrid"]]}}}, "issuers entry 'a'", "may_attest"),
    ],
    ids=[str(number) for number in range(21)],
)
def test_a_broken_store_is_refused_with_file_entry_and_reason(document: object, place: str | None, fault: str) -> None:
    with pytest.raises(TrustStoreError, match=fault) as caught:
        load(document)
    assert (caught.value.file, caught.value.place) == ("trust.json", place)
    assert caught.value.advice
    assert str(caught.value).startswith("trust.json")
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert isinstance(caught.value, InputError)


BROKEN = [
    b"",
    b"not json",
    b'{"keys":[],"keys":[]}',
    b'{"keys":[{"kid":"a","kid":"b"}]}',
    b'{"keys":[NaN]}',
    b'{"keys":["\\ud800"]}',
    b"{" * 100_000,
    b'{"keys":' + b"[" * 100_000,
    '{"keys":[]}'.encode("utf-16"),
    b"-----BEGIN PRIVATE KEY-----\n" + SECRET.encode(),
]


@pytest.mark.parametrize("data", BROKEN, ids=[str(number) for number in range(len(BROKEN))])
def test_what_is_not_strict_json_is_refused(data: bytes) -> None:
    with pytest.raises(TrustStoreError) as caught:
        parse_trust_store(data, "trust.json")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("each", "reason"),
    [
        ("not an object", "not an object"),
        (None, "not an object"),
        ({**entry(KEY, ARCHIVE), "kid": None}, "kid"),
        ({**entry(KEY, ARCHIVE), "kid": ""}, "kid"),
        ({**entry(KEY, ARCHIVE), "kid": 7}, "kid"),
        ({**entry(KEY, ARCHIVE), "kid": "k" * 257}, "kid"),
        ({**entry(KEY, ARCHIVE), "iss": None}, "originator"),
        ({**entry(KEY, ARCHIVE), "iss": ["a"]}, "originator"),
        ({**entry(KEY, ARCHIVE), "kty": "RSA"}, "neither"),
        (entry(KEY, ARCHIVE, nbf="soon"), "nbf"),
        (entry(KEY, ARCHIVE, exp=1.5), "exp"),
        (entry(KEY, ARCHIVE, exp=True), "exp"),
        (entry(KEY, ARCHIVE, revoked=True), "revoked"),
        (entry(KEY, ARCHIVE, revoked={"reason": "keyCompromise"}), "revoked"),
        (entry(KEY, ARCHIVE, revoked={"at": AT}), "revoked"),
        (entry(KEY, ARCHIVE, revoked={"at": "now", "reason": "superseded"}), "revoked"),
    ],
    ids=[str(number) for number in range(16)],
)
def test_an_entry_of_no_use_is_skipped_and_the_others_stay(each: object, reason: str) -> None:
    loaded = load({"keys": [each, entry(P256, ARCHIVE)]})
    assert list(loaded.keys) == [P256]
    assert [skip.entry for skip in loaded.skipped] == [1]
    assert reason in loaded.skipped[0].reason


def test_null_is_left_out() -> None:
    plain = load({"keys": [entry(KEY, ARCHIVE)], "issuers": {"a": {}}})
    nulls = {"name": None, "may_attest": None, "max_depth": None, "status": None}
    same = load({"keys": [entry(KEY, ARCHIVE, nbf=None, exp=None, revoked=None)], "issuers": {"a": nulls}})
    assert plain == same
    assert plain.find_originator("a").status == "active"


def test_unknown_members_and_shared_keys_are_listed() -> None:
    document = {
        "keys": [entry(KEY, ARCHIVE), {**entry(KEY, "other"), "kid": "second name"}],
        "isuers": {},
        "issuers": {"a": {"may_atest": []}},
    }
    notices = load(document).notices
    assert len(notices) == 3
    assert "'isuers'" in notices[0]
    assert "'may_atest'" in notices[1]
    assert "two originators" in notices[2]


def test_an_empty_store_trusts_nobody() -> None:
    assert dict(load({"keys": []}).keys) == {}


def test_a_byte_order_mark_is_allowed() -> None:
    assert parse_trust_store(b"\xef\xbb\xbf" + store_text().encode(), "t").digest == store().digest


def test_digest_covers_what_can_change_a_status_and_nothing_else() -> None:
    base = load(store_document())
    document = store_document()
    spaced = parse_trust_store(json.dumps(document, indent=7, sort_keys=True).encode(), "elsewhere.json")
    assert spaced.digest == base.digest

    def changed(edit: str, value: object, *, top: str = "keys", which: object = 0) -> TrustStore:
        copy = json.loads(json.dumps(document))
        copy[top][which][edit] = value
        return load(copy)

    policies = [
        changed("nbf", 1),
        changed("exp", 1),
        changed("iss", "x"),
        changed("revoked", {"at": 1, "reason": "superseded"}),
        changed("revoked", {"at": 1, "reason": "keyCompromise"}),
        changed("max_depth", 1, top="issuers", which=ARCHIVE),
        changed("may_attest", [], top="issuers", which=ARCHIVE),
        changed("status", "suspended", top="issuers", which=ARCHIVE),
    ]
    digests = {base.digest, *(each.digest for each in policies)}
    assert len(digests) == len(policies) + 1
    assert {each.key_digest for each in policies} == {base.key_digest}
    material = [changed("kid", "x"), changed("x", entry("another", ARCHIVE)["x"]), changed("use", "enc")]
    assert len({base.key_digest, *(each.key_digest for each in material)}) == 4
    assert len({base.digest, *(each.digest for each in material)}) == 4


def test_what_ifs_change_trust_and_keep_the_keys() -> None:
    base = store()
    off = base.with_status(ARCHIVE, SUSPENDED)
    assert off.find_originator(ARCHIVE).status == SUSPENDED
    assert off.find_originator(ARCHIVE).max_depth == 9
    assert base.find_originator(ARCHIVE).status == "active"
    revoked = base.with_revocation(KEY, Revocation(AT, "superseded"))
    assert revoked.keys[KEY].revoked == Revocation(AT, "superseded")
    assert revoked.with_revocation(KEY, None).digest == base.digest
    assert off.key_digest == revoked.key_digest == base.key_digest
    assert len({off.digest, revoked.digest, base.digest}) == 3
    assert base.with_status("https://new.example", SUSPENDED).find_originator("https://new.example").status == SUSPENDED
    with pytest.raises(KeyError):
        base.with_revocation("nobody", None)


@pytest.mark.parametrize(
    "reason", ["keyCompromise", "KeyCompromise", "key-compromise", "key_compromise", "KEY COMPROMISE"]
)
def test_a_misspelling_does_not_weaken_a_revocation(reason: str) -> None:
    assert Revocation(AT, reason).reaches(0)
    assert not Revocation(AT, "superseded").reaches(AT - 1)
    assert Revocation(AT, "superseded").reaches(AT)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    path.write_text(store_text())
    assert read_trust_store(path) == store()
    with pytest.raises(TrustStoreError, match=r"absent\.json: cannot be opened"):
        read_trust_store(tmp_path / "absent.json")
    with pytest.raises(TrustStoreError):
        read_trust_store(tmp_path)
    with pytest.raises(TrustStoreError, match="name cannot be used"):
        read_trust_store("a\0b")
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with pytest.raises(TrustStoreError, match="not a regular file"):
        read_trust_store(fifo)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(TrustStoreError, match="larger than"):
        read_trust_store(large)


@given(st.data())
def test_no_store_raises_anything_but_our_error(data: st.DataObject) -> None:
    text = bytearray(store_text().encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 30))] = data.draw(
            st.binary(max_size=4) | st.sampled_from([b"null", b"[]", b"{}", b"1e9", b"true", b'"x"', b"NaN"])
        )
    with contextlib.suppress(TrustStoreError):
        parse_trust_store(bytes(text), "trust.json")
