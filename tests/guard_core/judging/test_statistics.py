"""Test statistics at their edges: anchor weights of any size, and a ``top_k`` that judges nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard_core.errors import PolicyError
from guard_core.ingest import read_log
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.judge import judge
from guard_core.judging.statistics import Statistics
from guard_core.model import AuthenticityClass, Belief, Finding, SearchResult, SynthesisPolicy
from guard_core.provenance.evidence import build_evidence
from tests.support.catalogues_and_logs import digest
from tests.support.log_files import write_lines


@pytest.mark.parametrize("weights", [(1.0, 2.0), (1e308, 1.7e308), (1e-308, 3e-308), (1e-300, 1e300)])
def test_weights_of_any_size_do_not_hide_a_coverage_illusion(tmp_path: Path, weights: tuple[float, float]) -> None:
    anchors = [{"sha256": digest(t), "weight": w} for t, w in zip("AB", weights, strict=True)]
    records: list[dict[str, object]] = [
        {"query_id": "q", "rank": i, "id": f"h{t}", "origin": "human", "text": t, "claim": "s"}
        for i, t in enumerate("AB", 1)
    ]
    records += [
        {"query_id": "q", "rank": i, "id": f"m{i}", "origin": "model", "depth": 1, "anchors": anchors, "claim": "s"}
        for i in range(3, 11)
    ]
    evidence = build_evidence(read_log([write_lines(tmp_path / "log.jsonl", records)]))
    policy = SynthesisPolicy(0.2, True, min_effective_anchors=3, halt_on=(Finding.COVERAGE_ILLUSION,))
    scalar = SyntheticSourceGuard.evaluate_results(evidence.results(0), policy)
    statistics = Statistics.from_evidence(evidence)
    assert statistics.effective_anchors(Belief.DECLARED)[0] == pytest.approx(scalar.effective_anchors)
    assert judge(statistics, policy).summary().halt == 1
    assert Finding.COVERAGE_ILLUSION in scalar.findings


@pytest.mark.parametrize("top_k", [0, -1])
def test_a_top_k_that_judges_nothing_is_refused(tmp_path: Path, top_k: int) -> None:
    result = SearchResult("a", AuthenticityClass.HUMAN_AUTHORED, None, "s")
    with pytest.raises(PolicyError, match="top_k"):
        SyntheticSourceGuard.evaluate_results((result,), SynthesisPolicy(0.5, True, top_k=top_k))
    log = read_log([write_lines(tmp_path / "log.jsonl", [{"query_id": "q", "result_id": "a"}])])
    with pytest.raises(PolicyError, match="top_k"):
        Statistics.from_evidence(build_evidence(log), top_k)
