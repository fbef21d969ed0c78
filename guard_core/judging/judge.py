"""Judge a whole log by columns: ``Statistics`` and a ``SynthesisPolicy`` give ``Verdicts``.

Flows in: statistics and a policy with the same ``top_k``.  Flows out: verdict, waived verdict, decision,
applicability, findings and margin of every profile, gathered for every retrieval on demand; a summary.
Rules kept here: this is the fast form of ``guard.SyntheticSourceGuard`` and equal to it in every field (a property test
keeps them so); a policy is judged once a profile, never once a retrieval.
Not here: directives and digests, which are strings made for the rows on screen (``guard.py``); flips and sweeps
(``whatif.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import (
    APPLIES,
    CREATIVE_TASK,
    DEPTH_1_ACCEPTABLE,
    EXCESSIVE,
    FINDINGS,
    GATES,
    GROUNDED,
    HALT,
    HUMAN_ONLY,
    INAPPLICABLE,
    NO_MARGIN,
    NOTHING,
    PROCEED,
    UNDECIDED,
    UNITS,
    VERDICT_WORDS,
)
from guard_core.errors import SourceGuardError
from guard_core.judging.categories import Category, find_closing_categories
from guard_core.judging.findings import FindingFacts, shows_finding
from guard_core.judging.metrics import ratio
from guard_core.judging.profiles import Profiles
from guard_core.judging.rule import apply_gate, decide_verdict, may_proceed, required_human
from guard_core.judging.statistics import Statistics
from guard_core.model import Finding, SynthesisPolicy

COLUMNS = ("verdicts", "waived", "decisions", "applicability", "findings", "margins")


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers of a whole judgement.  Ratios are ``None`` over nothing; ``counted`` is the denominator of verdicts,
    decisions, findings and ratios: retrievals with results that are not creative tasks."""

    retrievals: int
    with_results: int
    no_results: int
    creative: int
    counted: int
    macro_ratio: float | None
    micro_ratio: float | None
    verdicts: dict[str, int]
    verdicts_if_signatures_waived: dict[str, int]
    proceed: int
    halt: int
    findings: dict[str, int]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A judgement: one value a profile in each column.

    ``verdicts`` and ``waived`` are codes into ``VERDICT_WORDS``; ``decisions`` PROCEED, HALT or UNDECIDED;
    ``applicability`` codes of ``Applicability`` or INAPPLICABLE; ``findings`` bits, ``1 << i`` for the i-th
    ``Finding``; ``margins`` counts, NO_MARGIN for null.
    """

    statistics: Statistics
    policy: SynthesisPolicy
    verdicts: NDArray[np.uint8]
    waived: NDArray[np.uint8]
    decisions: NDArray[np.uint8]
    applicability: NDArray[np.uint8]
    findings: NDArray[np.uint16]
    margins: NDArray[np.int32]

    def per_retrieval(self, column: str) -> NDArray[np.generic]:
        """Return one of ``COLUMNS`` for every kept retrieval."""
        if column not in COLUMNS:
            raise SourceGuardError(f"no such column of a judgement: {column}; there are {', '.join(COLUMNS)}")
        values: NDArray[np.generic] = getattr(self, column)[self.statistics.profile_of]
        return values

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Profiles that verdict shares, decisions and findings count: with results, and not creative tasks (R54,
        R55)."""
        p = self.statistics.profiles
        return (p.entries > 0) & ~p.creative

    def summary(self) -> Summary:
        """Return shares and totals, as weighted sums over profiles."""
        statistics, p = self.statistics, self.statistics.profiles
        weight = statistics.multiplicity
        counted = np.where(self.counted, weight, 0)
        counts = p.counts[self.policy.belief, UNITS.code(self.policy.count)]
        human, total = counts[Category.HUMAN], counts.sum(axis=0)
        known = counted > 0
        number = int(counted.sum())
        # Sums of ratios in profile order would depend on the order of the log; integers per distinct (human, total)
        # do not.
        macro = _average_ratios(human[known], total[known], counted[known])
        no_results = int(weight[p.entries == 0].sum())
        return Summary(
            retrievals=int(weight.sum()),
            with_results=int(weight.sum()) - no_results,
            no_results=no_results,
            creative=int(weight[(p.entries > 0) & p.creative].sum()),
            counted=number,
            macro_ratio=macro,
            micro_ratio=ratio(int((human * counted).sum()), int((total * counted).sum())),
            verdicts=_tally_verdicts(self.verdicts, counted),
            verdicts_if_signatures_waived=_tally_verdicts(self.waived, counted),
            proceed=int(counted[self.decisions == PROCEED].sum()),
            halt=int(counted[self.decisions == HALT].sum()),
            findings={f.value: int(counted[(self.findings & FINDINGS.bit(f)) != 0].sum()) for f in FINDINGS.members},
        )


