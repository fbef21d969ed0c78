"""Laws of quarantine: what is left is what a log without these results gives, by plain loops.

Flows in: random logs with their evidence, and the sample.  Flows out: comparisons, nothing of ours is doubled here.
Not here: the command line (``cli/test_quarantine.py``).
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sample_data
from guard_core.codes import NOTHING
from guard_core.columns import TextColumn
from guard_core.corpus.quarantine import Quarantine, apply_quarantine, drop_results, mark_results
from guard_core.judging.judge import COLUMNS, Verdicts, judge
from guard_core.judging.policy import load_policy
from guard_core.judging.selection import narrow_statistics
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief, SearchResult, SynthesisPolicy
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.support.random_retrievals import SOURCES, Retrieval, make_evidence, policies, retrievals

LOGS = st.lists(retrievals(), min_size=1, max_size=8)
MEASURES = ("effective_anchors", "top_anchor_share", "max_depth")
QUARANTINES = st.builds(
    Quarantine,
    documents=st.sets(st.sampled_from(("a", "b", "c", "d1", "nobody")), max_size=2).map(lambda s: tuple(sorted(s))),
    anchors=st.sets(st.sampled_from((*SOURCES, "a")), max_size=2).map(lambda s: tuple(sorted(s))),
)


def meant(result: SearchResult, quarantine: Quarantine, belief: Belief) -> bool:
    anchors = (result.anchors if belief is Belief.DECLARED else result.upheld_anchors) or ()
    return result.document_id in quarantine.documents or any(a.source in quarantine.anchors for a in anchors)


def rebuilt(log: list[Retrieval], quarantine: Quarantine, belief: Belief) -> list[Retrieval]:
    """The log without these results, the others as they were."""
    return [
        dataclasses.replace(r, results=tuple(one for one in r.results if not meant(one, quarantine, belief)))
        for r in log
    ]


def same(one: Verdicts, other: Verdicts) -> None:
    """Equal in every number of every retrieval, and of the log."""
    assert one.summary() == other.summary()
    for column in COLUMNS:
        assert np.array_equal(one.per_retrieval(column), other.per_retrieval(column)), column
    for belief in (Belief.DECLARED, Belief.UPHELD):
        assert one.statistics.depth_histogram(belief) == other.statistics.depth_histogram(belief)
        assert one.statistics.independent_sources(belief) == other.statistics.independent_sources(belief)
        assert np.array_equal(one.statistics.owner, other.statistics.owner)
        for measure in MEASURES:
            first, second = (getattr(v.statistics, measure)(belief) for v in (one, other))
            assert np.array_equal(first, second, equal_nan=True), measure


@given(LOGS, policies, QUARANTINES)
def test_what_is_left_is_a_log_rebuilt_without_these_results(
    log: list[Retrieval], policy: SynthesisPolicy, quarantine: Quarantine
) -> None:
    belief = policy.belief
    left = rebuilt(log, quarantine, belief)
    before = judge(Statistics.from_evidence(make_evidence(log), policy.top_k), policy)
    found = apply_quarantine(before, quarantine)
    again = judge(Statistics.from_evidence(make_evidence(left), policy.top_k), policy)
    same(found.after, again)

    k = policy.top_k or 99
    sizes = [(len(old.results[:k]), len(new.results[:k])) for old, new in zip(log, left, strict=True)]
    plain = [not r.creative for r in log]
    lost = [any(meant(one, quarantine, belief) for one in r.results[:k]) for r in log]
    assert found.dropped == sum(len(old.results) - len(new.results) for old, new in zip(log, left, strict=True))
    assert found.dropped_judged == sum(meant(one, quarantine, belief) for r in log for one in r.results[:k])
    assert found.touched.tolist() == [i for i in range(len(log)) if plain[i] and lost[i]]
    assert found.short.tolist() == [i for i, (old, new) in enumerate(sizes) if plain[i] and new < old]
    assert found.empty.tolist() == [i for i, (old, new) in enumerate(sizes) if plain[i] and old and not new]
    assert found.sources == (
        before.statistics.independent_sources(belief),
        again.statistics.independent_sources(belief),
    )
    words = [(int(a), int(b)) for a, b in zip(*(v.per_retrieval("verdicts") for v in (before, again)), strict=True)]
    pairs = Counter(pair for pair, counts in zip(words, plain, strict=True) if counts)
    assert {(int(a), int(b)): int(found.flips[a, b]) for a, b in np.argwhere(found.flips)} == pairs
    assert found.flipped.tolist() == [i for i, (a, b) in enumerate(words) if a != b and plain[i]]
    names = [("document", n) for n in quarantine.documents] + [("anchor", n) for n in quarantine.anchors]
    assert found.unmatched == tuple(
        (kind, name)
        for kind, name in names
        if not any(meant(one, Quarantine(**{kind + "s": (name,)}), belief) for r in log for one in r.results)
    )


@given(LOGS, policies, QUARANTINES, st.data())
def test_it_is_counting_again_also_of_a_part_of_the_log(
    log: list[Retrieval], policy: SynthesisPolicy, quarantine: Quarantine, data: st.DataObject
) -> None:
    evidence = make_evidence(log)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(log), max_size=len(log))), bool)
    rows = mark_results(evidence, quarantine).rows
    base = Statistics.from_evidence(evidence, policy.top_k)
    counted = judge(Statistics.from_evidence(evidence, policy.top_k, keep, rows), policy)
    same(judge(drop_results(narrow_statistics(base, keep), rows), policy), counted)
    same(judge(narrow_statistics(drop_results(base, rows), keep), policy), counted)


@given(LOGS, policies, QUARANTINES, QUARANTINES)
def test_one_after_the_other_is_both_at_once(
    log: list[Retrieval], policy: SynthesisPolicy, one: Quarantine, other: Quarantine
) -> None:
    evidence = make_evidence(log)
    first, second = mark_results(evidence, one).rows, mark_results(evidence, other).rows
    base = Statistics.from_evidence(evidence, policy.top_k)
    both = judge(drop_results(base, first | second), policy)
    same(judge(drop_results(drop_results(base, first), second), policy), both)
    same(judge(drop_results(drop_results(base, second), first), policy), both)


@given(LOGS, policies)
def test_a_quarantine_of_nothing_changes_nothing(log: list[Retrieval], policy: SynthesisPolicy) -> None:
    before = judge(Statistics.from_evidence(make_evidence(log), policy.top_k), policy)
    assert Quarantine().empty
    found = apply_quarantine(before, Quarantine())
    assert found.after is before
    assert (found.dropped, found.dropped_judged, found.unmatched) == (0, 0, ())
    assert not len(found.touched) + len(found.short) + len(found.empty) + len(found.flipped)


@given(LOGS, policies, QUARANTINES, st.randoms(use_true_random=False))
def test_the_order_of_the_log_does_not_matter(
    log: list[Retrieval], policy: SynthesisPolicy, quarantine: Quarantine, chance: random.Random
) -> None:
    one, other = (
        apply_quarantine(judge(Statistics.from_evidence(make_evidence(each), policy.top_k), policy), quarantine)
        for each in (log, chance.sample(log, len(log)))
    )
    assert one.after.summary() == other.after.summary()
    assert np.array_equal(one.flips, other.flips)
    assert (one.dropped, one.dropped_judged, one.unmatched) == (other.dropped, other.dropped_judged, other.unmatched)
    assert [len(one.touched), len(one.short), len(one.empty)] == [
        len(other.touched),
        len(other.short),
        len(other.empty),
    ]


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_inputs(
        [sample_data.LOG], catalogue=sample_data.CATALOGUE, trust=sample_data.TRUST_STORE, at=sample_data.AT_SECONDS
    )


def test_labels_and_hashes_mark_what_they_name(evidence: Evidence) -> None:
    for kind, column in (
        ("originators", evidence.originators),
        ("generators", evidence.generators),
        ("collections", evidence.collections),
    ):
        name = column.text(int(np.flatnonzero(column.codes >= 0)[0])) or ""
        marked = mark_results(evidence, Quarantine(**{kind: (name, name.upper() + "?")}))
        expected = [column.text(row) == name for row in range(evidence.log.result_count)]
        assert marked.rows.tolist() == expected
        assert marked.unmatched == ((kind[:-1], name.upper() + "?"),)
    named = evidence.declared_anchors
    hashed = str(evidence.hashes[int(named.codes[0])].as_py())
    marked = mark_results(evidence, Quarantine(anchors=(hashed,)))
    code = int(named.codes[0])
    lists = [named.codes[a:b].tolist() for a, b in zip(named.offsets, named.offsets[1:], strict=False)]
    assert marked.rows.tolist() == [code in codes for codes in lists]
    assert not marked.unmatched
    for spelled in (hashed.removeprefix("sha256:"), hashed.upper().replace("SHA256", "sha256")):
        other = mark_results(evidence, Quarantine(anchors=(spelled, "sha256:" + "0" * 64)))
        assert np.array_equal(other.rows, marked.rows)  # one digest, however it is written (R17)
        assert other.unmatched == (("anchor", "sha256:" + "0" * 64),)


def test_a_missing_label_is_no_name_and_odd_names_match_nothing(evidence: Evidence) -> None:
    bare = dataclasses.replace(evidence, generators=TextColumn.missing(evidence.log.result_count))
    marked = mark_results(bare, Quarantine(generators=("", "\udcff"), documents=("", "\udcff"), anchors=("\udcff",)))
    assert not marked.rows.any()
    assert len(marked.unmatched) == 5


def test_names_known_to_the_catalogue_alone_match_nothing(evidence: Evidence) -> None:
    assert evidence.catalogue is not None
    unseen = set(evidence.catalogue.entries.document_ids.to_pylist()) - set(
        evidence.log.document_ids.values.to_pylist()
    )
    name = min(unseen)
    extended = dataclasses.replace(
        evidence, sources=pa.concat_arrays([evidence.sources, pa.array([name], evidence.sources.type)])
    )
    marked = mark_results(extended, Quarantine(documents=(name,), anchors=(name,)))
    assert marked.unmatched == (("document", name), ("anchor", name))


def test_a_retrieval_left_empty_has_no_verdict(evidence: Evidence) -> None:
    before = judge(Statistics.from_evidence(evidence), load_policy(sample_data.POLICY).policy)
    everything = tuple(evidence.log.document_ids.values.to_pylist())
    found = apply_quarantine(before, Quarantine(documents=everything))
    assert (found.after.verdicts == NOTHING).all()
    assert found.dropped == evidence.log.result_count
    assert found.sources[1] is None
    summary = found.after.summary()
    assert (summary.counted, summary.macro_ratio, summary.micro_ratio) == (0, None, None)
    assert summary.no_results == summary.retrievals
