"""Chains of parents: the rules one by one."""

from __future__ import annotations

from guard_core.class_words import ClassWord
from guard_core.model import Anchor, AuthenticityClass, Basis, Conflict, SearchResult
from guard_core.provenance.evidence import build_evidence
from tests.support.catalogues_and_logs import Entry, Row, digest, make_catalogue, make_log
from tests.support.claim_tokens import AT
from tests.support.signed_claims import MODEL as MODEL_GENERATED
from tests.support.signed_claims import make_claim, make_trust_store

HUMAN, MODEL, HYBRID = ClassWord.HUMAN, ClassWord.MODEL, ClassWord.HYBRID
D1, D2, UNKNOWN = (
    AuthenticityClass.SYNTHETIC_DEPTH_1,
    AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS,
    AuthenticityClass.UNKNOWN,
)


# -- depth -------------------------------------------------------------------------------------------------------------


def one(document: str, *listed: Entry) -> SearchResult:
    return build_evidence(make_log([[Row(document)]]), make_catalogue(listed)).results(0)[0]


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
        found = build_evidence(make_log([[Row("m")]]), make_catalogue([H, *listed]))
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


def test_a_parent_that_nobody_knows_gives_neither_depth_nor_anchor() -> None:
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
    evidence = build_evidence(make_log([[Row(name) for name in "abcdefs"]]), make_catalogue(listed))
    *cyclic, sound = evidence.results(0)
    assert [r.authenticity for r in cyclic] == [D2] * 4 + [UNKNOWN] * 2
    assert {(r.depth, r.anchors, r.conflicts) for r in cyclic} == {(None, (), (Conflict.DERIVATION_CYCLE,))}
    assert seen(sound) == (D1, 1, ())
    (notice,) = (n for n in evidence.notices if n.code == "derivation_cycle")
    assert (notice.count, notice.message.rpartition(": ")[2]) == (3, "a, b, e")


def test_hostile_names_in_the_notice_are_shown_as_they_are() -> None:
    evidence = build_evidence(
        make_log([[Row("x")]]), make_catalogue([Entry("\x1b[31m\n", MODEL, parents=("\x1b[31m\n",))])
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


def test_given_anchors_go_before_those_of_parents() -> None:
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
    token = make_claim("m", MODEL_GENERATED, 1, parents=("s",))
    listed = make_catalogue([H, Entry("s", MODEL, 3, parents=("h",)), Entry("m", MODEL, 1, parents=("h",))])
    result = build_evidence(make_log([[Row("m", signature=token)]]), listed, make_trust_store(), at=AT).results(0)[0]
    assert (result.basis, *seen(result)[:2]) == (Basis.SIGNED, D2, 4)
    assert Conflict.DEPTH_CONFLICT in result.conflicts
    assert result.upheld_anchors == (Anchor("h"),)


def test_links_of_the_log_count_where_only_the_log_gives_a_class() -> None:
    rows = [Row("h", HUMAN), Row("s", MODEL, parents=("h",)), Row("k", parents=("s",)), Row("w", HUMAN, parents=("s",))]
    h, s, k, w = build_evidence(make_log([rows]), make_catalogue([Entry("k", MODEL, 1)])).results(0)
    assert (seen(s), s.anchors, s.upheld_anchors) == ((D1, 1, ()), h.anchors, ())
    assert seen(w) == (D1, 1, ())
    assert (seen(k), k.anchors, k.upheld_anchors) == ((D1, 1, ()), (Anchor("h"),), ())


def test_links_of_any_result_of_a_document_count_for_it() -> None:
    rows = [Row("h", HUMAN), Row("e", HUMAN), Row("e", HUMAN, parents=("h",))]
    assert [r.anchors for r in build_evidence(make_log([rows])).results(0)] == [(Anchor("h"),)] * 3


def test_the_same_text_under_two_classes_is_a_conflict() -> None:
    rows = [Row("a", HUMAN, text="t"), Row("b", MODEL, 1, text="t"), Row("c", HUMAN, text="u"), Row("d", text="t")]
    conflict = (Conflict.CLASS_CONFLICT,)
    assert [r.conflicts for r in build_evidence(make_log([rows])).results(0)] == [conflict, conflict, (), ()]
