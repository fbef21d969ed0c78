"""CSV and TSV: the two tiers agree, cells come back byte for byte, and what is wrong costs its own row only."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from guard_core.errors import LogError, MappingError
from guard_core.files.input_file import open_input
from guard_core.files.limits import Limits
from guard_core.ingest import read_log
from guard_core.ingest.batch import TableKind
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.tables import delimited
from guard_core.ingest.tables.delimited import read_delimited
from guard_core.ingest.tables.delimited_fields import ColumnLayout, read_any_fields, read_clean_fields
from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS, guard_text
from tests.support.batch_accounts import Account, gather_account

FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
LAYOUT = ColumnLayout(",", 3, {"a": 0, "c": 2}, 1000)


def read(
    folder: Path,
    data: bytes | str,
    *,
    name: str = "log.csv",
    mapping: dict[str, str] | None = None,
    limits: Limits | None = None,
    fast: bool = True,
    kind: TableKind = TableKind.LOG,
) -> Account:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with open_input(path, limits) as source:
        return gather_account(read_delimited(source, ReadOptions(kind, mapping or {}, limits or Limits()), fast=fast))


def cells(found: Account, column: str) -> list[object]:
    return [row.get(column) for _, _, row in found.rows]


FIELD = st.sampled_from(["a", "", '"a"', '""', '"a,b"', '"a""b"', 'a"b', '"a\nb"', '"', '","', '"a"b', "\r", '"a\r"'])
LINES = st.lists(st.lists(FIELD, min_size=2, max_size=4).map(",".join), max_size=4).map("\n".join)


@given(
    block=LINES.map(str.encode)
    | LINES.map(lambda text: (text + "\n").encode())
    | st.text('a1,";\t\r\n |ä\0\u2028', max_size=40).map(str.encode)
    | st.binary(max_size=20)
)
@example(b"a,b,c\r\nd,e,f\r\n")
@example(b'"a","","b,c"\n')
@example(b'"a,",,"b"\n')
@example(b'x"y,",z\n')
@example(b'"a,"b",c",d\n')
@example(b'"a\n",b,c\n')
@example(b'"a",b,"c"')
@example(b'"a","b""","c"\n')
@example(b"a,b,c\nd,e,f")
@example(b"a,b,c\n\nd,e,f\n")
@example(b",,\n")
@example(b"a,\r,c\n")
@example(b"a,b,\xff\n")
def test_the_fast_tier_accepts_nothing_that_the_strict_tier_reads_otherwise(block: bytes) -> None:
    fast = read_clean_fields(block, 5, LAYOUT) if block else None
    if fast is None:
        return
    strict = read_any_fields(block, 5, LAYOUT, last=True)
    assert not strict.rejected
    assert not strict.rest
    assert not strict.cut
    assert fast.lines.tolist() == strict.lines.tolist()
    assert {k: v.to_pylist() for k, v in fast.columns.items()} == {k: v.to_pylist() for k, v in strict.columns.items()}


def test_the_fast_tier_takes_clean_blocks() -> None:
    for block in (b"a,b,c\n" * 100, b"a,b,c\r\nd,,f\r\n", "ä,NA,null\n".encode(), b",,\n", b'"a,b",x,""\n'):
        assert read_clean_fields(block, 1, LAYOUT) is not None


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(
    ["NA", "null", "None", "nan", '"', 'a"b', "a\nb", "a\r\nb", " a ", "\u2028", "'=1", "a,b", "a;b", "\t"]
)


@FILES
@given(
    rows=st.lists(st.tuples(TEXT.filter(bool), TEXT.filter(bool), TEXT), max_size=6),
    delimiter=st.sampled_from(",;\t"),
    always=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    packed=st.booleans(),
    block=st.sampled_from([1, 5, 16, 1000]),
)
def test_every_cell_comes_back_byte_for_byte(
    tmp_path: Path,
    rows: list[tuple[str, str, str]],
    delimiter: str,
    always: bool,
    end: str,
    packed: bool,
    block: int,
) -> None:
    text = io.StringIO()
    always = always or any("\r" in cell for row in rows for cell in row)  # which the writer leaves bare
    quoting: Literal[0, 1] = 1 if always else 0  # all of them, or those that need it
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(["query_id", "doc_id", "query"])
    writer.writerows(rows)
    data = text.getvalue().encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK", block)
        found = read(tmp_path, gzip.compress(data) if packed else data)
    assert not found.rejected
    assert not found.incomplete
    assert [(row["query_id"], row["document_id"], row.get("query", "")) for _, _, row in found.rows] == rows


