"""JSON Lines through ``read_log``: lines, records, nested results, metadata, cuts, limits (R1 to R9, R15, R62, R71)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from guard_core.class_words import ClassWord
from guard_core.errors import LogError, MappingError
from guard_core.ingest import Limits, Log, read_log


@pytest.fixture
def read(tmp_path: Path) -> object:
    return _Reader(tmp_path)


class _Reader:
    """Writes lines to a file and reads it as a log."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(
        self, *lines: Mapping[str, object] | bytes, end: bytes = b"\n", limits: Limits | None = None, **mapping: str
    ) -> Log:
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        path = self._folder / "log.jsonl"
        path.write_bytes(b"\n".join(raw) + end)
        return read_log([path], mapping=mapping, limits=limits)


def row(**members: object) -> dict[str, object]:
    return {"query_id": "q", "doc_id": "d", **members}


def problems(log: Log) -> list[tuple[int, str, str]]:
    return [(p.line, p.field, p.reason) for p in log.problems]


def ids(log: Log, retrieval: int = 0) -> list[str | None]:
    return [log.result_ids.text(r) for r in range(log.offsets[retrieval], log.offsets[retrieval + 1])]


def account(log: Log) -> tuple[int, int, int, int]:
    assert log.rows_read == log.rows_accepted + log.rows_rejected + log.rows_ignored
    return log.rows_read, log.rows_accepted, log.rows_rejected, log.rows_ignored


def count(log: Log, code: str) -> int:
    notice = log.notice(code)
    return 0 if notice is None else notice.count


# -- lines ---------------------------------------------------------------------------------------------------------


def test_blank_lines_are_no_rows_but_count_as_lines(read: _Reader) -> None:
    log = read(row(rank=1), b"", b"  \t\r", row(rank=2), b"", row(doc_id=None))
    assert account(log) == (3, 2, 1, 0)
    assert problems(log) == [(6, "doc_id", "there is no id")]


def test_a_bad_line_costs_that_line_only(read: _Reader) -> None:
    good = [row(doc_id=name, rank=n) for n, name in enumerate("abc", 1)]
    log = read(good[0], b'{"query_id":"q","doc_id":"x"}TRAILER', good[1], b"[1]", b"nonsense", b'{"a":"\xff"}', good[2])
    assert ids(log) == ["a", "b", "c"]
    assert problems(log) == [
        (2, "record", "there is text after the record, from column 30"),
        (4, "record", "is not a JSON object"),
        (5, "record", "is not JSON (Expecting value, column 1)"),
        (6, "record", "is not UTF-8 (byte 7)"),
    ]
    assert not log.incomplete


def test_repeated_members_reject_the_line_wherever_they_are(read: _Reader) -> None:
    log = read(
        row(),
        b'{"query_id":"q","doc_id":"a","doc_id":"b"}',
        b'{"query_id":"q","doc_id":"a","x":{"y":1,"\\u0079":2}}',
        b'{"query_id":"q","doc_id":"a","\\ud800":1,"\\ud800":2}',
    )
    assert problems(log) == [
        (2, "doc_id", "the member is repeated"),
        (3, "y", "the member is repeated"),
        (4, "\\ud800", "the member is repeated"),
    ]


def test_a_cut_last_line_is_rejected_and_marks_the_log(read: _Reader) -> None:
    log = read(row(), b'{"query_id":"q","doc_', end=b"")
    assert log.incomplete
    assert account(log) == (2, 1, 1, 0)
    assert problems(log)[0][:2] == (2, "record")
    assert problems(log)[0][2].startswith("the file ends within this record")


def test_a_whole_last_line_without_newline_is_a_row(read: _Reader) -> None:
    log = read(row(rank=1), row(rank=2), end=b"")
    assert account(log) == (2, 2, 0, 0)
    assert not log.incomplete


def test_lines_are_cut_at_newlines_only(read: _Reader) -> None:
    log = read(json.dumps(row(doc_id="a\u2028b\u2029c\x85d"), ensure_ascii=False).encode())
    assert ids(log) == ["a\u2028b\u2029c\x85d"]


