"""The laws of judging: columns equal the scalar rule, and what a stricter policy or a worse result may do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.codes import (
    DECISION_WORDS,
    FINDINGS,
    HALT,
    INAPPLICABLE,
    NO_MARGIN,
    NOTHING,
    PROCEED,
    UNDECIDED,
    UNITS,
    VERDICT_WORDS,
)
from guard_core.errors import SourceGuardError
from guard_core.judging.categories import Category
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.judge import COLUMNS, Verdicts, judge
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_changed_decisions, count_flips, find_first_flips, find_flips, sweep
from guard_core.model import (
    Anchor,
    Applicability,
    AuthenticityClass,
    Basis,
    Belief,
    CountUnit,
    Finding,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisManifest,
    SynthesisPolicy,
    SynthesisVerdict,
)
from tests.support.random_retrievals import Retrieval, make_evidence, policies, retrievals

logs = st.lists(retrievals(), max_size=6)

RANKING = (
    SynthesisVerdict.HUMAN_GROUNDED,
    SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE,
    SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE,
    SynthesisVerdict.UNVERIFIED_SOURCES,
)
"""Verdicts from best to worst."""


def scalar(retrieval: Retrieval, policy: SynthesisPolicy) -> SynthesisManifest:
    return SyntheticSourceGuard.evaluate_results(
        retrieval.results, policy, creative_task=retrieval.creative, rejected_results=retrieval.rejected
    )


def columns(log: list[Retrieval], policy: SynthesisPolicy) -> Verdicts:
    return judge(Statistics.from_evidence(make_evidence(log), policy.top_k), policy)


def rank(retrieval: Retrieval, policy: SynthesisPolicy) -> int:
    return RANKING.index(scalar(retrieval, policy).verdict)


@given(logs, policies)
def test_columns_equal_the_scalar_rule_in_every_field(log: list[Retrieval], policy: SynthesisPolicy) -> None:
    judged = columns(log, policy)
    statistics = judged.statistics
    belief, unit = policy.belief, UNITS.code(policy.count)
    column = {name: judged.per_retrieval(name) for name in COLUMNS}
    items = statistics.profiles.counts[belief, unit][:, statistics.profile_of]
    human, total = items[Category.HUMAN], items.sum(axis=0)
    anchored = statistics.anchored_ratio(belief, unit)
    effective = statistics.effective_anchors(belief)
    depth = statistics.max_depth(belief)
    for i, retrieval in enumerate(log):
        if not retrieval.results:
            assert column["verdicts"][i] == column["waived"][i] == NOTHING
            assert column["decisions"][i] == UNDECIDED
            assert column["applicability"][i] == INAPPLICABLE
            assert column["margins"][i] == NO_MARGIN
            assert FINDINGS.flagged(column["findings"][i]) == (
                (Finding.RESULTS_REJECTED,) if retrieval.rejected else ()
            )
            assert total[i] == 0
            assert np.isnan(effective[i])
            continue
        expected = scalar(retrieval, policy)
        assert VERDICT_WORDS[column["verdicts"][i]] == expected.verdict.name
        assert expected.verdict_if_signatures_waived is not None
        assert VERDICT_WORDS[column["waived"][i]] == expected.verdict_if_signatures_waived.name
        assert expected.decision is not None
        assert DECISION_WORDS[column["decisions"][i]] == expected.decision.name
        assert list(Applicability)[column["applicability"][i]] is expected.applicability
        assert FINDINGS.flagged(column["findings"][i]) == expected.findings
        assert (None if column["margins"][i] == NO_MARGIN else column["margins"][i]) == expected.margin
        assert (human[i], total[i]) == (expected.human, expected.total)
        assert anchored[i] == expected.anchored_ratio
        assert (None if np.isnan(effective[i]) else effective[i]) == expected.effective_anchors
        assert (None if depth[i] < 0 else depth[i]) == expected.max_depth


@given(logs, policies)
def test_a_summary_adds_up(log: list[Retrieval], policy: SynthesisPolicy) -> None:
    judged = columns(log, policy)
    summary = judged.summary()
    counted = [r for r in log if r.results and not r.creative]
    manifests = [scalar(r, policy) for r in counted]
    assert summary.retrievals == len(log)
    assert summary.no_results == sum(not r.results for r in log)
    assert summary.with_results == summary.retrievals - summary.no_results
    assert summary.creative == sum(r.creative and bool(r.results) for r in log)
    assert summary.counted == len(counted) == summary.proceed + summary.halt
    for verdict in SynthesisVerdict:
        assert summary.verdicts[verdict.name] == sum(m.verdict is verdict for m in manifests)
        waived = sum(m.verdict_if_signatures_waived is verdict for m in manifests)
        assert summary.verdicts_if_signatures_waived[verdict.name] == waived
    for finding in Finding:
        assert summary.findings[finding.value] == sum(finding in m.findings for m in manifests)
    if not counted:
        assert summary.macro_ratio is None
        assert summary.micro_ratio is None
        return
    assert summary.micro_ratio == sum(m.human for m in manifests) / sum(m.total for m in manifests)
    macro = sum(m.authenticity_diversity_metric or 0.0 for m in manifests) / len(manifests)
    assert summary.macro_ratio == pytest.approx(macro, abs=1e-12)


@given(retrievals(), policies, st.integers(0, 10_000))
def test_raising_the_minimum_never_improves_a_verdict(
    retrieval: Retrieval, policy: SynthesisPolicy, points: int
) -> None:
    if not retrieval.results:
        return
    raised = max(policy.min_human_grounding_ratio, points / 10_000)
    stricter = dataclasses.replace(policy, min_human_grounding_ratio=raised)
    assert rank(retrieval, stricter) >= rank(retrieval, policy)


@given(retrievals(), policies)
def test_forbidding_depth_1_never_improves_a_verdict(retrieval: Retrieval, policy: SynthesisPolicy) -> None:
    if not retrieval.results:
        return
    allowed = dataclasses.replace(policy, allow_depth_1_synthetic=True)
    forbidden = dataclasses.replace(policy, allow_depth_1_synthetic=False)
    assert rank(retrieval, forbidden) >= rank(retrieval, allowed)


@given(retrievals(), policies, st.booleans())
def test_without_top_k_adding_an_unknown_result_never_improves_a_verdict(
    retrieval: Retrieval, policy: SynthesisPolicy, signed: bool
) -> None:
    if not retrieval.results:
        return
    whole = dataclasses.replace(policy, top_k=None)
    unknown = SearchResult("new", AuthenticityClass.UNKNOWN, None, "signature" if signed else None, basis=Basis.NONE)
    longer = dataclasses.replace(retrieval, results=(*retrieval.results, unknown))
    assert rank(longer, whole) >= rank(retrieval, whole)


@given(retrievals(), policies)
def test_a_repeated_entry_never_improves_a_verdict_where_documents_count(
    retrieval: Retrieval, policy: SynthesisPolicy
) -> None:
    if not retrieval.results:
        return
    documents = dataclasses.replace(policy, count=CountUnit.DOCUMENTS, top_k=None)
    for result in retrieval.results:
        again = dataclasses.replace(retrieval, results=(*retrieval.results, result))
        assert scalar(again, documents).verdict is scalar(retrieval, documents).verdict


@given(retrievals(max_results=5), policies)
def test_the_margin_is_the_least_number_of_class_changes(retrieval: Retrieval, policy: SynthesisPolicy) -> None:
    """Brute force over all changes of classes of items, on lists without repeated documents."""
    results = tuple(
        dataclasses.replace(r, document_id=r.result_id, anchors=None, upheld_anchors=None) for r in retrieval.results
    )
    if not results:
        return
    # Every class is upheld here, so that a changed class counts under every gate; anchors stay as they are: none.
    upheld = tuple(
        dataclasses.replace(r, basis=Basis.SIGNED, signature=SignatureStatus.VALID, source_signature="s")
        for r in results
    )
    manifest = SyntheticSourceGuard.evaluate_results(upheld, policy)
    assert manifest.margin == _least_changes(upheld, policy, manifest.verdict)


def _least_changes(results: tuple[SearchResult, ...], policy: SynthesisPolicy, verdict: SynthesisVerdict) -> int | None:
    judged = results[: policy.top_k] if policy.top_k else results
    frontier = {tuple(r.authenticity for r in judged)}
    seen = set(frontier)
    for changes in range(len(judged) + 1):
        for classes in frontier:
            changed = tuple(dataclasses.replace(r, authenticity=c) for r, c in zip(judged, classes, strict=True))
            if SyntheticSourceGuard.evaluate_results(changed, policy).verdict is not verdict:
                return changes
        frontier = {
            (*classes[:i], other, *classes[i + 1 :])
            for classes in frontier
            for i in range(len(classes))
            for other in AuthenticityClass
        } - seen
        seen |= frontier
    return None


@given(logs, policies, policies)
def test_flips_count_what_changes(log: list[Retrieval], first: SynthesisPolicy, second: SynthesisPolicy) -> None:
    baseline, candidate = columns(log, first), columns(log, second)
    evidence = baseline.statistics.evidence
    candidate = judge(Statistics.from_evidence(evidence, second.top_k), second)
    matrix = count_flips(baseline, candidate)
    before, after = baseline.per_retrieval("verdicts"), candidate.per_retrieval("verdicts")
    counted = [i for i, r in enumerate(log) if not r.creative]
    assert matrix.sum() == len(counted)
    for i in range(5):
        for j in range(5):
            assert matrix[i, j] == sum(before[k] == i and after[k] == j for k in counted)
    assert find_flips(baseline, candidate).tolist() == [k for k in counted if before[k] != after[k]]


@given(logs, policies, policies, st.booleans())
def test_decisions_that_change_are_counted_one_by_one(
    log: list[Retrieval], first: SynthesisPolicy, second: SynthesisPolicy, apart: bool
) -> None:
    baseline = columns(log, first)
    evidence = baseline.statistics.evidence
    same = first.top_k == second.top_k and not apart
    candidate = judge(baseline.statistics if same else Statistics.from_evidence(evidence, second.top_k), second)
    before, after = baseline.per_retrieval("decisions"), candidate.per_retrieval("decisions")
    counted = candidate.counted[candidate.statistics.profile_of]
    moves = [(int(before[k]), int(after[k])) for k in range(len(before)) if counted[k]]
    assert count_changed_decisions(baseline, candidate) == (moves.count((PROCEED, HALT)), moves.count((HALT, PROCEED)))
    words, became = baseline.per_retrieval("waived"), candidate.per_retrieval("waived")
    plain = [k for k, r in enumerate(log) if not r.creative and words[k] != became[k]]
    assert find_flips(baseline, candidate, waived=True).tolist() == plain
    positions, total = find_first_flips(baseline, candidate, 2, waived=True)
    assert (positions.tolist(), total) == (plain[:2], len(plain))


@given(logs, policies, st.booleans())
def test_a_sweep_equals_judging_at_each_break_point(
    log: list[Retrieval], policy: SynthesisPolicy, waived: bool
) -> None:
    statistics = Statistics.from_evidence(make_evidence(log), policy.top_k)
    curve = sweep(statistics, policy, waived=waived)
    gate = SignatureGate.IGNORED if waived and policy.belief is Belief.DECLARED else policy.signatures
    for i, minimum in enumerate(curve.ratios.tolist()):
        for allowed in (False, True):
            tried = dataclasses.replace(
                policy, min_human_grounding_ratio=minimum, allow_depth_1_synthetic=allowed, signatures=gate
            )
            summary = judge(statistics, tried).summary()
            expected = summary.verdicts_if_signatures_waived if waived else summary.verdicts
            assert curve.counts[int(allowed), :, i].tolist() == [expected[v.name] for v in SynthesisVerdict]
            assert curve.counted == summary.counted


@given(logs, policies, st.data())
def test_a_filter_judges_the_kept_retrievals_as_before(
    log: list[Retrieval], policy: SynthesisPolicy, data: st.DataObject
) -> None:
    evidence = make_evidence(log)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(log), max_size=len(log))), bool)
    whole = judge(Statistics.from_evidence(evidence, policy.top_k), policy)
    part = judge(Statistics.from_evidence(evidence, policy.top_k, keep), policy)
    for name in COLUMNS:
        assert part.per_retrieval(name).tolist() == whole.per_retrieval(name)[keep].tolist()


def test_long_lists_are_counted_by_sorting_to_the_same_numbers() -> None:
    """Lists above the shift limit take another way through the repeats."""
    results = tuple(
        SearchResult(f"r{i}", AuthenticityClass.HUMAN_AUTHORED, None, "s", document_id=f"d{i % 7}", rank=i // 2 + 1)
        for i in range(60)
    )
    filled = tuple(
        dataclasses.replace(
            r,
            basis=Basis.CATALOGUE,
            catalogued=True,
            signature=SignatureStatus.UNCHECKED,
            anchors=_own(r),
            upheld_anchors=_own(r),
        )
        for r in results
    )
    retrieval = Retrieval(filled)
    policy = SynthesisPolicy(0.5, True, count=CountUnit.DOCUMENTS, min_effective_anchors=10)
    judged = columns([retrieval], policy)
    expected = scalar(retrieval, policy)
    assert FINDINGS.flagged(judged.per_retrieval("findings")[0]) == expected.findings
    assert Finding.RANK_REPEATED in expected.findings
    assert judged.statistics.effective_anchors(Belief.DECLARED)[0] == expected.effective_anchors
    assert judged.statistics.top_anchor_share(Belief.DECLARED)[0] == pytest.approx(9 / 60)
    assert expected.total == 7


def _own(result: SearchResult) -> tuple[Anchor, ...]:
    return (Anchor(result.document_id or result.result_id),)


def test_a_policy_for_another_top_k_is_refused() -> None:
    statistics = Statistics.from_evidence(make_evidence([]), 3)
    with pytest.raises(SourceGuardError, match="top_k"):
        judge(statistics, SynthesisPolicy(0.5, True))


def test_judgements_of_different_logs_are_not_compared() -> None:
    policy = SynthesisPolicy(0.5, True)
    with pytest.raises(SourceGuardError, match="different retrievals"):
        count_flips(columns([Retrieval(())], policy), columns([], policy))


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(SourceGuardError, match="no such column"):
        columns([], SynthesisPolicy(0.5, True)).per_retrieval("verdict")