@FILES
@given(
    body=st.text('qd1,"\n\r .-|', max_size=60),
    block=st.sampled_from([3, 10, 1000]),
    end=st.sampled_from(["", "\n"]),
)
def test_blocks_and_tiers_do_not_change_what_is_read(tmp_path: Path, body: str, block: int, end: str) -> None:
    data = "query_id,doc_id,score\n" + body + end
    whole = read(tmp_path, data, fast=False)
    assert whole == read(tmp_path, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK", block)
        assert read(tmp_path, data) == whole
    lines = [line for line, _, _ in whole.rows] + [one.line for one in whole.rejected]
    assert len(lines) == len(set(lines))  # no line is told twice


def test_a_row_of_another_width_is_rejected_with_its_line_and_its_retrieval(tmp_path: Path) -> None:
    found = read(tmp_path, "query_id,rank,doc_id,score\nq1,1,a,0.9\nq1,2,b,0.8q2,1,c,0.7\nq2,2,d,0.6\nq2,3\n")
    assert cells(found, "document_id") == ["a", "d"]
    assert [(one.line, one.query_id) for one in found.rejected] == [(3, "q1"), (5, "q2")]
    assert found.rejected[0].reason == "has 7 fields where the header has 4"
    assert not found.incomplete


def test_words_for_nothing_are_ids_and_empty_is_missing(tmp_path: Path) -> None:
    found = read(tmp_path, 'query_id,doc_id\nq,NA\nq,null\nq,None\nq,nan\nq,\nq,""\n,a\n')
    assert cells(found, "result_id") == ["NA", "null", "None", "nan"]
    assert [(one.line, one.field) for one in found.rejected] == [(6, "doc_id"), (7, "doc_id"), (8, "query_id")]


def test_semicolons_bring_decimal_commas(tmp_path: Path) -> None:
    found = read(tmp_path, "query_id;doc_id;score\nq;a;0,91\nq;b;1.5\nq;c;1.234,5\nq;d;-2,5e-3\n")
    assert cells(found, "score") == [0.91, 1.5, None, -0.0025]
    assert found.notices == {"score_not_a_number": 1}
    assert cells(read(tmp_path, "query_id,doc_id,score\nq,a,0.91\n"), "score") == [0.91]


def test_the_header_shows_the_delimiter(tmp_path: Path) -> None:
    for header in (
        "query_id\tdoc_id\ttitle",
        "query_id;doc_id;title",
        "query_id,doc_id,title",
        '"query_id","doc_id","a;b"',
    ):
        mark = next(mark for mark in "\t;," if mark in header.replace("a;b", ""))
        found = read(tmp_path, f"{header}\n{mark.join(('q', 'd', 't'))}\n")
        assert cells(found, "document_id") == ["d"]


def test_lists_in_cells(tmp_path: Path) -> None:
    found = read(tmp_path, "query_id,doc_id,anchors,parents\nq,a,x|y,p\nq,b,z,p|q|\nq,c,,\n")
    assert cells(found, "anchors") == [[("x", 1.0), ("y", 1.0)], [("z", 1.0)], None]
    assert cells(found, "derived_from") == [["p"], ["p", "q"], None]


def test_metadata_in_cells_is_json_text(tmp_path: Path) -> None:
    rows = [
        'q,a,,"{""origin"": ""human"", ""depth"": 0, ""anchors"": [{""sha256"": ""x"", ""weight"": 2}]}"',
        'q,b,model,"{""origin"": ""human"", ""claim"": ""c""}"',
        "q,c,,{broken",
        "q,d,,not an object",
        'q,e,,"{""depth"": -1}"',
    ]
    found = read(tmp_path, "query_id,doc_id,origin,metadata\n" + "\n".join(rows) + "\n")
    assert cells(found, "authenticity") == [1, 2, 0, 0]
    assert cells(found, "anchors") == [[("x", 2.0)], None, None, None]
    assert cells(found, "source_authenticity_signature") == [None, "c", None, None]
    assert found.notices == {"metadata_not_understood": 1}
    assert [(one.line, one.field) for one in found.rejected] == [(6, "depth")]


def test_an_open_quote_costs_its_line_only(tmp_path: Path) -> None:
    found = read(tmp_path, 'query_id,doc_id\nq,a\nq,"b\nq,c\nq,d\n')
    assert cells(found, "document_id") == ["a", "c", "d"]
    assert [(one.line, one.reason) for one in found.rejected] == [(3, "has a quote that is not closed")]


def test_lone_carriage_returns_and_misplaced_quotes_cost_their_row_only(tmp_path: Path) -> None:
    found = read(tmp_path, 'query_id,doc_id\nq,a\rb\nq,"a"b\nq,c\n')
    assert cells(found, "document_id") == ["c"]
    assert [one.line for one in found.rejected] == [2, 3]


def test_blank_lines_are_no_rows_but_count_as_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "\n\nquery_id,doc_id\n\nq,a\n   \n\r\nq,b\n\n")
    assert [line for line, _, _ in found.rows] == [5, 8]
    assert not found.rejected


