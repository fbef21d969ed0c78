"""The decision for one result set.  This scalar rule defines what every verdict of Source Guard means.

Flows in: a tuple of ``SearchResult`` in judged order and a ``SynthesisPolicy``.  Flows out: a ``SynthesisManifest``.
Rules kept here, in this order:

1. ``top_k`` takes the first k results before anything else (R47).
2. Gate 1: every judged result must pass the signature gate, else UNVERIFIED_SOURCES, naming the first that does not.
3. Gate 2: human / total >= minimum gives HUMAN_GROUNDED, over what ``count`` counts (R48).
4. Gate 3: if depth 1 is allowed and no judged item closes that route, SYNTHETIC_DEPTH_1_ACCEPTABLE (R50).
5. Otherwise SYNTHETIC_DEPTH_EXCESSIVE.
6. Findings never change the verdict; those named in ``halt_on`` turn PROCEED into HALT.

With only the specification's fields given, verdict, directive and digest equal the specification's to the byte.
Not here: where evidence comes from (``evidence.py``), validation of policies (``policy.py``), whole logs (``judge.py``,
kept equal to this rule by a property test).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from guard_core.errors import NoResultsError, PolicyError
from guard_core.judging.items import Item, anchor_masses, gather_items, passes_gate, reading_of, signature_status
from guard_core.judging.metrics import effective_number, ratio, required_human
from guard_core.model import (
    Applicability,
    AuthenticityClass,
    Basis,
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

COVERAGE_TOLERANCE = 1e-9
"""Effective anchors are compared with this tolerance (R49)."""

FEW_RESULTS = 3
"""Fewer judged results than this give the notice ``few_results``."""

STANDARD_RETRIEVAL = "PROCEED: no model-generated content, standard retrieval applies."
"""The directive of a HUMAN_ONLY retrieval whose verdict alone would halt it (R65)."""

_PROCEEDING = (SynthesisVerdict.HUMAN_GROUNDED, SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE)


class SyntheticSourceGuard:
    """The specification's guard: judges one result set under one policy."""

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
        readings = [reading_of(r, policy.signatures) for r in judged]
        items = gather_items(readings, policy.count)
        total, human = len(items), sum(item.human for item in items)
        deep = sum(item.deep for item in items)
        closers = sum(item.closes(policy) for item in items)
        needed = required_human(total, policy.min_human_grounding_ratio)

        waived = _verdict(total, human, closers, policy)
        blocked = next((r for r in judged if not passes_gate(r, policy.signatures)), None)
        verdict = waived if blocked is None else SynthesisVerdict.UNVERIFIED_SOURCES

        known = [r.depth for r in readings if r.depth is not None]
        max_depth = max(known, default=None)
        effective = effective_number(anchor_masses(readings).values())
        findings = _findings(
            judged,
            verdict,
            policy,
            unknown_depth=any(r.depth_unknown for r in readings),
            untraced=any(r.untraced for r in readings),
            max_depth=max_depth,
            effective=effective,
            rejected=rejected_results,
        )
        applicability = _applicability(judged, creative_task)
        halting = tuple(f for f in findings if f in policy.halt_on)
        proceeds = (verdict in _PROCEEDING or applicability is Applicability.HUMAN_ONLY) and not halting
        directive, digest = _statement(verdict, blocked, items, human, deep, policy)
        human_only = applicability is Applicability.HUMAN_ONLY
        if halting and (verdict in _PROCEEDING or human_only):
            directive = "HALT: " + finding_sentence(halting[0], len(judged), effective, max_depth, policy)
        elif human_only and verdict not in _PROCEEDING:
            directive = STANDARD_RETRIEVAL
        return SynthesisManifest(
            verdict=verdict,
            directive=directive,
            manifest_digest=digest,
            verdict_if_signatures_waived=waived,
            decision=Decision.PROCEED if proceeds else Decision.HALT,
            applicability=applicability,
            findings=findings,
            margin=_margin(verdict, total, human, closers, needed, policy),
            total=total,
            human=human,
            authenticity_diversity_metric=ratio(human, total),
            anchored_ratio=ratio(sum(item.anchored for item in items), total),
            effective_anchors=effective,
            max_depth=max_depth,
        )


def _verdict(total: int, human: int, closers: int, policy: SynthesisPolicy) -> SynthesisVerdict:
    """Gates 2 and 3."""
    if human / total >= policy.min_human_grounding_ratio:
        return SynthesisVerdict.HUMAN_GROUNDED
    if policy.allow_depth_1_synthetic and closers == 0:
        return SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE
    return SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE


def _margin(
    verdict: SynthesisVerdict, total: int, human: int, closers: int, needed: int | None, policy: SynthesisPolicy
) -> int | None:
    """How many items would have to change class for the verdict to change (R53)."""
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


