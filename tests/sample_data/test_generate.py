"""The sample is what its generator makes, and the library finds in it the numbers that were worked out without it."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode as b64decode
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

import sample_data
from guard_core.claims import read_trust_store
from guard_core.codes import STATUSES
from guard_core.judging.judge import judge
from guard_core.judging.policy import find_preset, load_policy
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief, SignatureStatus
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from sample_data import generate
from sample_data.documents import make_documents

EXPECTED = json.loads(sample_data.EXPECTED.read_text())


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    generate.main(tmp_path)
    for name in generate.files():
        assert (tmp_path / name).read_bytes() == (sample_data.FOLDER / name).read_bytes(), name


def test_documents_are_as_the_readme_says() -> None:
    documents = make_documents()
    ids = {document.id for document in documents}
    assert len(ids) == len(documents) == 369
    assert all(set(document.parents) <= ids for document in documents)
    assert len({document.originator for document in documents} - {None}) == 4
    texts = Counter(document.text for document in documents)
    assert sorted(texts.values())[-8:] == [2] * 8
    assert max(texts.values()) == 2


def test_depth_and_anchors_follow_from_the_parents() -> None:
    by_id = {document.id: document for document in make_documents()}
    for document in by_id.values():
        if not document.parents:
            continue
        parents = [by_id[parent] for parent in document.parents]
        assert document.depth == 1 + max(parent.depth or 0 for parent in parents), document.id
        roots = {a for p in parents for a in ((p.digest,) if p.origin == "human" else p.anchors)}
        assert set(document.anchors) == roots, document.id


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """The sample as somebody sees it who has no trust store."""
    return load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)


@pytest.fixture(scope="module")
def checked() -> Evidence:
    """The sample with its claims checked."""
    return load_inputs(
        [sample_data.LOG],
        catalogue=sample_data.CATALOGUE,
        trust=sample_data.TRUST_STORE,
        at=sample_data.AT_SECONDS,
    )


def test_everything_is_read(evidence: Evidence) -> None:
    log = evidence.log
    expected = EXPECTED["log"]
    assert (log.rows_rejected, log.rows_ignored, log.incomplete) == (0, 0, False)
    assert log.rows_accepted == expected["results"] + expected["no_results"]  # an empty list is a row that was read
    assert evidence.catalogue_documents == EXPECTED["catalogue"]["documents"]
    assert evidence.matched_results == EXPECTED["catalogue"]["matched_results"]


@pytest.mark.parametrize("which", ["reference", "policy"])
def test_the_library_finds_the_expected_numbers(evidence: Evidence, checked: Evidence, which: str) -> None:
    policy = (find_preset("reference") if which == "reference" else load_policy(sample_data.POLICY)).policy
    of = evidence if which == "reference" else checked
    summary = judge(Statistics.from_evidence(of, policy.top_k), policy).summary()
    expected = EXPECTED[which]
    assert summary.retrievals == EXPECTED["log"]["retrievals"]
    assert summary.with_results == EXPECTED["log"]["with_results"]
    assert summary.no_results == EXPECTED["log"]["no_results"]
    assert summary.creative == EXPECTED["log"]["creative"]
    assert summary.verdicts == expected["verdicts"]
    assert summary.verdicts_if_signatures_waived == expected["verdicts_if_signatures_waived"]
    assert (summary.proceed, summary.halt) == (expected["proceed"], expected["halt"])
    assert {code: count for code, count in summary.findings.items() if count} == expected["findings"]
    assert summary.macro_ratio == pytest.approx(expected["macro_ratio"], abs=1e-12)
    assert summary.micro_ratio == pytest.approx(expected["micro_ratio"], abs=1e-12)


def test_depths_are_as_expected(evidence: Evidence) -> None:
    assert Statistics.from_evidence(evidence).depth_histogram(Belief.DECLARED) == EXPECTED["depths"]


def test_every_status_occurs_and_most_claims_are_valid(checked: Evidence) -> None:
    found = Counter(STATUSES.member(code).value for code in checked.signature_statuses)
    assert found == EXPECTED["claims"]
    assert set(found) == {status.value for status in SignatureStatus} - {"UNCHECKED"}
    assert found["VALID"] > 0.95 * checked.log.result_count


def test_without_a_trust_store_nothing_is_checked(evidence: Evidence) -> None:
    found = Counter(STATUSES.member(code).value for code in evidence.signature_statuses)
    assert found == {
        "MISSING": EXPECTED["claims"]["MISSING"],
        "UNCHECKED": evidence.log.result_count - EXPECTED["claims"]["MISSING"],
    }


def test_the_evaluation_time_is_the_day_after_the_log() -> None:
    assert datetime.fromisoformat(sample_data.AT).timestamp() == sample_data.AT_SECONDS


def test_every_name_says_that_it_is_a_test(checked: Evidence) -> None:
    store = read_trust_store(sample_data.TRUST_STORE)
    assert all(kid.startswith("TEST-") for kid in store.keys)
    assert all("(TEST)" in iss for iss in store.originators)
    assert all("(TEST)" in key.iss for key in store.keys.values())
    assert {each.kid: each.reason for each in store.skipped} == {
        "TEST-studio-spare": "its use is not sig",
        "TEST-gazette-rsa": "it is neither an Ed25519 nor a P-256 key",
    }
    named = [name for name in checked.originators.values.to_pylist() if name]
    assert all("(TEST)" in name for name in named)


def test_another_library_agrees_with_the_signatures(checked: Evidence) -> None:
    jws, jwk = pytest.importorskip("joserfc.jws"), pytest.importorskip("joserfc.jwk")
    keys = {
        entry["kid"]: jwk.import_key(entry)
        for entry in json.loads(sample_data.TRUST_STORE.read_text())["keys"]
        if entry["kty"] != "RSA" and entry["use"] == "sig"
    }
    assert checked.decided is not None
    tokens = {
        checked.log.signatures.text(row) or ""
        for row in range(checked.log.result_count)
        if (outcome := checked.outcome(row)) is not None and outcome.status is SignatureStatus.VALID
    }
    assert len(tokens) > 250
    for token in tokens:
        header = json.loads(b64decode(token.split(".")[0] + "=="))
        jws.deserialize_compact(token, keys[header["kid"]], algorithms=["Ed25519", "ES256"])


def test_the_log_is_not_large() -> None:
    assert sample_data.LOG.stat().st_size < 4_000_000
