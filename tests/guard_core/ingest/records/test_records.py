"""Test records with unusual members: lists in two spellings and shapes, and thousands of distinct names."""

from __future__ import annotations

from pathlib import Path

from guard_core.ingest import read_log
from tests.support.catalogues_and_logs import digest
from tests.support.log_files import write_lines


def test_two_spellings_of_a_list_of_different_shape_are_read(tmp_path: Path) -> None:
    anchor = digest("A")
    records: list[dict[str, object]] = [
        {"query_id": "q", "result_id": "a", "anchors": [anchor]},
        {"query_id": "q", "result_id": "b", "human_source_anchor_hash": anchor},
        {"query_id": "q", "result_id": "c", "anchors": [{"sha256": anchor, "weight": 2}], "parents": [1]},
        {"query_id": "q", "result_id": "d", "derived_from": "a|b"},
    ]
    log = read_log([write_lines(tmp_path / "log.jsonl", records)])
    assert (log.rows_accepted, log.result_count) == (4, 4)
    assert [int(n) for n in (log.anchors.offsets[1:] - log.anchors.offsets[:-1])] == [1, 1, 1, 0]


def test_many_distinct_member_names_cost_no_column_each(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"query_id": "q", "rank": i + 1, "result_id": f"r{i}", "metadata": {f"c{i}": 1}} for i in range(4000)
    ]
    assert read_log([write_lines(tmp_path / "log.jsonl", records)]).rows_accepted == 4000
