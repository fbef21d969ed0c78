"""Texts are found again in every format, by their digests and by nothing else."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from guard_core.errors import LogError
from guard_core.ingest import read_log
from guard_core.ingest.texts import find_texts
from tests.support.log_files import write_lines

TEXTS = ("plain", "", "two\nlines", "<b>bold</b> ![x](y)", "ünïcode \u202e", '=1+1 "quoted", and more')
ROWS = [{"query_id": f"q{n}", "rank": 1, "doc_id": f"d{n}", "content": text} for n, text in enumerate(TEXTS)]


def write(folder: Path, form: str) -> Path:
    path = folder / f"log.{form}"
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    nested = [{"query_id": f"n{i}", "results": ROWS[i : i + 2]} for i in range(0, len(ROWS), 2)]
    match form:
        case "jsonl":
            path.write_text("not json\n" + lines, encoding="utf-8")
        case "jsonl.gz":
            path.write_bytes(gzip.compress(lines.encode()))
        case "nested.jsonl":
            write_lines(path, nested)
        case "json":
            path.write_text(json.dumps(nested), encoding="utf-8")
        case "csv":
            with path.open("w", encoding="utf-8", newline="") as out:
                writer = csv.DictWriter(out, list(ROWS[0]), quoting=csv.QUOTE_ALL)
                writer.writeheader()
                writer.writerows(ROWS)
        case "parquet":
            pq.write_table(pa.Table.from_pylist(ROWS), path)
        case "nested.parquet":
            pq.write_table(pa.Table.from_pylist(nested), path)
    return path


FORMATS = ("jsonl", "jsonl.gz", "nested.jsonl", "json", "csv", "parquet", "nested.parquet")


@pytest.mark.parametrize("hinted", [False, True])
@pytest.mark.parametrize("form", FORMATS)
def test_every_text_is_found_again(tmp_path: Path, form: str, hinted: bool) -> None:
    path = write(tmp_path, form)
    log = read_log([path])
    digests = [log.text_digests.text(row) for row in range(log.result_count)]
    texts = [text for text in TEXTS if text or form != "csv"]  # an empty cell is a missing text
    assert digests.count(None) == len(TEXTS) - len(texts)
    ids = [log.document_ids.text(row) or "" for row in range(log.result_count)] if hinted else []
    found = find_texts([path], [d for d in digests if d], ids=ids)
    assert sorted(found.values()) == sorted(texts)


def test_what_is_no_longer_there_is_not_found(tmp_path: Path) -> None:
    path = write(tmp_path, "jsonl")
    log = read_log([path])
    digest = log.text_digests.text(0) or ""
    path.write_text(path.read_text(encoding="utf-8").replace("plain", "plane"), encoding="utf-8")
    assert find_texts([path], [digest], ids=["d0"]) == {}
    path.unlink()
    with pytest.raises(LogError):
        find_texts([path], [digest])


def test_a_log_without_texts_has_none(tmp_path: Path) -> None:
    for name, body in (("a.csv", "query_id,doc_id\nq,d\n"), ("a.jsonl", '{"query_id":"q","doc_id":"d"}\n')):
        path = tmp_path / name
        path.write_text(body, encoding="utf-8")
        assert find_texts([path], ["sha256:" + "0" * 64]) == {}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"query_id": ["q"], "doc_id": ["d"]}), path)
    assert find_texts([path], ["sha256:" + "0" * 64]) == {}
