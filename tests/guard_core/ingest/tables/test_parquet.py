"""Parquet: the same rows as JSON Lines of the same records, and no file that is more than it seems."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard_core.errors import LogError, MappingError
from guard_core.files.input_file import open_input
from guard_core.files.limits import Limits
from guard_core.ingest.json.jsonl import read_json_lines
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.tables import parquet
from guard_core.ingest.tables.parquet import list_wanted_leaves, read_parquet
from tests.support.batch_accounts import Account, gather_account
from tests.support.log_files import write_lines
from tests.support.packed_streams import PACK

FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(path: Path, mapping: dict[str, str] | None = None, limits: Limits | None = None) -> Account:
    with open_input(path, limits) as source:
        return gather_account(read_parquet(source, ReadOptions(mapping=mapping or {}, limits=limits or Limits())))


def written(folder: Path, table: pa.Table, row_group_size: int | None = None) -> Path:
    path = folder / "log.parquet"
    pq.write_table(table, path, row_group_size=row_group_size)
    return path


def read_lines(folder: Path, records: list[dict[str, object]]) -> Account:
    path = folder / "log.jsonl"
    write_lines(path, records)
    with open_input(path) as source:
        return gather_account(read_json_lines(source, ReadOptions()))


WORD = st.sampled_from(["", "a", "NA", "human", "hybrid", "x|y", "a\0b", "sha256:" + "0" * 64, "2024-01-02", "1", "ä"])
MAYBE = st.none() | WORD
ANCHORS = st.none() | st.lists(st.none() | WORD, max_size=3)
METADATA = st.none() | st.fixed_dictionaries({"origin": MAYBE, "depth": st.none() | st.integers(-1, 3)})
RESULT = {
    "doc_id": MAYBE,
    "chunk_id": MAYBE,
    "rank": st.none() | st.integers(-1, 4),
    "score": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    "origin": MAYBE,
    "depth": st.none() | st.integers(-1, 3),
    "anchors": ANCHORS,
    "signature": MAYBE,
    "text": MAYBE,
    "parents": ANCHORS,
    "content_hash": MAYBE,
    "url": MAYBE,
    "metadata": METADATA,
}
ABOUT = {"query_id": MAYBE, "question": MAYBE, "ts": MAYBE, "task": st.none() | st.just("Creative")}
RESULT_TYPE = pa.struct(
    [
        ("doc_id", pa.string()),
        ("chunk_id", pa.string()),
        ("rank", pa.int64()),
        ("score", pa.float64()),
        ("origin", pa.string()),
        ("depth", pa.int32()),
        ("anchors", pa.list_(pa.string())),
        ("signature", pa.string()),
        ("text", pa.string()),
        ("parents", pa.list_(pa.string())),
        ("content_hash", pa.string()),
        ("url", pa.string()),
        ("metadata", pa.struct([("origin", pa.string()), ("depth", pa.int64())])),
    ]
)
ABOUT_TYPES = [pa.field(name, pa.string()) for name in ABOUT]


@FILES
@given(
    records=st.lists(st.fixed_dictionaries({**ABOUT, **RESULT}), min_size=1, max_size=8),
    group=st.integers(1, 8),
)
def test_flat_records_are_read_as_from_json_lines(tmp_path: Path, records: list[dict[str, object]], group: int) -> None:
    table = pa.Table.from_pylist(records, pa.schema([*ABOUT_TYPES, *RESULT_TYPE]))
    found = read(written(tmp_path, table, group))
    assert found == read_lines(tmp_path, records)


@FILES
@given(
    records=st.lists(
        st.fixed_dictionaries(
            {**ABOUT, "results": st.none() | st.lists(st.none() | st.fixed_dictionaries(RESULT), max_size=3)}
        ),
        min_size=1,
        max_size=6,
    ).filter(lambda records: any(record["results"] is not None for record in records)),
    group=st.integers(1, 8),
)
def test_nested_records_are_read_as_from_json_lines(
    tmp_path: Path, records: list[dict[str, object]], group: int
) -> None:
    table = pa.Table.from_pylist(records, pa.schema([*ABOUT_TYPES, ("results", pa.list_(RESULT_TYPE))]))
    found = read(written(tmp_path, table, group))
    assert found == read_lines(tmp_path, records)


def test_metadata_may_be_json_text_or_a_map(tmp_path: Path) -> None:
    for metadata in (
        pa.array(['{"origin": "model", "depth": "2"}', "{", None, '{"depth": -1}']),
        pa.array(
            [[("origin", "model"), ("depth", "2")], [], None, [("depth", "-1")]], pa.map_(pa.string(), pa.string())
        ),
    ):
        found = read(written(tmp_path, pa.table({"query_id": ["q"] * 4, "id": list("abcd"), "metadata": metadata})))
        assert [row["authenticity"] for _, _, row in found.rows] == [2, 0, 0]
        assert [row.get("synthetic_generation_depth") for _, _, row in found.rows] == [2, None, None]
        assert [(one.line, one.field) for one in found.rejected] == [(4, "depth")]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (pa.array([2**53 + 1, None, -(2**63)], pa.int64()), [str(2**53 + 1), str(-(2**63))]),
        (pa.array([2**64 - 1, None, 0], pa.uint64()), [str(2**64 - 1), "0"]),
        (
            pa.array([Decimal("1" + "0" * 29 + "1"), None, Decimal(7)], pa.decimal128(38, 0)),
            ["1" + "0" * 29 + "1", "7"],
        ),
        (pa.array(["001", None, "01"], pa.large_string()), ["001", "01"]),
        (pa.array([b"a", None, b"\xff"], pa.binary()), ["a"]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", "x"]),
        (pa.array([1.0, None, 2.0]), []),
        (pa.array([True, None, False]), []),
        (pa.array([datetime(2024, 1, 1, tzinfo=UTC), None, None], pa.timestamp("ns", "UTC")), []),
    ],
)
def test_ids_are_exact_or_refused(tmp_path: Path, ids: pa.Array, expected: list[str]) -> None:
    found = read(written(tmp_path, pa.table({"query_id": ["q"] * 3, "doc_id": ids})))
    assert [row["document_id"] for _, _, row in found.rows] == expected
    assert len(found.rejected) == 3 - len(expected)
    assert {one.field for one in found.rejected} == {"doc_id"}


def test_times_of_every_type(tmp_path: Path) -> None:
    moment = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    expected = int(moment.timestamp()) * 1_000_000
    for column in (
        pa.array([moment], pa.timestamp("ms", "Europe/Paris")),
        pa.array([moment.replace(tzinfo=None)], pa.timestamp("ns")),
        pa.array([int(moment.timestamp())]),
        pa.array([moment.timestamp()]),
        pa.array(["2024-01-02T04:04:05+01:00"]),
    ):
        found = read(written(tmp_path, pa.table({"query_id": ["q"], "id": ["a"], "ts": column})))
        assert found.rows[0][2]["timestamp"] == expected


def test_large_row_groups_are_streamed_to_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 5000
    table = pa.table(
        {
            "query_id": [f"q{n // 10}" for n in range(count)],
            "doc_id": [None if n % 97 == 0 else f"d{n % 50}" for n in range(count)],
            "score": [float(n) for n in range(count)],
        }
    )
    path = written(tmp_path, table)
    whole = read(path)
    assert [line for line, _, _ in whole.rows] + [one.line for one in whole.rejected]
    assert len(whole.rows) + len(whole.rejected) == count
    monkeypatch.setattr(parquet, "BATCH_ROWS", 300)
    assert read(path) == whole
    monkeypatch.setattr(parquet, "_GROUP_ROWS", 1000)
    assert read(path) == whole
    assert read(written(tmp_path, table, 700)) == whole


def test_only_the_columns_that_are_read_are_decoded(tmp_path: Path) -> None:
    result = {"id": "a", "noise": {"x": 1}, "metadata": {"origin": "human", "more": 1}}
    table = pa.Table.from_pylist([{"query_id": "q", "noise": "x" * 100, "results": [result], "a.b": 1}])
    names = ReadOptions().spellings
    leaves = [leaf.path for leaf in list_wanted_leaves(pq.ParquetFile(written(tmp_path, table)), names)]
    assert not any("noise" in leaf or "a.b" in leaf for leaf in leaves)
    assert len(leaves) == 4


def test_columns_with_dots_in_their_names_can_be_mapped(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"query_id": ["q"], "chunk.id": ["a"]}))
    assert read(path, {"result_id": "chunk.id"}).rows[0][2]["result_id"] == "a"
    with pytest.raises(MappingError, match=r"query_id, chunk\.id"):
        read(path, {"result_id": "chunk"})


def test_no_column_of_ours_rejects_every_record(tmp_path: Path) -> None:
    found = read(written(tmp_path, pa.table({"x": [1, 2]})))
    assert [(one.line, one.field) for one in found.rejected] == [(1, "query_id"), (2, "query_id")]
    assert not read(written(tmp_path, pa.table({"query_id": pa.array([], pa.string())}))).rows


@pytest.mark.parametrize("name", PACK)
def test_compression_around_parquet_is_undone(tmp_path: Path, name: str) -> None:
    plain = written(tmp_path, pa.table({"query_id": ["q"], "id": ["a"]}))
    packed = tmp_path / "log.parquet.packed"
    packed.write_bytes(PACK[name](plain.read_bytes()))
    assert read(packed) == read(plain)
    packed.write_bytes(PACK[name](plain.read_bytes())[:-60])
    with pytest.raises(LogError, match="not a whole Parquet file"):
        read(packed)


@pytest.mark.parametrize("cut", [4, 100, 8])
def test_a_cut_file_is_refused_by_name(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path, pa.table({"query_id": ["q"], "id": ["a"]}))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(LogError, match="not a whole Parquet file"):
        read(path)


def test_bytes_changed_anywhere_give_rows_or_an_error(tmp_path: Path) -> None:
    path = written(
        tmp_path, pa.table({"query_id": ["q"] * 20, "id": [str(n) for n in range(20)], "rank": list(range(20))})
    )
    whole = path.read_bytes()
    for place in range(4, len(whole) - 8, 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            read(path)
        except LogError:
            continue


def test_limits(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"query_id": ["q"] * 10, "id": ["a"] * 10}))
    with pytest.raises(LogError, match="more than 9 rows"):
        read(path, limits=Limits(rows=9))
    with pytest.raises(LogError, match="2 columns, more than 1"):
        read(path, limits=Limits(columns=1))
    with pytest.raises(LogError, match="decodes to more than"):
        read(path, limits=Limits(decoded_bytes=20))
    nested = written(tmp_path, pa.table({"query_id": ["q"], "results": [[{"id": "a"}] * 10]}))
    with pytest.raises(LogError, match="more than 9 rows"):
        read(nested, limits=Limits(rows=9))


def test_a_parquet_bomb_stays_small(tmp_path: Path) -> None:
    rows = 2_000_000
    constant = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * 10_000]))
    path = written(tmp_path, pa.table({"query_id": constant, "id": constant}), 500_000)
    assert path.stat().st_size < 1_000_000  # 40 GB of text
    with open_input(path) as source:
        total = sum(batch.rows for batch in read_parquet(source, ReadOptions()))
    assert total == rows


def test_a_column_twice_is_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["q"]), pa.array(["a"]), pa.array(["b"])], names=["query_id", "id", "id"])
    with pytest.raises(LogError, match="column id twice"):
        read(written(tmp_path, table))


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"query_id": ["q"], "id": ["a"]}))
    with open_input(path) as source:
        os.utime(path, (1, 1))
        with pytest.raises(LogError, match="changed while it was read"):
            list(read_parquet(source, ReadOptions()))


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"query_id": ["q"], "id": ["a"]}))
    with open_input(path) as source:
        list(read_parquet(source, ReadOptions()))
        digest = source.sha256
    with open_input(path) as source:
        list(source.chunks())
        assert source.sha256 == digest
