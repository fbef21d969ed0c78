"""What is known of one document: as its results have it, or its entry; statements as they were made."""

from __future__ import annotations

from pathlib import Path

import pytest

import sample_data
from guard_core.class_words import ClassWord
from guard_core.codes import CLASSES, CONFLICTS
from guard_core.corpus.derivation import Bases, build_derivation_graph
from guard_core.corpus.document_record import (
    DocumentFacts,
    NamedParent,
    find_results,
    gather_facts,
    list_sources,
    list_statements,
)
from guard_core.model import AuthenticityClass, Basis, Belief, Conflict
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.support.log_files import write_lines

Row = dict[str, object]


def evidence_of(folder: Path, log: list[Row], catalogue: list[Row] | None = None) -> Evidence:
    paths = []
    for name, rows in (("log", log), ("catalogue", catalogue or [])):
        path = folder / f"{name}.jsonl"
        write_lines(path, rows)
        paths.append(path)
    return load_inputs([paths[0]], catalogue=paths[1] if catalogue is not None else None)


def facts(evidence: Evidence, document: str, belief: Belief = Belief.DECLARED) -> DocumentFacts:
    graph = build_derivation_graph(evidence)
    number = graph.find_number(document)
    assert number is not None
    return gather_facts(evidence, graph, [number], belief)[0]


@pytest.mark.parametrize("belief", [Belief.DECLARED, Belief.UPHELD])
def test_facts_of_retrieved_documents_are_those_of_their_results(belief: Belief) -> None:
    evidence = load_inputs(
        [sample_data.LOG], catalogue=sample_data.CATALOGUE, trust=sample_data.TRUST_STORE, at=sample_data.AT_SECONDS
    )
    graph = build_derivation_graph(evidence)
    log = evidence.log
    names = sorted({log.document_ids.text(row) or "" for row in range(log.result_count)})
    numbers = [graph.find_number(name) for name in names]
    known = gather_facts(evidence, graph, [number for number in numbers if number is not None], belief)
    classes = evidence.under(belief).classes
    assert [fact.document_id for fact in known] == names
    for fact in known:
        rows = [row for row in range(log.result_count) if log.document_ids.text(row) == fact.document_id]
        assert rows == find_results(evidence, graph, fact.number).tolist()
        assert fact.results == len(rows)
        assert CLASSES.code(fact.authenticity) == max(int(classes[row]) for row in rows)
        bits = 0
        for row in rows:
            bits |= int(evidence.conflicts[row])
        assert fact.conflicts == CONFLICTS.flagged(bits)
        assert Bases.DECLARED in fact.bases


def test_a_document_that_was_never_retrieved_has_what_its_chain_proves(tmp_path: Path) -> None:
    evidence = evidence_of(
        tmp_path,
        [{"query_id": "q", "doc_id": "other"}],
        [
            {"doc_id": "a", "origin": "human"},
            {"doc_id": "b", "origin": "model", "depth": 1, "derived_from": ["a"]},
            {"doc_id": "c", "origin": "model", "depth": 1, "derived_from": ["b"]},
            {"doc_id": "d", "origin": "model", "derived_from": ["c", "nobody knows"]},
            {"doc_id": "e", "origin": "human", "derived_from": ["e"]},
            {"doc_id": "bare"},
        ],
    )
    found = facts(evidence, "c")
    assert (found.authenticity, found.depth, found.basis) == (
        AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS, 2, Basis.CATALOGUE,
    )  # fmt: skip
    assert found.conflicts == (Conflict.DEPTH_CONFLICT,)
    assert (found.results, found.bases) == (0, Bases.CATALOGUE)
    found = facts(evidence, "d")
    assert (found.depth, found.depth_at_least) == (None, 3)
    assert found.conflicts == (Conflict.PARENT_UNKNOWN,)
    assert facts(evidence, "e").conflicts == (Conflict.DERIVATION_CYCLE,)
    assert facts(evidence, "bare").basis is Basis.NONE
    assert facts(evidence, "other").authenticity is AuthenticityClass.UNKNOWN


def test_a_document_in_a_log_is_what_its_least_trusted_result_is(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"query_id": "q1", "doc_id": "a", "origin": "human"},
        {"query_id": "q2", "doc_id": "a", "origin": "model", "depth": 3},
        {"query_id": "q3", "doc_id": "a", "origin": "model", "depth": 2},
    ]
    for order in (rows, rows[::-1]):
        evidence = evidence_of(tmp_path, order)
        assert facts(evidence, "a").depth == 3
        assert facts(evidence, "a", Belief.UPHELD).authenticity is AuthenticityClass.UNKNOWN


def test_statements_are_given_as_they_were_made(tmp_path: Path) -> None:
    evidence = evidence_of(
        tmp_path,
        [
            {"query_id": "q1", "doc_id": "b", "origin": "human", "derived_from": ["x"]},
            {"query_id": "q2", "doc_id": "b", "origin": "human"},
            {"query_id": "q3", "doc_id": "b", "origin": "model", "depth": 4, "anchors": ["sha256:" + "a" * 64]},
        ],
        [{"doc_id": "a", "origin": "human"}, {"doc_id": "b", "origin": "hybrid", "depth": 1, "derived_from": ["a"]}],
    )
    graph = build_derivation_graph(evidence)
    number = graph.find_number("b")
    assert number is not None
    first, second, third = list_statements(evidence, graph, number)
    assert (first.basis, first.word, first.depth, first.results) == (Bases.CATALOGUE, ClassWord.HYBRID, 1, 0)
    assert first.parents == (NamedParent("a", graph.find_number("a")),)
    assert (second.basis, second.word, second.depth, second.results) == (Bases.DECLARED, ClassWord.HUMAN, None, 2)
    assert second.parents == (NamedParent("x", None),)
    assert (third.word, third.depth, third.anchors) == (ClassWord.MODEL, 4, ("sha256:" + "a" * 64,))


def test_shares_of_sources_are_the_evidence_s() -> None:
    evidence = load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)
    for row in range(0, evidence.log.result_count, 97):
        found = list_sources(evidence, row, Belief.UPHELD)
        start, stop = evidence.under(Belief.UPHELD).anchors.offsets[row : row + 2].tolist()
        assert {name for name, _ in found} == {
            str(evidence.sources[code].as_py())
            for code in evidence.under(Belief.UPHELD).anchors.codes[start:stop].tolist()
        }
        assert not found or abs(sum(share for _, share in found) - 1) < 1e-9
