"""Test CSV and Parquet: the same rows, exact, nothing that a spreadsheet would run, and read back by Source Guard.

Flows in: logs written here.  Flows out: what comes back.
Not here: what the numbers are (``test_evaluation.py``).
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard_core.errors import OutputError
from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS
from guard_core.judging.policy import find_preset
from guard_core.output.delimited import write_csv
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.parquet import write_parquet
from guard_core.output.schema import RetrievalRecord
from guard_core.provenance.inputs import load_inputs
from tests.support.log_files import write_lines

CATALOGUE = "doc_id,origin,content\nh1,human,\n=1+1,human,\ns1,model,\n"


HOSTILE_IDS = ("=1+1", "+1", "-5", "@x", "'quoted", "\tx", "\rx", 'a"b', "a,b", "a\nb", " a ", "001", "NA", "é\u202e")


def evaluation_of(folder: Path, rows: list[dict[str, object]], catalogue: str | None = CATALOGUE) -> Evaluation:
    log = folder / "log.jsonl"
    write_lines(log, rows)
    if catalogue is None:
        return evaluate(load_inputs([log]), find_preset("reference"))
    known = folder / "catalogue.csv"
    known.write_text(catalogue)
    return evaluate(load_inputs([log], catalogue=known), find_preset("reference"))


def csv_text(evaluation: Evaluation, for_terminal: bool = False) -> str:
    out = io.BytesIO()
    write_csv(evaluation, out, for_terminal=for_terminal)
    return out.getvalue().decode()


def records_of(evaluation: Evaluation) -> list[RetrievalRecord]:
    return [record for stretch in evaluation.records() for record in stretch]


def row(query_id: str, rank: int, document: str, **more: object) -> dict[str, object]:
    return {"query_id": query_id, "rank": rank, "doc_id": document, **more}


def test_a_row_says_what_the_object_says(tmp_path: Path) -> None:
    evaluation = evaluation_of(
        tmp_path,
        [
            row("q1", 1, "h1", score=0.1, claim="c", ts="2026-01-02T03:04:05.5Z", title="T"),
            row("q1", 2, "s1", score=-1e-07, claim="c", origin="human", ts="2026-01-02T03:04:05.5Z"),
            row("q1", 3, "x", claim="c", ts="2026-01-02T03:04:05.5Z"),
        ],
    )
    rows = list(csv.DictReader(io.StringIO(csv_text(evaluation))))
    (record,) = records_of(evaluation)
    assert [r["rank"] for r in rows] == ["1", "2", "3"]
    assert [r["score"] for r in rows] == ["0.1", "-1e-07", ""]
    assert [r["authenticity"] for r in rows] == [r.authenticity for r in record.results]
    assert [r["declared_authenticity"] for r in rows] == ["UNKNOWN", "HUMAN_AUTHORED", "UNKNOWN"]
    assert rows[1]["conflicts"] == "class_conflict"
    for name in ("verdict", "decision", "directive", "manifest_digest", "retrieval_id"):
        assert {r[name] for r in rows} == {getattr(record, name)}
    assert {r["human"] + "/" + r["total"] for r in rows} == {"1/3"}
    assert {float(r["authenticity_diversity_metric"]) for r in rows} == {1 / 3}
    assert {r["timestamp"] for r in rows} == {"2026-01-02T03:04:05.500000Z"}
    assert rows[0]["title"] == "T"


def test_a_rate_over_nothing_is_an_empty_cell_beside_its_denominator(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(evaluation_of(tmp_path, [row("q", 1, "x")], None)))))
    assert (rows[0]["effective_anchors"], rows[0]["total"], rows[0]["max_depth"]) == ("", "1", "")


def test_no_cell_of_text_is_a_formula(tmp_path: Path) -> None:
    rows = [row(text, 1, text, query=text, title=text, claim=text) for text in HOSTILE_IDS]
    table = list(csv.reader(io.StringIO(csv_text(evaluation_of(tmp_path, rows)), newline="")))
    assert tuple(table[0]) == EXPORT_COLUMNS
    numbers = {EXPORT_COLUMNS.index("score")}
    for cells in table[1:]:
        assert len(cells) == len(EXPORT_COLUMNS)
        for place, cell in enumerate(cells):
            assert place in numbers or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


storable = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")


ids = st.text(storable, min_size=1, max_size=6) | st.sampled_from(HOSTILE_IDS)


scores = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])  # files are written anew
@given(st.lists(st.tuples(ids, st.lists(st.tuples(ids, ids, scores), min_size=1, max_size=4)), min_size=1, max_size=4))
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_source_guard_reads_its_own_rows_back(
    tmp_path: Path, form: str, log: list[tuple[str, list[tuple[str, str, float | None]]]]
) -> None:
    nested: list[dict[str, object]] = [
        {"query_id": q, "results": [{"result_id": r, "document_id": d, "score": s} for r, d, s in results]}
        for q, results in log
    ]
    first = evaluation_of(tmp_path, nested, None)
    copy = tmp_path / f"copy.{form}"
    if form == "csv":
        copy.write_bytes(csv_text(first).encode())
    else:
        if len({query for query, _ in log}) < len(log):  # rows of one query id are one retrieval there (R11)
            return
        write_parquet(first, copy)
    second = evaluate(load_inputs([copy]), find_preset("reference"))
    assert second.evidence.log.rows_rejected == 0

    def seen(evaluation: Evaluation) -> list[object]:
        return [
            (record.retrieval_id, [(r.rank, r.result_id, r.document_id, r.score) for r in record.results])
            for record in records_of(evaluation)
        ]

    assert seen(second) == seen(first)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_no_added_column_is_read_as_evidence(tmp_path: Path, form: str) -> None:
    rows = [row("q1", 1, "h1"), row("q1", 2, "s1"), row("q1", 3, "x", origin="human")]
    first = evaluation_of(tmp_path, rows)
    copy = tmp_path / f"copy.{form}"
    if form == "csv":  # one column less, so that it is a file like any other
        table = list(csv.reader(io.StringIO(csv_text(first))))
        copy.write_text("\n".join(",".join(cells[:-1]) for cells in table))
    else:
        write_parquet(first, copy)
    (record,) = records_of(evaluate(load_inputs([copy]), find_preset("reference")))
    assert record.verdict == "UNVERIFIED_SOURCES"
    assert {(result.signature, result.declared_anchors, result.basis) for result in record.results} == {
        ("MISSING", (), "declared"),
    }


def test_on_a_terminal_hidden_characters_are_shown(tmp_path: Path) -> None:
    evaluation = evaluation_of(tmp_path, [row("q\x1b[31m", 1, "\u202ex")], None)
    assert "\x1b" in csv_text(evaluation)
    shown = csv_text(evaluation, for_terminal=True)
    assert "\x1b" not in shown
    assert r"q\x1b[31m" in shown
    assert r"\u202ex" in shown


def test_parquet_is_typed_and_has_the_rows_of_csv(tmp_path: Path) -> None:
    rows = [row("q1", 1, "h1", score=0.5), row("q1", 2, "=1+1"), {"query_id": "q2", "doc_id": "s1", "rank": 1}]
    evaluation = evaluation_of(tmp_path, rows)
    path = tmp_path / "out.parquet"
    assert write_parquet(evaluation, path) == 0
    table = pq.read_table(path)
    assert tuple(table.column_names) == EXPORT_COLUMNS
    assert table["result_id"].to_pylist() == ["h1", "=1+1", "s1"]
    assert table["score"].to_pylist() == [0.5, None, None]
    assert table["resolved_anchors"].to_pylist() == [["h1"], ["=1+1"], []]
    assert list(csv.DictReader(io.StringIO(csv_text(evaluation))))[1]["result_id"] == "'=1+1"


def test_parquet_of_a_log_without_results_is_a_file_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    assert write_parquet(evaluation_of(tmp_path, [{"query_id": "q", "results": []}], None), path) == 1
    assert pq.read_table(path).num_rows == 0


def test_a_parquet_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluation_of(tmp_path, [row("q", 1, "a")], None)
    path = tmp_path / "out.parquet"
    path.write_bytes(b"as it was")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("guard_core.output.whole_file.os.fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        write_parquet(evaluation, path)
    assert path.read_bytes() == b"as it was"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log.jsonl", "out.parquet"]
    with pytest.raises(OutputError, match="cannot be written"):
        write_parquet(evaluation, tmp_path / "nowhere" / "out.parquet")
