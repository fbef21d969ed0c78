"""Test whole logs: columns give what claim by claim gives, each signature is verified once, checks are remembered."""

from __future__ import annotations

import random
import threading

import numpy as np
import pyarrow as pa
import pytest

from guard_core.claims import (
    SUSPENDED,
    ContentCheck,
    KeptChecks,
    Revocation,
    TrustStore,
    check_log,
    decide_log,
    parse_trust_store,
    verify_claim,
)
from guard_core.codes import STATUSES
from guard_core.columns import TextColumn, encode_texts
from guard_core.errors import OtherKeysError
from guard_core.model import SignatureStatus
from tests.conformance.generate import list_claims
from tests.support.claim_tokens import ARCHIVE, AT, BUREAU, DAY, KEY, TEXT_DIGEST, VENDOR, payload, store, token

Row = tuple[str | None, str, str | None]


def columns(rows: list[Row]) -> tuple[TextColumn, TextColumn, TextColumn]:
    claims, documents, digests = (
        encode_texts(pa.chunked_array([pa.array([row[place] for row in rows], pa.string())])) for place in range(3)
    )
    return claims, documents, digests


def rows_of_every_status() -> list[Row]:
    source = random.Random(3)
    texts = [case.token or None for case in list_claims()]
    rows: list[Row] = [(text, "doc-1", TEXT_DIGEST) for text in texts]
    for _ in range(1000):
        document = source.choice(["doc-1", "doc-2", "Ærø/😀"])
        rows.append((source.choice(texts), document, source.choice([None, TEXT_DIGEST, "sha256:" + "0" * 64])))
    source.shuffle(rows)
    return rows


ROWS = rows_of_every_status()


def stores() -> dict[str, TrustStore]:
    base = store()
    stolen = Revocation(AT, "keyCompromise")
    return {
        "as it is": base,
        "archive off": base.with_status(ARCHIVE, SUSPENDED),
        "vendor off": base.with_status(VENDOR, SUSPENDED),
        "key stolen": base.with_revocation(KEY, stolen),
        "key superseded": base.with_revocation(KEY, Revocation(AT - DAY, "superseded")),
        "key good again": base.with_revocation("TEST-KEY-stolen", None),
        "bureau on": base.with_status(BUREAU, "active"),
    }


@pytest.mark.parametrize("name", stores())
def test_columns_say_what_the_scalar_form_says(name: str) -> None:
    checked = check_log(*columns(ROWS), store())
    trust = stores()[name]
    for at in (AT, AT - 40 * DAY, AT + 61, AT + DAY):
        decided = decide_log(checked, trust, at)
        codes = decided.list_row_statuses()
        for row, (text, document, digest) in enumerate(ROWS):
            expected = verify_claim(text, trust, at, document_id=document, digest=digest)
            assert STATUSES.member(codes[row]) is expected.status
            case = int(checked.case_of[row])
            assert decided.decide_case(case) == expected
            if case >= 0 and expected.claim is not None:
                assert tuple(ContentCheck)[checked.content[case]] is expected.content
                assert decided.key_retired[case] == expected.key_retired


def test_every_status_occurs() -> None:
    codes = decide_log(check_log(*columns(ROWS), store()), store(), AT).list_row_statuses()
    assert {STATUSES.member(code) for code in codes} == set(SignatureStatus) - {SignatureStatus.UNCHECKED}


def test_each_distinct_token_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from guard_core.claims import keys

    seen: list[tuple[bytes, bytes]] = []
    original = keys.PublicKey.has_signed

    def count(key: keys.PublicKey, signature: bytes, message: bytes) -> bool:
        seen.append((signature, message))
        return original(key, signature, message)

    monkeypatch.setattr(keys.PublicKey, "has_signed", count)
    kept = KeptChecks()
    first = check_log(*columns(ROWS), store(), kept=kept)
    assert len(seen) == len(set(seen))
    assert first.verified == len({text for text, _, _ in ROWS if text})
    assert len(kept) == first.verified
    seen.clear()
    second = check_log(*columns(list(reversed(ROWS))), store(), kept=kept)
    for trust in stores().values():
        decide_log(second, trust, AT)
    assert (seen, second.verified) == ([], 0)
    backwards = decide_log(second, store(), AT).list_row_statuses()[::-1]
    assert np.array_equal(decide_log(first, store(), AT).list_row_statuses(), backwards)


