"""Laws of coverage: sums add up, the order of the log does not matter, the same log gives the same map."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sample_data
from guard_core.corpus.clusters import find_clusters
from guard_core.corpus.coverage import Coverage, count_coverage, count_density, find_illusions, list_family_members
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.support.log_files import write_lines
from tests.support.random_retrievals import Retrieval, make_evidence, retrievals

LOGS = st.lists(retrievals(), max_size=12)
VIEWS = st.sampled_from((Belief.DECLARED, Belief.UPHELD))


def slow(log: list[Retrieval], belief: Belief, top_k: int | None) -> dict[str, tuple[float, int, int, int]]:
    """Mass, results, retrievals and documents of every source, by plain loops."""
    mass: dict[str, float] = defaultdict(float)
    results: Counter[str] = Counter()
    at, documents = defaultdict(set), defaultdict(set)
    for number, retrieval in enumerate(log):
        for result in retrieval.results[:top_k]:
            for anchor in (result.anchors if belief is Belief.DECLARED else result.upheld_anchors) or ():
                mass[anchor.source] += anchor.weight
                results[anchor.source] += 1
                at[anchor.source].add(number)
                documents[anchor.source].add(result.document_id)
    return {s: (round(mass[s], 6), results[s], len(at[s]), len(documents[s])) for s in mass}


@given(LOGS, VIEWS, st.none() | st.integers(1, 5))
def test_families_are_what_loops_count_and_add_up(log: list[Retrieval], belief: Belief, top_k: int | None) -> None:
    statistics = Statistics.from_evidence(make_evidence(log), top_k)
    found = count_coverage(statistics, belief).families
    rows = zip(found.names, found.mass, found.results, found.retrievals, found.documents, strict=True)
    assert {name: (round(m, 6), r, t, d) for name, m, r, t, d in rows} == slow(log, belief, top_k)
    assert found.mass.sum() + found.unanchored == pytest.approx(statistics.judged_results)
    assert np.all(np.diff(found.mass) <= 0)
    assert found.resolved.all()


@given(LOGS, VIEWS, st.randoms(use_true_random=False))
def test_the_order_of_the_log_does_not_matter(log: list[Retrieval], belief: Belief, chance: random.Random) -> None:
    shuffled = chance.sample(log, len(log))
    first, second = (count_coverage(Statistics.from_evidence(make_evidence(each)), belief) for each in (log, shuffled))
    assert first.families.names == second.families.names
    assert np.array_equal(first.families.mass, second.families.mass)
    assert np.array_equal(first.together, second.together)
    one, other = find_clusters(first), find_clusters(second)
    assert np.array_equal(one.cluster, other.cluster)
    assert np.array_equal(one.places, other.places)


@given(LOGS, VIEWS)
def test_together_counts_retrievals(log: list[Retrieval], belief: Belief) -> None:
    covered = count_coverage(Statistics.from_evidence(make_evidence(log)), belief, strongest=3)
    names = covered.families.names[:3]
    held = [
        {
            a.source
            for r in retrieval.results
            for a in (r.anchors if belief is Belief.DECLARED else r.upheld_anchors) or ()
        }
        for retrieval in log
    ]
    for (i, first), (j, second) in itertools.product(enumerate(names), repeat=2):
        assert covered.together[i, j] == sum(first in sources and second in sources for sources in held)


@given(LOGS, VIEWS)
def test_density_holds_every_counted_retrieval_once(log: list[Retrieval], belief: Belief) -> None:
    statistics = Statistics.from_evidence(make_evidence(log))
    counted = [r for r in log if r.results and not r.creative]
    found = count_density(statistics, belief)
    assert found.counts.sum() == len(counted)
    assert found.counts.sum(axis=0).tolist() == [
        sum(len(r.results) == n + 1 for r in counted) for n in range(found.counts.shape[1])
    ]


@given(LOGS, VIEWS, st.integers(1, 6))
def test_the_strongest_illusions_come_first(log: list[Retrieval], belief: Belief, limit: int) -> None:
    statistics = Statistics.from_evidence(make_evidence(log))
    sources = statistics.effective_anchors(belief)
    expected = sorted(
        (
            (-round(len(r.results) / sources[i], 9), -len(r.results), i)
            for i, r in enumerate(log)
            if r.results and not r.creative and sources[i] + 1e-9 < len(r.results)
        ),
    )[:limit]
    assert find_illusions(statistics, belief, limit).tolist() == [i for _, _, i in expected]


@pytest.fixture(scope="module")
def sample() -> Evidence:
    return load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)


@pytest.fixture(scope="module")
def covered(sample: Evidence) -> Coverage:
    return count_coverage(Statistics.from_evidence(sample), Belief.DECLARED)


def test_long_lists_are_counted_alike(covered: Coverage, sample: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guard_core.corpus.coverage._MOST_SHIFTS", 0)
    monkeypatch.setattr("guard_core.corpus.coverage._CHUNK", 7)
    again = count_coverage(Statistics.from_evidence(sample), Belief.DECLARED)
    assert np.array_equal(again.together, covered.together)


def test_the_sample_has_one_family_that_spreads_and_a_cluster_a_topic(covered: Coverage) -> None:
    assert covered.families.names[0] == "almanac"
    found = find_clusters(covered)
    assert found.count == 8
    topics = {
        frozenset(name.split("-")[0] for i, name in enumerate(covered.families.names[: len(covered.together)])
                  if found.cluster[i] == number and name != "almanac")
        for number in range(found.count)
    }  # fmt: skip
    assert all(len(topic) == 1 for topic in topics)
    away = np.hypot(*(found.places[:, None] - found.places[None, :]).transpose(2, 0, 1))
    apart = found.cluster[:, None] != found.cluster[None, :]
    assert (away >= (found.sizes[:, None] + found.sizes[None, :]) / 2)[apart].all()


def test_members_of_a_family_are_those_that_it_counts(covered: Coverage, sample: Evidence) -> None:
    statistics, families = Statistics.from_evidence(sample), covered.families
    for place in (0, 1, 50):
        found = list_family_members(
            statistics, Belief.DECLARED, int(families.codes[place]), bool(families.resolved[place])
        )
        assert len(found.documents) == families.documents[place]
        assert found.results.sum() == families.results[place]
        assert len(found.retrievals) == families.retrievals[place]


def test_hashes_that_lead_nowhere_are_families_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [
        {
            "query_id": f"q{n}",
            "doc_id": f"d{n}",
            "origin": "model",
            "depth": 1,
            "anchors": ["a" * 64, "b" * 64][: n + 1],
        }
        for n in range(2)
    ]
    rows += [{"query_id": "q2", "doc_id": "h", "origin": "human"}, {"query_id": "q2", "doc_id": "x"}]
    write_lines(path, rows)
    statistics = Statistics.from_evidence(load_inputs([path]))
    found = count_coverage(statistics, Belief.DECLARED).families
    assert list(zip(found.names, found.resolved.tolist(), found.mass.tolist(), strict=True)) == [
        ("a" * 64, False, 1.5),
        ("h", True, 1.0),
        ("b" * 64, False, 0.5),
    ]
    assert (found.judged, found.unanchored) == (4, 1)
    assert found.cumulative.tolist() == [0.375, 0.625, 0.75]
    assert list_family_members(
        statistics, Belief.DECLARED, int(found.codes[0]), resolved=False
    ).retrievals.tolist() == [0, 1]


def test_nothing_is_covered_by_nothing() -> None:
    covered = count_coverage(Statistics.from_evidence(make_evidence([])), Belief.DECLARED)
    assert covered.families.names == ()
    assert find_clusters(covered).count == 0
