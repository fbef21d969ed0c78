"""Hits to results: the same columns, words and evidence as in a log, whatever a hit holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core import (
    AuthenticityClass,
    Basis,
    Conflict,
    RequeryOutcome,
    SignatureGate,
    SynthesisPolicy,
    guarded_search,
)
from guard_core.claims import read_trust_store
from guard_core.ingest import read_log
from guard_core.model import SearchResult, SignatureStatus
from guard_core.provenance.catalogue import Catalogue, read_catalogue
from guard_core.provenance.evidence import build_evidence
from guard_core.search.hits import Described, HitReader
from guard_core.search.requery import ReadHits
from tests.support.scripted_searches import D1, D2, HUMAN, UNKNOWN, Scripted

SAMPLE = Path(__file__).resolve().parents[3] / "sample_data"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=4,
)
NAMES = st.sampled_from(
    ("result_id", "id", "document_id", "rank", "position", "authenticity", "depth", "anchors", "text", "metadata", "x")
)


def keep_columns(hit: Described) -> Described:
    """Describe a hit that has the column names of a log already."""
    return hit


def read(*hits: Described, catalogue: Catalogue | None = None) -> ReadHits:
    return HitReader(keep_columns, catalogue=catalogue)(hits)


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    path = tmp_path / "catalogue.csv"
    path.write_text(
        "document_id,authenticity,synthetic_generation_depth,derived_from,content_sha256\n"
        "almanac,human,0,,\n"
        "rewrite,model,,almanac,\n"
        "again,model,,rewrite,\n"
        f"exact,human,0,,sha256:{'0' * 64}\n"
    )
    return read_catalogue(path)


def test_labels_of_a_hit_are_declarations() -> None:
    got = read({"id": "a", "origin": "human"}, {"id": "b", "metadata": {"depth": 2, "origin": "model"}}, {"id": 7})
    assert [(r.result_id, r.authenticity, r.basis) for r in got.results] == [
        ("a", HUMAN, Basis.DECLARED),
        ("b", D2, Basis.DECLARED),
        ("7", UNKNOWN, Basis.NONE),
    ]
    assert (got.positions, got.rejected) == ((0, 1, 2), 0)


def test_the_catalogue_knows_better_and_follows_chains(catalogue: Catalogue) -> None:
    hits = ({"document_id": name, "authenticity": "human"} for name in ("almanac", "rewrite", "again", "nobody"))
    got = read(*hits, catalogue=catalogue)
    assert [r.authenticity for r in got.results] == [HUMAN, D1, D2, HUMAN]
    assert [r.depth for r in got.results] == [0, 1, 2, 0]
    assert [r.basis for r in got.results] == [Basis.CATALOGUE] * 3 + [Basis.DECLARED]
    assert [Conflict.CLASS_CONFLICT in r.conflicts for r in got.results] == [False, True, True, False]
    assert [a.source for a in got.results[2].upheld_anchors or ()] == ["almanac"]


def test_a_text_that_is_not_the_documents_is_not_the_document(catalogue: Catalogue) -> None:
    said = {"id": "exact"}
    got = read(said, {**said, "text": "other words"}, catalogue=catalogue)
    assert [r.authenticity for r in got.results] == [HUMAN, UNKNOWN]
    assert got.results[1].conflicts == (Conflict.CONTENT_MISMATCH,)


def test_the_place_in_the_list_is_the_rank_whatever_a_hit_says() -> None:
    got = read({"id": "b", "rank": 9}, {"id": "a", "rank": 1}, {"id": "c", "position": 0}, {"id": "c", "rank": "x"})
    assert [r.result_id for r in got.results] == ["b", "a", "c", "c"]
    assert [r.rank for r in got.results] == [1, 2, 3, 4]


def test_a_hit_that_cannot_be_read_is_counted_and_hides_no_other() -> None:
    loop: dict[str, object] = {}
    loop["metadata"] = loop
    deep: object = "x"
    for _ in range(200):
        deep = [deep]
    got = read({"id": "a"}, {}, {"id": None}, {"id": "\ud800"}, loop, {("k",): 1}, {"id": "d", "x": deep}, {"id": "z"})  # type: ignore[dict-item]  # no mapping of texts, on purpose
    assert ([r.result_id for r in got.results], got.positions, got.rejected) == (["a", "z"], (0, 7), 6)


def test_values_that_json_does_not_have_cost_nothing_but_themselves() -> None:
    got = read({"id": "a", "when": object(), "score": float("nan"), "authenticity": "human"})
    assert [r.authenticity for r in got.results] == [HUMAN]


def test_nothing_found_and_nothing_readable() -> None:
    assert read() == ReadHits((), ())
    assert read({}, {}) == ReadHits((), (), 2)


@given(st.lists(st.dictionaries(NAMES, JSON, max_size=4), max_size=5))
def test_every_hit_is_read_or_counted_in_order(hits: list[dict[str, object]]) -> None:
    got = read(*hits)
    assert len(got.results) + got.rejected == len(hits)
    assert len(got.results) == len(got.positions)
    assert list(got.positions) == sorted(set(got.positions))
    assert all(r.rank == place + 1 for r, place in zip(got.results, got.positions, strict=True))
    assert all(r.basis in (Basis.DECLARED, Basis.NONE) for r in got.results), "a hit cannot raise its own basis"


def test_a_search_is_judged_as_the_log_of_it(tmp_path: Path) -> None:
    """The first lists of the sample, hit by hit, are what reading the log says."""
    lines = (SAMPLE / "log.jsonl").read_text().splitlines()[:40]
    known, trust, at = (
        read_catalogue(SAMPLE / "catalogue.csv"),
        read_trust_store(SAMPLE / "trust_store.json"),
        1790812800,
    )
    reader = HitReader(keep_columns, catalogue=known, trust=trust, at=at)
    statuses = set()
    for line in lines:
        alone = tmp_path / "one.jsonl"
        alone.write_text(line + "\n")
        as_log = build_evidence(read_log([alone]), known, trust, at=at).results(0)
        as_hits = reader(json.loads(line)["results"]).results
        assert as_hits == as_log
        statuses |= {result.signature for result in as_hits}
    assert {SignatureStatus.VALID, SignatureStatus.MISSING} <= statuses


def test_an_index_that_calls_machine_text_human_gains_nothing(catalogue: Catalogue) -> None:
    """The filter trusts the index, the guard does not: what the index let in by a false label is a stray."""
    policy = SynthesisPolicy(0.5, True, signatures=SignatureGate.CATALOGUED)
    again = {"id": "again", "authenticity": "human"}
    search: Scripted[Described] = Scripted([again], [{"id": "almanac"}, again])
    guarded = guarded_search(search, policy, read=HitReader(keep_columns, catalogue=catalogue))
    assert guarded.requery is not None
    assert guarded.requery.outcome is RequeryOutcome.FILTER_IGNORED
    assert guarded.requery.appraisal.strays == ("again",)
    honest: Scripted[Described] = Scripted([again], [{"id": "almanac"}])
    kept = guarded_search(honest, policy, read=HitReader(keep_columns, catalogue=catalogue)).accepted
    assert [(hit["id"], result.authenticity) for hit, result in kept] == [("almanac", AuthenticityClass.HUMAN_AUTHORED)]
    assert isinstance(kept[0][1], SearchResult)
