"""Exposure against the corpus: what plain loops count, on random logs and on real ones with known provenance."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.corpus.exposure import RANKS, measure_exposure
from guard_core.errors import SourceGuardError
from guard_core.judging.statistics import Statistics
from guard_core.model import AuthenticityClass, Belief
from guard_core.provenance.corpus_classes import CorpusClasses
from guard_core.provenance.inputs import load_inputs
from tests.support.log_files import write_lines
from tests.support.random_retrievals import CLASS_CODES, Retrieval, make_evidence, retrievals
from tests.support.random_retrievals import UPHELD as UPHELD_BASES

SYNTHETIC = (1, 2)


@given(
    st.lists(retrievals(), min_size=1, max_size=8),
    st.lists(st.integers(0, 3), max_size=6),
    st.sampled_from((Belief.DECLARED, Belief.UPHELD)),
    st.none() | st.integers(1, 5),
)
def test_it_is_what_loops_count(log: list[Retrieval], corpus: list[int], belief: Belief, top_k: int | None) -> None:
    evidence = make_evidence(log)
    entries = np.arange(evidence.log.result_count, dtype=np.int32) % 3 - 1
    known = CorpusClasses(np.array(corpus, np.uint8), np.full(len(corpus), -1, np.int32))
    evidence = dataclasses.replace(evidence, corpus=known, entries=entries)
    found = measure_exposure(Statistics.from_evidence(evidence, top_k), belief)
    assert found is not None
    assert found.corpus == tuple(corpus.count(code) for code in range(4))
    pool = sum(code in SYNTHETIC for code in corpus) / len(corpus) if corpus else None
    assert found.share == pool
    starts = evidence.log.offsets.tolist()
    lists = [
        [(r, entries[starts[i] + place]) for place, r in enumerate(retrieval.results[:top_k])]
        for i, retrieval in enumerate(log)
        if not retrieval.creative
    ]
    for at, rank in zip(found.at, RANKS, strict=True):
        first = [one for results in lists for one in results[:rank]]
        codes = [
            CLASS_CODES[
                r.authenticity if belief is Belief.DECLARED or r.basis in UPHELD_BASES else AuthenticityClass.UNKNOWN
            ]
            for r, _ in first
        ]
        assert at.rank == rank
        assert at.retrievals == sum(bool(results) for results in lists)
        assert at.reaching == sum(len(results) >= rank for results in lists)
        assert at.results == len(first)
        assert at.classes == tuple(codes.count(code) for code in range(4))
        assert at.outside == sum(entry < 0 for _, entry in first)
        share = sum(code in SYNTHETIC for code in codes) / len(codes) if codes else None
        assert at.share == share
        assert at.difference == (None if share is None or pool is None else share - pool)
        assert (at.ratio is None) == (share is None or not pool)
        if share is not None and pool:
            assert at.ratio == pytest.approx(share / pool)
        assert at.shares == tuple(codes.count(code) / len(codes) if codes else None for code in range(4))


def test_without_a_catalogue_there_is_no_corpus() -> None:
    assert measure_exposure(Statistics.from_evidence(make_evidence([Retrieval(())])), Belief.DECLARED) is None


def test_ranks_start_at_one() -> None:
    with pytest.raises(SourceGuardError, match="start at 1"):
        measure_exposure(Statistics.from_evidence(make_evidence([Retrieval(())])), Belief.DECLARED, (1, 0))


def test_the_corpus_is_of_the_classes_that_chains_prove(tmp_path: Path) -> None:
    """A rewrite of a rewrite is deeper than it says, and a document of a cycle is of unknown depth."""
    log, catalogue = tmp_path / "log.jsonl", tmp_path / "documents.jsonl"
    documents: list[dict[str, object]] = [
        {"doc_id": "page", "origin": "human"},
        {"doc_id": "summary", "origin": "model", "depth": 1, "derived_from": ["page"]},
        {"doc_id": "digest", "origin": "model", "depth": 1, "derived_from": ["summary"]},
        {"doc_id": "note"},
    ]
    write_lines(catalogue, documents)
    results = [{"query_id": "q", "doc_id": name} for name in ("digest", "summary", "stranger")]
    write_lines(log, results)
    evidence = load_inputs([log], catalogue=catalogue)
    assert evidence.corpus is not None
    assert evidence.catalogue is not None
    found = dict(zip(evidence.catalogue.entries.document_ids.to_pylist(), evidence.corpus.depths.tolist(), strict=True))
    assert found == {"page": 0, "summary": 1, "digest": 2, "note": -1}
    seen = measure_exposure(Statistics.from_evidence(evidence), Belief.DECLARED)
    assert seen is not None
    assert seen.corpus == (1, 1, 1, 1)
    assert seen.at[0].classes == (0, 0, 1, 0)
    assert (seen.at[0].difference, seen.at[0].ratio) == (0.5, 2.0)
    last = seen.at[2]
    assert (last.reaching, last.results, last.outside) == (0, 3, 1)
    assert last.classes == (0, 1, 1, 1)


RUNS = {
    "cocktail_nq_utd": ("run_mixed_minilm", "run_mixed_bm25", "run_mixed_unanchored_minilm", "run_humanonly_minilm"),
    "bbc_telephone": ("run_full_minilm", "run_lite_d2_minilm"),
}


@pytest.mark.parametrize(("folder", "run"), [(folder, run) for folder, runs in RUNS.items() for run in runs])
def test_real_logs_give_what_a_plain_count_of_their_labels_gives(shared: Path, folder: str, run: str) -> None:
    place = shared / "datasets" / folder
    evidence = load_inputs([place / f"{run}.jsonl"], catalogue=place / "corpus_provenance.jsonl")
    expected = json.loads((shared / "datasets" / "expected.json").read_text())["runs"][f"{folder}/{run}"]
    corpus = [
        json.loads(line)["provenance_class"] for line in (place / "corpus_provenance.jsonl").read_text().splitlines()
    ]
    lists = [json.loads(line)["results"] for line in (place / f"{run}.jsonl").read_text().splitlines()]
    pool = corpus.count("SYNTHETIC") / len(corpus)
    found = measure_exposure(Statistics.from_evidence(evidence, 10), Belief.DECLARED)
    assert found is not None
    assert found.documents == len(corpus)
    assert found.share == pool
    for at in found.at:
        first = [r["provenance_class"] for results in lists for r in results[: at.rank]]
        assert at.results == len(first)
        assert at.share == first.count("SYNTHETIC") / len(first)
        assert at.difference == pytest.approx(first.count("SYNTHETIC") / len(first) - pool)
        assert at.outside == 0
        assert at.reaching == expected["with_results"]
    depths = expected["depths"]
    assert found.at[-1].classes == (
        expected["human_results"], depths["1"], depths["2"] + depths["3"] + depths["4+"], depths["unknown"],
    )  # fmt: skip
