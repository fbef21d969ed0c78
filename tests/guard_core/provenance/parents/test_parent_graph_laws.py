"""Chains of parents: laws over random graphs of documents, claims and logs, against an oracle."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.class_words import ClassWord
from guard_core.codes import UNKNOWN
from guard_core.model import Belief
from guard_core.provenance.evidence import build_evidence
from tests.support.catalogues_and_logs import Entry, Row, digest, make_catalogue, make_log
from tests.support.claim_tokens import AT
from tests.support.evidence_oracle import EvidenceOracle, list_results, round_weights
from tests.support.signed_claims import HUMAN as HUMAN_AUTHORED
from tests.support.signed_claims import MODEL as MODEL_GENERATED
from tests.support.signed_claims import make_claim, make_trust_store

HUMAN, MODEL, HYBRID = ClassWord.HUMAN, ClassWord.MODEL, ClassWord.HYBRID
NAMES = ("a", "b", "c", "d", "e", "é", "ab")
TEXTS = ("one", "two")


references = st.sampled_from([*NAMES, *NAMES, "nowhere", *(digest(text) for text in TEXTS), digest("gone")])
parents = st.lists(references, max_size=3).map(lambda names: tuple(dict.fromkeys(names)))
anchors = st.lists(
    st.tuples(st.sampled_from([digest(text) for text in (*TEXTS, "gone")]), st.sampled_from([1.0, 1.0, 3.0])),
    max_size=2,
).map(tuple)
words = st.sampled_from([HUMAN, HUMAN, MODEL, MODEL, HYBRID, *ClassWord])
depths = st.sampled_from([-1, -1, 0, 1, 2, 3])


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[list[Row]], list[Entry], bool]:
    """A log, a catalogue with at most one entry a document, and whether claims are checked."""
    listed = [
        Entry(
            name,
            draw(words),
            None if (depth := draw(depths)) < 0 else depth,
            anchors=draw(anchors) if draw(st.booleans()) else (),
            content=draw(st.none() | st.sampled_from(TEXTS)),
            parents=draw(parents),
        )
        for name in NAMES
        if draw(st.booleans())
    ]
    tokens = {}
    for name in NAMES:
        human = draw(st.booleans())
        tokens[name] = make_claim(
            name,
            HUMAN_AUTHORED if human else MODEL_GENERATED,
            0 if human else draw(st.integers(1, 2)),
            text=draw(st.none() | st.sampled_from(TEXTS)),
            anchors=tuple(dict.fromkeys(draw(st.lists(st.sampled_from((*TEXTS, "gone")), max_size=1)))),
            parents=draw(parents.map(lambda names: names[:2])),
        )
    rows = st.builds(
        Row,
        document=st.sampled_from(NAMES),
        word=words,
        depth=depths,
        anchors=st.just(()) | anchors,
        text=st.none() | st.sampled_from(TEXTS),
        parents=st.just(()) | parents,
        signature=st.none() | st.sampled_from(sorted(tokens.values())),
    )
    log = draw(st.lists(st.lists(rows, max_size=4), max_size=3))
    own = [
        [
            dataclasses.replace(row, signature=tokens[row.document]) if draw(st.integers(0, 3)) == 0 else row
            for row in results
        ]
        for results in log
    ]
    return own, listed, draw(st.booleans())


@given(corpora())
def test_parents_are_followed_as_the_rules_say(corpus: tuple[list[list[Row]], list[Entry], bool]) -> None:
    log, listed, signed = corpus
    flat = [row for results in log for row in results]
    trust = make_trust_store() if signed else None
    oracle = EvidenceOracle(flat, listed, trust)
    evidence = build_evidence(make_log(log), make_catalogue(listed), trust, at=AT)
    found = list_results(evidence)
    assert [round_weights(r) for r in found] == [round_weights(oracle.build_result(i)) for i in range(len(flat))]
    assert evidence.depth_at_least.tolist() == [oracle.find_least(i) for i in range(len(flat))]
    notice = next((n for n in evidence.notices if n.code == "derivation_cycle"), None)
    assert (notice.count if notice else 0) == len(oracle.parents.find_members())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("guard_core.provenance.parents.layers._NARROW", 0)  # every layer as columns, none node by node
        columns = build_evidence(make_log(log), make_catalogue(listed), trust, at=AT)
    assert [round_weights(r) for r in list_results(columns)] == [round_weights(r) for r in found]
    assert np.array_equal(columns.depth_at_least, evidence.depth_at_least)


@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_entries_changes_nothing(
    corpus: tuple[list[list[Row]], list[Entry], bool], shuffle: random.Random
) -> None:
    log, listed, signed = corpus
    trust = make_trust_store() if signed else None
    places = [(i, j) for i, results in enumerate(log) for j in range(len(results))]
    shuffle.shuffle(places)
    other = [[log[i][j]] for i, j in places]
    shuffled = listed[:]
    shuffle.shuffle(shuffled)
    ours = build_evidence(make_log(log), make_catalogue(listed), trust, at=AT)
    theirs = build_evidence(make_log(other), make_catalogue(shuffled), trust, at=AT)
    expected = dict(zip(_places(log), list_results(ours), strict=True))
    assert [expected[place] for place in places] == list_results(theirs)  # to the last bit
    assert [n for n in ours.notices if n.code == "derivation_cycle"] == [
        n for n in theirs.notices if n.code == "derivation_cycle"
    ]


def _places(log: list[list[Row]]) -> list[tuple[int, int]]:
    return [(i, j) for i, results in enumerate(log) for j in range(len(results))]


@given(corpora())
def test_no_link_or_label_of_the_log_changes_what_is_upheld(
    corpus: tuple[list[list[Row]], list[Entry], bool],
) -> None:
    log, listed, signed = corpus
    trust = make_trust_store() if signed else None
    bare = [
        [dataclasses.replace(row, word=ClassWord.NONE, depth=-1, parents=(), anchors=()) for row in results]
        for results in log
    ]
    one = build_evidence(make_log(log), make_catalogue(listed), trust, at=AT)
    other = build_evidence(make_log(bare), make_catalogue(listed), trust, at=AT)
    (declared, upheld), without = one.beliefs, other.under(Belief.UPHELD)
    has_class = upheld.classes != UNKNOWN
    assert np.array_equal(upheld.classes, without.classes)
    assert np.array_equal(upheld.depths, without.depths)
    assert np.array_equal(declared.classes[has_class], upheld.classes[has_class])
    assert np.array_equal(declared.depths[has_class], upheld.depths[has_class])
    assert [r.upheld_anchors for r in list_results(one)] == [r.upheld_anchors for r in list_results(other)]
