"""The format of a file is told by its first bytes; its suffix is a hint."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import LogError
from guard_core.ingest.detect import detect_format, differs_from_suffix
from guard_core.ingest.formats.format import Format
from guard_core.ingest.formats.table import CSV, JSON, JSON_LINES, PARQUET, TSV

RECORD = st.dictionaries(
    st.sampled_from(["query_id", "results", "data", "a"]),
    st.none() | st.integers() | st.text() | st.lists(st.dictionaries(st.text(), st.integers(), max_size=2), max_size=2),
    min_size=1,
)


@given(records=st.lists(RECORD, min_size=2, max_size=4))
def test_records_on_lines_are_json_lines(records: list[dict[str, object]]) -> None:
    text = "\n".join(json.dumps(record) for record in records)
    assert detect_format(text.encode(), "x") is JSON_LINES
    assert detect_format(b"\n \r\n" + text.encode(), "x") is JSON_LINES


@given(records=st.lists(RECORD, min_size=1, max_size=3), indent=st.integers(0, 3) | st.none(), ascii_only=st.booleans())
def test_arrays_and_spread_objects_are_json(
    records: list[dict[str, object]], indent: int | None, ascii_only: bool
) -> None:
    array = json.dumps(records, indent=indent, ensure_ascii=ascii_only)
    assert detect_format(array.encode("utf-8", "surrogatepass"), "x") is JSON
    wrapped = json.dumps({"data": records}, indent=indent, ensure_ascii=ascii_only)
    assert detect_format(wrapped.encode("utf-8", "surrogatepass"), "x") is JSON
    if indent is not None:
        one = json.dumps(records[0], indent=indent, ensure_ascii=ascii_only)
        assert detect_format(one.encode("utf-8", "surrogatepass"), "x") is JSON


@pytest.mark.parametrize(
    ("head", "form"),
    [
        (b'{"query_id": "q1"}', JSON_LINES),
        (b'{"query_id": "q1", "resul\n{"query_id": "q2"}\n', JSON_LINES),
        (b'{"query_id": "q1",\n{"query_id": "q2"}\n', JSON_LINES),
        (b'{"query_id": "q1"} x\n{"query_id": "q2"}\n', JSON_LINES),
        (b'{"query_id": "{[", "a": "\\"{"}\n{"query_id": "q2"}\n', JSON_LINES),
        (b'not json\n{"query_id": "q1"}\n{"query_id": "q2"}\n', JSON_LINES),
        (b'{"data": [\n{"query_id": "q1"},\n{"query_id": "q2"}\n]}', JSON),
        (b"{\n}", JSON),
        (b"[]", JSON),
        (b"PAR1\0\0", PARQUET),
        (b"query_id,doc_id\nq,a\n", CSV),
        (b"query_id;doc_id\nq;a\n", CSV),
        (b"query_id\tdoc,id\nq\ta\n", TSV),
        (b'"a\tb",doc_id\nq,a\n', CSV),
    ],
)
def test_formats(head: bytes, form: Format) -> None:
    assert detect_format(head, "log") is form


def test_nothing_but_white_space_is_what_the_suffix_says() -> None:
    assert detect_format(b"", "log.csv") is CSV
    for suffix in (".gz", ".BZ2", ".xz", ".zst", ".zstd"):
        assert detect_format(b" \n", "log.tsv" + suffix) is TSV
    for name in ("log", "log.jsonl", "log.json", "log.parquet"):
        assert detect_format(b"\r\n", name) is JSON_LINES


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"PK\x03\x04rest", "ZIP"),
        (b"ARROW1\0\0", "Arrow"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"\x80\x04\x95", "pickle"),
        (b"%PDF-1.7", "PDF"),
        (b"hello world\nhow are you\n", "several columns"),
        (b"query_id,doc\x00id\nq,a\n", "not text"),
        (b"caf\xe9,doc_id\n", "not UTF-8"),
        (b"\x00\x01\x02\x03,", "not text"),
    ],
)
def test_what_is_not_read_is_named(head: bytes, words: str) -> None:
    with pytest.raises(LogError, match=words) as raised:
        detect_format(head, "log.jsonl")
    assert "Parquet" in str(raised.value)
    assert "\n" not in str(raised.value)


@given(head=st.binary(max_size=200))
def test_any_bytes_have_a_format_or_an_error(head: bytes) -> None:
    try:
        assert isinstance(detect_format(head, "log"), Format)
    except LogError:
        return


def test_a_header_cut_in_a_letter_is_no_fault() -> None:
    assert detect_format("query_id,doc_id,ä".encode()[:-1], "log") is CSV


def test_suffixes_are_hints() -> None:
    assert differs_from_suffix("log.csv", PARQUET)
    assert differs_from_suffix("log.jsonl.gz", CSV)
    assert not differs_from_suffix("log.json", JSON_LINES)
    assert not differs_from_suffix("log.txt", CSV)
