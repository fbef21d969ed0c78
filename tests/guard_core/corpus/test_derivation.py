"""The graph of documents: who names which link, which of them count, and that neither order nor numbering matters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sample_data
from guard_core.corpus.derivation import Bases, DerivationGraph, build_derivation_graph
from guard_core.corpus.document_record import NamedParent, list_statements
from guard_core.ingest import read_log
from guard_core.model import Belief
from guard_core.output.excerpt import take_excerpt
from guard_core.provenance.catalogue import read_catalogue
from guard_core.provenance.evidence import Evidence, build_evidence
from guard_core.provenance.inputs import load_inputs
from tests.support.claim_tokens import AT
from tests.support.log_files import write_lines
from tests.support.signed_claims import MODEL, make_claim, make_trust_store

Row = dict[str, object]
Links = dict[tuple[str, str], tuple[Bases, Bases, bool]]


def evidence_of(folder: Path, log: list[Row], catalogue: list[Row] | None = None) -> Evidence:
    paths = []
    for name, rows in (("log", log), ("catalogue", catalogue or [])):
        path = folder / f"{name}.jsonl"
        write_lines(path, rows)
        paths.append(path)
    return load_inputs([paths[0]], catalogue=paths[1] if catalogue is not None else None)


def links_of(graph: DerivationGraph) -> Links:
    """Every link: who names it as derivation, who as an anchor, and whether it counts."""
    found = {}
    for child in range(len(graph.ids)):
        for place in range(int(graph.parents.offsets[child]), int(graph.parents.offsets[child + 1])):
            pair = graph.find_id(child), graph.find_id(int(graph.parents.codes[place]))
            found[pair] = (
                Bases(int(graph.parent_bases[place])), Bases(int(graph.anchor_bases[place])), bool(graph.counts[place])
            )  # fmt: skip
    return found


def test_each_link_says_who_names_it_and_the_strongest_counts(tmp_path: Path) -> None:
    graph = build_derivation_graph(
        evidence_of(
            tmp_path,
            [
                {"query_id": "q", "doc_id": "b", "origin": "model", "derived_from": ["a", "z"]},
                {"query_id": "q", "doc_id": "c", "origin": "model", "derived_from": ["b"]},
                {"query_id": "q", "doc_id": "z", "origin": "human"},
                {"query_id": "q", "doc_id": "lost", "origin": "model", "derived_from": ["nobody knows"]},
            ],
            [
                {"doc_id": "a", "origin": "human"},
                {"doc_id": "b", "origin": "model", "derived_from": ["a"]},
                {"doc_id": "d", "origin": "model", "derived_from": ["c"]},
            ],
        )
    )
    assert links_of(graph) == {
        ("b", "a"): (Bases.CATALOGUE | Bases.DECLARED, Bases(0), True),
        ("b", "z"): (Bases.DECLARED, Bases(0), False),  # the catalogue names parents of b, so the log's do not count
        ("c", "b"): (Bases.DECLARED, Bases(0), True),
        ("d", "c"): (Bases.CATALOGUE, Bases(0), True),
    }
    assert graph.find_number("d") is not None
    assert graph.find_number("nobody knows") is None


def test_an_anchor_is_a_link_where_no_parent_is_known(tmp_path: Path) -> None:
    digest = "sha256:" + "a" * 64
    graph = build_derivation_graph(
        evidence_of(
            tmp_path,
            [{"query_id": "q", "doc_id": "x", "origin": "model", "depth": 1, "anchors": [digest]}],
            [
                {"doc_id": "source", "origin": "human", "content": digest, "anchors": [digest]},
                {"doc_id": "y", "origin": "model", "depth": 1, "anchors": [digest]},
                {"doc_id": "z", "origin": "model", "derived_from": ["y"], "anchors": [digest]},
            ],
        )
    )
    assert links_of(graph) == {
        ("x", "source"): (Bases(0), Bases.DECLARED, False),
        ("y", "source"): (Bases(0), Bases.CATALOGUE, False),
        ("z", "y"): (Bases.CATALOGUE, Bases(0), True),
    }


def test_claims_speak_for_themselves() -> None:
    """In the sample claims name anchors and no parents, the catalogue names both."""
    evidence = load_inputs(
        [sample_data.LOG], catalogue=sample_data.CATALOGUE, trust=sample_data.TRUST_STORE, at=sample_data.AT_SECONDS
    )
    found = links_of(build_derivation_graph(evidence))
    assert found["ferry-retold-3-1", "ferry-retold-2-1"] == (Bases.CATALOGUE, Bases(0), True)
    assert found["ferry-edited-1", "ferry-press-01"] == (
        Bases.CATALOGUE, Bases.SIGNED | Bases.CATALOGUE | Bases.DECLARED, True,
    )  # fmt: skip


def test_the_parents_of_a_claim_go_before_the_catalogue_s(tmp_path: Path) -> None:
    first, second = make_claim("x", MODEL, parents=("a",)), make_claim("y", MODEL)
    for name, rows in (
        ("log", [{"query_id": "q", "doc_id": "x", "claim": first}, {"query_id": "q", "doc_id": "y", "claim": second}]),
        (
            "catalogue",
            [{"doc_id": "a", "origin": "human"}, {"doc_id": "b", "origin": "human"}]
            + [{"doc_id": name, "origin": "model", "derived_from": ["b"]} for name in ("x", "y")],
        ),
    ):
        write_lines(tmp_path / name, rows)
    log, catalogue = read_log([tmp_path / "log"]), read_catalogue(tmp_path / "catalogue")
    evidence = build_evidence(log, catalogue, make_trust_store(), at=AT)
    graph = build_derivation_graph(evidence)
    assert links_of(graph) == {
        ("x", "a"): (Bases.SIGNED, Bases(0), True),
        ("x", "b"): (Bases.CATALOGUE, Bases(0), False),
        ("y", "b"): (Bases.CATALOGUE, Bases(0), True),  # the claim names none, so the catalogue's count
    }
    number = graph.find_number("y")
    assert number is not None
    signed, listed, _ = list_statements(evidence, graph, number)
    assert (signed.basis, signed.parents) == (Bases.SIGNED, ())
    assert (listed.basis, listed.parents) == (Bases.CATALOGUE, (NamedParent("b", graph.find_number("b")),))


def test_without_chains_there_are_documents_and_no_links(tmp_path: Path) -> None:
    graph = build_derivation_graph(
        evidence_of(tmp_path, [{"query_id": "q", "doc_id": "a"}, {"query_id": "q", "doc_id": "a"}])
    )
    assert not links_of(graph)
    assert graph.results.tolist() == [2]
    empty = build_derivation_graph(evidence_of(tmp_path, []))
    assert empty.find_number("a") is None


def test_an_excerpt_has_the_links_of_its_own_rows(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"query_id": f"q{n}", "doc_id": f"d{n}", "origin": "model", "derived_from": [f"d{n + 1}"]} for n in range(3)
    ]
    part = take_excerpt(evidence_of(tmp_path, rows), np.array([1]))
    assert not links_of(build_derivation_graph(part))


NAMES = [f"d{n}" for n in range(7)]
PARENTS = st.lists(st.sampled_from([*NAMES, "nobody"]), max_size=3, unique=True)
ROWS = st.lists(
    st.builds(
        lambda name, origin, parents: {"doc_id": name, "origin": origin, "derived_from": parents},
        st.sampled_from(NAMES),
        st.sampled_from(["human", "model", "hybrid", ""]),
        PARENTS,
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(log=ROWS, catalogue=st.lists(st.tuples(st.sampled_from(NAMES), PARENTS), max_size=6, unique_by=lambda e: e[0]))
def test_links_are_what_was_named_whatever_the_order(
    tmp_path: Path, log: list[Row], catalogue: list[tuple[str, list[str]]]
) -> None:
    rows: list[Row] = [{"query_id": "q", "rank": n + 1} | row for n, row in enumerate(log)]
    entries: list[Row] = [{"doc_id": name, "origin": "model", "derived_from": named} for name, named in catalogue]
    found = links_of(build_derivation_graph(evidence_of(tmp_path, rows, entries or None)))
    known = {str(row["doc_id"]) for row in (*rows, *entries)}
    listed = {name: set(named) & known for name, named in catalogue}
    expected: dict[tuple[str, str], Bases] = {}
    for name, named in listed.items():
        expected |= dict.fromkeys(((name, parent) for parent in named), Bases.CATALOGUE)
    for row in rows:
        child, parents = str(row["doc_id"]), row["derived_from"]
        assert isinstance(parents, list)
        for parent in set(parents) & known:
            expected[child, parent] = expected.get((child, parent), Bases(0)) | Bases.DECLARED
    assert {pair: said for pair, (said, _, _) in found.items()} == expected
    for (child, parent), (_, _, counts) in found.items():
        assert counts == (parent in listed[child] if child in listed else True)
    again = links_of(build_derivation_graph(evidence_of(tmp_path, rows[::-1], entries[::-1] or None)))
    assert again == found


@pytest.mark.parametrize("belief", [0, 1])
def test_the_results_of_each_document_are_counted(belief: Belief) -> None:
    evidence = load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE if belief else None)
    graph = build_derivation_graph(evidence)
    assert int(graph.results.sum()) == evidence.log.result_count
    number = graph.find_number("almanac")
    assert number is not None
    assert graph.results[number] == sum(
        evidence.log.document_ids.text(row) == "almanac" for row in range(evidence.log.result_count)
    )
