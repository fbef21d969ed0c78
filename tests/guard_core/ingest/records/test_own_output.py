"""An evaluation is never read as a log: what was judged would better its own evidence.

Flows in: what ``evaluate`` writes, in every spelling of JSON that tools make of it.  Flows out: errors that say what it
is, and rejected records.
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from guard_core.cli import main as cli
from guard_core.errors import CatalogueError, LogError
from guard_core.files.lines import LineBlock
from guard_core.ingest import read_log
from guard_core.ingest.json.jsonl import BlockReader
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records.own_output import FAULT, OBJECT_FAULT, RECORD_FAULT
from guard_core.provenance.catalogue import read_catalogue
from tests.support.log_files import write_lines

ROWS: list[dict[str, object]] = [
    {"query_id": "q1", "doc_id": "a", "origin": "human"},
    {"query_id": "q1", "doc_id": "b", "origin": "model", "depth": 1},
]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """One evaluation as --json and as --jsonl."""
    monkeypatch.chdir(tmp_path)
    write_lines(Path("log.jsonl"), ROWS)
    forms = []
    for form in ("--json", "--jsonl"):
        assert cli.main(["evaluate", "log.jsonl", form]) == 0
        forms.append(capsys.readouterr().out)
    return forms[0], forms[1]


def refused(text: str, name: str) -> str:
    path = Path(name)
    path.write_text(text)
    with pytest.raises(LogError) as told:
        read_log([path])
    return str(told.value)


def test_an_object_is_refused_and_told_what_it_is(written: tuple[str, str]) -> None:
    whole = json.loads(written[0])
    behind = {name: whole[name] for name in ("retrievals", *(n for n in whole if n != "retrievals"))}
    empty = {**whole, "retrievals": []}
    bare = [
        {name: value for name, value in record.items() if name not in ("manifest_digest", "verdict")}
        for record in whole["retrievals"]
    ]
    for text in (
        written[0],
        json.dumps(whole),
        json.dumps(whole, indent=1),
        json.dumps(whole, sort_keys=True, indent=1),
        json.dumps(behind),
        json.dumps(behind, indent=1),
        json.dumps(empty, indent=1),
        json.dumps({**behind, "retrievals": bare}, indent=1),
        json.dumps([whole]),
        json.dumps({**whole, "schema": "source-guard/evaluation/9"}),
    ):
        for name in ("evaluation.json", "evaluation.jsonl"):
            assert FAULT in refused(text, name)


def test_the_command_line_says_so_in_one_line(written: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    for text in written:
        Path("evaluation.json").write_text(text)
        assert cli.main(["evaluate", "evaluation.json", "--json"]) == 2
        captured = capsys.readouterr()
        assert (captured.out, captured.err.count("\n")) == ("", 1)
        assert f"evaluation.json: {FAULT}" in captured.err


def test_an_evaluation_is_no_catalogue_either(written: tuple[str, str]) -> None:
    Path("evaluation.json").write_text(written[0])
    with pytest.raises(CatalogueError, match="is an evaluation"):
        read_catalogue("evaluation.json")


def test_records_of_an_evaluation_are_rejected_among_others(written: tuple[str, str]) -> None:
    good = json.dumps({"query_id": "q9", "results": [{"doc_id": "a"}]})
    assert FAULT in refused(written[1], "evaluation.jsonl")
    Path("mixed.jsonl").write_text(f"{good}\n{written[1]}{json.dumps(json.loads(written[0]))}\n")
    log = read_log(["mixed.jsonl"])
    assert (log.retrieval_count, log.rows_read, log.rows_accepted, log.rows_rejected) == (1, 3, 1, 2)
    assert [(p.line, p.field, p.reason) for p in log.problems] == [
        (2, "record", RECORD_FAULT),
        (3, "record", OBJECT_FAULT),
    ]
    for text in (f"[{good},{written[1].strip()}]", f'{{"data":[{written[1].strip()},{good}]}}'):
        Path("mixed.json").write_text(text)
        assert [p.reason for p in read_log(["mixed.json"]).problems] == [RECORD_FAULT]


def test_both_tiers_of_json_lines_agree(written: tuple[str, str]) -> None:
    flat = json.dumps({**ROWS[0], "schema": "source-guard/evaluation/1", "manifest_digest": "d", "verdict": "v"})
    judged = json.dumps({**ROWS[0], "manifest_digest": "d", "verdict_if_signatures_waived": "v"})
    lines = (flat, judged, written[1].strip(), json.dumps(json.loads(written[0])))
    for data in (f"{line}\n".encode() * times for line in lines for times in (1, 300)):
        told = []
        for fast in (True, False):
            read = BlockReader(ReadOptions(), fast=fast).read_first(LineBlock(data))
            told.append(([b.rows for b in read.batches], [b.rejected for b in read.batches]))
        assert told[0] == told[1]


def test_a_nested_parquet_file_of_judged_records_is_refused(written: tuple[str, str]) -> None:
    records = [json.loads(line) for line in written[1].splitlines()]
    pq.write_table(pa.Table.from_pylist(records), "evaluation.parquet")
    with pytest.raises(LogError, match="is an evaluation"):
        read_log(["evaluation.parquet"])
