"""Basis ``signed``: what a valid claim does to class, depth, anchors and originator, and an invalid one cannot do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from guard_core.claims import SUSPENDED, KeptChecks
from guard_core.class_words import ClassWord
from guard_core.errors import OtherKeysError
from guard_core.model import Anchor, AuthenticityClass, Basis, Belief, Conflict, SearchResult, SignatureStatus
from guard_core.provenance.evidence import Evidence, build_evidence
from tests.support import claim_tokens
from tests.support.catalogues_and_logs import Entry, Row, digest, make_catalogue, make_log
from tests.support.claim_tokens import AT
from tests.support.signed_claims import ARCHIVE, HYBRID, MODEL, PRESS, make_claim, make_trust_store

VALID = SignatureStatus.VALID


def evidence(rows: list[Row], *catalogue: Entry) -> Evidence:
    known = make_catalogue(catalogue) if catalogue else None
    return build_evidence(make_log([rows]), known, make_trust_store(), at=AT)


def results(rows: list[Row], *catalogue: Entry) -> tuple[SearchResult, ...]:
    return evidence(rows, *catalogue).results(0)


def one(row: Row, *catalogue: Entry) -> SearchResult:
    return results([row], *catalogue)[0]


def test_a_valid_claim_gives_class_depth_and_originator() -> None:
    found = evidence(
        [
            Row("h", signature=make_claim("h"), originator="the log"),
            Row("m", signature=make_claim("m", MODEL, 1, by=PRESS)),
            Row("y", signature=make_claim("y", HYBRID, 3)),
            Row("u", ClassWord.HUMAN, originator="the log"),
        ]
    )
    h, m, y, u = found.results(0)
    assert [r.basis for r in (h, m, y, u)] == [Basis.SIGNED] * 3 + [Basis.DECLARED]
    assert [(r.authenticity.name, r.depth) for r in (h, m, y)] == [
        ("HUMAN_AUTHORED", 0),
        ("SYNTHETIC_DEPTH_1", 1),
        ("SYNTHETIC_DEPTH_2_PLUS", 3),
    ]
    assert [r.signature for r in (h, m, y, u)] == [VALID] * 3 + [SignatureStatus.MISSING]
    assert [found.originators.text(i) for i in range(4)] == [ARCHIVE, PRESS, ARCHIVE, "the log"]
    assert found.label("originator").text(1) == PRESS
    assert h.upheld_anchors == (Anchor("h"),)
    assert found.under(Belief.UPHELD).classes.tolist() == [0, 1, 2, 3]


def test_a_claim_goes_before_the_catalogue_and_the_difference_is_listed() -> None:
    above = one(Row("a", signature=make_claim("a")), Entry("a", ClassWord.MODEL, 2))
    assert (above.authenticity, above.basis, above.catalogued) == (
        AuthenticityClass.HUMAN_AUTHORED,
        Basis.SIGNED,
        True,
    )
    assert above.conflicts == (Conflict.CLASS_CONFLICT,)
    deeper = one(Row("a", ClassWord.MODEL, 4, signature=make_claim("a", MODEL, 3)), Entry("a", ClassWord.MODEL, 2))
    assert (deeper.depth, deeper.conflicts) == (3, (Conflict.DEPTH_CONFLICT,))
    log = one(Row("a", ClassWord.HUMAN, signature=make_claim("a", MODEL, 1)))
    assert (log.authenticity, log.conflicts) == (AuthenticityClass.SYNTHETIC_DEPTH_1, (Conflict.CLASS_CONFLICT,))


@pytest.mark.parametrize("other", [ARCHIVE, PRESS])
def test_between_two_valid_claims_the_less_trusted_counts(other: str) -> None:
    rows = [Row("a", signature=make_claim("a")), Row("a", signature=make_claim("a", MODEL, 2, by=other))]
    for order in (rows, rows[::-1]):
        found = evidence(order)
        assert [(r.depth, r.basis) for r in found.results(0)] == [(2, Basis.SIGNED)] * 2
        assert [r.conflicts for r in found.results(0)] == [(Conflict.CLASS_CONFLICT,)] * 2
        assert {found.originators.text(i) for i in range(2)} == {ARCHIVE, other}


def test_a_claim_counts_for_the_result_that_carries_it() -> None:
    signed, bare = results([Row("a", signature=make_claim("a", MODEL, 1)), Row("a", ClassWord.HUMAN)])
    assert (signed.basis, bare.basis) == (Basis.SIGNED, Basis.DECLARED)
    assert bare.authenticity is AuthenticityClass.HUMAN_AUTHORED
    assert bare.conflicts == (Conflict.CLASS_CONFLICT,)


def test_a_copied_token_affects_the_copy_only() -> None:
    token = make_claim("a", text="of a")
    a, z, named = results(
        [
            Row("a", text="of a", signature=token),
            Row("z", text="of a", signature=token),
            Row("s", ClassWord.MODEL, 1, anchors=((digest("of a"), 1.0),)),
        ]
    )
    assert (a.signature, a.basis, a.conflicts) == (VALID, Basis.SIGNED, ())
    assert (z.signature, z.basis) == (SignatureStatus.SUBJECT_MISMATCH, Basis.NONE)
    assert named.upheld_anchors == ()
    assert named.anchors == (Anchor("a"),)


@pytest.mark.parametrize(
    "token",
    [
        "not a token",
        make_claim("other"),
        make_claim("a", text="another text"),
        make_claim("a", exp=AT - 3600),
        claim_tokens.token(claim_tokens.payload(sub="a"), kid="TEST-KEY-stranger"),
    ],
)
def test_an_invalid_claim_does_what_a_missing_one_does(token: str) -> None:
    catalogue = [Entry("a", ClassWord.MODEL, 1, originator="curator"), Entry("h", ClassWord.HUMAN, content="t")]
    for known in ((), catalogue):
        row = Row("a", ClassWord.HUMAN, text="t", signature=token)
        invalid, missing = one(row, *known), one(dataclasses.replace(row, signature=None), *known)
        assert invalid.signature not in (VALID, SignatureStatus.MISSING)
        assert dataclasses.replace(invalid, signature=missing.signature, source_signature=None) == missing


def test_human_claims_are_human_sources_anywhere_in_the_log() -> None:
    rows = [
        Row("m", signature=make_claim("m", MODEL, 1, anchors=("of h", "nowhere"))),
        Row("h", signature=make_claim("h", text="of h")),
        Row("s", signature=make_claim("s", MODEL, 1, anchors=("of m2",))),
        Row("m2", signature=make_claim("m2", MODEL, 1, text="of m2")),
    ]
    m, h, s, _ = results(rows)
    assert m.upheld_anchors == m.anchors == h.upheld_anchors == (Anchor("h"),)
    assert m.conflicts == s.conflicts == (Conflict.ANCHOR_UNRESOLVED,)
    assert s.anchors == ()
    by_catalogue = results(rows[1:2], Entry("c", ClassWord.MODEL, 1, anchors=((digest("of h"), 1.0),)))
    assert by_catalogue[0].anchors == (Anchor("h"),)


def test_signed_sources_of_one_content_are_one_with_the_catalogues() -> None:
    rows = [Row("b", signature=make_claim("b", text="t")), Row("c"), Row("d", signature=make_claim("d"))]
    listed = [Entry("c", ClassWord.HUMAN, content="t"), Entry("d", ClassWord.HUMAN, content="t")]
    assert [r.upheld_anchors for r in results(rows, *listed)] == [(Anchor("b"),)] * 3


def test_a_content_that_is_signed_as_machine_text_is_no_source() -> None:
    rows = [
        Row("h", signature=make_claim("h", text="t")),
        Row("m", signature=make_claim("m", MODEL, 1, text="t")),
        Row("s", signature=make_claim("s", MODEL, 1, anchors=("t",))),
    ]
    assert [r.upheld_anchors for r in results(rows)] == [(Anchor("h"),), (), ()]


def test_the_claim_of_a_document_overrules_the_catalogue_on_its_content() -> None:
    named = Row("s", signature=make_claim("s", MODEL, 1, anchors=("t",)))
    human = results([Row("a", signature=make_claim("a", text="t")), named], Entry("a", ClassWord.MODEL, 1, content="t"))
    assert human[1].upheld_anchors == (Anchor("a"),)
    model = results(
        [Row("a", signature=make_claim("a", MODEL, 1, text="t")), named], Entry("a", ClassWord.HUMAN, content="t")
    )
    assert model[1].upheld_anchors == ()
    inherited = results([Row("a", signature=make_claim("a")), named], Entry("a", ClassWord.MODEL, 1, content="t"))
    assert inherited[1].upheld_anchors == (Anchor("a"),)


def test_a_claim_without_anchors_leaves_them_to_the_catalogue() -> None:
    listed = [
        Entry("h", ClassWord.HUMAN, content="of h"),
        Entry("g", ClassWord.HUMAN, content="of g"),
        Entry("m", ClassWord.MODEL, 1, anchors=((digest("of h"), 1.0),), content="of m"),
    ]
    assert one(Row("m", signature=make_claim("m", MODEL, 1)), *listed).upheld_anchors == (Anchor("h"),)
    assert one(Row("m", signature=make_claim("m", MODEL, 1, text="other")), *listed).upheld_anchors == ()
    stated = evidence(
        [Row("m", signature=make_claim("m", MODEL, 1, anchors=("of g",)), anchors=((digest("x"), 1.0),))], *listed
    )
    assert stated.results(0)[0].upheld_anchors == (Anchor("g"),)
    assert [stated.hashes[c].as_py() for c in stated.declared_anchors.codes] == [
        digest(t) for t in ("of g", "of h", "x")
    ]


def test_a_human_claim_that_names_parents_is_no_source() -> None:
    assert one(Row("e", signature=make_claim("e", parents=("p",)))).upheld_anchors == ()


def test_the_catalogues_claim_counts_for_results_that_carry_none() -> None:
    listed = dataclasses.replace(
        make_catalogue([Entry("a", ClassWord.HUMAN), Entry("b", ClassWord.HUMAN, content="of b")]),
        signatures=make_log(
            [[Row("a", signature=make_claim("a")), Row("b", signature=make_claim("b", text="of b"))]]
        ).signatures,
    )
    rows = [Row("a"), Row("b", text="of b"), Row("a", signature="broken"), Row("b", text="else"), Row("x", text="of b")]
    found = build_evidence(make_log([rows]), listed, make_trust_store(), at=AT)
    assert [r.signature.value for r in found.results(0) if r.signature] == [
        "VALID",
        "VALID",
        "MALFORMED",
        "MISSING",
        "MISSING",
    ]
    assert found.results(0)[0].source_signature == make_claim("a")
    seen = build_evidence(make_log([rows]), listed).results(0)
    assert [r.signature.value for r in seen if r.signature] == ["UNCHECKED"] * 3 + ["MISSING"] * 2


def test_outcomes_are_kept_for_the_screen() -> None:
    found = evidence([Row("z", signature=make_claim("a")), Row("b"), Row("a", signature=make_claim("a"))])
    outcomes = [found.outcome(i) for i in range(3)]
    assert [o.status.value for o in outcomes if o] == ["SUBJECT_MISMATCH", "MISSING", "VALID"]
    assert build_evidence(found.log).outcome(0) is None


# -- what if -----------------------------------------------------------------------------------------------------------


def same(one: Evidence, other: Evidence) -> bool:
    columns = ("bases", "signature_statuses", "conflicts")
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
        and all(
            np.array_equal(getattr(one.under(belief), name), getattr(other.under(belief), name))
            for belief in Belief
            for name in ("classes", "depths")
        )
        and one.results(0) == other.results(0)
        and one.digest == other.digest
    )


def test_trust_changes_without_verifying_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        Row("h", signature=make_claim("h", text="of h")),
        Row("m", signature=make_claim("m", MODEL, 1, by=PRESS, anchors=("of h",))),
        Row("c", signature=make_claim("c", by=PRESS)),
    ]
    log, listed = make_log([rows]), make_catalogue([Entry("c", ClassWord.MODEL, 1)])
    kept = KeptChecks()
    whole = build_evidence(log, listed, make_trust_store(), at=AT, kept=kept)
    without = make_trust_store().with_status(PRESS, SUSPENDED)
    expected = build_evidence(log, listed, without, at=AT + 1)
    monkeypatch.setattr("guard_core.claims.checked_log.check_signature", None)
    found = whole.with_trust(without, AT + 1)
    assert same(found, expected)
    assert [r.basis for r in found.results(0)] == [Basis.SIGNED, Basis.NONE, Basis.CATALOGUE]
    assert same(found.with_trust(make_trust_store(), AT), whole)
    assert same(build_evidence(log, listed, make_trust_store(), at=AT, kept=kept), whole)


def test_trust_with_other_keys_is_refused() -> None:
    found = evidence([Row("a", signature=make_claim("a"))])
    with pytest.raises(OtherKeysError):
        found.with_trust(claim_tokens.store(), AT)
    with pytest.raises(OtherKeysError):
        build_evidence(found.log).with_trust(make_trust_store(), AT)


def test_trust_store_and_time_are_part_of_the_digest_where_there_is_a_store() -> None:
    log = make_log([[Row("a", signature=make_claim("a"))]])
    digests = [
        build_evidence(log).digest,
        build_evidence(log, at=AT).digest,
        build_evidence(log, None, make_trust_store(), at=AT).digest,
        build_evidence(log, None, make_trust_store(), at=AT + 1).digest,
        build_evidence(log, None, make_trust_store().with_status(PRESS, SUSPENDED), at=AT).digest,
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4
    found = build_evidence(log, None, make_trust_store(), at=AT)
    assert found.decided is not None
    assert (found.decided.store.digest, found.at) == (make_trust_store().digest, AT)
    assert (build_evidence(log).decided, build_evidence(log).at) == (None, None)
