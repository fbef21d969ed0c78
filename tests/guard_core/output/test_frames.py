"""Frames hold the numbers of the exports: the same values, whichever way they leave.

Flows in: the sample, random logs and policies.  Flows out: laws.
Not here: opening a log (``test_open_log.py``), what the numbers are (``test_evaluation.py``).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sample_data
from guard_core import SourceGuardError, SynthesisPolicy
from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS, NUMBER_COLUMNS
from guard_core.judging.policy import NamedPolicy, find_preset
from guard_core.output.arrays import INTEGER, NUMBER, as_file_type
from guard_core.output.columns import COLUMNS, RESULT_COLUMNS
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.parquet import write_parquet
from guard_core.output.schema import ResultRecord, RetrievalRecord
from guard_core.provenance.inputs import load_inputs
from tests.support.random_retrievals import Retrieval, make_evidence, policies, retrievals

MEMBERS = {column.member: column for column in COLUMNS}


@pytest.fixture(scope="module")
def sample() -> Evaluation:
    evidence = load_inputs(
        [sample_data.LOG],
        catalogue=sample_data.CATALOGUE,
        trust=sample_data.TRUST_STORE,
        at=sample_data.AT_SECONDS,
    )
    return evaluate(evidence, find_preset("strict"))


def check_against_export(evaluation: Evaluation, path: Path) -> None:
    """Compare both frames with the Parquet export, every column of them, and with the JSON records."""
    write_parquet(evaluation, path)
    exported = pq.read_table(path)
    results, retrievals = evaluation.results, evaluation.retrievals
    for name in (*results.column_names, *results.on_request):
        column = MEMBERS[name]
        assert as_file_type(results.column(name), column.type).to_pylist() == exported[column.name].to_pylist(), name
    records = [record for stretch in evaluation.records() for record in stretch]
    assert len(retrievals) == len(records)
    for name in RetrievalRecord.__struct_fields__[:-1]:
        values = as_file_type(retrievals.column(name), MEMBERS[name].type).to_pylist()
        assert [tuple(v) if isinstance(v, list) else v for v in values] == [getattr(r, name) for r in records], name


def test_frames_of_the_sample_hold_what_the_exports_hold(sample: Evaluation, tmp_path: Path) -> None:
    check_against_export(sample, tmp_path / "sample.parquet")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])  # the file is written anew
@given(st.lists(retrievals(), max_size=6), policies)
def test_frames_hold_what_the_exports_hold(tmp_path: Path, log: list[Retrieval], policy: SynthesisPolicy) -> None:
    check_against_export(evaluate(make_evidence(log), NamedPolicy("reference", policy)), tmp_path / "log.parquet")


def test_the_table_of_columns_is_the_header_that_is_recognised() -> None:
    assert tuple(column.name for column in COLUMNS) == EXPORT_COLUMNS
    assert {column.name for column in COLUMNS if column.type in (INTEGER, NUMBER)} == NUMBER_COLUMNS
    assert {*RetrievalRecord.__struct_fields__[:-1], *ResultRecord.__struct_fields__} <= set(MEMBERS)
    assert {column.member for column in RESULT_COLUMNS} >= set(ResultRecord.__struct_fields__)


def test_what_is_an_array_already_is_not_copied(sample: Evaluation) -> None:
    ranks = sample.results.column("rank")
    assert ranks.buffers()[1].address == sample.evidence.log.ranks.ctypes.data
    words = sample.results.column("document_id")
    assert words.dictionary.buffers()[2].address == sample.evidence.log.document_ids.values.buffers()[2].address


def test_pandas_gets_arrow_types_that_it_can_sort_and_search(sample: Evaluation) -> None:
    frame = sample.retrievals.to_pandas()
    assert all(isinstance(kind, pd.ArrowDtype) for kind in frame.dtypes)
    counted = frame[frame["applicability"] != "CREATIVE_TASK"]["verdict"].value_counts()
    assert {word: int(counted[word]) for word in sample.summary.verdicts} == sample.summary.verdicts
    assert frame.sort_values("verdict")["query"].str.contains("kelp").any()
    assert str(frame["timestamp"].dtype) == "timestamp[us, tz=UTC][pyarrow]"
    results = sample.results.to_pandas(["result_id", "anchors"])
    assert list(results) == ["result_id", "anchors"]
    assert len(results.explode("anchors")) >= len(results)


def test_columns_that_cost_are_given_where_they_are_named(sample: Evaluation) -> None:
    frame = sample.retrievals
    assert frame.on_request == ("directive", "manifest_digest")
    assert not set(frame.on_request) & set(frame.to_arrow().column_names)
    assert frame.to_arrow(["directive"])["directive"][0].as_py() == sample.manifest(0).directive
    with pytest.raises(SourceGuardError, match=r"no such column: directives\\n; there are retrieval_id"):
        frame.column("directives\n")


def test_other_libraries_take_a_frame_as_an_arrow_stream(sample: Evaluation) -> None:
    assert pa.table(sample.retrievals) == sample.retrievals.to_arrow()


def test_a_notebook_shows_text_of_a_log_and_runs_none_of_it() -> None:
    evil = "<script>alert(1)</script>\u202e"
    row = {"query_id": evil, "query": evil, "doc_id": evil, "originator": evil}
    evaluation = evaluate(load_inputs([pa.Table.from_pylist([row])]), find_preset("reference"))
    for shown in (evaluation.retrievals._repr_html_(), evaluation.results._repr_html_()):
        assert "<script>" not in shown
        assert "\u202e" not in shown
        assert "&lt;script&gt;" in shown
    assert "1 of 1 row<" in evaluation.retrievals._repr_html_()


def test_a_notebook_shows_the_verdicts(sample: Evaluation) -> None:
    shown = sample._repr_html_()
    assert "<td>HUMAN_GROUNDED</td><td>144 (36.8 %)</td><td>195 (49.9 %)</td>" in shown
    assert "strict: min_human_grounding_ratio 0.5" in shown


def test_our_modules_do_not_import_pandas() -> None:
    program = (
        "import builtins\n"
        "real = builtins.__import__\n"
        "def note(name, globals=None, *rest):\n"
        "    asker = (globals or {}).get('__name__', '')\n"
        "    assert not (name.split('.')[0] == 'pandas' and asker.startswith('guard_core')), asker\n"
        "    return real(name, globals, *rest)\n"
        "builtins.__import__ = note\n"
        "from guard_core import open_log\n"
        f"open_log({str(sample_data.LOG)!r}).judge().retrievals.to_arrow()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
