"""A look at the head of a file: columns, mapping in force, first rows as they stand."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard_core.errors import LogError, MappingError
from guard_core.ingest import preview_file, read_log
from guard_core.ingest.preview import HEAD
from tests.support.packed_streams import PACK, SUFFIX

FLAT = [{"qid": "q1", "doc_id": f"d{n}", "score": n / 4, "note": "x", "meta": {"origin": "human"}} for n in range(30)]


def written(folder: Path, data: bytes | str, name: str = "log") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("packed", [None, *PACK])
@pytest.mark.parametrize("form", ["jsonl", "json", "wrapped", "parquet"])
def test_flat_logs(tmp_path: Path, form: str, packed: str | None) -> None:
    path = tmp_path / "log"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(FLAT), path)
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps(record) for record in FLAT))
    else:
        path.write_text(json.dumps(FLAT if form == "json" else {"total": 30, "data": FLAT}, indent=1))
    if packed is not None:
        path.write_bytes(PACK[packed](path.read_bytes()))
    found = preview_file(path, rows=5)
    assert found.format == form.replace("wrapped", "json") + (SUFFIX[packed] if packed else "")
    assert found.columns == ("qid", "doc_id", "score", "note", "meta")
    assert found.mapping == (("query_id", "qid"), ("document_id", "doc_id"), ("score", "score"))
    assert found.unmapped == ("note",)
    assert list(found.rows) == FLAT[:5]


def test_the_mapping_shown_is_the_one_in_force(tmp_path: Path) -> None:
    path = written(tmp_path, '{"query_id": "q", "chunk": "c", "doc_id": "d", "text": "t"}\n')
    assert dict(preview_file(path, mapping={"result_id": "chunk"}).mapping)["result_id"] == "chunk"
    for mapping in ({}, {"result_id": "chunk"}):
        assert set(preview_file(path, mapping=mapping).mapping) == set(
            read_log([path], mapping=mapping).files[0].mapping
        )
    with pytest.raises(MappingError, match="no field chunk"):
        preview_file(path, mapping={"chunk": "result_id"})


def test_nested_records_are_flattened(tmp_path: Path) -> None:
    records = [
        {"id": "q1", "question": "what", "results": [{"id": "a", "note": 1}, {"id": "b"}]},
        {"id": "q2", "results": []},
    ]
    path = written(tmp_path, "\n".join(map(json.dumps, records)))
    found = preview_file(path)
    assert found.rows[0] == {"record.id": "q1", "question": "what", "id": "a", "note": 1}
    assert found.rows[2] == records[1]
    assert found.columns == ("id", "question", "note")
    assert found.mapping == (("query_id", "id"), ("query", "question"), ("result_id", "id"))
    assert found.unmapped == ("note",)


def test_cells_of_csv_stand_as_they_are(tmp_path: Path) -> None:
    path = written(tmp_path, 'query_id;doc_id;score;;\nq;"=1;+2";0,5;x;\nq;<b>;;y;\nbad\n\nq;NA;1;;\n', "log.csv")
    found = preview_file(path)
    assert found.format == "csv"
    assert found.columns == ("query_id", "doc_id", "score")
    assert [row["doc_id"] for row in found.rows] == ["=1;+2", "<b>", "NA"]
    assert [row["score"] for row in found.rows] == ["0,5", None, "1"]
    assert preview_file(written(tmp_path, "a\tb\n"), rows=3).rows == ()
    assert preview_file(written(tmp_path, ""), rows=3).columns == ()


def test_values_that_json_does_not_have_are_shown_as_text(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([b"\x00\xff"]),
            "ts": pa.array([datetime(2024, 1, 1, tzinfo=UTC)]),
            "day": pa.array([date(2024, 1, 1)]),
            "score": pa.array([Decimal("1.5")]),
            "x": pa.array([float("nan")]),
        }
    )
    pq.write_table(table, tmp_path / "log.parquet")
    row = preview_file(tmp_path / "log.parquet").rows[0]
    assert row == {"id": "AP8=", "ts": "2024-01-01 00:00:00+00:00", "day": "2024-01-01", "score": "1.5", "x": "nan"}
    surrogate = preview_file(written(tmp_path, '{"query_id": "\\ud800", "\\udfff": "b"}\n')).rows[0]
    assert surrogate == {"query_id": "\\ud800", "\\udfff": "b"}


def test_bad_lines_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, '{"query_id": "q", "id": "a"}\n{broken\n[1]\n{"query_id": "q", "id": "b"}\n{"cut')
    assert [row["id"] for row in preview_file(path).rows] == ["a", "b"]


def test_only_the_head_is_read(tmp_path: Path) -> None:
    line = json.dumps({"query_id": "q", "id": "a", "text": "x" * 1000}) + "\n"
    path = written(tmp_path, line * (3 * HEAD // len(line)))
    assert len(preview_file(path, rows=100_000).rows) == HEAD // len(line)
    array = written(tmp_path, "[" + ",".join([line.strip()] * (2 * HEAD // len(line))) + "]")
    assert len(preview_file(array, rows=3).rows) == 3
    wide = written(tmp_path, '{"query_id": "' + "x" * HEAD)
    assert preview_file(wide).rows == ()


def test_a_format_may_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, '{"query_id": "q",\n "id": "a"}\n')
    assert preview_file(path).format == "json"
    assert preview_file(path, input_format="jsonl").rows == ()
    with pytest.raises(LogError):
        preview_file(path, input_format="yaml")
    with pytest.raises(LogError):
        preview_file(path, input_format="parquet")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=120) | st.text('{}[]":,\nqa1\\', max_size=60).map(str.encode))
def test_any_file_has_a_preview_or_an_error(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path, data)
    try:
        found = preview_file(path, rows=3)
    except LogError:
        return
    json.dumps([*found.rows, found.columns]).encode()
