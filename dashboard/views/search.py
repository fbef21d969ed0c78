"""Sort retrievals and cut the list to a page, on the server, at any size of log; count their results by class.

Flows in: ``Verdicts`` of the retrievals that match.  Flows out: positions in order, pages, ``ClassCounts``.
Rules kept here: what has no value comes last in either direction; equal values keep the order of the log; only the
rows of one page are made into text.
Not here: what matches (``guard_core.judging.selection``), the cells of a row (``retrievals.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.text import escape_text
from dashboard.views.table import Cell, Table, make_table, number_repeats
from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNITS
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.categories import Category
from guard_core.judging.judge import Verdicts
from guard_core.visible import count_noun

PAGE = 25
"""Retrievals on one page."""

CLASSES = ("Human", "Depth 1", "Deeper", "Unknown")


def sort_retrievals(verdicts: Verdicts, by: str, descending: bool) -> NDArray[np.int64]:
    """Return the positions of all retrievals, sorted by one of ``dashboard.view.SORTS``."""
    statistics = verdicts.statistics
    number = len(statistics.retrievals)
    if by == "log":
        everything = np.arange(number)
        return everything[::-1] if descending else everything
    if by == "time":
        times = statistics.evidence.log.times[statistics.retrievals]
        missing = times == MISSING_TIME
        ranks = np.where(missing, np.iinfo(np.int64).max, -times if descending else times)
        return np.argsort(ranks, kind="stable")
    values = _find_values(verdicts, by)
    _, levels = np.unique(-values if descending else values, return_inverse=True)  # NaN is the greatest, so last
    kind = np.uint16 if len(values) < 1 << 16 else np.int32  # short numbers are sorted by counting
    return np.argsort(levels.ravel().astype(kind)[statistics.profile_of], kind="stable")


def _find_values(verdicts: Verdicts, by: str) -> NDArray[np.float64]:
    """Return the value of every profile; NaN for none."""
    profiles, policy = verdicts.statistics.profiles, verdicts.policy
    belief = policy.belief
    if by == "sources":
        effective: NDArray[np.float64] = profiles.effective[belief]
        return effective
    if by == "ratio":
        counts = profiles.counts[belief, UNITS.code(policy.count)]
        total = counts.sum(axis=0)
        return np.where(total > 0, counts[Category.HUMAN] / np.maximum(total, 1), np.nan)
    numbers = {"entries": profiles.entries, "margin": verdicts.margins, "depth": profiles.deepest[belief]}[by]
    return np.where(numbers < 0, np.nan, numbers.astype(np.float64))


def count_pages(number: int) -> int:
    """Return how many pages ``number`` retrievals fill."""
    return -(-number // PAGE)


def cut_page(positions: NDArray[np.int64], page: int) -> NDArray[np.int64]:
    """Return the positions on one page, counted from 1."""
    return positions[(page - 1) * PAGE : page * PAGE]


def describe_page(page: int, number: int) -> str:
    """Say which rows a page shows."""
    if not number:
        return "No retrieval matches."
    first, last = (page - 1) * PAGE + 1, min(page * PAGE, number)
    return f"{first:,} to {last:,} of {count_noun(number, 'retrieval')}. Choose a row to open it."


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The results of some retrievals by class: ``counts[i]`` those of ``names[i]``, in the order of ``CLASSES``."""

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    title: str
    numbers: Table


def count_classes(verdicts: Verdicts, positions: NDArray[np.int64]) -> ClassCounts:
    """Count the judged results of these retrievals by class, on the belief of the policy."""
    statistics = verdicts.statistics
    log, evidence = statistics.evidence.log, statistics.evidence
    classes = evidence.under(verdicts.policy.belief).classes
    order = (HUMAN, DEPTH_1, DEPTH_2_PLUS)
    names, counts = [], []
    for position in positions.tolist():
        number = int(statistics.retrievals[position])
        first, last = int(log.offsets[number]), int(log.offsets[number + 1])
        if verdicts.policy.top_k is not None:
            last = min(last, first + verdicts.policy.top_k)
        own = classes[first:last]
        known = [int(np.count_nonzero(own == code)) for code in order]
        counts.append((*known, len(own) - sum(known)))
        names.append(escape_text(log.retrieval_id(number), 40))
    shown = number_repeats(names)
    human, total = sum(row[0] for row in counts), sum(map(sum, counts))
    title = f"{human:,} of {count_noun(total, 'result')} on this page {'is' if human == 1 else 'are'} human"
    rows: list[tuple[Cell, ...]] = [(name, *row, sum(row)) for name, row in zip(shown, counts, strict=True)]
    return ClassCounts(shown, tuple(counts), title, make_table(("Retrieval", *CLASSES, "Results"), rows))
