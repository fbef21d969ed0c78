"""The story of a log in five steps: one sentence and one figure each, on any log.

Flows in: rows that the other views made.  Flows out: ``Step``.
Rules kept here: a step says what the figure beside it shows, in numbers of the same views; a log that cannot tell a
step says what is missing instead.
Not here: figures (``charts``), the order of the pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.views.overview import Depths, Known, Shares, Sources
from dashboard.words import count, share
from guard_core.judging.judge import Summary


@dataclass(frozen=True, slots=True)
class Step:
    """What is asked, what the log answers, and the number that stands out."""

    question: str
    number: str
    sentence: str


def asked(summary: Summary, results: int, known: Known) -> Step:
    """What was searched, and what is known of what came back."""
    vouched = known.counts[0] + known.counts[1]
    return Step(
        "What came back, and who says what it is?",
        f"{results:,}",
        f"{count(summary.retrievals, 'search', 'searches')} returned {count(results, 'result')}; "
        + (
            f"for {share(vouched, results)} of them somebody other than the log says who wrote them."
            if vouched
            else "nobody but the log itself says who wrote them."
            if known.counts[2]
            else "nothing says who wrote them."
        ),
    )


def depth(depths: Depths) -> Step:
    """How far from a human author."""
    total, deep = sum(depths.counts), sum(depths.counts[2:5])
    return Step("How far is it from a person?", share(deep, total), f"{depths.title}.")


def sources(found: Sources) -> Step:
    """How many voices."""
    return Step("How many independent voices?", found.number, f"{found.headline} {found.detail}".strip())


def verdict(shares: Shares) -> Step:
    """What the rule says."""
    if shares.hidden:
        return Step("Is it grounded in people?", share(shares.waived[0], shares.total), f"{shares.title}.")
    return Step("Is it grounded in people?", share(shares.judged[0], shares.total), f"{shares.title}.")


def action(summary: Summary, shares: Shares, turning_point: str) -> Step:
    """What would be done about it."""
    halted = f"{count(summary.halt, 'retrieval')} of {shares.total:,} would halt under this policy."
    return Step("What would another policy do?", share(summary.halt, shares.total), f"{halted} {turning_point}.")
