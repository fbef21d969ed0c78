"""A format that is described is recognised, read and previewed, under the names that it brings along."""

from __future__ import annotations

import dataclasses
import json
import re
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from guard_core.errors import CatalogueError, LogError
from guard_core.ingest import preview_file, read_log
from guard_core.ingest.batch import TableKind
from guard_core.ingest.formats import table
from guard_core.ingest.formats.format import Format
from guard_core.ingest.formats.recognise import has_mostly_lines
from guard_core.ingest.json.jsonl import read_json_lines, read_line_records
from guard_core.ingest.records.json_strict import BadRecordError
from guard_core.ingest.records.values import compute_text_digest
from guard_core.ingest.texts import find_texts
from guard_core.provenance.catalogue import read_catalogue


def unwrap_trace(line: dict[str, object]) -> dict[str, object]:
    trace = line.get("trace")
    if not isinstance(trace, dict):
        raise BadRecordError("there is no trace")
    return trace


TRACE_LINES = Format(
    name="trace",
    title="trace lines",
    suffixes=(".jsonl",),
    binary=False,
    may_be_blank=False,
    recognises=partial(has_mostly_lines, pattern=re.compile(rb'\s*\{\s*"trace"\s*:')),
    read_rows=partial(read_json_lines, unwrap=unwrap_trace),
    read_records=partial(read_line_records, unwrap=unwrap_trace),
    may_be_catalogue=False,
    own_names={"results": "hits", "document_id": "doc"},
)
LINES = (
    {"trace": {"id": "q1", "question": "when", "hits": [{"doc": "a", "document_id": "b", "content": "In 1888."}]}},
    {"query_id": "q2", "doc_id": "c"},
    {"trace": {"id": "q3", "hits": [{"doc": None, "part": "p"}, {"doc": "d", "part": "p"}]}},
    {"trace": {"id": "q4"}},
)


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of traces, with the format in the table."""
    monkeypatch.setattr(table, "FORMATS", (TRACE_LINES, *table.FORMATS))
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def test_wrapped_lines_are_recognised_and_read(traces: Path) -> None:
    log = read_log([traces])
    assert (log.files[0].format, log.notices) == ("trace", ())
    assert [log.query_ids.text(retrieval) for retrieval in range(log.retrieval_count)] == ["q1", "q3", "q4"]
    assert [log.document_ids.text(result) for result in range(log.result_count)] == ["a", "d"]
    assert [(p.line, p.field, p.reason) for p in log.problems] == [
        (2, "record", "there is no trace"),
        (3, "doc", "there is no id"),
    ]


def test_wrapped_lines_are_previewed_and_their_texts_found(traces: Path) -> None:
    seen = preview_file(traces)
    assert seen.mapping == (("query_id", "id"), ("query", "question"), ("document_id", "doc"), ("text", "content"))
    assert seen.columns == ("id", "question", "doc", "document_id", "content", "part")
    assert [row.get("doc") for row in seen.rows] == ["a", None, "d", None]
    digest = compute_text_digest("In 1888.")
    assert find_texts([traces], [digest], ids=["a"]) == {digest: "In 1888."}


def test_a_mapping_overrules_the_names_of_the_format(traces: Path) -> None:
    mapping = {"document_id": "part"}
    log = read_log([traces], mapping=mapping)
    assert [log.document_ids.text(result) for result in range(log.result_count)] == ["p", "p"]
    assert dict(preview_file(traces, mapping=mapping).mapping)["document_id"] == "part"
    log = read_log([traces], mapping={"title": "doc"})
    assert [log.document_ids.text(result) for result in range(log.result_count)] == ["b"]


def test_what_was_looked_for_is_named_as_the_format_names_it(traces: Path) -> None:
    traces.write_text('{"trace": {"id": "q1", "hit": []}}\n', encoding="utf-8")
    with pytest.raises(LogError, match=r"doc or document_id or doc_id.*, or a list under hits; the file has id, hit;"):
        read_log([traces])


def test_a_catalogue_in_a_format_of_logs_is_refused(traces: Path) -> None:
    refused = r"log\.jsonl: is trace lines, which cannot be a catalogue; a catalogue may be JSON Lines, .* or Parquet"
    with pytest.raises(CatalogueError, match=refused):
        read_catalogue(traces)
    with pytest.raises(LogError, match=refused):
        preview_file(traces, kind=TableKind.CATALOGUE)


@pytest.mark.parametrize("form", ["flat.jsonl", "nested.jsonl", "json", "csv", "tsv", "flat.parquet", "nested.parquet"])
def test_every_reader_honours_the_names_of_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    own = {"results": "hits", "document_id": "doc", "text": "words"}
    formats = tuple(dataclasses.replace(each, own_names=own) for each in table.FORMATS)
    monkeypatch.setattr(table, "FORMATS", formats)
    path = tmp_path / f"log.{form}"
    hit = {"doc": "d1", "doc_id": "d2", "words": "some words", "content": "others"}
    flat, nested = {"query_id": "q1", **hit}, {"query_id": "q1", "hits": [hit]}
    record = nested if "nested" in form else flat
    if "parquet" in form:
        pq.write_table(pa.Table.from_pylist([record]), path)
    elif "json" in form:
        path.write_text(json.dumps([record] if form == "json" else record) + "\n", encoding="utf-8")
    else:
        mark = "," if form == "csv" else "\t"
        path.write_text(f"{mark.join(flat)}\n{mark.join(flat.values())}\n", encoding="utf-8")
    log = read_log([path])
    digest = compute_text_digest("some words")
    assert (log.document_ids.text(0), log.text_digests.text(0)) == ("d1", digest)
    assert dict(preview_file(path).mapping) == {"query_id": "query_id", "document_id": "doc", "text": "words"}
    assert find_texts([path], [digest]) == {digest: "some words"}
