"""UUID columns: whoever wrote them, they read as the same rows with the UUIDs as text."""

from __future__ import annotations

import uuid
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.files.input_file import open_input
from guard_core.ingest.preview import preview_file
from guard_core.ingest.reading import read_log
from guard_core.ingest.tables.uuids import spell_uuids

ONE, TWO = "00112233-4455-6677-8899-aabbccddeeff", "a8ee7f6e-3b07-4990-8b3a-28a541e2a931"
FLAT = f"SELECT '{ONE}'::UUID AS query_id, '{TWO}'::UUID AS chunk_id, '{ONE}'::UUID AS document_id, 1 AS rank"
NESTED = f"SELECT '{ONE}'::UUID AS query_id, [{{'chunk_id': '{TWO}'::UUID, 'document_id': '{ONE}'::UUID}}] AS results"


def uuids(given: list[uuid.UUID | None]) -> pa.Array:
    raw = [one and one.bytes for one in given]
    return pa.ExtensionArray.from_storage(pa.uuid(), pa.array(raw, pa.binary(16)))


@pytest.mark.parametrize("query", [FLAT, NESTED], ids=["flat", "nested"])
def test_what_duckdb_exports_is_read(tmp_path: Path, query: str) -> None:
    path = tmp_path / "export.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    found = read_log([path])
    assert (found.rows_accepted, found.rows_rejected) == (1, 0)
    assert [found.query_ids.text(0), found.result_ids.text(0), found.document_ids.text(0)] == [ONE, TWO, ONE]
    assert ONE in map(str, preview_file(path).rows[0].values())


def test_a_table_in_memory_is_read_alike() -> None:
    ids = uuids([uuid.UUID(ONE), uuid.UUID(TWO)])
    parents = pa.ListArray.from_arrays(pa.array([0, 1, 2]), ids)
    flat = pa.table({"query_id": ids, "document_id": ids, "derived_from": parents})
    frame = pd.DataFrame({"query_id": [uuid.UUID(ONE)], "document_id": [uuid.UUID(ONE)]})
    for table, rows in ((flat, 2), (flat.slice(1), 1), (frame, 1)):
        found = read_log([table])
        assert found.rows_accepted == rows
        assert found.document_ids.text(rows - 1) == (TWO if table is not frame else ONE)
    assert sorted(read_log([flat]).parent_ids.to_pylist()) == [ONE, TWO]


@given(st.lists(st.none() | st.uuids(), max_size=20), st.integers(0, 5))
def test_the_spelling_is_that_of_python(given: list[uuid.UUID | None], start: int) -> None:
    expected = [one and str(one) for one in given]
    column = uuids(given)
    assert spell_uuids(column).to_pylist() == expected
    assert spell_uuids(column.slice(start)).to_pylist() == expected[start:]
    lists = pa.ListArray.from_arrays(pa.array(range(len(given) + 1), pa.int32()), column)
    objects = pa.StructArray.from_arrays([column, lists], ["a", "b"])
    codes = pa.DictionaryArray.from_arrays(pa.array(range(len(given)), pa.int32()), column)
    batch = pa.record_batch({"x": objects.slice(start), "n": codes.slice(start)})
    spelled = [{"x": {"a": text, "b": [text]}, "n": text} for text in expected[start:]]
    assert spell_uuids(batch).to_pylist() == spelled


def test_sixteen_bytes_without_that_type_stay_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    raw = pa.array([b"sixteen letters.", uuid.UUID(TWO).bytes], pa.binary(16))
    pq.write_table(pa.table({"query_id": raw, "document_id": raw}), path)
    found = read_log([path])
    assert found.document_ids.text(0) == "sixteen letters."
    assert [problem.reason for problem in found.problems] == ["is not UTF-8"]
    with open_input(path) as file:
        assert file.head(4) == b"PAR1"
