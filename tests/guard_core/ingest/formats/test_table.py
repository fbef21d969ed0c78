"""The table of formats: each format is recognised, read, previewed, named on the command line and documented."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from guard_core.errors import LogError
from guard_core.ingest import preview_file, read_log
from guard_core.ingest.detect import detect_format
from guard_core.ingest.formats.format import Format
from guard_core.ingest.formats.table import ACCEPTED, CSV, FORMATS, find_format, list_promised_formats
from guard_core.ingest.records.values import compute_text_digest
from guard_core.ingest.texts import find_texts

COLUMNS = ("query_id", "doc_id", "text")
CELLS = ("q1", "d1", "some words")
SAMPLES = {
    "jsonl": b'{"query_id": "q1", "doc_id": "d1", "text": "some words"}\n',
    "json": b'[{"query_id": "q1", "doc_id": "d1", "text": "some words"}]',
    "csv": b"query_id;doc_id;text\nq1;d1;some words\n",
    "tsv": b"query_id\tdoc_id\ttext\nq1\td1\tsome words\n",
}
"""A log of one result in each format of text."""


def write_sample(folder: Path, form: Format) -> Path:
    """Write the log of one result in a format."""
    path = folder / f"log{form.suffixes[0]}"
    if form.name == "parquet":
        pq.write_table(pa.table({name: [cell] for name, cell in zip(COLUMNS, CELLS, strict=True)}), path)
    else:
        path.write_bytes(SAMPLES[form.name])
    return path


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_each_format_is_recognised_read_and_previewed(tmp_path: Path, form: Format) -> None:
    path = write_sample(tmp_path, form)
    head = path.read_bytes()
    assert detect_format(head, "log") is form
    assert [other for other in FORMATS if other.recognises(head)] == [form]
    log = read_log([path])
    assert (log.files[0].format, log.result_count, log.notices) == (form.name, 1, ())
    assert read_log([path], input_format=form.name).result_ids.values.to_pylist() == ["d1"]
    seen = preview_file(path)
    assert (seen.format, seen.columns, seen.rows) == (form.name, COLUMNS, (dict(zip(COLUMNS, CELLS, strict=True)),))
    digest = compute_text_digest(CELLS[2])
    assert find_texts([path], [digest]) == {digest: CELLS[2]}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_each_format_is_documented(form: Format) -> None:
    assert form.title in ACCEPTED
    page = (Path(__file__).parents[4] / "docs" / "formats.md").read_text(encoding="utf-8")
    assert f"| `{form.name}` | {form.title}" in page
    assert ", ".join(f"`{suffix}`" for suffix in form.suffixes) in page


def test_names_differ() -> None:
    assert len({form.name for form in FORMATS}) == len(FORMATS)


def test_formats_by_name() -> None:
    assert find_format(" CSV ") is CSV
    with pytest.raises(LogError, match="jsonl, json, csv, tsv, parquet"):
        find_format("xml")


def test_formats_by_suffix() -> None:
    assert list_promised_formats("A.CSV.GZ") == [CSV]
    assert [form.name for form in list_promised_formats("log.json")] == ["jsonl", "json"]
    assert list_promised_formats("log") == []
