"""Chains of parents: laws over random graphs, the rules one by one, and shapes that are large."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.evidence import Evidence, build_evidence
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.log import ClassWord
from guard_core.model import Anchor, AuthenticityClass, Basis, Conflict, SearchResult
from guard_core.provenance.anchors import MOST_SOURCES
from guard_core.provenance.catalogue import Catalogue, catalogue_of
from tests.claims.workbench import AT
from tests.documents import FILE, Entry, Row, catalogue_from, digest, log_of
from tests.evidence_oracle import Oracle
from tests.signed_rows import HUMAN as HUMAN_AUTHORED
from tests.signed_rows import MODEL as MODEL_GENERATED
from tests.signed_rows import claim, store

HUMAN, MODEL, HYBRID = ClassWord.HUMAN, ClassWord.MODEL, ClassWord.HYBRID
D1, D2, UNKNOWN = (
    AuthenticityClass.SYNTHETIC_DEPTH_1,
    AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS,
    AuthenticityClass.UNKNOWN,
)
NAMES = ("a", "b", "c", "d", "e", "é", "ab")
TEXTS = ("one", "two")


def rounded(result: SearchResult) -> SearchResult:
    def anchors(given: tuple[Anchor, ...] | None) -> tuple[Anchor, ...]:
        return tuple(Anchor(a.source, round(a.weight, 9)) for a in given or ())

    return dataclasses.replace(result, anchors=anchors(result.anchors), upheld_anchors=anchors(result.upheld_anchors))


def results_of(evidence: Evidence) -> list[SearchResult]:
    return [r for i in range(evidence.log.retrieval_count) for r in evidence.results(i)]


# -- laws --------------------------------------------------------------------------------------------------------------

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
        tokens[name] = claim(
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
def test_chains_are_what_the_rules_say(corpus: tuple[list[list[Row]], list[Entry], bool]) -> None:
    log, listed, signed = corpus
    flat = [row for results in log for row in results]
    trust = store() if signed else None
    oracle = Oracle(flat, listed, trust)
    evidence = build_evidence(log_of(log), catalogue_from(listed), trust, at=AT)
    found = results_of(evidence)
    assert [rounded(r) for r in found] == [rounded(oracle.result(i)) for i in range(len(flat))]
    assert evidence.depth_at_least.tolist() == [oracle.at_least(i) for i in range(len(flat))]
    notice = next((n for n in evidence.notices if n.code == "derivation_cycle"), None)
    assert (notice.count if notice else 0) == len(oracle.lineage.members())


@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_entries_changes_nothing(
    corpus: tuple[list[list[Row]], list[Entry], bool], shuffle: random.Random
) -> None:
    log, listed, signed = corpus
    trust = store() if signed else None
    places = [(i, j) for i, results in enumerate(log) for j in range(len(results))]
    shuffle.shuffle(places)
    other = [[log[i][j]] for i, j in places]
    turned = listed[:]
    shuffle.shuffle(turned)
    ours = build_evidence(log_of(log), catalogue_from(listed), trust, at=AT)
    theirs = build_evidence(log_of(other), catalogue_from(turned), trust, at=AT)
    expected = dict(zip(_places(log), results_of(ours), strict=True))
    assert [expected[place] for place in places] == results_of(theirs)  # to the last bit
    assert [n for n in ours.notices if n.code == "derivation_cycle"] == [
        n for n in theirs.notices if n.code == "derivation_cycle"
    ]


def _places(log: list[list[Row]]) -> list[tuple[int, int]]:
    return [(i, j) for i, results in enumerate(log) for j in range(len(results))]


@given(corpora())
def test_no_link_or_label_of_the_log_changes_what_is_proved(
    corpus: tuple[list[list[Row]], list[Entry], bool],
) -> None:
    log, listed, signed = corpus
    trust = store() if signed else None
    bare = [
        [dataclasses.replace(row, word=ClassWord.NONE, depth=-1, parents=(), anchors=()) for row in results]
        for results in log
    ]
    one = build_evidence(log_of(log), catalogue_from(listed), trust, at=AT)
    other = build_evidence(log_of(bare), catalogue_from(listed), trust, at=AT)
    proved = one.upheld_classes != 3
    assert np.array_equal(one.upheld_classes, other.upheld_classes)
    assert np.array_equal(one.upheld_depths, other.upheld_depths)
    assert np.array_equal(one.classes[proved], one.upheld_classes[proved])
    assert np.array_equal(one.depths[proved], one.upheld_depths[proved])
    assert [r.upheld_anchors for r in results_of(one)] == [r.upheld_anchors for r in results_of(other)]


# -- depth -------------------------------------------------------------------------------------------------------------


def one(document: str, *listed: Entry) -> SearchResult:
    return build_evidence(log_of([[Row(document)]]), catalogue_from(listed)).results(0)[0]


H = Entry("h", HUMAN, 0)


def seen(result: SearchResult) -> tuple[AuthenticityClass, int | None, tuple[Conflict, ...]]:
    return result.authenticity, result.depth, result.conflicts


def test_the_deepest_parent_decides() -> None:
    listed = [H, Entry("s", MODEL, 3, parents=("h",)), Entry("m", HYBRID, parents=("h", "s"))]
    assert seen(one("m", *listed)) == (D2, 4, ())


def test_a_declared_depth_below_the_computed_one_loses() -> None:
    listed = [H, Entry("s", MODEL, 1, parents=("h",)), Entry("m", MODEL, 1, parents=("s",))]
    assert seen(one("m", *listed)) == (D2, 2, (Conflict.DEPTH_CONFLICT,))
    assert seen(one("m", *listed[:2], Entry("m", MODEL, 5, parents=("s",)))) == (D2, 5, ())
    assert seen(one("m", *listed[:2], Entry("m", ClassWord.SYNTHETIC_DEPTH_1, parents=("s",)))) == (
        D2,
        2,
        (Conflict.DEPTH_CONFLICT,),
    )


def test_an_edit_adds_nothing_and_is_hybrid_if_a_parent_is_synthetic() -> None:
    listed = [H, Entry("s", MODEL, 2, parents=("h",))]
    assert seen(one("e", *listed, Entry("e", HUMAN, parents=("h", "s")))) == (D2, 2, ())
    assert seen(one("e", *listed, Entry("e", HUMAN, 0, parents=("s",)))) == (D2, 2, (Conflict.DEPTH_CONFLICT,))
    assert seen(one("e", *listed, Entry("e", HUMAN, 0, parents=("h",))))[:2] == (AuthenticityClass.HUMAN_AUTHORED, 0)


def test_parents_of_unknown_depth_prove_a_least_depth() -> None:
    def least(*listed: Entry) -> tuple[int | None, int]:
        found = build_evidence(log_of([[Row("m")]]), catalogue_from([H, *listed]))
        return found.results(0)[0].depth, int(found.depth_at_least[0])

    vague, firm = Entry("v", MODEL), Entry("f", ClassWord.SYNTHETIC_DEPTH_2_PLUS)
    assert least(vague, Entry("m", MODEL, parents=("v",))) == (None, 2)
    assert least(firm, Entry("m", MODEL, parents=("f",))) == (None, 3)
    assert least(vague, Entry("n", MODEL, 4), Entry("m", MODEL, parents=("v", "n"))) == (None, 5)
    assert least(vague, Entry("m", MODEL, 1, parents=("v",))) == (None, 2)  # a stated 1 cannot be right
    assert least(vague, Entry("m", MODEL, 2, parents=("v",))) == (2, -1)
    assert least(Entry("u", parents=("n",)), Entry("n", MODEL, 4), Entry("m", MODEL, parents=("u",))) == (None, 5)
    assert least(Entry("m", MODEL, parents=("gone",))) == (None, -1)
    assert least(Entry("m", MODEL)) == (None, -1)


def test_a_parent_known_nowhere_gives_neither_depth_nor_anchor() -> None:
    lost = (Conflict.PARENT_UNKNOWN,)
    assert seen(one("m", H, Entry("m", MODEL, parents=("gone",)))) == (D2, None, lost)
    assert seen(one("m", H, Entry("m", MODEL, 2, parents=("gone",)))) == (D2, 2, lost)
    assert one("m", H, Entry("m", MODEL, 1, parents=("gone", "h"))).anchors == (Anchor("h"),)
    human = one("m", H, Entry("m", HUMAN, parents=("gone",)))
    assert (seen(human), human.anchors) == ((AuthenticityClass.HUMAN_AUTHORED, 0, lost), ())


# -- cycles ------------------------------------------------------------------------------------------------------------


def test_cycles_and_what_descends_from_them_have_no_depth_and_no_anchor() -> None:
    named = ((digest("t"), 1.0),)
    listed = [
        Entry("h", HUMAN, content="t"),
        Entry("a", MODEL, 1, anchors=named, parents=("b", "h")),
        Entry("b", MODEL, 2, parents=("a",)),
        Entry("c", MODEL, 3, parents=("b",)),
        Entry("d", HUMAN, parents=("c",)),
        Entry("e", HUMAN, parents=("e",)),
        Entry("f", HUMAN, parents=("e",)),
        Entry("s", MODEL, 1, parents=("h",)),
    ]
    evidence = build_evidence(log_of([[Row(name) for name in "abcdefs"]]), catalogue_from(listed))
    *looped, sound = evidence.results(0)
    assert [r.authenticity for r in looped] == [D2] * 4 + [UNKNOWN] * 2
    assert {(r.depth, r.anchors, r.conflicts) for r in looped} == {(None, (), (Conflict.DERIVATION_CYCLE,))}
    assert seen(sound) == (D1, 1, ())
    (notice,) = (n for n in evidence.notices if n.code == "derivation_cycle")
    assert (notice.count, notice.message.rpartition(": ")[2]) == (3, "a, b, e")


def test_hostile_names_in_the_notice_are_shown_as_they_are() -> None:
    evidence = build_evidence(
        log_of([[Row("x")]]), catalogue_from([Entry("\x1b[31m\n", MODEL, parents=("\x1b[31m\n",))])
    )
    assert next(n.message for n in evidence.notices if n.code == "derivation_cycle").endswith(": \\x1b[31m\\n")


# -- anchors -----------------------------------------------------------------------------------------------------------


def test_shares_are_multiplied_along_paths_and_added_where_these_meet() -> None:
    listed = [
        Entry("g", HUMAN, content="g"),
        Entry("h", HUMAN, content="h"),
        Entry("x", MODEL, 1, anchors=((digest("g"), 3.0), (digest("h"), 1.0))),
        Entry("y", MODEL, 1, parents=("h",)),
        Entry("z", MODEL, parents=("x", "y")),
    ]
    assert one("z", *listed).anchors == (Anchor("g", 0.375), Anchor("h", 0.625))


def test_stated_anchors_go_before_those_of_parents() -> None:
    listed = [Entry("g", HUMAN, content="g"), Entry("h", HUMAN, content="h")]
    stated = Entry("m", MODEL, 1, anchors=((digest("g"), 1.0), (digest("gone"), 1.0)), parents=("h",))
    assert one("m", *listed, stated).anchors == (Anchor("g"),)
    lost = one("m", *listed, Entry("m", MODEL, 1, anchors=((digest("gone"), 1.0),), parents=("h",)))
    assert (lost.anchors, lost.conflicts) == ((Anchor("h"),), (Conflict.ANCHOR_UNRESOLVED,))


def test_an_anchor_that_is_an_edit_leads_to_its_sources() -> None:
    named = ((digest("edit"), 1.0),)
    listed = [Entry("h", HUMAN), Entry("e", HUMAN, content="edit", parents=("h",)), Entry("m", MODEL, 1, anchors=named)]
    assert one("m", *listed).anchors == (Anchor("h"),)
    washed = [*listed, Entry("s", MODEL, 1), Entry("e", HUMAN, content="edit", parents=("s",))][2:]
    assert (one("m", *washed).anchors, one("m", *washed).conflicts) == ((), (Conflict.ANCHOR_UNRESOLVED,))


def test_a_human_document_with_a_synthetic_parent_is_no_source() -> None:
    listed = [Entry("s", MODEL, 1), Entry("w", HUMAN, parents=("s",)), Entry("m", MODEL, parents=("w",))]
    assert seen(one("w", *listed)) == (D1, 1, ())
    assert one("w", *listed).anchors == one("m", *listed).anchors == ()


def test_parents_by_content() -> None:
    listed = [Entry("b", HUMAN, content="t"), Entry("a", HUMAN, content="t"), Entry("m", MODEL, parents=(digest("t"),))]
    assert seen(one("m", *listed)) == (D1, 1, ())
    assert one("m", *listed).anchors == (Anchor("a"),)
    mixed = [*listed, Entry("c", MODEL, 4, content="t")]
    assert seen(one("m", *mixed)) == (D2, 5, ())
    assert one("c", *mixed).conflicts == one("a", *mixed).conflicts == (Conflict.CLASS_CONFLICT,)


def test_a_claim_names_parents_too() -> None:
    token = claim("m", MODEL_GENERATED, 1, parents=("s",))
    listed = catalogue_from([H, Entry("s", MODEL, 3, parents=("h",)), Entry("m", MODEL, 1, parents=("h",))])
    result = build_evidence(log_of([[Row("m", signature=token)]]), listed, store(), at=AT).results(0)[0]
    assert (result.basis, *seen(result)[:2]) == (Basis.SIGNED, D2, 4)
    assert Conflict.DEPTH_CONFLICT in result.conflicts
    assert result.upheld_anchors == (Anchor("h"),)


def test_the_logs_own_links_count_where_only_the_log_speaks() -> None:
    rows = [Row("h", HUMAN), Row("s", MODEL, parents=("h",)), Row("k", parents=("s",)), Row("w", HUMAN, parents=("s",))]
    h, s, k, w = build_evidence(log_of([rows]), catalogue_from([Entry("k", MODEL, 1)])).results(0)
    assert (seen(s), s.anchors, s.upheld_anchors) == ((D1, 1, ()), h.anchors, ())
    assert seen(w) == (D1, 1, ())
    assert (seen(k), k.anchors, k.upheld_anchors) == ((D1, 1, ()), (Anchor("h"),), ())


def test_links_of_any_result_of_a_document_count_for_it() -> None:
    rows = [Row("h", HUMAN), Row("e", HUMAN), Row("e", HUMAN, parents=("h",))]
    assert [r.anchors for r in build_evidence(log_of([rows])).results(0)] == [(Anchor("h"),)] * 3


def test_the_same_text_under_two_classes_is_a_conflict() -> None:
    rows = [Row("a", HUMAN, text="t"), Row("b", MODEL, 1, text="t"), Row("c", HUMAN, text="u"), Row("d", text="t")]
    conflict = (Conflict.CLASS_CONFLICT,)
    assert [r.conflicts for r in build_evidence(log_of([rows])).results(0)] == [conflict, conflict, (), ()]


# -- shapes ------------------------------------------------------------------------------------------------------------


def large(names: list[str], words: Sequence[int], parent_lists: list[list[str] | None]) -> Catalogue:
    import pyarrow as pa

    columns = {
        "document_id": pa.array(names),
        "authenticity": pa.array(words, pa.int8()),
        "derived_from": pa.array(parent_lists, pa.list_(pa.string())),
    }
    return catalogue_of(FILE, [RowBatch(len(names), np.arange(len(names)), columns)])


def measured(catalogue: Catalogue, document: str, seconds: float) -> SearchResult:
    start = time.perf_counter()
    result = build_evidence(log_of([[Row(document)]]), catalogue).results(0)[0]
    assert time.perf_counter() - start < seconds
    return result


@pytest.mark.parametrize("size", [5_000, 200_000])
def test_a_chain(size: int) -> None:
    names = [f"n{i}" for i in range(size)]
    words = [HUMAN, *[MODEL] * (size - 1)]
    result = measured(large(names, words, [None, *([name] for name in names[:-1])]), names[-1], 10)
    assert (result.depth, result.anchors) == (size - 1, (Anchor("n0"),))


def test_a_fan_of_many_parents() -> None:
    names = [f"h{i:06d}" for i in range(100_000)]
    catalogue = large(
        [*names, "m", "n"], [*[HUMAN] * len(names), MODEL, MODEL], [*[None] * len(names), [*names], ["m"]]
    )
    evidence = build_evidence(log_of([[Row("n")]]), catalogue)
    (result,) = evidence.results(0)
    assert result.depth == 2
    assert result.anchors == tuple(Anchor(name, 1 / MOST_SOURCES) for name in names[:MOST_SOURCES])
    assert [(n.code, n.count) for n in evidence.notices] == [("sources_not_listed", 1)]


def test_stated_anchors_are_bounded_alike() -> None:
    names = [f"h{i:03d}" for i in range(100)]
    named = tuple((digest(name), 2.0 if name == "h099" else 1.0) for name in names)
    sources = [Entry(name, HUMAN, content=name) for name in names]
    for more in ([], [Entry("x", MODEL, parents=("m",))]):  # with and without a chain somewhere
        evidence = build_evidence(log_of([[Row("m")]]), catalogue_from([*sources, Entry("m", MODEL, 1, named), *more]))
        found = evidence.results(0)[0].anchors or ()
        assert [a.source for a in found] == [*names[: MOST_SOURCES - 1], "h099"]
        assert [round(a.weight, 9) for a in found] == [round(1 / 65, 9)] * (MOST_SOURCES - 1) + [round(2 / 65, 9)]
        assert [(n.code, n.count) for n in evidence.notices] == [("sources_not_listed", 1)]
    rows = [*(Row(name, HUMAN, text=name) for name in names), Row("m", MODEL, 1, anchors=named)]
    logged = build_evidence(log_of([rows]))
    assert len(logged.results(0)[-1].anchors or ()) == MOST_SOURCES
    assert [(n.code, n.count) for n in logged.notices] == [("sources_not_listed", 1)]


def test_diamonds() -> None:
    names = ["g", "h"]
    lists: list[list[str] | None] = [None, None]
    below = ["g", "h"]
    for level in range(40):
        pair = [f"{level}l", f"{level}r"]
        names += pair
        lists += [below, below]
        below = pair
    result = measured(large(names, [HUMAN, HUMAN, *[MODEL] * 80], lists), "39r", 1)
    assert (result.depth, result.anchors) == (40, (Anchor("g", 0.5), Anchor("h", 0.5)))


def test_a_ladder_in_which_every_step_has_a_source_of_its_own() -> None:
    size = 3_000
    names = [f"s{i:05d}" for i in range(size)]
    sources = [f"h{i:05d}" for i in range(size)]
    lists: list[list[str] | None] = [[sources[0]], *([names[i - 1], sources[i]] for i in range(1, size))]
    catalogue = large([*sources, *names], [*[HUMAN] * size, *[MODEL] * size], [*[None] * size, *lists])
    result = measured(catalogue, names[-1], 10)
    assert result.depth == size
    assert result.anchors is not None
    assert len(result.anchors) == MOST_SOURCES
    assert max(a.weight for a in result.anchors) == pytest.approx(0.5, abs=1e-6)


def test_a_cycle_of_many() -> None:
    names = [f"n{i}" for i in range(20_000)]
    result = measured(large(names, [MODEL] * len(names), [[names[i - 1]] for i in range(len(names))]), "n7", 10)
    assert result.conflicts == (Conflict.DERIVATION_CYCLE,)