def judge(statistics: Statistics, policy: SynthesisPolicy) -> Verdicts:
    """Judge every retrieval of ``statistics`` under ``policy``.

    Raises ``SourceGuardError`` if the policy judges another number of results than the statistics were made for.
    """
    if policy.top_k != statistics.top_k:
        raise SourceGuardError(
            f"statistics were made for top_k = {statistics.top_k}, the policy asks for {policy.top_k}"
        )
    p = statistics.profiles
    counts = p.counts[policy.belief, UNITS.code(policy.count)]
    human, total = counts[Category.HUMAN], counts.sum(axis=0)
    filled = p.entries > 0
    closers = count_closers(counts, policy)
    waived = decide_verdict(policy, human=human, total=total, closers=closers)
    verdicts = apply_gate(waived, p.gates[GATES.code(policy.signatures)])
    verdicts[~filled] = NOTHING
    waived[~filled] = NOTHING
    findings = _find_findings(p, policy, verdicts, filled)
    applicability = np.where(p.creative, CREATIVE_TASK, np.where(p.human_only, HUMAN_ONLY, APPLIES)).astype(np.uint8)
    applicability[~filled] = INAPPLICABLE
    halted = (findings & FINDINGS.bits(policy.halt_on)) != 0
    decisions = np.where(may_proceed(verdicts, applicability, halted), PROCEED, HALT).astype(np.uint8)
    decisions[~filled] = UNDECIDED
    margins = _find_margins(verdicts, human, total, closers, policy)
    return Verdicts(statistics, policy, verdicts, waived, decisions, applicability, findings, margins)


def count_closers(counts: NDArray[np.int32], policy: SynthesisPolicy) -> NDArray[np.int32]:
    """Count the items that close the depth-1 route (R50), given counts by category (6, p)."""
    closers = np.zeros(counts.shape[1:], np.int32)
    for category in find_closing_categories(policy):
        closers += counts[category]
    return closers


def _find_findings(
    p: Profiles, policy: SynthesisPolicy, verdicts: NDArray[np.uint8], filled: NDArray[np.bool_]
) -> NDArray[np.uint16]:
    """Return the finding bits of every profile."""
    belief = policy.belief
    facts = FindingFacts(
        grounded=verdicts == GROUNDED,
        entries=p.entries,
        effective=np.fmax(p.effective[belief], 0.0),
        deepest=p.deepest[belief],
        deep_unknown=p.deep_unknown[belief],
        untraced=p.untraced[belief],
        duplicate_documents=p.duplicate_documents,
        class_conflict=p.class_conflict,
        depth_conflict=p.depth_conflict,
        rank_repeated=p.rank_repeated,
        results_rejected=p.results_rejected,
    )
    bits = np.zeros(p.size, np.uint16)
    for finding in FINDINGS.members:
        bits |= shows_finding(finding, policy, facts) * FINDINGS.bit(finding)
    # A retrieval with zero results is judged by nothing; that results of it could not be read is still a fact (R9,
    # R71).
    bits[~filled] &= FINDINGS.bit(Finding.RESULTS_REJECTED)
    return bits


def _find_margins(
    verdicts: NDArray[np.uint8],
    human: NDArray[np.int32],
    total: NDArray[np.int32],
    closers: NDArray[np.int32],
    policy: SynthesisPolicy,
) -> NDArray[np.int32]:
    """Return the margin of every profile (R53)."""
    totals, inverse = np.unique(total, return_inverse=True)
    least = [None if t == 0 else required_human(int(t), policy.min_human_grounding_ratio) for t in totals.tolist()]
    reachable = np.array([n is not None for n in least], bool)[inverse]
    needed = np.array([n or 0 for n in least], np.int32)[inverse]
    margins = np.full(len(verdicts), NO_MARGIN, np.int32)
    safe = (verdicts == GROUNDED) & (needed > 0)
    margins[safe] = (human - needed + 1)[safe]
    margins[verdicts == DEPTH_1_ACCEPTABLE] = 1
    never = np.iinfo(np.int32).max
    ways = np.where(reachable, needed - human, never)
    if policy.allow_depth_1_synthetic:
        ways = np.minimum(ways, closers)
    excessive = (verdicts == EXCESSIVE) & (ways < never)
    margins[excessive] = ways[excessive]
    return margins


def _tally_verdicts(codes: NDArray[np.uint8], weight: NDArray[np.int64]) -> dict[str, int]:
    """Count each of the four verdicts, weighted."""
    totals = np.bincount(codes, weights=weight, minlength=len(VERDICT_WORDS)).astype(np.int64)
    return dict(zip(VERDICT_WORDS[:NOTHING], totals.tolist(), strict=False))


def _average_ratios(human: NDArray[np.int32], total: NDArray[np.int32], weight: NDArray[np.int64]) -> float | None:
    """Return the mean of human / total, summed over distinct pairs in ascending order.

    The order of the log therefore does not matter.
    """
    if not weight.size:
        return None
    key = (total.astype(np.int64) << 32) | human
    pairs, inverse = np.unique(key, return_inverse=True)
    weights = np.bincount(inverse, weights=weight)
    ratios = (pairs & 0xFFFFFFFF) / (pairs >> 32)
    return float((ratios * weights).sum() / weights.sum())
