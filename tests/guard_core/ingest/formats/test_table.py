"""The table of formats: each format is recognised, read, previewed, named on the command line and documented."""

from __future__ import annotations

from io import BytesIO
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

DOCS = Path(__file__).parents[4] / "docs"
CELLS = {"query_id": "q1", "doc_id": "d1", "text": "some words"}


def encode_parquet() -> bytes:
    pq.write_table(pa.Table.from_pylist([CELLS]), out := BytesIO())
    return out.getvalue()


SAMPLES = {
    "jsonl": (b'{"query_id": "q1", "doc_id": "d1", "text": "some words"}\n', CELLS),
    "json": (b'[{"query_id": "q1", "doc_id": "d1", "text": "some words"}]', CELLS),
    "csv": (b"query_id;doc_id;text\nq1;d1;some words\n", CELLS),
    "tsv": (b"query_id\tdoc_id\ttext\nq1\td1\tsome words\n", CELLS),
    "parquet": (encode_parquet(), CELLS),
}
"""By the name of each format: a log of the result d1, whose text is "some words", and its row in a preview."""


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_each_format_is_recognised_read_and_previewed(tmp_path: Path, form: Format) -> None:
    assert form.name in SAMPLES, f"there is no sample of {form.title}: add one to SAMPLES"
    sample, row = SAMPLES[form.name]
    assert detect_format(sample, "log") is form, "is it in the table before what else recognises it?"
    path = tmp_path / f"log{form.suffixes[0]}"
    path.write_bytes(sample)
    log = read_log([path])
    assert (log.files[0].format, log.result_count, log.notices) == (form.name, 1, ())
    assert read_log([path], input_format=form.name).result_ids.values.to_pylist() == ["d1"]
    seen = preview_file(path)
    assert (seen.format, seen.columns, seen.rows) == (form.name, tuple(row), (row,))
    digest = compute_text_digest("some words")
    assert find_texts([path], [digest]) == {digest: "some words"}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_each_format_is_documented(form: Format) -> None:
    assert form.title in ACCEPTED
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    assert f"| `{form.name}` | {form.title}" in page, f"docs/formats.md has no row of {form.title}"
    assert ", ".join(f"`{suffix}`" for suffix in form.suffixes) in page
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `--input-format"))
    assert f"`{form.name}`" in row, f"docs/command-line.md does not name {form.name} for --input-format"


def test_formats_by_name() -> None:
    assert find_format(" CSV ") is CSV
    assert [find_format(form.name) for form in FORMATS] == list(FORMATS)
    with pytest.raises(LogError, match=", ".join(form.name for form in FORMATS)):
        find_format("xml")


def test_formats_by_suffix() -> None:
    assert list_promised_formats("A.CSV.GZ") == [CSV]
    assert [form.name for form in list_promised_formats("log.json")] == ["jsonl", "json"]
    assert list_promised_formats("log") == []
