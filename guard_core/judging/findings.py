"""Findings, each in one place: when a retrieval shows it, what it says of the retrieval, and what to do about it.

Flows in: a policy, and facts of one retrieval (numbers) or of many (arrays of one length).  Flows out: the same kinds,
or a sentence.
Rules kept here: findings never change a verdict; they are taken over list entries, whatever the policy counts (R48),
so that for whole logs a new one reads ``counts[belief, RESULTS]`` of the profiles; a finding without a case here fails
in mypy.
Not here: facts of one list (``guard.py``), facts of whole logs (``judge.py``), the words on screen
(``dashboard/words.py``).

A new finding stands last in ``Finding``: the first three are the failure modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, assert_never, cast

import numpy as np
from numpy.typing import NDArray

from guard_core.judging.rule import Counts, Mark
from guard_core.model import Finding, SynthesisPolicy

COVERAGE_TOLERANCE = 1e-9
"""Effective anchors are compared with this tolerance (R49)."""

FEW_RESULTS = 3
"""Fewer judged results than this give the notice ``few_results``."""


@dataclass(frozen=True, slots=True)
class FindingFacts(Generic[Mark]):
    """What the findings ask of a retrieval.

    ``grounded`` says that its verdict is HUMAN_GROUNDED; ``entries`` counts its judged results, ``effective`` is the
    effective number of human sources (0 for none), ``deepest`` the greatest known depth (-1 for none); the other
    marks say what some judged result shows.
    """

    grounded: Mark
    entries: Counts
    effective: float | NDArray[np.float64]
    deepest: Counts
    deep_unknown: Mark
    untraced: Mark
    duplicate_documents: Mark
    class_conflict: Mark
    depth_conflict: Mark
    rank_repeated: Mark
    results_rejected: Mark


def shows_finding(finding: Finding, policy: SynthesisPolicy, facts: FindingFacts[Mark]) -> Mark:
    """Return whether a retrieval shows a finding under ``policy``."""
    match finding:
        case Finding.HALLUCINATION_AMPLIFICATION:
            limit = policy.max_depth_in_grounded
            if limit is None:
                return facts.grounded & False
            return facts.grounded & (cast("Mark", facts.deepest > limit) | facts.deep_unknown)
        case Finding.SOURCE_ATTRIBUTION_LOSS:
            return facts.untraced
        case Finding.COVERAGE_ILLUSION:
            few_for_policy = facts.effective < policy.min_effective_anchors - COVERAGE_TOLERANCE
            return cast("Mark", few_for_policy & (facts.effective < facts.entries - COVERAGE_TOLERANCE))
        case Finding.DUPLICATE_DOCUMENTS:
            return facts.duplicate_documents
        case Finding.CLASS_CONFLICT:
            return facts.class_conflict
        case Finding.DEPTH_CONFLICT:
            return facts.depth_conflict
        case Finding.RANK_REPEATED:
            return facts.rank_repeated
        case Finding.FEW_RESULTS:
            return cast("Mark", facts.entries < FEW_RESULTS)
        case Finding.RESULTS_REJECTED:
            return facts.results_rejected
    assert_never(finding)


def say_finding(
    finding: Finding, results: int, effective: float | None, max_depth: int | None, policy: SynthesisPolicy
) -> str:
    """Say in one line what a finding means for a retrieval of ``results`` judged results."""
    sources = say_sources(effective)
    depth = (
        "unknown depth"
        if max_depth is None or max_depth <= (policy.max_depth_in_grounded or 0)
        else f"depth {max_depth}"
    )
    match finding:
        case Finding.HALLUCINATION_AMPLIFICATION:
            return f"The grounded set holds synthetic content of {depth}."
        case Finding.SOURCE_ATTRIBUTION_LOSS:
            return "A result cannot be traced to who wrote it."
        case Finding.COVERAGE_ILLUSION:
            return f"{results} results rest on {sources}."
        case Finding.DUPLICATE_DOCUMENTS:
            return "The list holds a document more than once."
        case Finding.CLASS_CONFLICT:
            return "The evidence on a result's class disagrees."
        case Finding.DEPTH_CONFLICT:
            return "The evidence on a result's depth disagrees."
        case Finding.RANK_REPEATED:
            return "Two results claim the same rank."
        case Finding.FEW_RESULTS:
            return f"Only {results} results were judged."
        case Finding.RESULTS_REJECTED:
            return "A result of this retrieval could not be read."
    assert_never(finding)


def say_sources(effective: float | None) -> str:
    """Say how many independent human sources there are."""
    if effective is None:
        return "no human source"
    shown = f"{effective:.1f}"
    return "1 independent human source" if shown == "1.0" else f"{shown} independent human sources"


def advise_finding(finding: Finding) -> str:
    """Say what to do about a finding that the policy halts on."""
    match finding:
        case Finding.HALLUCINATION_AMPLIFICATION:
            return "take machine text built on machine text out of the index."
        case Finding.SOURCE_ATTRIBUTION_LOSS:
            return "find out who wrote the results that nobody vouches for; --json shows which."
        case Finding.COVERAGE_ILLUSION:
            return "the results rest on few human sources: add sources, or show how few there are."
        case Finding.DUPLICATE_DOCUMENTS:
            return "list each document once."
        case Finding.CLASS_CONFLICT:
            return "settle in the catalogue who wrote the documents on which log and catalogue differ."
        case Finding.DEPTH_CONFLICT:
            return "correct the depth of the documents whose class and depth disagree."
        case Finding.RANK_REPEATED:
            return "log one result a rank."
        case Finding.FEW_RESULTS:
            return "retrieve at least three results."
        case Finding.RESULTS_REJECTED:
            return "mend the rows listed as rejected: what they would have said is not known."
    assert_never(finding)
