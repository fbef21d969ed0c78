"""Tell the story of a log in five steps: one question, one number and one sentence each.

Flows in: rows that the other views made.  Flows out: ``StoryStep``.
Rules kept here: a step says what the figure beside it shows, in numbers of the same views; a log that cannot tell a
step says what is missing instead.
Not here: figures (``charts``), the order of the pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.views.overview import BasisCounts, DepthCounts, SourceCount, VerdictShares
from dashboard.words import format_share
from guard_core.judging.judge import Summary
from guard_core.visible import count_noun


@dataclass(frozen=True, slots=True)
class StoryStep:
    """A question, the answer of the log, and its most important number."""

    question: str
    number: str
    sentence: str


def describe_evidence(summary: Summary, results: int, known: BasisCounts) -> StoryStep:
    """Describe what was searched, and on which basis the results are known."""
    vouched = known.counts[0] + known.counts[1]
    return StoryStep(
        "What came back, and who says what it is?",
        f"{results:,}",
        f"{count_noun(summary.retrievals, 'search', 'searches')} returned {count_noun(results, 'result')}; "
        + (
            f"for {format_share(vouched, results)} of them somebody other than the log says who wrote them."
            if vouched
            else "nobody but the log itself says who wrote them."
            if known.counts[2]
            else "nothing says who wrote them."
        ),
    )


def describe_depths(depths: DepthCounts) -> StoryStep:
    """Describe how far results are from a human author."""
    total, deep = sum(depths.counts), sum(depths.counts[2:5])
    return StoryStep("How far is it from a person?", format_share(deep, total), f"{depths.title}.")


def describe_sources(found: SourceCount) -> StoryStep:
    """Describe how many independent human sources there are."""
    return StoryStep("How many independent sources?", found.number, f"{found.headline} {found.detail}".strip())


def describe_verdicts(shares: VerdictShares) -> StoryStep:
    """Describe the verdicts."""
    grounded = (shares.waived if shares.hidden else shares.judged)[0]
    return StoryStep("Is it grounded in people?", format_share(grounded, shares.total), f"{shares.title}.")


def describe_decisions(summary: Summary, shares: VerdictShares, turning_point: str) -> StoryStep:
    """Describe what would halt, and where another policy would decide otherwise."""
    halted = f"{count_noun(summary.halt, 'retrieval')} of {shares.total:,} would halt under this policy."
    return StoryStep(
        "What would another policy do?", format_share(summary.halt, shares.total), f"{halted} {turning_point}."
    )
