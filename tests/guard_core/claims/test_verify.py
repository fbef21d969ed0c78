"""One claim: precedence of the steps, boundaries of time, what is exposed, and words.

The statuses one by one are the conformance claims (``tests/conformance``).
"""

from __future__ import annotations

import builtins
import itertools
import json
import os
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims import (
    STATUS_WORDS,
    ContentCheck,
    Revocation,
    TrustStore,
    parse_trust_store,
    verify_claim,
)
from guard_core.claims.claim import MAX_TOKEN
from guard_core.claims.verify import CheckedClaim, ClaimOutcome, check_signature, decide_claim
from guard_core.errors import OtherKeysError
from guard_core.model import SignatureStatus
from tests.support.claim_tokens import (
    ARCHIVE,
    AT,
    DAY,
    KEY,
    OTHER_DIGEST,
    TEXT,
    TEXT_DIGEST,
    VENDOR,
    entry,
    header,
    payload,
    replace_segment,
    store,
    store_document,
    token,
)

STATUS = SignatureStatus
GOOD = token(payload())


def test_without_a_trust_store_nothing_is_looked_at() -> None:
    for text in (GOOD, "rubbish", " ", "a" * 20_000_000):
        assert verify_claim(text, None, AT).status is STATUS.UNCHECKED
    for absent in (None, ""):
        assert verify_claim(absent, None, AT).status is STATUS.MISSING
        assert verify_claim(absent, store(), AT).status is STATUS.MISSING


def test_every_status_has_words_and_none_says_is_human() -> None:
    assert set(STATUS_WORDS) == set(SignatureStatus)
    texts = [text for words in STATUS_WORDS.values() for text in (words.meaning, words.advice)]
    assert all(text.endswith(".") and "\n" not in text for text in texts)
    assert not any("is human" in text for text in texts)


def test_a_valid_claim_and_what_is_known_of_it() -> None:
    outcome = verify_claim(GOOD, store(), AT, document_id="doc-1", text=TEXT)
    assert outcome.status is STATUS.VALID
    assert outcome.claim is not None
    assert (outcome.claim.iss, outcome.claim.sub, outcome.claim.content) == (ARCHIVE, "doc-1", TEXT_DIGEST)
    assert outcome.key is not None
    assert outcome.key.kid == KEY
    assert outcome.content is ContentCheck.CHECKED
    assert not outcome.key_retired
    assert verify_claim(GOOD, store(), AT).content is ContentCheck.UNCHECKED
    assert verify_claim(token(payload(content=None)), store(), AT, text=TEXT).content is ContentCheck.NOT_STATED
    assert verify_claim(GOOD, store(), AT, digest=TEXT_DIGEST) == verify_claim(GOOD, store(), AT, text=TEXT)


Fault = tuple[SignatureStatus, dict[str, object]]

FAULTS: list[Fault] = [
    (STATUS.MALFORMED, {"jti": 7}),
    (STATUS.BAD_SIGNATURE, {"@signature": True}),
    (STATUS.UNTRUSTED_ISSUER, {"iss": "https://nobody.example"}),
    (STATUS.NOT_PERMITTED, {"synthetic_generation_depth": 3, "source_class": "hybrid"}),
    (STATUS.KEY_NOT_VALID, {"@window": True}),
    (STATUS.REVOKED, {"@revoked": True}),
    (STATUS.NOT_YET_VALID, {"nbf": AT + 61}),
    (STATUS.EXPIRED, {"exp": AT - 61}),
    (STATUS.INCONSISTENT, {"digitalSourceType": "digitalCapture"}),
    (STATUS.SUBJECT_MISMATCH, {"sub": "doc-2"}),
    (STATUS.CONTENT_MISMATCH, {"content": OTHER_DIGEST}),
]


@pytest.mark.parametrize("count", [1, 2, 3, len(FAULTS)])
def test_the_first_failing_step_decides(count: int) -> None:
    kid = "TEST-KEY-vendor"
    base = {"iss": VENDOR, "source_class": "hybrid", "synthetic_generation_depth": 2}
    for faults in itertools.combinations(FAULTS, count):
        members: dict[str, object] = dict(base)
        for _, change in faults:
            members |= change
        window, revoked = members.pop("@window", None), members.pop("@revoked", None)
        spoilt = members.pop("@signature", None)
        text = token(payload(**members), kid=kid)
        if spoilt:
            text = replace_segment(text, 2, GOOD.split(".")[2])
        trust = store()
        if window:
            trust = parse_trust_store(_with_window(kid), "t")
        if revoked:
            trust = trust.with_revocation(kid, Revocation(0, "superseded"))
        outcome = verify_claim(text, trust, AT, document_id="doc-1", text=TEXT)
        assert outcome.status is faults[0][0], faults


