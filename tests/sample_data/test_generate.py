"""The sample is what its generator makes, and the library finds in it the numbers that were worked out without it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import sample_data
from guard_core.evidence import Evidence, build_evidence
from guard_core.ingest import read_log
from guard_core.judge import judge
from guard_core.policy import load_policy, preset
from guard_core.provenance.catalogue import read_catalogue
from guard_core.statistics import Statistics
from sample_data import generate
from sample_data.documents import all_documents

EXPECTED = json.loads(sample_data.EXPECTED.read_text())


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    generate.main(tmp_path)
    for name in generate.files():
        assert (tmp_path / name).read_bytes() == (sample_data.FOLDER / name).read_bytes(), name


def test_documents_are_as_the_readme_says() -> None:
    documents = all_documents()
    ids = {document.id for document in documents}
    assert len(ids) == len(documents) == 369
    assert all(set(document.parents) <= ids for document in documents)
    assert len({document.originator for document in documents} - {None}) == 3
    texts = Counter(document.text for document in documents)
    assert sorted(texts.values())[-8:] == [2] * 8
    assert max(texts.values()) == 2


def test_depth_and_anchors_follow_from_the_parents() -> None:
    by_id = {document.id: document for document in all_documents()}
    for document in by_id.values():
        if not document.parents:
            continue
        parents = [by_id[parent] for parent in document.parents]
        assert document.depth == 1 + max(parent.depth or 0 for parent in parents), document.id
        roots = {a for p in parents for a in ((p.digest,) if p.origin == "human" else p.anchors)}
        assert set(document.anchors) == roots, document.id


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return build_evidence(read_log([sample_data.LOG]), read_catalogue(sample_data.CATALOGUE))


def test_everything_is_read(evidence: Evidence) -> None:
    log = evidence.log
    expected = EXPECTED["log"]
    assert (log.rows_rejected, log.rows_ignored, log.incomplete) == (0, 0, False)
    assert log.rows_accepted == expected["results"] + expected["no_results"]  # an empty list is a row that was read
    assert evidence.catalogue_documents == EXPECTED["catalogue"]["documents"]
    assert evidence.matched_results == EXPECTED["catalogue"]["matched_results"]


@pytest.mark.parametrize("which", ["reference", "policy"])
def test_the_library_finds_the_expected_numbers(evidence: Evidence, which: str) -> None:
    policy = (preset("reference") if which == "reference" else load_policy(sample_data.POLICY)).policy
    summary = judge(Statistics.of(evidence, policy.top_k), policy).summary()
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
    assert Statistics.of(evidence).depth_histogram(view=0) == EXPECTED["depths"]
