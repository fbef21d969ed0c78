"""Test the evaluation object: every record is what the scalar rule says.

Flows in: random logs and policies.  Flows out: laws.
Not here: objects made from files (``cli/test_evaluate.py``), checking an object (``test_recompute.py``).
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import NoResultsError
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.policy import find_preset
from guard_core.model import SynthesisPolicy
from tests.support.random_retrievals import HUMAN_RESULT, Retrieval, evaluate_retrievals, policies, retrievals

logs = st.lists(retrievals(), max_size=6)


@given(logs, policies)
def test_every_record_is_the_scalar_rules(log: list[Retrieval], policy: SynthesisPolicy) -> None:
    records = [record for stretch in evaluate_retrievals(log, policy).records() for record in stretch]
    assert len(records) == len(log)
    for retrieval, record in zip(log, records, strict=True):
        try:
            rule = SyntheticSourceGuard.evaluate_results(
                retrieval.results,
                policy,
                creative_task=retrieval.creative,
                rejected_results=retrieval.rejected,
            )
        except NoResultsError:
            assert record.verdict == "NO_RESULTS"
            assert (record.decision, record.applicability, record.manifest_digest, record.margin) == (None,) * 4
            assert record.findings == (("results_rejected",) if retrieval.rejected else ())
            continue
        assert (record.verdict, record.directive) == (rule.verdict.name, rule.directive)
        assert record.manifest_digest == rule.manifest_digest
        assert rule.verdict_if_signatures_waived is not None
        assert record.verdict_if_signatures_waived == rule.verdict_if_signatures_waived.name
        assert rule.decision is not None
        assert record.decision == rule.decision.name
        assert rule.applicability is not None
        assert record.applicability == rule.applicability.name
        assert record.findings == tuple(finding.value for finding in rule.findings)
        assert (record.total, record.human, record.margin) == (rule.total, rule.human, rule.margin)
        assert (record.max_depth, record.effective_anchors) == (rule.max_depth, rule.effective_anchors)
        assert record.authenticity_diversity_metric == rule.authenticity_diversity_metric
        assert record.anchored_ratio == rule.anchored_ratio
        assert [r.result_id for r in record.results] == [r.result_id for r in retrieval.results]


def test_one_manifest_on_demand_is_the_rules() -> None:
    evaluation = evaluate_retrievals([Retrieval((HUMAN_RESULT,))], find_preset("reference").policy)
    assert evaluation.manifest(0) == SyntheticSourceGuard.evaluate_results(
        (HUMAN_RESULT,), find_preset("reference").policy
    )


def test_the_evaluation_time_enters_the_digest_only_where_it_is_given() -> None:
    log = [Retrieval((HUMAN_RESULT,))]
    policy = find_preset("reference").policy
    never, first, second = (
        evaluate_retrievals(log, policy, at).digest() for at in (None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    )
    assert len({never, first, second}) == 3
    assert evaluate_retrievals(log, policy).digest() == never
