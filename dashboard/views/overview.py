"""Count what Overview shows: verdicts with and without the signature gate, ratios, depths, bases, findings.

Flows in: ``Verdicts`` and its ``Statistics``.  Flows out: ``VerdictShares``,
``RatioBars``, ``DepthCounts``, ``BasisCounts``, ``FindingCount``, ``SourceCount``.
Rules kept here: counted are retrievals with results that are no creative task, the denominator of the command
line's summary; the minimum divides bars exactly where the rule compares (``ratio >= minimum``); unknown depth is a
bucket of its own.
Not here: time (``trend.py``), lists of retrievals (``retrievals.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.views.numbers import compute_median, format_number
from dashboard.views.table import Table, make_table
from dashboard.words import BASIS_LABEL, BASIS_MEANING, FINDING_MEANING, JUDGED, VERDICT_LABEL, format_share
from guard_core.codes import UNITS
from guard_core.judging.categories import Category
from guard_core.judging.judge import Summary, Verdicts
from guard_core.judging.rule import is_grounded
from guard_core.judging.statistics import Statistics
from guard_core.model import FAILURE_MODES, Belief, Finding, SynthesisVerdict
from guard_core.visible import count_noun

BINS = 10
"""Bars of the ratio distribution below 1; a ratio of exactly 1 has a bar of its own."""


@dataclass(frozen=True, slots=True)
class VerdictShares:
    """Counted retrievals by verdict, in the order of ``JUDGED``, as judged and with signatures waived."""

    total: int
    judged: tuple[int, ...]
    waived: tuple[int, ...]
    hidden: bool
    """True where the signature gate hides every other verdict."""
    title: str
    detail: str
    numbers: Table


def is_hidden(summary: Summary) -> bool:
    """Return whether the signature gate hides every other verdict."""
    unverified = SynthesisVerdict.UNVERIFIED_SOURCES.name
    total = sum(summary.verdicts.values())
    return 0 < total == summary.verdicts[unverified] > summary.verdicts_if_signatures_waived[unverified]


def count_shares(summary: Summary) -> VerdictShares:
    """Count the verdicts of the retrievals that have results."""
    judged = tuple(summary.verdicts[name] for name in JUDGED)
    waived = tuple(summary.verdicts_if_signatures_waived[name] for name in JUDGED)
    total, hidden = sum(judged), is_hidden(summary)
    rows = [
        (name, a, format_share(a, total), b, format_share(b, total))
        for name, a, b in zip(VERDICT_LABEL[:4], judged, waived, strict=True)
    ]
    numbers = make_table(("Verdict", "Retrievals", "Share", "Signatures waived", "Share, signatures waived"), rows)
    title = _title_shares(total, judged, waived[0] if hidden else None)
    return VerdictShares(total, judged, waived, hidden, title, _describe_apart(summary), numbers)


def _title_shares(total: int, judged: tuple[int, ...], hidden: int | None) -> str:
    if not total:
        return "There is nothing to judge"
    if hidden is not None:
        grounded = format_share(hidden, total)
        return f"No retrieval passes the signature gate; with signatures waived {grounded} are human grounded"
    if judged[3]:
        return (
            f"{format_share(judged[0], total)} of {count_noun(total, 'retrieval')} are human grounded, "
            f"{format_share(judged[3], total)} do not pass the signature gate"
        )
    return f"{format_share(judged[0], total)} of {count_noun(total, 'retrieval')} are human grounded"


def _describe_apart(summary: Summary) -> str:
    apart = [
        text
        for number, text in (
            (summary.no_results, count_noun(summary.no_results, "empty retrieval")),
            (summary.creative, count_noun(summary.creative, "creative task")),
        )
        if number
    ]
    return f"Counted apart: {' and '.join(apart)}." if apart else ""


@dataclass(frozen=True, slots=True)
class RatioBars:
    """Counted retrievals by grounding ratio: ``below[i]`` and ``reached[i]`` fall into the bar from ``i / BINS``;
    the last bar holds ratios of exactly 1.
    """

    minimum: float
    below: tuple[int, ...]
    reached: tuple[int, ...]
    title: str
    numbers: Table


def count_ratios(verdicts: Verdicts) -> RatioBars:
    """Count retrievals by grounding ratio, on both sides of the minimum."""
    statistics, policy = verdicts.statistics, verdicts.policy
    profiles = statistics.profiles
    items = profiles.counts[policy.belief, UNITS.code(policy.count)].astype(np.int64)
    human, total = items[Category.HUMAN], items.sum(axis=0)
    counted = verdicts.counted
    human, total = human[counted], total[counted]
    weight = statistics.multiplicity[counted]
    reached = is_grounded(human, total, policy.min_human_grounding_ratio)
    bar = human * BINS // total
    above = np.bincount(bar[reached], weights=weight[reached], minlength=BINS + 1).astype(np.int64)
    under = np.bincount(bar[~reached], weights=weight[~reached], minlength=BINS + 1).astype(np.int64)
    passing, all_of_them = int(above.sum()), int(weight.sum())
    minimum = f"{policy.min_human_grounding_ratio:g}"
    title = (
        f"{count_noun(passing, 'retrieval')} of {all_of_them:,} reach the minimum grounding ratio of {minimum}"
        if all_of_them
        else "No grounding ratio: no retrieval has results"
    )
    rows = [
        (name_bar(i), int(u), int(a))
        for i, (u, a) in enumerate(zip(under.tolist(), above.tolist(), strict=True))
        if u or a
    ]
    numbers = make_table(("Grounding ratio", "Below the minimum", "Minimum reached"), rows)
    return RatioBars(policy.min_human_grounding_ratio, tuple(under.tolist()), tuple(above.tolist()), title, numbers)


def name_bar(index: int) -> str:
    """Return the range of ratios of a bar: "0.2 to below 0.3", "1"."""
    return "1" if index == BINS else f"{index / BINS:.1f} to below {(index + 1) / BINS:.1f}"


@dataclass(frozen=True, slots=True)
class DepthCounts:
    """Judged results by generation depth; ``buckets`` ends with "unknown"."""

    buckets: tuple[str, ...]
    counts: tuple[int, ...]
    title: str
    numbers: Table


def count_depths(statistics: Statistics, belief: Belief) -> DepthCounts:
    """Count the judged results by generation depth."""
    histogram = statistics.depth_histogram(belief)
    total = sum(histogram.values())
    deep = sum(histogram[bucket] for bucket in ("2", "3", "4+"))
    unknown = histogram["unknown"]
    if not total:
        title = "No depth: no result is judged"
    elif unknown == total:
        title = "No result has a known depth"
    else:
        title = f"{format_share(deep, total)} of the results are machine text built on machine text"
        title += f", {format_share(unknown, total)} are of unknown depth" if unknown else ""
    rows = [(bucket, number, format_share(number, total)) for bucket, number in histogram.items()]
    return DepthCounts(
        tuple(histogram), tuple(histogram.values()), title, make_table(("Depth", "Results", "Share"), rows)
    )


@dataclass(frozen=True, slots=True)
class BasisCounts:
    """Judged results by the basis on which their class is known, the strongest first."""

    bases: tuple[str, ...]
    counts: tuple[int, ...]
    title: str
    numbers: Table


def count_bases(statistics: Statistics) -> BasisCounts:
    """Count the judged results by the basis on which their class is known."""
    counts = statistics.basis_counts()
    total = sum(counts.values())
    upheld = counts["signed"] + counts["catalogue"]
    if not total:
        title = "No basis: no result is judged"
    elif not upheld and not counts["declared"]:
        title = "Nothing says who wrote these results"
    elif not upheld:
        title = "Every known class rests on the log's own word"
    else:
        title = f"For {format_share(upheld, total)} of the results somebody other than the log says who wrote them"
    rows = [(BASIS_LABEL[b], number, format_share(number, total), BASIS_MEANING[b]) for b, number in counts.items()]
    numbers = make_table(("Basis", "Results", "Share", "Meaning"), rows)
    return BasisCounts(tuple(counts), tuple(counts.values()), title, numbers)


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How many retrievals have a finding, of how many that are counted."""

    code: str
    number: int
    total: int
    sentence: str


