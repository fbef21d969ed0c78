"""Compare two judgements of the same retrievals: verdicts before and after, and how many go from one to another.

Flows in: a matrix of flips.  Flows out: ``Comparison`` with its tables and titles.
Rules kept here: shares are of retrievals with results; those without are counted apart (R54, R55); a title of verdicts
with signatures waived says so.
Not here: counting flips (``guard_core.judging.whatif``), drawing (``charts/whatif.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.views.table import TitledTable, make_table
from dashboard.words import DECISIONS, JUDGED, VERDICT_LABEL, format_share
from guard_core.visible import count_noun


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two judgements side by side; ``flows[i][j]`` retrievals go from verdict ``i`` to verdict ``j``."""

    names: tuple[str, str]
    total: int
    changed: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    flows: tuple[tuple[int, ...], ...]
    shares: TitledTable
    moves: TitledTable


def compare_verdicts(
    flips: NDArray[np.int64],
    names: tuple[str, str],
    *,
    waived: bool,
    empty: tuple[int, int] | None = None,
) -> Comparison:
    """Compare two judgements by their flips; ``names`` says what they are called.

    ``empty`` are retrievals without results before and after, where that can differ.
    """
    matrix = flips if empty else flips[: len(JUDGED), : len(JUDGED)]
    flows = tuple(tuple(row) for row in matrix.tolist())
    before, after = tuple(matrix.sum(axis=1).tolist()), tuple(matrix.sum(axis=0).tolist())
    counted = sum(before[: len(JUDGED)]), sum(after[: len(JUDGED)])
    shares = [
        (name, a, format_share(a, counted[0]), b, format_share(b, counted[1]), b - a)
        for name, a, b in zip(VERDICT_LABEL[: len(JUDGED)], before, after, strict=False)
    ]
    if empty:
        shares.append((VERDICT_LABEL[-1], empty[0], "apart", empty[1], "apart", empty[1] - empty[0]))
    moves = [
        (
            VERDICT_LABEL[i],
            VERDICT_LABEL[j],
            number,
            format_share(number, counted[0]) if i < len(JUDGED) else "apart",
        )
        for i, row in enumerate(flows)
        for j, number in enumerate(row)
        if number
    ]
    first, second = (format_share(part[0], whole) for part, whole in zip((before, after), counted, strict=True))
    ends = [name.lower() if empty else f"under the {name.lower()}" for name in names]
    end = end_title(waived)
    shares_title = f"Human grounded: {first} {ends[0]}, {second} {ends[1]}{end}"
    columns = ("Verdict", names[0], "Share before", names[1], "Share after", "Change")
    return Comparison(
        names,
        int(matrix.sum()),
        int(matrix.sum() - np.trace(matrix)),
        before,
        after,
        flows,
        TitledTable(shares_title, make_table(columns, shares)),
        TitledTable(_title_flow(flows) + end, make_table(("From", "To", "Retrievals", "Share"), moves)),
    )


def end_title(waived: bool) -> str:
    """Return what ends a title of verdicts that are not those as judged."""
    return ", signatures waived" if waived else ""


def format_decisions(before: int, after: int) -> str:
    """Return a decision, or the old and the new one; both are positions in ``DECISIONS``."""
    if before == after:
        return DECISIONS[before]
    return f"{DECISIONS[before] or 'none'} → {DECISIONS[after] or 'none'}"


def _title_flow(flows: tuple[tuple[int, ...], ...]) -> str:
    number, i, j = max((number, -i, -j) for i, row in enumerate(flows) for j, number in enumerate(row) if i != j)
    if not number:
        return "No retrieval moves from one verdict to another"
    return f"The largest flow: {count_noun(number, 'retrieval')} from {VERDICT_LABEL[-i]} to {VERDICT_LABEL[-j]}"
