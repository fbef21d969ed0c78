"""A log that is opened from Python gives what ``source-guard evaluate`` gives for the same inputs.

Flows in: the sample, tables in memory.  Flows out: evaluations compared with those of the command line.
Not here: what frames hold (``test_frames.py``), reading rules (``tests/guard_core/ingest/``).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sample_data
from guard_core import (
    Finding,
    InputError,
    OpenLog,
    PolicyError,
    SignatureGate,
    SourceGuardError,
    SynthesisPolicy,
    open_log,
)
from guard_core.cli.main import main
from guard_core.judging.policy import find_preset
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_flips
from tests.support.log_files import write_lines

AT = "2026-10-01T00:00:00Z"
ROWS: list[dict[str, object]] = [
    {"query_id": 1234567890123456789, "rank": rank, "doc_id": name, "origin": origin, "score": 0.5, "ts": AT}
    for rank, (name, origin) in enumerate([("001", "human"), ("NA", "human"), ("1", "model")], 1)
]


@pytest.fixture(scope="module")
def sample() -> OpenLog:
    return open_log(sample_data.LOG, catalogue=sample_data.CATALOGUE, trust=sample_data.TRUST_STORE, at=AT)


@pytest.mark.parametrize("policy", ["strict", "reference", str(sample_data.POLICY), None])
def test_the_digest_is_that_of_the_command_line(
    sample: OpenLog, policy: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", str(sample_data.LOG), "--catalogue", str(sample_data.CATALOGUE), "--json"]
    command += ["--trust", str(sample_data.TRUST_STORE), "--at", AT]
    if policy is not None:
        command += ["--policy" if policy.endswith(".toml") else "--preset", policy]
    assert main(command) == 0
    assert json.loads(capfd.readouterr().out)["digest"] == sample.judge(policy).digest()


def test_without_a_trust_store_the_reference_policy_is_in_force() -> None:
    assert open_log(sample_data.LOG).judge().named == find_preset("reference")


def test_a_policy_is_a_name_a_file_an_object_or_fields(sample: OpenLog, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("min_human_grounding_ratio = 0.7\n")
    assert sample.judge(file).named.policy == sample.judge("strict", min_human_grounding_ratio=0.7).named.policy
    free = SynthesisPolicy(1 / 3, True)
    assert sample.judge(free).named.policy == free
    changed = sample.judge("reference", signatures=SignatureGate.IGNORED, halt_on=[Finding.FEW_RESULTS])
    assert changed.named.policy.halt_on == (Finding.FEW_RESULTS,)
    with pytest.raises(PolicyError, match=r"preset: unknown word; allowed: reference, strict, or the path"):
        sample.judge("stern")
    with pytest.raises(PolicyError, match="min_human_grounding_ratio: out of range"):
        sample.judge("strict", min_human_grounding_ratio=2)
    assert sample.judge("strict", top_k=np.int64(5)).named.policy.top_k == 5


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        (SynthesisPolicy(2.0, True), "min_human_grounding_ratio: out of range"),
        (SynthesisPolicy(1.00001, True), "min_human_grounding_ratio: out of range"),
        (SynthesisPolicy(float("nan"), True), "min_human_grounding_ratio: not a finite number"),
        (SynthesisPolicy(0.5, True, top_k=0), "top_k: out of range"),
        (SynthesisPolicy(0.5, True, max_depth_in_grounded=-1), "max_depth_in_grounded: out of range"),
        (5, "preset: int is no policy"),
        (["strict"], "preset: list is no policy"),
        ("a" * 5000, "preset: unknown word"),
        (Path("a" * 5000), "cannot be read \\(File name too long\\)"),
        (Path("\0"), "cannot be read \\(the name cannot be used\\)"),
    ],
)
def test_a_policy_that_is_none_is_refused_in_one_line(sample: OpenLog, policy: object, fault: str) -> None:
    with pytest.raises(PolicyError, match=fault):
        sample.judge(policy)  # type: ignore[arg-type]  # what a person may hand in


def test_another_policy_counts_nothing_again(sample: OpenLog, monkeypatch: pytest.MonkeyPatch) -> None:
    sample.judge("strict")

    def count(*_: object) -> Statistics:
        raise AssertionError("counted again")

    monkeypatch.setattr(Statistics, "from_evidence", count)
    assert sample.judge("reference").summary.counted == 391


def test_flips_are_the_retrievals_that_change(sample: OpenLog) -> None:
    before, after = sample.judge("strict"), sample.judge("reference", signatures="catalogued", halt_on=["few_results"])
    frame = before.flips(after).to_pandas()
    assert len(frame) == len(before.flips(after))
    verdicts = frame[frame["verdict_before"] != frame["verdict_after"]]
    matrix = count_flips(before.verdicts, after.verdicts)
    assert len(verdicts) == matrix.sum() - matrix.trace()
    assert (
        (frame["verdict_before"] != frame["verdict_after"]) | (frame["decision_before"] != frame["decision_after"])
    ).all()
    assert len(before.flips(before)) == 0
    with pytest.raises(SourceGuardError, match="different retrievals"):
        before.flips(open_log(sample_data.LOG).judge())
    with pytest.raises(SourceGuardError, match="str is no evaluation"):
        before.flips("reference")  # type: ignore[arg-type]  # what a person may hand in


def test_a_sweep_counts_what_each_policy_counts(sample: OpenLog) -> None:
    frame = sample.sweep("min_human_grounding_ratio", policy="reference").to_arrow().to_pylist()
    assert frame[0]["min_human_grounding_ratio"] == 0.0
    for row in frame:
        policy = SynthesisPolicy(row.pop("min_human_grounding_ratio"), True)
        summary = sample.judge(policy).summary
        assert row == {**summary.verdicts, "counted": summary.counted}
    named = sample.sweep("min_human_grounding_ratio", [0.5], policy="strict").to_arrow().to_pylist()
    assert named[0]["HUMAN_GROUNDED"] == sample.judge("strict").summary.verdicts["HUMAN_GROUNDED"]
    assert sample.sweep("signatures").to_arrow()["signatures"].to_pylist() == [gate.value for gate in SignatureGate]
    assert sample.sweep("require_anchor").to_arrow()["require_anchor"].to_pylist() == [False, True]
    assert sample.sweep("top_k", [3, None]).to_arrow()["top_k"].to_pylist() == [3, None]
    assert len(sample.sweep("halt_on")) == len(Finding) + 1
    assert sample.sweep("top_k", np.array([3, 5])).to_arrow()["top_k"].to_pylist() == [3, 5]
    assert sample.sweep("top_k", [None]).to_arrow()["top_k"].type == pa.int64()
    for name, fault in (
        ("top_k", "no values were named"),
        ("colour", "unknown field"),
        ("a\nb", "field a.nb: unknown"),
    ):
        with pytest.raises(PolicyError, match=fault):
            sample.sweep(name)
    no_values: list[object] = [[], "verified", 5]
    for values in no_values:
        with pytest.raises(PolicyError, match="no list of values"):
            sample.sweep("signatures", values)  # type: ignore[arg-type]  # what a person may hand in


@pytest.mark.parametrize("at", [AT, datetime(2026, 10, 1), datetime(2026, 10, 1, tzinfo=UTC), "1790812800"])  # noqa: DTZ001  # a time without an offset is UTC
def test_the_time_may_be_text_or_a_datetime(at: str | datetime) -> None:
    assert open_log(sample_data.LOG, at=at).judge().evaluated_at == AT
    with pytest.raises(InputError, match="at: not a time"):
        open_log(sample_data.LOG, at="tomorrow")


def tables() -> list[object]:
    frame = pd.DataFrame(ROWS).set_index("score", drop=False)
    return [
        frame,
        frame.convert_dtypes(dtype_backend="pyarrow"),
        pa.Table.from_pylist(ROWS),
        pa.RecordBatch.from_pylist(ROWS),
    ]


@pytest.mark.parametrize("table", tables(), ids=["pandas", "pandas of Arrow", "table", "batch"])
def test_a_table_in_memory_is_the_file_that_holds_its_rows(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_lines(path, ROWS)
    found, expected = open_log(table), open_log(path)
    assert found.evidence.log_digest == expected.evidence.log_digest
    assert found.evidence.log.query_ids.text(0) == "1234567890123456789"
    assert [found.evidence.log.document_ids.text(row) for row in range(3)] == ["001", "NA", "1"]
    assert found.evidence.log.files[0].name == "<table>"
    assert ("document_id", "doc_id") in found.evidence.log.files[0].mapping


def test_tables_make_up_one_log_and_its_catalogue() -> None:
    catalogue = pd.DataFrame({"doc_id": ["001", "1"], "origin": ["human", "model"]})
    log = open_log([pd.DataFrame(ROWS[:1]), pa.Table.from_pylist(ROWS[1:])], catalogue=catalogue)
    assert log.evidence.log.rows_read == 3
    assert log.evidence.matched_results == 2
    assert "of the results are in it" in log._repr_html_()
    assert repr(log) == "OpenLog of 2 retrievals with 3 results"


def test_columns_of_other_names_are_mapped_and_faults_are_ours() -> None:
    frame = pd.DataFrame({"session": ["a"], "chunk": ["b"], "odd": [object()]})
    log = open_log(frame, mapping={"query_id": "session", "result_id": "chunk"})
    assert log.evidence.log.result_ids.text(0) == "b"
    twice = pd.DataFrame([["a", "b", "c"]], columns=["query_id", "doc_id", "doc_id"])
    mixed = pd.DataFrame({"query_id": ["a", "b"], "doc_id": ["x", b"\xff"]})
    cases: list[tuple[object, str]] = [
        (frame, "no retrieval found.*the file has session, chunk, odd"),
        (twice, "has the column doc_id twice"),
        (
            mixed.assign(doc_id=[1, "x"]),
            "<table>, column doc_id: holds values of several types, or of one that .* text",
        ),
        (mixed.assign(doc_id=[2**70, 1]), "column doc_id: holds values of several types"),
        (mixed.assign(timestamp=pd.period_range("2026", periods=2)), "column timestamp: holds .* Arrow does not know"),
        (pd.Series([1, 2]), "Series is no table"),
        (42, "int is no table; give a path, a DataFrame or an Arrow table"),
    ]
    for table, fault in cases:
        with pytest.raises(InputError, match=fault):
            open_log(table)  # type: ignore[arg-type]  # what a person may hand in
    with pytest.raises(InputError, match="trust: dict is no trust store"):
        open_log(frame, trust={})  # type: ignore[arg-type]  # as above
    with pytest.raises(InputError, match="mapping: is no mapping"):
        open_log(frame, mapping=[("query_id", "session")])  # type: ignore[arg-type]  # as above
    with pytest.raises(InputError, match="has no column session"):
        open_log(pd.DataFrame(ROWS), mapping={"query_id": "session"})


def test_a_notebook_shows_what_was_read_and_runs_none_of_it() -> None:
    evil = "<img src=x onerror=alert(1)>"
    log = open_log(pd.DataFrame([{"query_id": evil, "doc_id": evil}, {"query_id": evil, "doc_id": None}]))
    shown = log._repr_html_()
    assert "2 read = 1 accepted + 1 rejected + 0 ignored" in shown
    assert "&lt;table&gt;:2: doc_id" in shown
    assert "<img" not in shown


def test_a_notebook_draws_no_formulas_and_cuts_long_texts() -> None:
    row = {"query_id": "$\\href{javascript:alert(1)}{x}$", "query": "many words " * 1000, "doc_id": "a\u202e\0b"}
    log = open_log(pd.DataFrame([row, {**row, "doc_id": "a\u202eb"}]))
    evaluation = log.judge()
    for shown in map(_draw, (log, evaluation, evaluation.retrievals, evaluation.results)):
        assert shown.count("mathjax_ignore") == shown.count("<table") + shown.count("<p")
        assert len(shown) < 5000
        assert not {"\u202e", "\0"} & set(shown)


def _draw(shown: object) -> str:
    return str(shown._repr_html_())  # type: ignore[attr-defined]  # a notebook calls it


@pytest.mark.parametrize("views", [pa.list_view, pa.large_list_view])
def test_lists_may_be_views_of_lists(views: Callable[[pa.DataType], pa.DataType]) -> None:
    flat = {"query_id": ["a", "a", "b"], "doc_id": ["x", "y", "z"]}
    kind = pa.struct([("doc_id", pa.string())])
    cases: list[tuple[str, list[object], pa.DataType, dict[str, list[str]]]] = [
        ("human_source_anchor_hash", [["h1"], None, ["h2", "h3"]], pa.string(), flat),
        ("results", [[{"doc_id": "x"}, {"doc_id": "y"}], None, []], kind, {"query_id": ["a", "b", "c"]}),
    ]
    for name, values, item, others in cases:
        plain, viewed = (
            open_log(pa.table({**others, name: pa.array(values, form(item))})).judge().digest()
            for form in (pa.list_, views)
        )
        assert viewed == plain
