"""Judge one result list.  This is the rule that defines what every verdict of Source Guard means.

Flows in: a tuple of ``SearchResult`` in judged order and a ``SynthesisPolicy``.  Flows out: a ``SynthesisManifest``.
Rules kept here, in this order:

1. ``top_k`` takes the first k results before anything else (R47).
2. Gate 1: every judged result must pass the signature gate, else UNVERIFIED_SOURCES, naming the first that does not.
3. Gate 2: human / total >= minimum gives HUMAN_GROUNDED, over what ``count`` counts (R48).
4. Gate 3: if depth 1 is allowed and no judged item closes that route, SYNTHETIC_DEPTH_1_ACCEPTABLE (R50).
5. Otherwise SYNTHETIC_DEPTH_EXCESSIVE.
6. Findings never change the verdict; those named in ``halt_on`` turn PROCEED into HALT.

With only the specification's fields given, verdict, directive and digest equal the specification's to the byte.
Not here: the comparisons themselves (``rule.py``), where evidence comes from (``guard_core.provenance.evidence``),
validation of policies (``policy.py``), whole logs (``judge.py``, kept equal to this by a property test).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from guard_core.codes import APPLICABILITIES, FINDINGS, VERDICTS
from guard_core.errors import NoResultsError, PolicyError
from guard_core.judging.categories import Category, find_closing_categories
from guard_core.judging.findings import FindingFacts, say_finding, shows_finding
from guard_core.judging.items import (
    JudgedResult,
    count_items,
    find_status,
    is_upheld,
    judge_result,
    sum_anchor_masses,
)
from guard_core.judging.metrics import effective_number, ratio
from guard_core.judging.rule import apply_gate, decide_verdict, may_proceed, required_human
from guard_core.model import (
    Applicability,
    AuthenticityClass,
    Conflict,
    Decision,
    Finding,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisManifest,
    SynthesisPolicy,
    SynthesisVerdict,
)

STANDARD_RETRIEVAL = "PROCEED: no model-generated content, standard retrieval applies."
"""The directive of a HUMAN_ONLY retrieval whose verdict alone would halt it (R65)."""

_PROCEEDING = (SynthesisVerdict.HUMAN_GROUNDED, SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE)


class SyntheticSourceGuard:
    """The specification's guard, which judges one result list under one policy."""

    @classmethod
    def evaluate_results(
        cls,
        results: tuple[SearchResult, ...],
        policy: SynthesisPolicy,
        *,
        creative_task: bool = False,
        rejected_results: int = 0,
    ) -> SynthesisManifest:
        """Judge ``results``, in the order in which they were ranked, under ``policy``.

        ``creative_task`` says that the caller marked the task as creative (fourth decision boundary; never guessed);
        ``rejected_results`` is how many results of this retrieval could not be read.
        Raises ``NoResultsError`` (a ``ValueError``) for an empty tuple, ``PolicyError`` for a ``top_k`` below 1.
        """
        if not results:
            raise NoResultsError("No results to evaluate.")
        if policy.top_k is not None and policy.top_k < 1:
            raise PolicyError("top_k", "out of range", "a whole number from 1, or None")
        judged = results if policy.top_k is None else results[: policy.top_k]
        entries = [judge_result(result, policy.signatures) for result in judged]
        counts, anchored = count_items(entries, policy.count)
        total, human = sum(counts), counts[Category.HUMAN]
        closers = sum(counts[category] for category in find_closing_categories(policy))
        needed = required_human(total, policy.min_human_grounding_ratio)

        blocked = next((result for result, entry in zip(judged, entries, strict=True) if not entry.passes), None)
        waived = decide_verdict(policy, human=human, total=total, closers=closers)
        code = apply_gate(waived, blocked is None)
        verdict = VERDICTS.member(int(code))

        max_depth = max((entry.depth for entry in entries if entry.depth is not None), default=None)
        effective = effective_number(sum_anchor_masses(entries).values())
        findings = _find_findings(judged, entries, verdict, policy, max_depth, effective, rejected_results)
        applicability = _find_applicability(judged, creative_task)
        halting = tuple(f for f in findings if f in policy.halt_on)
        proceeds = may_proceed(code, int(APPLICABILITIES.code(applicability)), bool(halting))
        directive, digest = _state_verdict(verdict, blocked, counts, policy)
        human_only = applicability is Applicability.HUMAN_ONLY
        if halting and (verdict in _PROCEEDING or human_only):
            directive = "HALT: " + say_finding(halting[0], len(judged), effective, max_depth, policy)
        elif human_only and verdict not in _PROCEEDING:
            directive = STANDARD_RETRIEVAL
        return SynthesisManifest(
            verdict=verdict,
            directive=directive,
            manifest_digest=digest,
            verdict_if_signatures_waived=VERDICTS.member(int(waived)),
            decision=Decision.PROCEED if proceeds else Decision.HALT,
            applicability=applicability,
            findings=findings,
            margin=_find_margin(verdict, total, human, closers, needed, policy),
            total=total,
            human=human,
            authenticity_diversity_metric=ratio(human, total),
            anchored_ratio=ratio(anchored, total),
            effective_anchors=effective,
            max_depth=max_depth,
        )