def count_findings(summary: Summary, total: int) -> tuple[FindingCount, ...]:
    """Count the retrievals with each finding, the three failure modes first."""
    return tuple(FindingCount(f.value, summary.findings[f.value], total, FINDING_MEANING[f]) for f in Finding)


MODES = len(FAILURE_MODES)
"""How many findings are failure modes; the others are plain notices."""


@dataclass(frozen=True, slots=True)
class SourceCount:
    """Results against independent human sources: "3,937 results, 41.2 independent human sources."."""

    number: str
    headline: str
    detail: str


def count_sources(statistics: Statistics, belief: Belief) -> SourceCount:
    """Count the independent human sources behind all results together, and behind the median retrieval."""
    results = statistics.judged_results
    if not results:
        return SourceCount("none", "The log holds no result, so there is no source to count.", "")
    independent = statistics.independent_sources(belief)
    if independent is None:
        headline = f"{count_noun(results, 'result')}, no known human source."
        return SourceCount("none known", headline, "A catalogue would show which results can be traced.")
    return SourceCount(
        format_number(independent),
        f"{count_noun(results, 'result')}, {format_number(independent)} independent human sources.",
        f"{describe_median(statistics, belief, statistics.profiles.entries > 0)}.",
    )


def describe_median(statistics: Statistics, belief: Belief, filled: NDArray[np.bool_]) -> str:
    """Describe the median retrieval of the profiles in ``filled``: "10 results, 5.6 independent human sources"."""
    profiles = statistics.profiles
    weight = statistics.multiplicity[filled]
    results = compute_median(profiles.entries[filled], weight)
    sources = format_number(compute_median(np.nan_to_num(profiles.effective[belief][filled]), weight))
    noun = "result" if results == 1 else "results"
    return f"Median retrieval: {format_number(results)} {noun}, {sources} independent human sources"
