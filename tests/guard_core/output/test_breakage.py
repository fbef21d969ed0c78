"""Faults that a hostile reader found, each with the input that showed it: they stay mended."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from guard_core.cli.main import main
from guard_core.errors import LogError, PolicyError
from guard_core.ingest import read_log
from guard_core.ingest.log import Log
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.judge import judge
from guard_core.judging.statistics import Statistics
from guard_core.model import AuthenticityClass, Belief, Finding, SearchResult, SynthesisPolicy
from guard_core.provenance.evidence import build_evidence


def lines(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def read(path: Path, records: list[dict[str, object]]) -> Log:
    return read_log([lines(path, records)])


def sha(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("weights", [(1.0, 2.0), (1e308, 1.7e308), (1e-308, 3e-308), (1e-300, 1e300)])
def test_weights_of_any_size_do_not_hide_a_coverage_illusion(tmp_path: Path, weights: tuple[float, float]) -> None:
    anchors = [{"sha256": sha(t), "weight": w} for t, w in zip("AB", weights, strict=True)]
    records: list[dict[str, object]] = [
        {"query_id": "q", "rank": i, "id": f"h{t}", "origin": "human", "text": t, "claim": "s"}
        for i, t in enumerate("AB", 1)
    ]
    records += [
        {"query_id": "q", "rank": i, "id": f"m{i}", "origin": "model", "depth": 1, "anchors": anchors, "claim": "s"}
        for i in range(3, 11)
    ]
    evidence = build_evidence(read(tmp_path / "log.jsonl", records))
    policy = SynthesisPolicy(0.2, True, min_effective_anchors=3, halt_on=(Finding.COVERAGE_ILLUSION,))
    scalar = SyntheticSourceGuard.evaluate_results(evidence.results(0), policy)
    statistics = Statistics.of(evidence)
    assert statistics.effective_anchors(Belief.DECLARED)[0] == pytest.approx(scalar.effective_anchors)
    assert judge(statistics, policy).summary().halt == 1
    assert Finding.COVERAGE_ILLUSION in scalar.findings


def test_two_spellings_of_a_list_of_different_shape_are_read(tmp_path: Path) -> None:
    digest = sha("A")
    log = read(
        tmp_path / "log.jsonl",
        [
            {"query_id": "q", "result_id": "a", "anchors": [digest]},
            {"query_id": "q", "result_id": "b", "human_source_anchor_hash": digest},
            {"query_id": "q", "result_id": "c", "anchors": [{"sha256": digest, "weight": 2}], "parents": [1]},
            {"query_id": "q", "result_id": "d", "derived_from": "a|b"},
        ],
    )
    assert (log.rows_accepted, log.result_count) == (4, 4)
    assert [int(n) for n in (log.anchors.offsets[1:] - log.anchors.offsets[:-1])] == [1, 1, 1, 0]


def test_many_distinct_member_names_cost_no_column_each(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"query_id": "q", "rank": i + 1, "result_id": f"r{i}", "metadata": {f"c{i}": 1}} for i in range(4000)
    ]
    assert read(tmp_path / "log.jsonl", records).rows_accepted == 4000


def test_rows_equal_but_for_a_sign_or_a_missing_text_have_one_order(tmp_path: Path) -> None:
    pairs: list[tuple[dict[str, object], dict[str, object]]] = [
        ({"score": 0.0}, {"score": -0.0}),
        ({"title": ""}, {}),
    ]
    for number, (first, second) in enumerate(pairs):
        rows: list[dict[str, object]] = [
            {"query_id": "q", "rank": 1, "result_id": "a", **extra} for extra in (first, second)
        ]
        there = read(tmp_path / f"a{number}.jsonl", rows)
        back = read(tmp_path / f"b{number}.jsonl", rows[::-1])
        assert build_evidence(there).digest == build_evidence(back).digest


def test_where_nothing_is_readable_the_first_reason_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes("query_id,result_id\nq,caf\xe9\n".encode("latin-1"))
    with pytest.raises(LogError, match=r"first: line 2.*UTF-8"):
        read_log([path])


def test_nothing_is_written_over_an_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lines(tmp_path / "log.jsonl", [{"query_id": "q", "result_id": "a"}])
    before = path.read_bytes()
    assert main(["evaluate", str(path), "--parquet", str(path)]) == 2
    assert "is an input" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize("top_k", [0, -1])
def test_a_top_k_that_judges_nothing_is_refused(tmp_path: Path, top_k: int) -> None:
    result = SearchResult("a", AuthenticityClass.HUMAN_AUTHORED, None, "s")
    with pytest.raises(PolicyError, match="top_k"):
        SyntheticSourceGuard.evaluate_results((result,), SynthesisPolicy(0.5, True, top_k=top_k))
    log = read(tmp_path / "log.jsonl", [{"query_id": "q", "result_id": "a"}])
    with pytest.raises(PolicyError, match="top_k"):
        Statistics.of(build_evidence(log), top_k)