def test_byte_order_mark_and_carriage_returns(read: _Reader) -> None:
    log = read(b"\xef\xbb\xbf" + json.dumps(row()).encode() + b"\r", json.dumps(row(rank=2)).encode() + b"\r")
    assert account(log) == (2, 2, 0, 0)


def test_nesting_is_bounded(read: _Reader) -> None:
    deep = b'{"query_id":"q","doc_id":"d","x":%s}'
    log = read(row(), deep % (b"[" * 63 + b"]" * 63), deep % (b"[" * 64 + b"]" * 64), deep % (b"[" * 100_000))
    assert [line for line, _, _ in problems(log)] == [3, 4]
    assert {reason for _, _, reason in problems(log)} == {"is nested more than 64 deep"}


def test_long_lines_are_skipped_with_bounded_memory(read: _Reader) -> None:
    limits = Limits(line_bytes=1000)
    long = row(text="x" * 2000)
    log = read(row(rank=1), long, row(rank=2), b'{"x":"' + b"y" * 9_000_000 + b'"}', row(rank=3), limits=limits)
    assert [(line, reason) for line, _, reason in problems(log)] == [
        (2, "the line is longer than 1,000 bytes"),
        (4, "the line is longer than 1,000 bytes"),
    ]
    assert account(log) == (5, 3, 2, 0)


def test_rows_are_bounded(read: _Reader) -> None:
    with pytest.raises(LogError, match="more than 3 rows"):
        read(*[row(rank=n) for n in range(1, 6)], limits=Limits(rows=3))