def test_kept_outcomes_belong_to_their_keys() -> None:
    kept = KeptChecks()
    data = columns([(token(payload()), "doc-1", None)])
    assert check_log(*data, store(), kept=kept).verified == 1
    nobody = parse_trust_store(b'{"keys":[]}', "t")
    other = check_log(*data, nobody, kept=kept)
    assert other.verified == 1
    assert STATUSES.member(decide_log(other, nobody, AT).list_row_statuses()[0]) is SignatureStatus.UNKNOWN_KEY
    with pytest.raises(OtherKeysError):
        decide_log(other, store(), AT)


def test_the_memory_is_bounded() -> None:
    kept = KeptChecks(limit=10)
    rows: list[Row] = [(token(payload(jti=str(i))), "doc-1", None) for i in range(25)]
    for start in range(0, 25, 5):
        check_log(*columns(rows[start : start + 5]), store(), kept=kept)
        assert len(kept) <= 10
    whole = check_log(*columns(rows), store(), kept=kept)
    assert whole.verified == 20  # the last five are still known
    assert {STATUSES.member(code) for code in decide_log(whole, store(), AT).list_row_statuses()} == {
        SignatureStatus.VALID
    }
    assert len(kept) <= 10


def test_progress_and_threads_change_nothing() -> None:
    rows: list[Row] = [(token(payload(jti=str(i))), "doc-1", None) for i in range(600)]
    calls: list[tuple[int, int, bool]] = []

    def progress(done: int, total: int) -> None:
        calls.append((done, total, threading.current_thread() is threading.main_thread()))

    one = check_log(*columns(rows), store(), threads=1)
    two = check_log(*columns(rows), store(), threads=2, progress=progress)
    assert np.array_equal(
        decide_log(one, store(), AT).list_row_statuses(), decide_log(two, store(), AT).list_row_statuses()
    )
    assert [call[:2] for call in calls] == [(256, 600), (512, 600), (600, 600)]
    assert all(call[2] for call in calls)


def test_progress_may_stop_the_work() -> None:
    class StopError(Exception):
        pass

    def stop(*_: int) -> None:
        raise StopError

    rows: list[Row] = [(token(payload(jti=str(i))), "doc-1", None) for i in range(600)]
    with pytest.raises(StopError):
        check_log(*columns(rows), store(), progress=stop)


@pytest.mark.parametrize("rows", [[], [(None, "doc-1", None)]], ids=["no rows", "no claims"])
def test_a_log_without_claims(rows: list[Row]) -> None:
    decided = decide_log(check_log(*columns(rows), store(), kept=KeptChecks()), store(), AT)
    assert [STATUSES.member(code) for code in decided.list_row_statuses()] == [SignatureStatus.MISSING] * len(rows)
    assert all(decided.decide_case(int(case)) == verify_claim(None, store(), AT) for case in decided.checked.case_of)


def test_an_empty_claim_is_missing() -> None:
    decided = decide_log(check_log(*columns([("", "doc-1", None)]), store()), store(), AT)
    assert STATUSES.member(decided.list_row_statuses()[0]) is SignatureStatus.MISSING


def test_large_strings_are_columns_too() -> None:
    signatures, documents, digests = columns([(token(payload()), "doc-1", TEXT_DIGEST)])
    large = TextColumn(signatures.codes, signatures.values.cast(pa.large_string()))
    decided = decide_log(check_log(large, documents, digests, store()), store(), AT)
    assert STATUSES.member(decided.list_row_statuses()[0]) is SignatureStatus.VALID
