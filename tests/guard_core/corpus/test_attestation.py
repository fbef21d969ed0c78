"""Signing a catalogue: what gets a claim and what does not, and that the written file is the same catalogue again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from guard_core.claims import make_jwks_entry, verify_claim
from guard_core.class_words import ClassWord
from guard_core.cli.forms.signed_catalogue import write_signed
from guard_core.corpus.attestation import SignedCatalogue, UnsignedReason, sign_catalogue
from guard_core.errors import OutputError, SigningError
from guard_core.model import SignatureStatus
from guard_core.provenance.catalogue import Catalogue, CatalogueFile, read_catalogue, read_catalogue_file
from tests.support.catalogues_and_logs import FILE, Entry, catalogues, digest, make_batch
from tests.support.claim_tokens import ARCHIVE, AT, KEY, make_key, make_store
from tests.support.log_files import write_lines

SUFFIXES = (".csv", ".jsonl", ".parquet")
STORE = make_store(make_jwks_entry(make_key(KEY).public, ARCHIVE))


def entries_of(entries: Sequence[Entry]) -> CatalogueFile:
    return CatalogueFile(FILE, (make_batch(entries),), Counter(), incomplete=False)


def signed(entries: Sequence[Entry]) -> SignedCatalogue:
    return sign_catalogue(entries_of(entries), make_key(KEY), ARCHIVE, AT)


def content(catalogue: Catalogue) -> dict[str, object]:
    """Everything that a catalogue says but its claims, as plain values."""

    def lists(column: object, values: object) -> list[object]:
        ends, codes = column.offsets.tolist(), column.codes.tolist()  # type: ignore[attr-defined]  # a Ragged
        weights = column.weights  # type: ignore[attr-defined]
        shares = [1.0] * len(codes) if weights is None else weights.tolist()
        texts = values.to_pylist()  # type: ignore[attr-defined]  # an Arrow array
        pairs = [(texts[code], share) for code, share in zip(codes, shares, strict=True)]
        return [pairs[first:last] for first, last in pairwise(ends)]

    return {
        "ids": catalogue.entries.document_ids.to_pylist(),
        "words": catalogue.entries.class_words.tolist(),
        "classes": catalogue.entries.classes.tolist(),
        "depths": catalogue.entries.depths.tolist(),
        "conflicts": catalogue.entries.conflicts.tolist(),
        "contents": lists(catalogue.entries.contents, catalogue.entries.content_digests),
        "anchors": lists(catalogue.entries.anchors, catalogue.entries.anchor_hashes),
        "parents": lists(catalogue.entries.parents, catalogue.entries.parent_ids),
        "labels": {
            name: [column.text(row) for row in range(catalogue.documents)]
            for name, column in catalogue.labels.items()
            if np.any(column.codes >= 0)
        },
    }


def claims(catalogue: Catalogue) -> dict[str, str | None]:
    return {d: catalogue.signatures.text(row) for row, d in enumerate(catalogue.entries.document_ids.to_pylist())}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entries=catalogues)
def test_what_is_written_is_the_same_catalogue(tmp_path: Path, entries: list[Entry]) -> None:
    if not entries:
        return
    attested, repeated = signed(entries), signed(entries)
    for suffix in SUFFIXES:
        path = tmp_path / f"signed{suffix}"
        if suffix == ".csv" and any(weight != 1.0 for entry in entries for _, weight in entry.anchors):
            with pytest.raises(OutputError, match="weights"):
                write_signed(attested, path)
            continue
        write_signed(attested, path)
        again = read_catalogue(path)
        assert content(again) == content(attested.catalogue)
        assert again.rows_rejected == again.rows_ignored == 0
        assert sum(claim is not None for claim in claims(again).values()) == attested.attested
        first = path.read_bytes()
        write_signed(repeated, path)
        assert path.read_bytes() == first
    assert attested.attested + sum(attested.unsigned.values()) == attested.catalogue.documents
    for document, claim in claims(again).items():
        if claim is not None:
            assert verify_claim(claim, STORE, AT, document_id=document).status is SignatureStatus.VALID


def test_who_gets_no_claim_and_why() -> None:
    attested = signed(
        [
            Entry("human", ClassWord.HUMAN, content="one"),
            Entry("hybrid", ClassWord.HYBRID, 2, anchors=((digest("one")[7:].upper(), 1.0),), parents=("human",)),
            Entry("none"),
            Entry("deep", ClassWord.SYNTHETIC_DEPTH_2_PLUS),
            Entry("vague", ClassWord.MODEL),
            Entry("odd", ClassWord.HUMAN, 1),
            Entry("twice", ClassWord.HUMAN),
            Entry("twice", ClassWord.MODEL, 1),
            Entry("named", ClassWord.MODEL, 1, anchors=(("no digest", 1.0),)),
            Entry("many", ClassWord.MODEL, 1, parents=tuple(f"p{i}" for i in range(65))),
            Entry("page", ClassWord.HUMAN, content="two"),
            Entry("page", ClassWord.HUMAN, content="three"),
        ]
    )
    assert dict(attested.unsigned) == {
        UnsignedReason.NO_CLASS: 1,
        UnsignedReason.NO_DEPTH: 2,
        UnsignedReason.CONTRADICTS: 1,
        UnsignedReason.DIFFERS: 1,
        UnsignedReason.REFUSED: 2,
    }
    assert (attested.attested, attested.without_content) == (3, 2)
    found = dict(zip(attested.columns["document_id"], attested.columns["source_authenticity_signature"], strict=True))
    assert {document for document, claim in found.items() if claim is not None} == {"human", "hybrid", "page"}
    hybrid = verify_claim(str(found["hybrid"]), STORE, AT, document_id="hybrid").claim
    assert hybrid is not None
    assert (hybrid.depth, hybrid.anchors, hybrid.derived_from, hybrid.content, hybrid.iat) == (
        2, (digest("one"),), ("human",), None, AT,
    )  # fmt: skip
    assert verify_claim(str(found["human"]), STORE, AT, text="other").status is SignatureStatus.CONTENT_MISMATCH
    page = [c for d, c in zip(*(attested.columns[n] for n in ("document_id", "source_authenticity_signature")),
                              strict=True) if d == "page"]  # fmt: skip
    assert len(page) == 2
    assert page[0] == page[1]


def test_a_claim_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    rows = [{"doc_id": "a", "origin": "human", "claim": "somebody.elses.claim"}, {"doc_id": "b", "origin": "human"}]
    write_lines(path, rows)
    attested = sign_catalogue(read_catalogue_file(path), make_key(KEY), ARCHIVE, AT)
    assert (attested.attested, dict(attested.unsigned)) == (1, {UnsignedReason.HAS_ONE: 1})
    write_signed(attested, tmp_path / "signed.csv")
    assert claims(read_catalogue(tmp_path / "signed.csv"))["a"] == "somebody.elses.claim"
    again = sign_catalogue(read_catalogue_file(tmp_path / "signed.csv"), make_key("TEST-KEY-bureau"), "x", AT)
    assert again.attested == 0


def test_cells_that_a_spreadsheet_would_run_come_back_as_they_were(tmp_path: Path) -> None:
    odd = ["=1+1", "-x", "'quoted", "@a", "a,b", 'a"b', "a\nb", " padded ", "é\u200b"]
    attested = signed([Entry(name, ClassWord.HUMAN, title=name, originator=name) for name in odd])
    for suffix in SUFFIXES:
        path = tmp_path / f"signed{suffix}"
        write_signed(attested, path)
        again = read_catalogue(path)
        assert sorted(again.entries.document_ids.to_pylist()) == sorted(odd)
        assert content(again) == content(attested.catalogue)
    assert "\n'=1+1," in (tmp_path / "signed.csv").read_text()


def test_what_csv_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "signed.csv"
    path.write_text("before")
    for entry in (
        Entry("a", ClassWord.MODEL, 1, anchors=((digest("one"), 2.0),)),
        Entry("a", ClassWord.MODEL, 1, parents=("b|c",)),
    ):
        with pytest.raises(OutputError, match=r"\.jsonl or \.parquet"):
            write_signed(signed([entry]), path)
    with pytest.raises(OutputError, match="suffix"):
        write_signed(signed([Entry("a")]), tmp_path / "signed.xlsx")
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["signed.csv"]


def test_an_originator_has_a_name() -> None:
    with pytest.raises(SigningError, match="no name"):
        sign_catalogue(entries_of([Entry("a")]), make_key(KEY), "", AT)