def _with_window(kid: str) -> bytes:
    document = store_document()
    entries = document["keys"]
    assert isinstance(entries, list)
    for each in entries:
        if each["kid"] == kid:
            each["exp"] = AT - 2 * DAY
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("members", "early", "at", "late"),
    [
        ({"iat": AT}, STATUS.NOT_YET_VALID, AT - 60, STATUS.VALID),
        ({"nbf": AT}, STATUS.NOT_YET_VALID, AT - 60, STATUS.VALID),
        ({"exp": AT}, STATUS.VALID, AT + 61, STATUS.EXPIRED),
    ],
    ids=["iat", "nbf", "exp"],
)
def test_times_have_a_leeway_of_sixty_seconds(
    members: dict[str, object], early: SignatureStatus, at: int, late: SignatureStatus
) -> None:
    text = token(payload(**{"iat": AT - DAY, **members}))
    assert verify_claim(text, store(), at - 1).status is early
    assert verify_claim(text, store(), at).status is late


@pytest.mark.parametrize("at", [-(2**62), 0, 951_782_400, 2**31, 4_102_444_800, 2**62])
def test_any_time_may_be_judged_at(at: int) -> None:
    expected = STATUS.VALID if at >= AT - DAY - 60 else STATUS.NOT_YET_VALID
    assert verify_claim(GOOD, store(), at).status is expected


def test_a_key_that_retired_after_it_signed_is_marked() -> None:
    text = token(payload(iat=AT - 60 * DAY), kid="TEST-KEY-window")
    outcome = verify_claim(text, store(), AT)
    assert (outcome.status, outcome.key_retired) == (STATUS.VALID, True)
    assert not verify_claim(text, store(), AT - 55 * DAY).key_retired


def test_nothing_of_a_payload_is_exposed_before_the_signature_holds() -> None:
    unverified = "text-of-a-member-not-yet-verified"
    members = payload(iss=unverified, sub=unverified, jti=unverified)
    broken = [
        replace_segment(token(members), 2, GOOD.split(".")[2]),
        token(members, head=header(alg="none")),
        token(members, head=header(kid=unverified)),
        token({**members, "iat": unverified}),
        token({**members, "source_class": unverified}),
        token({**members, "content": unverified}),
    ]
    for text in broken:
        outcome = verify_claim(text, store(), AT)
        assert outcome.status not in (STATUS.VALID, STATUS.UNTRUSTED_ISSUER)
        assert outcome.claim is None
        assert outcome.key is None
        assert unverified not in repr(outcome)
        checked = check_signature(text, store())
        assert checked.claim is None
        assert unverified not in repr(checked)


def test_no_reason_quotes_what_was_signed() -> None:
    unverified = "hostile-\x1b[31m-text"
    for members in (
        {"iss": unverified},
        {"sub": unverified},
        {"digitalSourceType": unverified},
        {"jti": unverified, "exp": 0},
    ):
        outcome = verify_claim(token(payload(**members)), store(), AT, document_id="doc-1", text=TEXT)
        assert outcome.status is not STATUS.VALID
        assert "hostile" not in outcome.reason
        assert "\n" not in outcome.reason


def test_a_near_miss_says_so() -> None:
    reason = verify_claim(GOOD, store(), AT, document_id="doc-1", text=TEXT + "\n").reason
    assert "only in a trailing newline" in reason


def decide(checked: CheckedClaim, store: TrustStore, at: int) -> ClaimOutcome:
    return decide_claim(checked, store, at, is_about=True, content=ContentCheck.UNCHECKED)


def test_a_what_if_over_trust_verifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = check_signature(GOOD, store())

    def refuse(*_: object) -> bool:
        raise AssertionError("verified again")

    monkeypatch.setattr("guard_core.claims.keys.PublicKey.has_signed", refuse)
    assert decide(checked, store(), AT).status is STATUS.VALID
    assert decide(checked, store().with_status(ARCHIVE, "off"), AT).status is STATUS.UNTRUSTED_ISSUER
    stolen = Revocation(AT, "keyCompromise")
    assert decide(checked, store().with_revocation(KEY, stolen), AT).status is STATUS.REVOKED
    assert decide(checked, store(), AT - 2 * DAY).status is STATUS.NOT_YET_VALID