def _findings(
    judged: Sequence[SearchResult],
    verdict: SynthesisVerdict,
    policy: SynthesisPolicy,
    *,
    unknown_depth: bool,
    untraced: bool,
    max_depth: int | None,
    effective: float | None,
    rejected: int,
) -> tuple[Finding, ...]:
    """The findings and notices of a retrieval, in the order of ``Finding``."""
    limit = policy.max_depth_in_grounded
    documents = [r.document_id or r.result_id for r in judged]
    ranks = [r.rank for r in judged if r.rank is not None]
    conflicts = {c for r in judged for c in r.conflicts}
    independent = effective or 0.0
    holds = {
        Finding.HALLUCINATION_AMPLIFICATION: verdict is SynthesisVerdict.HUMAN_GROUNDED
        and limit is not None
        and (unknown_depth or (max_depth is not None and max_depth > limit)),
        Finding.SOURCE_ATTRIBUTION_LOSS: untraced,
        Finding.COVERAGE_ILLUSION: independent < policy.min_effective_anchors - COVERAGE_TOLERANCE
        and independent < len(judged) - COVERAGE_TOLERANCE,
        Finding.DUPLICATE_DOCUMENTS: len(set(documents)) < len(documents),
        Finding.CLASS_CONFLICT: Conflict.CLASS_CONFLICT in conflicts,
        Finding.DEPTH_CONFLICT: Conflict.DEPTH_CONFLICT in conflicts,
        Finding.RANK_REPEATED: len(set(ranks)) < len(ranks),
        Finding.FEW_RESULTS: len(judged) < FEW_RESULTS,
        Finding.RESULTS_REJECTED: rejected > 0,
    }
    return tuple(f for f in Finding if holds[f])


def _applicability(judged: Sequence[SearchResult], creative_task: bool) -> Applicability:
    """Whether the condition of validity holds; a creative task is only ever said by the caller."""
    if creative_task:
        return Applicability.CREATIVE_TASK
    upheld = (Basis.SIGNED, Basis.CATALOGUE)
    if all(r.authenticity is AuthenticityClass.HUMAN_AUTHORED and r.basis in upheld for r in judged):
        return Applicability.HUMAN_ONLY
    return Applicability.APPLIES


def _statement(
    verdict: SynthesisVerdict,
    blocked: SearchResult | None,
    items: Sequence[Item],
    human: int,
    deep: int,
    policy: SynthesisPolicy,
) -> tuple[str, str]:
    """Directive and manifest digest, in the specification's words and bytes."""
    total = len(items)
    share = human / total
    if blocked is not None:
        status = signature_status(blocked) if blocked.source_signature else SignatureStatus.MISSING
        return unverified_statement(blocked.result_id, status, policy.signatures)
    if verdict is SynthesisVerdict.HUMAN_GROUNDED:
        facts = {"total": str(total), "human": str(human), "ratio": f"{share:.2f}"}
        return f"PROCEED: {share:.2%} human grounding.", _sha256(json.dumps(facts, sort_keys=True))
    if verdict is SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE:
        depth_1 = sum(item.depth_1 for item in items)
        facts = {"total": str(total), "human": str(human), "depth_1": str(depth_1), "depth_2_plus": "0"}
        words = f"PROCEED: Human grounding {share:.2%} below threshold, but only depth-1 synthetic."
        return words, _sha256(json.dumps(facts, sort_keys=True))
    words = f"HALT: Only {share:.2%} human grounding, {deep} depth-2+ synthetic. Re-query with human filter."
    return words, _sha256(f"SYNTHETIC:{share:.2f}")


def unverified_statement(result_id: str, status: SignatureStatus, gate: SignatureGate) -> tuple[str, str]:
    """Directive and manifest digest where gate 1 fails at this result, the first that does not pass it.

    Under ``present`` without a checked claim these are the specification's words.
    """
    digest = _sha256(f"NO_SIG:{result_id}")
    if gate is SignatureGate.CATALOGUED:
        return f"HALT: Result {result_id} has neither a verified source signature nor a catalogue entry.", digest
    if status is SignatureStatus.MISSING:
        return f"HALT: Result {result_id} lacks source signature.", digest
    return f"HALT: Result {result_id} has no verified source signature ({status.value}).", digest


def finding_sentence(
    finding: Finding, results: int, effective: float | None, max_depth: int | None, policy: SynthesisPolicy
) -> str:
    """One line that says what a finding means for a retrieval of ``results`` judged results."""
    sources = independent_sources(effective)
    depth = (
        "unknown depth"
        if max_depth is None or max_depth <= (policy.max_depth_in_grounded or 0)
        else f"depth {max_depth}"
    )
    sentences = {
        Finding.HALLUCINATION_AMPLIFICATION: f"The grounded set holds synthetic content of {depth}.",
        Finding.SOURCE_ATTRIBUTION_LOSS: "A result cannot be traced to who wrote it.",
        Finding.COVERAGE_ILLUSION: f"{results} results rest on {sources}.",
        Finding.DUPLICATE_DOCUMENTS: "The list holds a document more than once.",
        Finding.CLASS_CONFLICT: "The evidence on a result's class disagrees.",
        Finding.DEPTH_CONFLICT: "The evidence on a result's depth disagrees.",
        Finding.RANK_REPEATED: "Two results claim the same rank.",
        Finding.FEW_RESULTS: f"Only {results} results were judged.",
        Finding.RESULTS_REJECTED: "A result of this retrieval could not be read.",
    }
    return sentences[finding]


def independent_sources(effective: float | None) -> str:
    """The effective number of human sources, in words."""
    if effective is None:
        return "no human source"
    shown = f"{effective:.1f}"
    return "1 independent human source" if shown == "1.0" else f"{shown} independent human sources"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