def test_gzip_cut_in_the_middle(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = [json.dumps(row(doc_id=rng.bytes(20).hex(), rank=n)) for n in range(1, 2000)]
    whole = gzip.compress("\n".join(lines).encode())
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    log = read_log([path])
    assert log.incomplete
    assert 0 < log.rows_accepted < 1999
    assert log.files[0].format == "jsonl.gz"


# -- whole files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n", b" \n\t\n", b"\xef\xbb\xbf"], ids=repr)
def test_nothing_is_an_empty_log(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    log = read_log([path])
    assert account(log) == (0, 0, 0, 0)
    assert log.retrieval_count == log.result_count == 0
    assert count(log, "empty_log") == 1


def test_records_without_a_retrieval_are_unusable(read: _Reader) -> None:
    with pytest.raises(LogError) as fault:
        read({"level": "info"}, {"level": "warning"})
    message = str(fault.value)
    assert "2 records read, 0 ignored, 2 rejected" in message
    assert "query_id or qid" in message
    assert "\n" not in message


def test_a_member_that_occurs_late_is_read(read: _Reader) -> None:
    rows = [row(doc_id=f"d{n}", rank=n) for n in range(1, 40_000)]
    log = read(*rows, row(doc_id="late", rank=40_000, depth=3, claim="x"))
    assert log.depths[-1] == 3
    assert log.signatures.text(39_999) == "x"
    assert log.depths[:-1].max() == -1


def test_line_numbers_in_large_files(read: _Reader) -> None:
    filler = "x" * 500
    rows: list[Mapping[str, object]] = [row(doc_id=f"d{n}", rank=n, note=filler) for n in range(1, 30_001)]
    rows[17_000] = row(doc_id=True)
    rows[29_999] = row(doc_id=[1])
    assert [line for line, _, _ in problems(read(*rows))] == [17_001, 30_000]


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in paths:
        path.write_text(json.dumps(row(name=str(path))) + "\n")
    seen: list[tuple[int, int]] = []
    read_log(paths, progress=lambda done, total: seen.append((done, total)))
    total = sum(path.stat().st_size for path in paths)
    assert seen[-1] == (total, total)
    assert seen == sorted(seen)


# -- rows ----------------------------------------------------------------------------------------------------------


def test_ids_are_text_and_exact(read: _Reader) -> None:
    names: list[object] = ["001", "01", "1", 1.0, 18446744073709551617, True, "", None, "a\0", "\ud800", "NA", -0]
    log = read(*[row(doc_id=name, rank=n) for n, name in enumerate(names, 1)])
    assert ids(log) == ["001", "01", "1", "18446744073709551617", "NA", "0"]
    assert {(line, reason) for line, _, reason in problems(log)} == {
        (4, "an id is text or an integer"),
        (6, "an id is text or an integer"),
        (7, "there is no id"),
        (8, "there is no id"),
        (9, "holds U+0000"),
        (10, "holds half a surrogate pair"),
    }


def test_result_and_document_ids_fill_each_other(read: _Reader) -> None:
    log = read(
        {"query_id": "q", "rank": 1, "chunk_id": "c", "doc_id": "d"},
        {"query_id": "q", "rank": 2, "chunk_id": "c2", "doc_id": None},
        {"query_id": "q", "rank": 3, "doc_id": "d3"},
    )
    assert ids(log) == ["c", "c2", "d3"]
    assert [log.document_ids.text(n) for n in range(3)] == ["d", "c2", "d3"]


def test_field_of_a_missing_id(read: _Reader) -> None:
    log = read(row(), {"qid": None, "doc_id": "d"}, {"doc_id": "d"}, {"query_id": "q"}, {"query_id": "q", "docno": ""})
    assert [(line, field) for line, field, _ in problems(log)] == [
        (2, "qid"),
        (3, "query_id"),
        (4, "result_id"),
        (5, "docno"),
    ]
    assert log.rejected_results.tolist() == [2]  # those whose query id could be read (R71)


def test_rank_and_depth_reject_scores_do_not(read: _Reader) -> None:
    log = read(
        row(rank=0),
        row(position="x"),
        row(declared_depth=-1),
        row(rank=2, score="high"),
        b'{"query_id":"q","doc_id":"a","rank":1,"score":NaN}',
        b'{"query_id":"q","doc_id":"b","rank":3,"score":1e999}',
    )
    assert [(line, field) for line, field, _ in problems(log)] == [(1, "rank"), (2, "position"), (3, "declared_depth")]
    assert np.isnan(log.scores).all()
    assert count(log, "score_not_a_number") == 3


def test_text_is_digested_not_kept(read: _Reader) -> None:
    log = read(row(rank=1, text=""), row(rank=2, page_content="é"), row(rank=3))
    assert count(log, "empty_text") == 1
    assert [log.text_digests.text(n) for n in range(3)] == [
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
        None,
    ]


def test_bad_text_rejects_its_row(read: _Reader) -> None:
    bad = [row(**{name: "a\0"}) for name in ("query", "text", "claim", "title", "anchors", "parents")]
    log = read(row(), *bad, row(rank=1, unread="a\0"))
    assert [field for _, field, _ in problems(log)] == ["query", "text", "claim", "title", "anchors", "parents"]
    assert {reason for _, _, reason in problems(log)} == {"holds U+0000"}


def test_canonical_names_win_and_null_is_not_there(read: _Reader) -> None:
    log = read(
        row(rank=1, synthetic_generation_depth=1, depth=2),
        row(rank=2, synthetic_generation_depth=None, declared_depth=3),
    )
    assert log.depths.tolist() == [1, 3]
    assert ("synthetic_generation_depth", "declared_depth") in log.files[0].mapping


def test_labels_and_lists(read: _Reader) -> None:
    log = read(row(issuer="o", model="m", corpus="c", title="t", url="u", parents=["x", 7], anchors=["h", "g"]))
    assert {name: column.text(0) for name, column in log.labels.items()} == {
        "originator": "o", "generator": "m", "collection": "c", "title": "t", "url": "u",
    }  # fmt: skip
    assert [log.parent_ids[int(c)].as_py() for c in log.parents.codes] == ["x", "7"]
    assert [log.anchor_hashes[int(c)].as_py() for c in log.anchors.codes] == ["h", "g"]
    assert log.anchors.weights is None


def test_weights_of_anchors(read: _Reader) -> None:
    log = read(row(rank=1, anchors=[{"sha256": "h", "weight": 0.25}, {"sha256": "g"}]), row(rank=2, anchors="h"))
    assert log.anchors.weights is not None
    assert log.anchors.weights.tolist() == [0.25, 1.0, 1.0]


# -- metadata (R15) ------------------------------------------------------------------------------------------------


def test_provenance_from_metadata(read: _Reader) -> None:
    log = read(
        row(rank=1, metadata={"origin": "human", "depth": 0}),
        row(rank=2, meta='{"origin": "model", "declared_depth": 2}'),
        row(rank=3, authenticity="hybrid", payload={"origin": "human"}),
        row(rank=4, metadata=None, _source={"authenticity": "human"}),
        row(rank=5, metadata='{"origin": "human"'),
        row(rank=6, metadata="plain words"),
        row(rank=7, metadata={"title": "not provenance"}),
    )
    words = [ClassWord(code) for code in log.class_words]
    assert words == [
        ClassWord.HUMAN, ClassWord.MODEL, ClassWord.HYBRID, ClassWord.HUMAN, ClassWord.NONE, ClassWord.NONE,
        ClassWord.NONE,
    ]  # fmt: skip
    assert log.depths.tolist()[:2] == [0, 2]
    assert count(log, "metadata_not_understood") == 1
    assert "title" not in log.labels


def test_repeated_members_in_metadata_text_give_nothing(read: _Reader) -> None:
    log = read(row(metadata='{"origin": "model", "origin": "human"}'))
    assert log.class_words.tolist() == [ClassWord.NONE]
    assert count(log, "metadata_not_understood") == 1


# -- nested records (R9) -------------------------------------------------------------------------------------------


def test_nested_records(read: _Reader) -> None:
    log = read(
        {"id": "q1", "query": "what?", "ts": 0, "task": "creative", "results": [{"doc_id": "a"}, {"doc_id": "b"}]},
        {"id": "q2", "results": []},
        {"id": "q3", "results": None},
        {"id": "q4"},
        {"id": "q5", "results": {"doc_id": "c"}},
        {"id": "q6", "results": ["d", {"doc_id": None}]},
        {"id": "", "results": [{"doc_id": "e"}]},
        {"id": "q1", "results": [{"doc_id": "a"}]},
    )
    names = [log.retrieval_id(n) for n in range(log.retrieval_count)]
    assert names == ["q1", "q2", "q3", "q4", "q6", "q1#2"]
    assert np.diff(log.offsets).tolist() == [2, 0, 0, 0, 0, 1]
    assert log.rejected_results.tolist() == [0, 0, 0, 0, 2, 0]
    assert account(log) == (10, 6, 4, 0)
    assert problems(log) == [
        (5, "results", "the results are not a list"),
        (6, "results", "a result is not an object"),
        (6, "doc_id", "there is no id"),
        (7, "id", "there is no id"),
    ]
    assert log.queries.text(0) == "what?"
    assert log.times[0] == 0
    assert log.creative.tolist() == [True, False, False, False, False, False]


def test_a_flat_row_in_a_nested_log_is_not_lost(read: _Reader) -> None:
    log = read({"query_id": "q1", "results": [{"doc_id": "a"}]}, {"query_id": "q2", "doc_id": "b"})
    assert [ids(log, 0), ids(log, 1)] == [["a"], ["b"]]


def test_rows_named_by_id_are_flat(read: _Reader) -> None:
    log = read({"query_id": "q", "id": "a", "rank": 1}, {"query_id": "q", "id": "b", "rank": 2})
    assert ids(log) == ["a", "b"]


def test_list_order_against_rank(read: _Reader) -> None:
    log = read({"query_id": "q", "results": [{"doc_id": n, "rank": r} for n, r in (("a", 3), ("b", 1), ("c", 2))]})
    assert ids(log) == ["b", "c", "a"]
    assert count(log, "order_differs_from_rank") == 1


# -- the user's mapping --------------------------------------------------------------------------------------------


def test_mapping_overrules_detection(read: _Reader) -> None:
    log = read({"query_id": "q", "doc_id": "d", "chunk": "c", "id": "i"}, result_id="chunk")
    assert ids(log) == ["c"]
    assert log.document_ids.text(0) == "d"


def test_mapping_of_the_list_of_results(read: _Reader) -> None:
    log = read({"query_id": "q", "hits": [{"key": "a"}]}, results="hits", result_id="key")
    assert ids(log) == ["a"]


def test_mapping_to_nothing(read: _Reader) -> None:
    with pytest.raises(MappingError, match="mapped to score"):
        read(row(), score="relevance")
    with pytest.raises(MappingError, match="no field"):
        read(row(), nonsense="doc_id")
    assert account(read(row(relevance=None), score="relevance")) == (1, 1, 0, 0)
