"""Evidence: laws over random logs and catalogues, and the rules one by one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.class_words import ClassWord
from guard_core.codes import BASES, UNKNOWN
from guard_core.model import Anchor, AuthenticityClass, Basis, Belief, Conflict, SearchResult, SignatureStatus
from guard_core.provenance.evidence import build_evidence
from tests.support.catalogues_and_logs import (
    Entry,
    Row,
    catalogues,
    digest,
    entries,
    logs,
    make_catalogue,
    make_log,
    rows,
)
from tests.support.evidence_oracle import EvidenceOracle, list_results, round_weights

HUMAN, MODEL, HYBRID = ClassWord.HUMAN, ClassWord.MODEL, ClassWord.HYBRID


def one(row: Row, *catalogue: Entry) -> SearchResult:
    """The evidence of a single result."""
    return all_of([row], *catalogue)[0]


def all_of(results: list[Row], *catalogue: Entry) -> list[SearchResult]:
    return list_results(build_evidence(make_log([results]), make_catalogue(catalogue) if catalogue else None))


# -- laws --------------------------------------------------------------------------------------------------------------


def unmistakable(listed: list[Entry]) -> bool:
    """No two entries of one document that are worth the same but name other anchors or parents: the product breaks such
    ties in a fixed way that the oracle does not know."""
    by_document: dict[str, set[tuple[object, ...]]] = {}
    for entry in listed:
        kind = entry.word if entry.parents else None
        by_document.setdefault(entry.document, set()).add((entry.anchors, entry.parents, kind))
    return all(len(found) == 1 for found in by_document.values())


@given(logs, catalogues.filter(unmistakable))
def test_columns_and_scalar_results_are_what_the_rules_say(log: list[list[Row]], listed: list[Entry]) -> None:
    flat = [row for results in log for row in results]
    oracle = EvidenceOracle(flat, listed)
    found = list_results(build_evidence(make_log(log), make_catalogue(listed)))
    assert [round_weights(r) for r in found] == [round_weights(oracle.build_result(i)) for i in range(len(flat))]


@given(logs)
def test_the_same_without_a_catalogue(log: list[list[Row]]) -> None:
    flat = [row for results in log for row in results]
    oracle = EvidenceOracle(flat, None)
    found = list_results(build_evidence(make_log(log)))
    assert [round_weights(r) for r in found] == [round_weights(oracle.build_result(i)) for i in range(len(flat))]


@given(logs, catalogues, st.randoms(), st.integers(0, 7))
def test_the_order_of_catalogue_entries_changes_nothing(
    log: list[list[Row]], listed: list[Entry], random: st.DataObject, split: int
) -> None:
    shuffled = list(listed)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis types its Random as data
    first, second = make_catalogue(listed), make_catalogue(shuffled, split=split)
    assert first.digest == second.digest
    ours, theirs = build_evidence(make_log(log), first), build_evidence(make_log(log), second)
    assert list_results(ours) == list_results(theirs)
    assert ours.digest == theirs.digest


@given(logs, st.none() | catalogues, st.data())
def test_no_label_in_the_log_raises_a_basis(
    log: list[list[Row]], listed: list[Entry] | None, data: st.DataObject
) -> None:
    labelled = [
        [dataclasses.replace(row, word=data.draw(st.sampled_from(ClassWord)), signature="a label") for row in results]
        for results in log
    ]
    catalogue = None if listed is None else make_catalogue(listed)
    before = build_evidence(make_log(log), catalogue)
    after = build_evidence(make_log(labelled), catalogue)
    proved = (BASES.code(Basis.SIGNED), BASES.code(Basis.CATALOGUE))
    assert np.array_equal(np.isin(before.bases, proved), np.isin(after.bases, proved))
    upheld = before.under(Belief.UPHELD), after.under(Belief.UPHELD)
    assert np.array_equal(upheld[0].classes, upheld[1].classes)
    assert np.array_equal(upheld[0].depths, upheld[1].depths)
    assert np.array_equal(before.catalogued, after.catalogued)
    assert np.array_equal(upheld[0].anchors.codes, upheld[1].anchors.codes)


@given(logs, st.none() | catalogues)
def test_columns_keep_their_promises(log: list[list[Row]], listed: list[Entry] | None) -> None:
    evidence = build_evidence(make_log(log), None if listed is None else make_catalogue(listed))
    count = evidence.log.result_count
    declared, upheld = (evidence.under(belief) for belief in Belief)
    for column in (
        *(declared.classes, upheld.classes, evidence.declared_classes),
        *(evidence.bases, evidence.signature_statuses, evidence.conflicts),
    ):
        assert column.dtype == np.uint8
        assert len(column) == count
    for depths in (declared.depths, upheld.depths, evidence.depth_at_least):
        assert depths.dtype == np.int32
    assert np.all(upheld.classes[~evidence.catalogued] == UNKNOWN)
    for anchors in (declared.anchors, upheld.anchors):
        assert len(anchors.offsets) == count + 1
        assert anchors.codes.dtype == np.int32
        weights = anchors.weights
        for row in range(count):
            members = slice(anchors.offsets[row], anchors.offsets[row + 1])
            names = [evidence.sources[code].as_py() for code in anchors.codes[members]]
            assert names == sorted(set(names), key=str.encode)
            if weights is not None and names:
                assert weights[members].sum() == pytest.approx(1.0)
                assert weights[members].min() > 0


@given(rows, entries)
def test_results_stop_at_top_k(row: Row, entry: Entry) -> None:
    evidence = build_evidence(make_log([[row, row, row], []]), make_catalogue([entry]))
    assert len(evidence.results(0, 2)) == 2
    assert evidence.results(0, 2) == evidence.results(0)[:2]
    assert len(evidence.results(0, 9)) == 3
    assert evidence.results(1) == ()


# -- class and depth ---------------------------------------------------------------------------------------------------


def test_catalogue_against_the_log() -> None:
    a, b, c, d, e = all_of(
        [Row("a", HUMAN, 0), Row("b", MODEL, 2), Row("c"), Row("d", HUMAN), Row("e")],
        Entry("a", MODEL, 1),
        Entry("b", HUMAN, 0),
        Entry("c", HUMAN, 0),
        Entry("e", HUMAN, 0),
        Entry("e", MODEL, 1),
    )
    assert [r.authenticity.name for r in (a, b, c, d, e)] == [
        "SYNTHETIC_DEPTH_1",
        "HUMAN_AUTHORED",
        "HUMAN_AUTHORED",
        "HUMAN_AUTHORED",
        "SYNTHETIC_DEPTH_1",
    ]
    assert [r.basis for r in (a, b, c, d, e)] == [Basis.CATALOGUE] * 3 + [Basis.DECLARED, Basis.CATALOGUE]
    assert [r.conflicts for r in (a, b, c, d, e)] == [
        (Conflict.CLASS_CONFLICT,),
        (Conflict.CLASS_CONFLICT,),
        (),
        (),
        (Conflict.CLASS_CONFLICT,),
    ]


def test_what_is_not_said_never_conflicts() -> None:
    assert one(Row("a"), Entry("a", MODEL, 1)).conflicts == ()
    assert one(Row("a", MODEL), Entry("a", MODEL, 1)).conflicts == ()
    assert one(Row("a", MODEL, 1), Entry("a", HYBRID)).conflicts == ()
    assert one(Row("a", HUMAN), Entry("a")).conflicts == ()


def test_depths_that_differ_between_log_and_catalogue() -> None:
    assert one(Row("a", MODEL, 2), Entry("a", MODEL, 3)).conflicts == (Conflict.DEPTH_CONFLICT,)
    shallow = one(Row("a", MODEL, 1), Entry("a", MODEL, 3))
    assert shallow.depth == 3
    assert shallow.conflicts == (Conflict.CLASS_CONFLICT, Conflict.DEPTH_CONFLICT)
    word = one(Row("a", ClassWord.SYNTHETIC_DEPTH_2_PLUS), Entry("a", MODEL, 1))
    assert word.conflicts == (Conflict.CLASS_CONFLICT,)


def test_an_entry_without_a_class_leaves_the_word_to_the_log() -> None:
    result = one(Row("a", MODEL, 1), Entry("a", originator="x"))
    assert (result.basis, result.catalogued, result.depth) == (Basis.DECLARED, False, 1)


def test_declared_classes_are_shown_beside_the_others() -> None:
    evidence = build_evidence(make_log([[Row("a", HUMAN), Row("b", HUMAN)]]), make_catalogue([Entry("a", MODEL, 4)]))
    assert evidence.declared_classes.tolist() == [0, 0]
    assert evidence.under(Belief.DECLARED).classes.tolist() == [2, 0]
    assert evidence.under(Belief.UPHELD).classes.tolist() == [2, 3]
    assert evidence.under(Belief.UPHELD).depths.tolist() == [4, -1]


def test_signatures_are_seen_not_checked() -> None:
    signed, unsigned = all_of([Row("a", signature="anything"), Row("b")])
    assert signed.signature is SignatureStatus.UNCHECKED
    assert unsigned.signature is SignatureStatus.MISSING


# -- joining -----------------------------------------------------------------------------------------------------------


def test_an_entry_with_another_content_is_not_used() -> None:
    result = one(Row("a", MODEL, 1, text="mine"), Entry("a", HUMAN, 0, content="yours"))
    assert (result.authenticity, result.basis) == (AuthenticityClass.SYNTHETIC_DEPTH_1, Basis.DECLARED)
    assert result.conflicts == (Conflict.CONTENT_MISMATCH,)
    assert not result.catalogued


def test_only_a_text_contradicts_an_entry() -> None:
    assert one(Row("a", given="mine"), Entry("a", HUMAN, content="yours")).basis is Basis.CATALOGUE
    assert one(Row("a", text="same", given="other"), Entry("a", HUMAN, content="same")).basis is Basis.CATALOGUE


def test_join_by_content_where_the_id_is_unknown() -> None:
    listed = [Entry("h", HUMAN, content="text"), Entry("m", MODEL, 1, content="made")]
    by_text, by_digest, neither = all_of(
        [Row("x", text="text"), Row("y", given="made"), Row("z", text="else")], *listed
    )
    assert (by_text.authenticity, by_text.basis) == (AuthenticityClass.HUMAN_AUTHORED, Basis.CATALOGUE)
    assert by_text.anchors == (Anchor("h"),)
    assert by_digest.authenticity is AuthenticityClass.SYNTHETIC_DEPTH_1
    assert neither.basis is Basis.NONE


def test_the_text_goes_before_the_digest_that_is_stated() -> None:
    result = one(
        Row("x", text="made", given="text"), Entry("h", HUMAN, content="text"), Entry("m", MODEL, 1, content="made")
    )
    assert result.authenticity is AuthenticityClass.SYNTHETIC_DEPTH_1


def test_machine_text_under_a_human_id_is_known_by_its_content() -> None:
    result = one(Row("h", HUMAN, text="made"), Entry("h", HUMAN, content="text"), Entry("m", MODEL, 2, content="made"))
    assert result.authenticity is AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS
    assert result.conflicts == (Conflict.CLASS_CONFLICT, Conflict.CONTENT_MISMATCH)


def test_one_content_of_two_classes_counts_as_the_less_trusted() -> None:
    result = one(Row("x", text="t"), Entry("h", HUMAN, content="t"), Entry("m", MODEL, 1, content="t"))
    assert result.authenticity is AuthenticityClass.SYNTHETIC_DEPTH_1
    assert result.conflicts == (Conflict.CLASS_CONFLICT,)


def test_ids_join_byte_for_byte() -> None:
    results = all_of([Row("e\u0301"), Row("\u00e9"), Row("1"), Row("01")], Entry("\u00e9", HUMAN), Entry("01", HUMAN))
    assert [r.catalogued for r in results] == [False, True, False, True]


def test_matches_are_counted() -> None:
    evidence = build_evidence(
        make_log([[Row("a"), Row("b"), Row("c", text="mine")]]),
        make_catalogue([Entry("a", HUMAN), Entry("c", HUMAN, content="yours"), Entry("d")]),
    )
    assert (evidence.matched_results, evidence.catalogue_documents) == (1, 3)


# -- anchors -----------------------------------------------------------------------------------------------------------


def test_anchors_resolve_to_human_content_only() -> None:
    h1, m1 = digest("human"), digest("machine")
    listed = [
        Entry("h1", HUMAN, content="human"),
        Entry("m1", MODEL, 1, content="machine"),
        Entry("s1", MODEL, 1, anchors=((h1, 1.0),)),
        Entry("s2", MODEL, 1, anchors=((m1, 1.0),)),
        Entry("s3", MODEL, 1, anchors=((digest("nowhere"), 1.0),)),
        Entry("s4", MODEL, 1, anchors=((h1[7:].upper(), 1.0), (m1, 3.0))),
    ]
    s1, s2, s3, s4 = all_of([Row("s1"), Row("s2"), Row("s3"), Row("s4")], *listed)
    assert s1.anchors == s1.upheld_anchors == (Anchor("h1"),)
    assert s1.conflicts == ()
    assert s2.anchors == s3.anchors == ()
    assert s2.conflicts == s3.conflicts == (Conflict.ANCHOR_UNRESOLVED,)
    assert s4.anchors == (Anchor("h1"),)
    assert s4.conflicts == (Conflict.ANCHOR_UNRESOLVED,)


def test_human_documents_of_one_content_are_one_anchor() -> None:
    listed = [Entry(d, HUMAN, content="same") for d in ("b", "a", "c")]
    results = all_of([Row("c"), Row("b"), Row("s", MODEL, 1, anchors=((digest("same"), 1.0),))], *listed)
    assert [r.anchors for r in results] == [(Anchor("a"),)] * 3


def test_weights_are_shares_of_what_resolves() -> None:
    named = ((digest("h1"), 1.0), (digest("h2"), 2.0), (digest("gone"), 7.0), (digest("h2"), 1.0))
    listed = [Entry("h1", HUMAN, content="h1"), Entry("h2", HUMAN, content="h2"), Entry("s", MODEL, 1, anchors=named)]
    assert one(Row("s"), *listed).anchors == (Anchor("h1", 0.25), Anchor("h2", 0.75))
    equal = tuple((h, 1.0) for h, _ in named)
    assert one(Row("s"), *listed[:2], Entry("s", MODEL, 1, anchors=equal)).anchors == (
        Anchor("h1", 0.5),
        Anchor("h2", 0.5),
    )


def test_a_stated_digest_proves_no_anchor() -> None:
    named = ((digest("text"), 1.0),)
    stated = all_of([Row("h", HUMAN, given="text"), Row("s", MODEL, 1, anchors=named)])
    assert stated[1].anchors == ()
    assert stated[1].conflicts == (Conflict.ANCHOR_UNRESOLVED,)
    logged = all_of([Row("h", HUMAN, text="text"), Row("s", MODEL, 1, anchors=named)])
    assert logged[1].anchors == (Anchor("h"),)
    assert logged[1].upheld_anchors == ()
    assert logged[1].conflicts == ()


def test_a_stated_digest_makes_two_sources_one() -> None:
    results = all_of([Row("b", HUMAN, given="t"), Row("a", HUMAN, given="t"), Row("c", HUMAN, given="u")])
    assert [r.anchors for r in results] == [(Anchor("a"),), (Anchor("a"),), (Anchor("c"),)]


def test_a_document_of_several_texts_stays_itself() -> None:
    chunks = [Row("page", HUMAN, text="footer"), Row("page", HUMAN, text="body"), Row("other", HUMAN, text="footer")]
    assert [r.anchors for r in all_of(chunks)] == [(Anchor("page"),), (Anchor("page"),), (Anchor("other"),)]


def test_a_human_that_names_itself_has_no_unresolved_anchor() -> None:
    named = ((digest("t"), 1.0),)
    assert one(Row("h", HUMAN, given="t", anchors=named)).conflicts == ()
    assert one(Row("h", HUMAN, text="t", anchors=named)).conflicts == ()
    assert one(Row("h", HUMAN, given="u", anchors=named)).conflicts == (Conflict.ANCHOR_UNRESOLVED,)
    edit = Entry("h", HUMAN, content="t", anchors=named, parents=("p",))
    assert one(Row("h"), edit, Entry("p", HUMAN)).conflicts == ()


def test_a_human_with_parents_is_not_its_own_anchor() -> None:
    assert one(Row("e"), Entry("e", HUMAN, parents=("h",))).anchors == ()
    assert one(Row("e", HUMAN, parents=("h",))).anchors == ()
    named = ((digest("h"), 1.0),)
    listed = [Entry("e", HUMAN, parents=("h",), anchors=named), Entry("h", HUMAN, content="h")]
    assert one(Row("e"), *listed).anchors == (Anchor("h"),)


def test_a_document_that_the_log_calls_both_is_nobodys_source() -> None:
    named = ((digest("t"), 1.0),)
    results = all_of([Row("h", HUMAN, text="t"), Row("h", MODEL, 1), Row("s", MODEL, 1, anchors=named)])
    assert results[2].anchors == ()


def test_a_content_that_a_synthetic_document_has_too_is_nobodys() -> None:
    named = ((digest("t"), 1.0),)
    listed = [Entry("h", HUMAN, content="t"), Entry("m", MODEL, 1, content="t"), Entry("s", MODEL, 1, anchors=named)]
    h, s = all_of([Row("h"), Row("s")], *listed)
    assert h.anchors == (Anchor("h"),)
    assert s.anchors == ()


def test_the_anchors_of_the_catalogue_go_before_those_of_the_log() -> None:
    listed = [Entry("h", HUMAN, content="h"), Entry("g", HUMAN, content="g")]
    row = Row("s", MODEL, 1, anchors=((digest("g"), 1.0), (digest("h"), 1.0)))
    evidence = build_evidence(
        make_log([[row]]), make_catalogue([*listed, Entry("s", MODEL, 1, anchors=((digest("h"), 1.0),))])
    )
    (result,) = evidence.results(0)
    assert result.anchors == (Anchor("h"),)
    assert [evidence.hashes[c].as_py() for c in evidence.declared_anchors.codes] == [digest("h"), digest("g")]
    assert one(row, *listed, Entry("s", MODEL, 1)).anchors == (Anchor("g", 0.5), Anchor("h", 0.5))
    assert one(row, *listed, Entry("s", MODEL, 1)).upheld_anchors == ()


# -- labels ------------------------------------------------------------------------------------------------------------


def test_labels_come_from_the_catalogue_first() -> None:
    log = make_log([[Row("a", originator="log"), Row("b", originator="log", title="t"), Row("c", title="u")]])
    evidence = build_evidence(log, make_catalogue([Entry("a", originator="curator"), Entry("b", title="v")]))
    assert [evidence.originators.text(i) for i in range(3)] == ["curator", "log", None]
    assert [evidence.label("title").text(i) for i in range(3)] == [None, "v", "u"]
    assert [evidence.label("url").text(i) for i in range(3)] == [None, None, None]
    assert [build_evidence(log).originators.text(i) for i in range(3)] == ["log", "log", None]