def test_a_last_line_that_is_too_short_is_a_cut(tmp_path: Path) -> None:
    found = read(tmp_path, "query_id,doc_id,score\nq,a,1\nq,b")
    assert cells(found, "document_id") == ["a"]
    assert found.incomplete
    assert not read(tmp_path, "query_id,doc_id,score\nq,a,1\nq,b,2").incomplete
    assert read(tmp_path, 'query_id,doc_id,score\nq,a,1\nq,b,"2').incomplete
    assert not read(tmp_path, "query_id,doc_id,score\nq,a,1\nq,b,2,3").incomplete


def test_the_last_line_of_a_cut_gzip_stream_is_no_row(tmp_path: Path) -> None:
    rows = "".join(f"q{number},d{number},0.{number}9\n" for number in range(2000))
    packed = gzip.compress(("query_id,doc_id,score\n" + rows).encode())
    found = read(tmp_path, packed[: len(packed) // 2], name="log.csv.gz")
    assert found.incomplete
    assert len(found.rejected) == 1
    assert found.rejected[0].line == len(found.rows) + 2
    assert all(row["score"] == float(f"0.{n}9") for n, (_, _, row) in enumerate(found.rows))


def test_hostile_bytes_cost_their_row_only(tmp_path: Path) -> None:
    found = read(tmp_path, b"query_id,doc_id\nq,caf\xe9\nq,a\0b\nq,ok\n\xff\xfe,x\n")
    assert cells(found, "document_id") == ["ok"]
    assert [one.line for one in found.rejected] == [2, 3, 5]
    assert "UTF-8" in found.rejected[0].reason
    assert "U+0000" in found.rejected[1].reason


def test_a_long_line_costs_itself_only(tmp_path: Path) -> None:
    limits = Limits(line_bytes=1000)
    for long in ("q," + "x" * 5000, 'q,"' + "x\n" * 2500 + '"'):
        found = read(tmp_path, f"query_id,doc_id\nq,a\n{long}\nq,b\n", limits=limits)
        assert {"a", "b"} <= set(cells(found, "document_id"))
        assert any("longer" in one.reason or "not closed" in one.reason for one in found.rejected)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"query_id,doc_id," + b",".join(b"c%d" % n for n in range(100_000)) + b"\nq,a\n", "100002 columns"),
        (b"query_id,query_id,doc_id\nq,q,a\n", "column query_id twice"),
        (b"query_id\nq\n", "one column only"),
        (b"query_id,caf\xe9,doc_id\nq,x,a\n", "not UTF-8"),
        (b'query_id,"doc_id\nq,x,a\n', "quote that is not closed"),
        (b"x" * 20_000_000, "header line longer"),
    ],
)
def test_headers_that_cannot_be_used(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(LogError, match=words):
        read(tmp_path, data)


def test_columns_without_name_or_use_may_repeat(tmp_path: Path) -> None:
    found = read(tmp_path, ",query_id,doc_id,x,x,\n0,q,a,1,2,\n")
    assert cells(found, "document_id") == ["a"]


def test_empty_files_and_headers_alone_hold_no_rows(tmp_path: Path) -> None:
    for data in ("", "\n\n", "query_id,doc_id\n", "query_id,doc_id"):
        found = read(tmp_path, data)
        assert not found.rows
        assert not found.rejected


def test_a_mapped_column_must_be_there(tmp_path: Path) -> None:
    data = "query_id,chunk,doc_id\nq,c,a\n"
    assert cells(read(tmp_path, data, mapping={"result_id": "chunk"}), "result_id") == ["c"]
    with pytest.raises(MappingError, match="query_id, chunk, doc_id"):
        read(tmp_path, data, mapping={"result_id": "chunks"})


def test_more_rows_than_the_limit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="more than 3 rows"):
        read(tmp_path, "query_id,doc_id\n" + "q,a\n" * 4, limits=Limits(rows=3))


