"""The claims that a catalogue holds: one a document, of the entry that counts, and part of the digest."""

from __future__ import annotations

from pathlib import Path

from guard_core.provenance.catalogue import Catalogue, read_catalogue
from tests.support.log_files import write_lines

ROWS: list[dict[str, object]] = [
    {"doc_id": "b", "origin": "human", "claim": "b.b.b"},
    {"doc_id": "a", "origin": "human", "claim": "a.a.a"},
    {"doc_id": "a", "origin": "model", "claim": "m.m.m"},
    {"doc_id": "c", "origin": "human", "metadata": {"source_signature": "c.c.c"}},
    {"doc_id": "d", "origin": "human", "claim": ""},
]


def read(folder: Path, rows: list[dict[str, object]]) -> Catalogue:
    path = folder / "catalogue.jsonl"
    write_lines(path, rows)
    return read_catalogue(path)


def claims(catalogue: Catalogue) -> list[str | None]:
    return [catalogue.signatures.text(row) for row in range(catalogue.documents)]


def test_the_claim_of_the_entry_that_counts(tmp_path: Path) -> None:
    whole = read(tmp_path, ROWS)
    assert claims(whole) == ["m.m.m", "b.b.b", "c.c.c", None]
    turned = read(tmp_path, ROWS[::-1])
    assert (claims(turned), turned.digest) == (claims(whole), whole.digest)


def test_claims_are_in_the_digest_only_where_there_are_any(tmp_path: Path) -> None:
    bare = [{name: value for name, value in row.items() if name in {"doc_id", "origin"}} for row in ROWS]
    empty = [{**row, "claim": ""} for row in bare]
    assert read(tmp_path, bare).digest == read(tmp_path, empty).digest
    assert read(tmp_path, bare).digest != read(tmp_path, ROWS).digest
    other = [{**row, "claim": "x.x.x"} if row.get("claim") == "b.b.b" else row for row in ROWS]
    assert read(tmp_path, other).digest != read(tmp_path, ROWS).digest
