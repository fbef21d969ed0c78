"""The story of a log in five steps: one sentence and one figure each, on any log.

Flows in: rows that the other views made.  Flows out: ``Step``.
Rules kept here: a step says what the figure beside it shows, in numbers of the same views; a log that cannot tell a
step says what is missing instead.
Not here: figures (``charts``), the order of the pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.views.overview import BasisCounts, DepthCounts, SourceCount, VerdictShares
from dashboard.words import count_noun, format_share
from guard_core.judging.judge import Summary


@dataclass(frozen=True, slots=True)
class StoryStep:
    """What is asked, what the log answers, and the number that stands out."""

    question: str
    number: str
    sentence: str


def describe_evidence(summary: Summary, results: int, known: BasisCounts) -> StoryStep:
    """What was searched, and what is known of what came back."""
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
    """How far from a human author."""
    total, deep = sum(depths.counts), sum(depths.counts[2:5])
    return StoryStep("How far is it from a person?", format_share(deep, total), f"{depths.title}.")


def describe_sources(found: SourceCount) -> StoryStep:
    """How many voices."""
    return StoryStep("How many independent voices?", found.number, f"{found.headline} {found.detail}".strip())


def describe_verdicts(shares: VerdictShares) -> StoryStep:
    """What the rule says."""
    if shares.hidden:
        return StoryStep("Is it grounded in people?", format_share(shares.waived[0], shares.total), f"{shares.title}.")
    return StoryStep("Is it grounded in people?", format_share(shares.judged[0], shares.total), f"{shares.title}.")


def describe_decisions(summary: Summary, shares: VerdictShares, turning_point: str) -> StoryStep:
    """What would be done about it."""
    halted = f"{count_noun(summary.halt, 'retrieval')} of {shares.total:,} would halt under this policy."
    return StoryStep(
        "What would another policy do?", format_share(summary.halt, shares.total), f"{halted} {turning_point}."
    )
