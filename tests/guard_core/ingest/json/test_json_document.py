"""JSON documents: lists, wrapped lists, one record; faults cost one record; cuts (R2, R4, R5, R6)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import LogError
from guard_core.ingest import Limits, Log, read_log
from guard_core.ingest.json import json_document as module


def read(folder: Path, content: bytes | str | object) -> Log:
    raw = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
    path = folder / "log.json"
    path.write_bytes(json.dumps(content).encode() if raw is None else raw)
    return read_log([path], input_format="json")


def record(name: str, **members: object) -> dict[str, object]:
    return {"query_id": "q", "doc_id": name, **members}


def ids(log: Log) -> list[str | None]:
    return [log.result_ids.text(row) for row in range(log.result_count)]


def problems(log: Log) -> list[tuple[int, str, str]]:
    return [(p.line, p.field, p.reason) for p in log.problems]


THREE = [record("a", rank=1), record("b", rank=2), record("c", rank=3)]


@pytest.mark.parametrize("indent", [None, 2], ids=repr)
@pytest.mark.parametrize("wrapper", [None, "data", "items", "records", "retrievals"], ids=repr)
def test_lists_and_wrapped_lists(tmp_path: Path, indent: int | None, wrapper: str | None) -> None:
    document: object = THREE if wrapper is None else {"total": 3, wrapper: THREE, "page": {"of": [1]}}
    log = read(tmp_path, json.dumps(document, indent=indent))
    assert ids(log) == ["a", "b", "c"]
    assert not log.incomplete
    assert log.files[0].format == "json"


def test_pretty_printed_files_are_detected(tmp_path: Path) -> None:
    for document in (THREE, {"data": THREE}, {"query_id": "q", "results": [{"doc_id": "a"}]}):
        path = tmp_path / "log.json"
        path.write_text(json.dumps(document, indent=2))
        assert read_log([path]).files[0].format == "json"


def test_one_record_and_several_documents(tmp_path: Path) -> None:
    nested = {"query_id": "q", "results": [{"doc_id": "a"}, {"doc_id": "b"}]}
    assert ids(read(tmp_path, nested)) == ["a", "b"]
    both = json.dumps(nested, indent=1) + "\n" + json.dumps([record("c")]) + "  "
    assert ids(read(tmp_path, both)) == ["a", "b", "c"]


def test_nothing(tmp_path: Path) -> None:
    for document in ("[]", '{"data": []}', " \n"):
        log = read(tmp_path, document)
        assert log.rows_read == 0
        assert log.notice("empty_log") is not None


def test_a_bad_record_costs_that_record_only(tmp_path: Path) -> None:
    bad = [
        '{"query_id":"q","doc_id":"x","doc_id":"y"}',
        '{"query_id":"q","doc_id":tru}',
        '{"query_id":"q","doc_id":"x"} y "z,]" {"a":[1]}',
        "5",
        '"text"',
        "[1,[2]]",
        "null",
        '{"query_id":"q","doc_id":"x","n":' + "[" * 70 + "]" * 70 + "}",
        '{"query_id":"q","doc_id":true}',
        "",
    ]
    good = [json.dumps(record(f"d{n}", rank=n)) for n in range(1, len(bad) + 1)]
    log = read(tmp_path, "[" + ",".join(itertools.chain(*zip(good, bad, strict=True))) + "]")
    assert ids(log) == [f"d{n}" for n in range(1, len(bad) + 1)]
    assert [line for line, _, _ in problems(log)] == list(range(2, 2 * len(bad) + 1, 2))
    assert problems(log)[0][1:] == ("doc_id", "the member is repeated")
    assert problems(log)[2][2] == "there is text after the record"
    assert problems(log)[7][2] == "is nested more than 64 deep"
    assert not log.incomplete


def test_broken_utf8_costs_its_record(tmp_path: Path) -> None:
    log = read(
        tmp_path, b'[{"query_id":"q","doc_id":"a"},{"query_id":"q","doc_id":"\xff"},{"query_id":"q","doc_id":"b"}]'
    )
    assert ids(log) == ["a", "b"]
    assert problems(log) == [(2, "record", "is not UTF-8")]


@pytest.mark.parametrize("wrapped", [False, True], ids=repr)
def test_every_cut_is_told(tmp_path: Path, wrapped: bool) -> None:
    whole = json.dumps({"data": THREE} if wrapped else THREE)
    for length in range(whole.index("}") + 1, len(whole) - 1):
        log = read(tmp_path, whole[:length])
        assert log.incomplete
        assert log.rows_read == log.rows_accepted + log.rows_rejected
        assert ids(log) == ["a", "b", "c"][: log.rows_accepted]
        assert log.rows_accepted == sum(whole[:length].count(f'"rank": {n}}}') for n in (1, 2, 3))


def test_a_stated_total_above_what_is_there(tmp_path: Path) -> None:
    log = read(tmp_path, {"data": THREE, "totalCount": 9})
    assert log.incomplete
    assert log.notice("partial_source") is not None
    assert not read(tmp_path, {"data": THREE, "totalItems": 3}).incomplete
    assert not read(tmp_path, {"data": THREE, "totalCount": "9"}).incomplete


@pytest.mark.parametrize("text", ['{"data": [', "[1", "{", '{"a"', '{"a" 1}', "[}", "]"], ids=repr)
def test_what_holds_no_record_is_unusable_or_cut(tmp_path: Path, text: str) -> None:
    try:
        log = read(tmp_path, text)
    except LogError as fault:
        assert "no retrieval found" in str(fault)  # noqa: PT017 - either outcome is right, each in its way
    else:
        assert log.incomplete


def test_records_are_numbered_and_nesting_is_known(tmp_path: Path) -> None:
    log = read(tmp_path, [{"id": "q1", "results": [{"doc_id": "a"}]}, {"id": "q2"}, {"id": None, "results": []}])
    assert [log.retrieval_id(n) for n in range(log.retrieval_count)] == ["q1", "q2"]
    assert problems(log) == [(3, "id", "there is no id")]


SHORT = st.text(max_size=8)
EXTRA = st.one_of(SHORT, st.integers(), st.lists(SHORT, max_size=2), st.dictionaries(SHORT, SHORT, max_size=2))


@given(st.lists(EXTRA, max_size=6), st.integers(1, 40))
def test_blocks_do_not_matter(extras: list[object], block: int) -> None:
    """However the bytes come, the same records are found."""
    documents = [record(f"d{n}", extra=extra) for n, extra in enumerate(extras)]
    raw = json.dumps({"x": extras, "data": documents, "y": 1}, ensure_ascii=False, indent=1).encode()
    chunks = iter([raw[start : start + block] for start in range(0, len(raw), block)])
    document = module._Document("log.json", chunks, Limits(line_bytes=1000))
    assert list(document.records()) == documents