def test_outcomes_do_not_pass_from_one_key_to_another() -> None:
    checked = check_signature(GOOD, store())
    with pytest.raises(OtherKeysError):
        decide(checked, parse_trust_store(b'{"keys":[]}', "t"), AT)
    other = store_with_another_key_of_that_name()
    with pytest.raises(OtherKeysError):
        decide(checked, parse_trust_store(other, "t"), AT)


def store_with_another_key_of_that_name() -> bytes:
    return json.dumps({"keys": [{**entry("TEST-KEY-bureau", ARCHIVE), "kid": KEY}]}).encode()


BRACES = token(b'{"a":' * 2400)
HOSTILE: dict[str, Callable[[], object]] = {
    "10 MB": lambda: "e" * 10_000_000,
    "100 MB": lambda: "e" * 100_000_000,
    "dots": lambda: "." * 10_000_000,
    "16 KiB of dots": lambda: "." * MAX_TOKEN,
    "100,000 braces": lambda: GOOD.split(".")[0] + "." + "eyJh" * 100_000 + ".AA",
    "braces in 16 KiB": lambda: BRACES,
    "surrogate": lambda: GOOD + "\ud800",
    "nul": lambda: "\0",
    "emoji": lambda: "\U0001f600" * 4000,
    "digits": lambda: token(b'{"iat":' + b"9" * 11_000 + b"}"),
    "number": lambda: 7,
    "bytes": GOOD.encode,
    "list": lambda: [GOOD],
    "empty list": list,
    "nan": lambda: float("nan"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_costs_its_own_status_and_little_memory(name: str) -> None:
    hostile = HOSTILE[name]()
    trust = store()
    tracemalloc.start()
    outcome = verify_claim(hostile, trust, AT, document_id="doc-1", text=TEXT)  # type: ignore[arg-type]  # not only texts
    left, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcome.status is STATUS.MALFORMED
    assert peak < 1 << 20
    assert left < 1 << 16


def test_headers_lead_to_no_file_and_no_address(monkeypatch: pytest.MonkeyPatch, strangers: list[str]) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a header led to a file")

    trust = store()
    targets = [
        "/etc/passwd",
        "file:///etc/passwd",
        "https://192.0.2.1/keys",
        "'; drop table keys; --",
        "../x",
        "a" * 9000,
    ]
    tokens = [token(payload(), head=header(kid=target)) for target in targets]
    tokens += [token(payload(), head=header(**{name: t})) for name in ("jku", "x5u", "jwk", "x5c") for t in targets]
    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    statuses = [verify_claim(text, trust, AT).status for text in tokens]
    monkeypatch.undo()
    assert statuses[: len(targets)] == [STATUS.UNKNOWN_KEY] * len(targets)
    assert set(statuses[len(targets) :]) == {STATUS.MALFORMED}
    assert not strangers


@given(st.text() | st.text("eyJhbGci.-_=A", max_size=60))
def test_no_text_is_an_exception(text: str) -> None:
    outcome = verify_claim(text, store(), AT, document_id=text, text=text)
    assert outcome.status in (STATUS.MALFORMED, STATUS.MISSING)


MEMBERS = st.sampled_from(
    ["iss", "sub", "iat", "exp", "nbf", "jti", "source_class", "synthetic_generation_depth", "content", "derived_from",
     "human_source_anchor_hash", "digitalSourceType", "other"]
)  # fmt: skip
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([TEXT_DIGEST, "hybrid"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(MEMBERS, JSON, max_size=4))
def test_whatever_a_trusted_key_signs_is_a_status(changes: dict[str, object]) -> None:
    members = {**payload(), **changes}
    outcome = verify_claim(token(members), store(), AT, document_id="doc-1", text=TEXT)
    if outcome.status is STATUS.VALID:
        integers = [members[name] for name in ("iat", "exp", "nbf", "synthetic_generation_depth") if name in members]
        assert all(type(value) is int for value in integers)
        assert members["source_class"] == "human-authored"
        assert (members["sub"], members["iss"]) == ("doc-1", ARCHIVE)
        assert members.get("content", TEXT_DIGEST) == TEXT_DIGEST
