"""Appraise a filtered second set, which its ratio cannot do.

Flows in: the results of a re-query with their manifest, the filter, the policy, the places asked for.  Flows out:
``Appraisal``, and a sentence for it.
Rules kept here, the first that holds decides: the search failed; it found nothing; something in the set was not asked
for; the policy halts it for another reason than its ratio; it rests on too few independent human sources (fewer than
the policy's ``min_effective_anchors`` and than there are results, or none); it fills too few places; else it is enough.
Enough places are the policy's ``min_human_grounding_ratio`` of those asked for, so that a list of that length would be
grounded by this set alone.  What a result is, is what the policy reads it as: the index's own word counts for nothing
more than in the first set.
Not here: the searches (``requery.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from guard_core.judging.findings import COVERAGE_TOLERANCE, say_sources
from guard_core.judging.items import judge_result, result_passes_gate
from guard_core.judging.rule import required_human
from guard_core.model import CountUnit, Decision, SearchResult, SignatureGate, SynthesisManifest, SynthesisPolicy
from guard_core.search.source_filter import SourceFilter


class RequeryOutcome(Enum):
    """A filtered second set in one word.  Only the first lets a caller go on."""

    ENOUGH_SOURCES = "enough_sources"
    SHORT = "short"
    FEW_SOURCES = "few_sources"
    STILL_HALTS = "still_halts"
    FILTER_IGNORED = "filter_ignored"
    EMPTY = "empty"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Appraisal:
    """A filtered second set in numbers.

    ``returned`` results (or distinct documents, if the policy counts those) were judged, for ``places`` that were
    asked for, of which ``needed`` have to be filled
    (``None``: no number would do); ``strays`` are the ids of all results that were not asked for, in order;
    ``independent_sources`` as in the manifest, ``None`` if no result has a human source.  ``reason`` is the
    directive of the set's own manifest.
    """

    outcome: RequeryOutcome
    returned: int
    places: int
    needed: int | None
    strays: tuple[str, ...] = ()
    independent_sources: float | None = None
    reason: str = ""

    @property
    def fill(self) -> float:
        """Share of the places that are filled, 0..1."""
        return min(1.0, self.returned / self.places)


def matches(result: SearchResult, wanted: SourceFilter, gate: SignatureGate) -> bool:
    """Return whether a result is what the filter asks for, as a policy with ``signatures = gate`` reads it."""
    of_class = judge_result(result, gate).authenticity in wanted.classes
    return of_class and (not wanted.verified or result_passes_gate(result, gate))


def appraise(
    results: Sequence[SearchResult] | None,
    manifest: SynthesisManifest | None,
    wanted: SourceFilter,
    policy: SynthesisPolicy,
    asked_for: int,
) -> Appraisal:
    """Appraise the second set; ``results`` is ``None`` where the search failed, ``manifest`` where it found
    nothing."""
    places = asked_for if policy.top_k is None else min(asked_for, policy.top_k)
    needed = required_human(places, policy.min_human_grounding_ratio)
    if results is None:
        return Appraisal(RequeryOutcome.FAILED, 0, places, needed)
    if manifest is None:
        return Appraisal(RequeryOutcome.EMPTY, 0, places, needed)
    judged = results if policy.top_k is None else results[: policy.top_k]
    returned = len(judged)
    if policy.count is CountUnit.DOCUMENTS:  # a document fills one place, however often it is listed
        returned = len({r.document_id or r.result_id for r in judged})
    strays = tuple(r.result_id for r in results if not matches(r, wanted, policy.signatures))
    sources = manifest.effective_anchors
    if strays:
        outcome = RequeryOutcome.FILTER_IGNORED
    elif manifest.decision is not Decision.PROCEED:
        outcome = RequeryOutcome.STILL_HALTS
    elif sources is None or sources < min(policy.min_effective_anchors, len(judged)) - COVERAGE_TOLERANCE:
        outcome = RequeryOutcome.FEW_SOURCES
    elif needed is None or returned < needed:
        outcome = RequeryOutcome.SHORT
    else:
        outcome = RequeryOutcome.ENOUGH_SOURCES
    return Appraisal(outcome, returned, places, needed, strays, sources, manifest.directive)


def state_outcome(appraisal: Appraisal, wanted: SourceFilter, failure: Exception | None) -> str:
    """State the directive of a guarded search that ended in this appraisal.

    It quotes ids of results, as directives do, and of a failure only its kind.
    """
    a = appraisal
    asked = "verified human-authored" if wanted.verified else "human-authored"
    match a.outcome:
        case RequeryOutcome.ENOUGH_SOURCES:
            sources = say_sources(a.independent_sources)
            return f"PROCEED: Re-query for {asked} documents: {a.returned} of {a.places} places filled, from {sources}."
        case RequeryOutcome.SHORT:
            least = "no number would do" if a.needed is None else f"{a.needed} are needed"
            return f"HALT: Re-query for {asked} documents filled {a.returned} of {a.places} places; {least}."
        case RequeryOutcome.FEW_SOURCES:
            sources = say_sources(a.independent_sources)
            return f"HALT: Re-query for {asked} documents: {a.returned} results rest on {sources}."
        case RequeryOutcome.STILL_HALTS:
            return f"HALT: Re-query for {asked} documents halts as well. {a.reason.removeprefix('HALT: ')}"
        case RequeryOutcome.FILTER_IGNORED:
            count = f"{len(a.strays)} results" if len(a.strays) > 1 else "1 result"
            return f"HALT: Re-query for {asked} documents returned {count} of another kind, {a.strays[0]} first."
        case RequeryOutcome.EMPTY:
            return f"HALT: Re-query found no {asked} document."
        case RequeryOutcome.FAILED:
            return f"HALT: Re-query for {asked} documents failed ({type(failure).__name__})."