def _find_margin(
    verdict: SynthesisVerdict, total: int, human: int, closers: int, needed: int | None, policy: SynthesisPolicy
) -> int | None:
    """Return how many items would have to change class for the verdict to change (R53)."""
    if verdict is SynthesisVerdict.UNVERIFIED_SOURCES:
        return None  # a class does not bring a signature
    if verdict is SynthesisVerdict.HUMAN_GROUNDED:
        return human - needed + 1 if needed else None  # a minimum of 0 grounds every set
    if verdict is SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE:
        return 1  # one item turned deep closes the route
    ways = [needed - human] if needed is not None else []
    if policy.allow_depth_1_synthetic:
        ways.append(closers)
    return min(ways, default=None)


def _find_findings(
    judged: Sequence[SearchResult],
    entries: Sequence[JudgedResult],
    verdict: SynthesisVerdict,
    policy: SynthesisPolicy,
    max_depth: int | None,
    effective: float | None,
    rejected: int,
) -> tuple[Finding, ...]:
    """Return the findings and notices of a retrieval, in the order of ``Finding``."""
    ranks = [result.rank for result in judged if result.rank is not None]
    conflicts = {conflict for result in judged for conflict in result.conflicts}
    facts = FindingFacts(
        grounded=verdict is SynthesisVerdict.HUMAN_GROUNDED,
        entries=len(entries),
        effective=effective or 0.0,
        deepest=-1 if max_depth is None else max_depth,
        deep_unknown=any(entry.category is Category.DEEP and entry.depth is None for entry in entries),
        untraced=any(entry.untraced for entry in entries),
        duplicate_documents=len({entry.document for entry in entries}) < len(entries),
        class_conflict=Conflict.CLASS_CONFLICT in conflicts,
        depth_conflict=Conflict.DEPTH_CONFLICT in conflicts,
        rank_repeated=len(set(ranks)) < len(ranks),
        results_rejected=rejected > 0,
    )
    return tuple(finding for finding in FINDINGS.members if shows_finding(finding, policy, facts))


def _find_applicability(judged: Sequence[SearchResult], creative_task: bool) -> Applicability:
    """Return whether the condition of validity holds; a creative task is only ever said by the caller."""
    if creative_task:
        return Applicability.CREATIVE_TASK
    if all(r.authenticity is AuthenticityClass.HUMAN_AUTHORED and is_upheld(r.basis) for r in judged):
        return Applicability.HUMAN_ONLY
    return Applicability.APPLIES


def _state_verdict(
    verdict: SynthesisVerdict,
    blocked: SearchResult | None,
    counts: Sequence[int],
    policy: SynthesisPolicy,
) -> tuple[str, str]:
    """Return directive and manifest digest, in the specification's words and bytes."""
    total, human = sum(counts), counts[Category.HUMAN]
    share = human / total
    if blocked is not None:
        status = find_status(blocked) if blocked.source_signature else SignatureStatus.MISSING
        return state_unverified(blocked.result_id, status, policy.signatures)
    if verdict is SynthesisVerdict.HUMAN_GROUNDED:
        facts = {"total": str(total), "human": str(human), "ratio": f"{share:.2f}"}
        return f"PROCEED: {share:.2%} human grounding.", _sha256(json.dumps(facts, sort_keys=True))
    if verdict is SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE:
        depth_1 = counts[Category.DEPTH_1_ANCHORED] + counts[Category.DEPTH_1_UNANCHORED]
        facts = {"total": str(total), "human": str(human), "depth_1": str(depth_1), "depth_2_plus": "0"}
        words = f"PROCEED: Human grounding {share:.2%} below threshold, but only depth-1 synthetic."
        return words, _sha256(json.dumps(facts, sort_keys=True))
    deep = counts[Category.DEEP]
    words = f"HALT: Only {share:.2%} human grounding, {deep} depth-2+ synthetic. Re-query with human filter."
    return words, _sha256(f"SYNTHETIC:{share:.2f}")


def state_unverified(result_id: str, status: SignatureStatus, gate: SignatureGate) -> tuple[str, str]:
    """Return directive and manifest digest where gate 1 fails at a result, the first that does not pass it.

    Under ``present`` without a checked claim the directive is in the specification's words.
    """
    if gate is SignatureGate.CATALOGUED:
        fault = "has neither a verified source signature nor a catalogue entry."
    elif status is SignatureStatus.MISSING:
        fault = "lacks source signature."
    else:
        fault = f"has no verified source signature ({status.value})."
    return f"HALT: Result {result_id} {fault}", _sha256(f"NO_SIG:{result_id}")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
