"""Catalogues: what is read, which of several entries counts, what is refused (R25 to R27, R70)."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.class_words import ClassWord
from guard_core.columns import Ragged, Strings
from guard_core.errors import CatalogueError
from guard_core.files.limits import Limits
from guard_core.ingest.batch import RejectedRow
from guard_core.provenance.catalogue import Catalogue, build_catalogue, read_catalogue
from tests.support.catalogues_and_logs import FILE, Entry, catalogues, digest, make_batch, make_catalogue
from tests.support.log_files import write_lines

HUMAN, MODEL = ClassWord.HUMAN, ClassWord.MODEL


def lists(column: Ragged, values: Strings) -> list[list[str]]:
    ends = column.offsets
    return [[values[c].as_py() for c in column.codes[ends[i] : ends[i + 1]]] for i in range(len(ends) - 1)]


def says(catalogue: Catalogue) -> dict[str, tuple[int, int, int]]:
    """Document id -> class, depth, conflicts."""
    columns = (
        catalogue.entries.classes.tolist(),
        catalogue.entries.depths.tolist(),
        catalogue.entries.conflicts.tolist(),
    )
    return dict(zip(catalogue.entries.document_ids.to_pylist(), zip(*columns, strict=True), strict=True))


# -- files -------------------------------------------------------------------------------------------------------------

CSV = f"""doc_id,origin,derived_from,declared_depth,content,anchors,colour
h1,human,,0,{digest("h1")},,red
é|1,synthetic,h1|h2,1,,{digest("h1")}|{digest("h2")[7:]},
NA,,,,,,blue
"""


def written(folder: Path, name: str, rows: Sequence[dict[str, object]]) -> Path:
    path = folder / name
    write_lines(path, rows)
    return path


def test_a_csv_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.csv"
    path.write_text(CSV)
    catalogue = read_catalogue(path)
    assert catalogue.entries.document_ids.to_pylist() == ["NA", "h1", "é|1"]
    assert says(catalogue) == {"NA": (3, -1, 0), "h1": (0, 0, 0), "é|1": (1, 1, 0)}
    assert lists(catalogue.entries.contents, catalogue.entries.content_digests) == [[], [digest("h1")], []]
    assert lists(catalogue.entries.anchors, catalogue.entries.anchor_hashes) == [
        [],
        [],
        [digest("h1"), digest("h2")[7:]],
    ]
    assert lists(catalogue.entries.parents, catalogue.entries.parent_ids) == [[], [], ["h1", "h2"]]
    assert (catalogue.documents, catalogue.rows_read, catalogue.rows_accepted) == (3, 3, 3)
    assert catalogue.notices == ()
    assert catalogue.file.format == "csv"


def test_the_same_catalogue_in_every_format(tmp_path: Path) -> None:
    plain = tmp_path / "catalogue.csv"
    plain.write_text(CSV)
    packed = tmp_path / "catalogue.csv.gz"
    packed.write_bytes(gzip.compress(CSV.encode()))
    rows: list[dict[str, object]] = [
        {"result_id": "h1", "authenticity": "HUMAN_AUTHORED", "synthetic_generation_depth": 0, "content": digest("h1")},
        {
            "document_id": "é|1",
            "provenance_class": "model-generated",
            "synthetic_depth": 1,
            "derived_from": ["h1", "h2"],
            "anchors": [{"sha256": digest("h1"), "weight": 1.0}, {"sha256": digest("h2")[7:]}],
            "content_sha256": None,
        },
        {"doc_id": "NA"},
    ]
    lines = written(tmp_path, "catalogue.jsonl", rows)
    columns = tmp_path / "catalogue.parquet"
    table = {
        "doc_id": ["h1", "é|1", "NA"],
        "origin": ["human", "model", None],
        "depth": pa.array([0, 1, None], pa.int64()),
        "content_sha256": [digest("h1"), None, None],
        "anchors": pa.array([None, [digest("h1"), digest("h2")[7:]], []], pa.list_(pa.string())),
        "parents": pa.array([[], ["h1", "h2"], None], pa.list_(pa.string())),
    }
    pq.write_table(pa.table(table), columns)
    expected = read_catalogue(plain)
    for path in (packed, lines, columns):
        found = read_catalogue(path)
        assert says(found) == says(expected)
        assert lists(found.entries.anchors, found.entries.anchor_hashes) == lists(
            expected.entries.anchors, expected.entries.anchor_hashes
        )
        assert found.notices == ()
        assert found.digest == expected.digest, path.name


def test_entries_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.csv"
    path.write_text("doc_id,origin,depth\na,human,0\n,human,0\nb,human,minus one\nc,robot,1\n")
    catalogue = read_catalogue(path)
    assert catalogue.entries.document_ids.to_pylist() == ["a", "c"]
    assert [(p.line, p.field) for p in catalogue.problems] == [(3, "doc_id"), (4, "depth")]
    assert (catalogue.rows_read, catalogue.rows_accepted, catalogue.rows_rejected) == (4, 2, 2)
    assert [(n.code, n.count) for n in catalogue.notices] == [
        ("catalogue_class_not_understood", 1),
        ("catalogue_rejected", 2),
    ]


@pytest.mark.parametrize("text", ["", "doc_id,origin\n"])
def test_an_empty_catalogue_knows_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "catalogue.csv"
    path.write_text(text)
    catalogue = read_catalogue(path)
    assert catalogue.documents == 0
    assert [n.code for n in catalogue.notices] == ["catalogue_empty"]


@pytest.mark.parametrize("text", ["colour,size\nred,1\n", '{"colour": "red"}\n', "not a table at all"])
def test_a_file_without_any_entry_is_no_catalogue(tmp_path: Path, text: str) -> None:
    path = tmp_path / "catalogue"
    path.write_text(text)
    with pytest.raises(CatalogueError, match="catalogue"):
        read_catalogue(path)


def test_a_missing_file_is_a_catalogue_error(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no such file"):
        read_catalogue(tmp_path / "nowhere.csv")


def test_limits_hold(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.csv"
    path.write_text("doc_id,origin\n" + "a,human\n" * 20)
    with pytest.raises(CatalogueError, match="more than 10 rows"):
        read_catalogue(path, limits=Limits(rows=10))


def test_a_cut_catalogue_is_incomplete(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    path.write_text('{"doc_id": "a", "origin": "human"}\n{"doc_id": "b", "ori')
    catalogue = read_catalogue(path)
    assert catalogue.incomplete
    assert [n.code for n in catalogue.notices] == ["catalogue_incomplete", "catalogue_rejected"]


def test_the_real_catalogues(shared: Path) -> None:
    for folder, documents in (("cocktail_nq_utd", 1757), ("bbc_telephone", 1830)):
        catalogue = read_catalogue(shared / "datasets" / folder / "corpus_provenance.jsonl")
        assert catalogue.documents == documents
        assert catalogue.notices == ()
        assert not catalogue.entries.conflicts.any()
        assert (catalogue.entries.classes != 3).all()


# -- several entries for one document ----------------------------------------------------------------------------------


def test_the_least_trusted_entry_counts() -> None:
    order = [
        Entry("a", HUMAN, 0),
        Entry("a", MODEL, 1),
        Entry("a", MODEL, 2),
        Entry("a", ClassWord.HYBRID, 5),
        Entry("a", MODEL),
        Entry("a"),
    ]
    for count in range(2, len(order) + 1):
        catalogue = make_catalogue(order[:count])
        assert says(catalogue) == {"a": (*says(make_catalogue(order[count - 1 : count]))["a"][:2], 1)}
    assert [n.code for n in make_catalogue(order).notices] == ["catalogue_repeated"]


def test_entries_that_say_the_same_are_no_conflict() -> None:
    catalogue = make_catalogue([Entry("a", MODEL, 1, originator="x"), Entry("a", ClassWord.SYNTHETIC_DEPTH_1)])
    assert says(catalogue) == {"a": (1, 1, 0)}


def test_contents_of_entries_worth_the_same_all_count() -> None:
    catalogue = make_catalogue(
        [
            Entry("a", HUMAN, content="1"),
            Entry("a", HUMAN, content="2"),
            Entry("b", MODEL, 2, content="3"),
            Entry("b", HUMAN, content="4"),
        ]
    )
    assert lists(catalogue.entries.contents, catalogue.entries.content_digests) == [
        sorted([digest("1"), digest("2")]),
        [digest("3")],
    ]


def test_fewer_anchors_are_less_trusted() -> None:
    anchored = Entry("a", MODEL, 1, anchors=((digest("t"), 1.0),))
    catalogue = make_catalogue([anchored, Entry("a", MODEL, 1)])
    assert lists(catalogue.entries.anchors, catalogue.entries.anchor_hashes) == [[]]


@given(catalogues, st.randoms(), st.integers(0, 7))
def test_nothing_depends_on_the_order_of_entries(listed: list[Entry], random: st.DataObject, split: int) -> None:
    shuffled = list(listed)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis types its Random as data
    assert make_catalogue(listed).digest == make_catalogue(shuffled, split=split).digest
    assert says(make_catalogue(listed)) == says(make_catalogue(shuffled, split=split))


@given(catalogues)
def test_documents_are_distinct_and_sorted(listed: list[Entry]) -> None:
    ids = make_catalogue(listed).entries.document_ids.to_pylist()
    assert ids == sorted({e.document for e in listed}, key=str.encode)


@given(catalogues.filter(bool), catalogues.filter(bool))
def test_another_entry_never_makes_a_document_better(listed: list[Entry], more: list[Entry]) -> None:
    before, after = says(make_catalogue(listed)), says(make_catalogue([*listed, *more]))
    assert all(after[document][0] >= read[0] for document, read in before.items())


def test_word_and_depth_that_disagree_are_marked() -> None:
    assert says(make_catalogue([Entry("a", HUMAN, 2), Entry("b", MODEL, 0)])) == {"a": (2, 2, 2), "b": (2, -1, 2)}


def test_nothing_readable_is_an_error() -> None:
    with pytest.raises(CatalogueError, match="line 7"):
        build_catalogue(FILE, [make_batch([], rejected=(RejectedRow(7, "doc_id", "is missing"),))])