def test_a_catalogue_needs_no_query_id_and_reads_content_as_a_digest(tmp_path: Path) -> None:
    digest = "sha256:" + "a" * 64
    found = read(tmp_path, f"doc_id,origin,content\na,human,{digest}\n", kind=TableKind.CATALOGUE)
    assert found.rows[0][2] | {"x": 1} == {
        "result_id": "a",
        "document_id": "a",
        "authenticity": 1,
        "content_sha256": digest,
        "creative": False,
        "x": 1,
    }


def own(**given: str) -> str:
    return ",".join(given.get(column, "") for column in EXPORT_COLUMNS)


def test_apostrophes_come_off_again_only_in_files_of_ours(tmp_path: Path) -> None:
    row = {
        "query_id": "q",
        "result_id": guard_text("-5"),
        "document_id": guard_text("'a"),
        "score": "-0.02",
        "query": guard_text("=1"),
    }
    ours = read(tmp_path, ",".join(EXPORT_COLUMNS) + "\n" + own(**row, retrieval_id="q") + "\n")
    assert ours.rows[0][2]["result_id"] == "-5"
    assert ours.rows[0][2]["document_id"] == "'a"
    assert ours.rows[0][2]["query"] == "=1"
    assert ours.rows[0][2]["score"] == -0.02
    other = read(tmp_path, f"query_id,doc_id\nq,{guard_text('-5')}\n")
    assert other.rows[0][2]["document_id"] == "'-5"


def test_what_our_judgement_added_is_not_read_as_declared(tmp_path: Path) -> None:
    row = own(query_id="q", result_id="a", signature="MISSING", anchors="doc-1", retrieval_id="q")
    found = read(tmp_path, ",".join(EXPORT_COLUMNS) + "\n" + row + "\n")
    assert "source_authenticity_signature" not in found.rows[0][2]
    assert "anchors" not in found.rows[0][2]


def test_retrievals_of_one_query_id_stay_apart_in_files_of_ours(tmp_path: Path) -> None:
    rows = [own(query_id="q", result_id=str(n), retrieval_id=name) for n, name in enumerate(["q", "q", "q#2", "q"])]
    found = read(tmp_path, ",".join(EXPORT_COLUMNS) + "\n" + "\n".join(rows) + "\n")
    assert [record for _, record, _ in found.rows] == [1, 1, 2, 1]


def test_a_file_of_no_use_says_which_columns_it_has(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    many = ",".join(f"c{n}" for n in range(20))
    path.write_text(f"Frage,Fundst\u202eelle,{'x' * 60},{many}\n" + "a," * 22 + "b\n", encoding="utf-8")
    with pytest.raises(LogError, match="no retrieval found") as caught:
        read_log([path])
    told = str(caught.value)
    assert "the file has Frage, Fundst\\u202eelle, " + "x" * 40 + "…, c0, " in told
    assert "c8 and 11 more; map other column names with --map" in told


def test_where_nothing_is_readable_the_first_reason_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes("query_id,result_id\nq,caf\xe9\n".encode("latin-1"))
    with pytest.raises(LogError, match=r"first: line 2.*UTF-8"):
        read_log([path])
