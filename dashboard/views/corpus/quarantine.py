"""A what-if on the corpus in numbers: each retrieval before and after documents are taken out.

Flows in: ``BeforeAndAfter``.  Flows out: ``Outcome``, tables and sentences.
Rules kept here: the numbers are those of the command line; it is said that results are dropped from the lists and that
a real re-query would fill the places; what is named and means nothing is said; a share over nothing is said to be none.
Not here: taking out (``guard_core.corpus.quarantine``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.text import escape_text
from dashboard.views.numbers import format_number
from dashboard.views.overview import JUDGED
from dashboard.views.table import ROWS_ON_SCREEN, Table, make_table
from dashboard.views.whatif import Comparison, end_title
from dashboard.words import DECISIONS, VERDICTS, count_noun, format_share, label_code
from guard_core.corpus.quarantine import Quarantine, QuarantineEffect
from guard_core.corpus.quarantine import apply_quarantine as drop_and_judge
from guard_core.judging.judge import Summary, Verdicts
from guard_core.judging.profiles import Profiles
from guard_core.judging.whatif import flipped, flips

STATED = (
    "Results are dropped from the lists and nothing takes their places; a real re-query would fill them with what "
    "ranks below."
)


@dataclass(frozen=True, slots=True)
class QuarantineOutcome:
    """``compared`` holds all five verdicts, as the charts take them."""

    title: str
    detail: str
    tiles: tuple[tuple[str, str], ...]
    numbers: Table
    compared: Comparison
    flips: Table
    unmatched: tuple[str, ...]


def apply_quarantine(before: Verdicts, quarantine: Quarantine, waived: bool) -> QuarantineOutcome:
    """Take ``quarantine`` out of the lists behind a judgement, and show what that changes."""
    return describe_outcome(drop_and_judge(before, quarantine), waived)


def describe_outcome(found: QuarantineEffect, waived: bool) -> QuarantineOutcome:
    """What taking them out changes; ``waived`` takes the verdicts with the signature gate left out."""
    matrix = flips(found.before, found.after, waived=waived)
    end = end_title(waived)
    flows = tuple(tuple(row) for row in matrix.tolist())
    before, after = tuple(matrix.sum(axis=1).tolist()), tuple(matrix.sum(axis=0).tolist())
    total, changed = int(matrix.sum()), int(matrix.sum() - np.trace(matrix))
    counted = sum(before[:4]), sum(after[:4])  # those without results have no verdict, and stay without results
    title = (
        f"Taking out {count_noun(found.dropped, 'result')} changes {changed:,} of "
        f"{count_noun(counted[0], 'verdict')}{end}"
        if found.dropped
        else "What is named occurs in no retrieval that is shown, so nothing changes"
    )
    verdicts = [
        (label_code(name), a, format_share(a, counted[0]), b, format_share(b, counted[1]), b - a)
        for name, a, b in zip(JUDGED, before[:4], after[:4], strict=True)
    ]
    empty = found.before.summary().no_results, found.after.summary().no_results  # creative tasks among them (R55)
    verdicts.append((label_code(VERDICTS[4]), empty[0], "apart", empty[1], "apart", empty[1] - empty[0]))
    moves = [
        (
            label_code(VERDICTS[i]),
            label_code(VERDICTS[j]),
            flows[i][j],
            format_share(flows[i][j], counted[0]) if i < len(JUDGED) else "apart",
        )
        for i in range(len(VERDICTS))
        for j in range(len(VERDICTS))
        if flows[i][j]
    ]
    compared = Comparison(
        total,
        changed,
        before,
        after,
        flows,
        title,
        "",
        f"Human grounded: {format_share(before[0], counted[0])} before, "
        f"{format_share(after[0], counted[1])} after{end}",
        make_table(("Verdict", "Before", "Share before", "After", "Share after", "Change"), verdicts),
        _title_flow(flows) + end,
        make_table(("From", "To", "Retrievals", "Share"), moves),
    )
    return QuarantineOutcome(
        title,
        STATED,
        (
            ("Verdicts that change", f"{changed:,}"),
            ("Left short", f"{len(found.short):,}"),
            ("Left empty", f"{len(found.empty):,}"),
            ("Independent human sources", f"{format_number(found.sources[0])} → {format_number(found.sources[1])}"),
        ),
        _list_numbers(found),
        compared,
        _list_flips(found, waived),
        tuple(f"{label_code(kind)} {escape_text(name, 80)}" for kind, name in found.unmatched),
    )


def describe_quarantine(quarantine: Quarantine) -> str:
    """What is taken out, in half a line."""
    parts = [
        f"{noun} {escape_text(name, 60)}"
        for noun, names in (
            ("document", quarantine.documents),
            ("family", quarantine.anchors),
            ("originator", quarantine.originators),
            ("generator", quarantine.generators),
            ("collection", quarantine.collections),
        )
        for name in names
    ]
    return ", ".join(parts[:4]) + (f" and {len(parts) - 4:,} more" if len(parts) > 4 else "")


def _title_flow(flows: tuple[tuple[int, ...], ...]) -> str:
    moves = [(flows[i][j], i, j) for i in range(len(flows)) for j in range(len(flows)) if i != j]
    number, i, j = max(moves, key=lambda move: move[0])
    if not number:
        return "No retrieval moves from one verdict to another"
    first, second = label_code(VERDICTS[i]), label_code(VERDICTS[j])
    return f"The largest flow: {count_noun(number, 'retrieval')} from {first} to {second}"


def _list_numbers(found: QuarantineEffect) -> Table:
    first, second = found.before.summary(), found.after.summary()
    results = found.before.statistics.judged_results
    rows = [
        ("Grounding ratio, mean of retrievals", _format_ratio(first.macro_ratio), _format_ratio(second.macro_ratio)),
        ("Grounding ratio, all results together", _format_ratio(first.micro_ratio), _format_ratio(second.micro_ratio)),
        ("Human grounded, as judged", *(_format_part(one, one.verdicts["HUMAN_GROUNDED"]) for one in (first, second))),
        ("Would halt, as judged", _format_part(first, first.halt), _format_part(second, second.halt)),
        ("Independent human sources", *(_format_sources(number) for number in found.sources)),
        ("Judged results", f"{results:,}", f"{found.after.statistics.judged_results:,}"),
        ("Retrievals with results", f"{first.with_results:,}", f"{second.with_results:,}"),
    ]
    return make_table(("Number", "Before", "After"), rows)


def _format_sources(value: float | None) -> str:
    return "none" if value is None else f"{value:,.1f}"


def _format_ratio(value: float | None) -> str:
    return "not applicable" if value is None else f"{value:.3f}"


def _format_part(summary: Summary, number: int) -> str:
    return f"{number:,} of {summary.counted:,} ({format_share(number, summary.counted)})"


def _list_flips(found: QuarantineEffect, waived: bool) -> Table:
    """The retrievals whose verdict changes, with how many of their results are left."""
    positions = flipped(found.before, found.after, waived=waived)
    column = "waived" if waived else "verdicts"
    shown = positions[:ROWS_ON_SCREEN]
    statistics = found.before.statistics
    log = statistics.evidence.log
    was, becomes = found.before.per_retrieval(column), found.after.per_retrieval(column)
    decided, decides = found.before.per_retrieval("decisions"), found.after.per_retrieval("decisions")
    had, has = (
        _count_entries(v.statistics.profiles, v.statistics.profile_of[shown]) for v in (found.before, found.after)
    )
    numbers = statistics.retrievals[shown].tolist()
    rows = []
    for place, (position, number) in enumerate(zip(shown.tolist(), numbers, strict=True)):
        first, second = DECISIONS[decided[position]], DECISIONS[decides[position]]
        rows.append(
            (
                escape_text(log.retrieval_id(number)),
                escape_text(log.queries.text(number)),
                label_code(VERDICTS[was[position]]),
                label_code(VERDICTS[becomes[position]]),
                first if first == second else f"{first or 'none'} → {second or 'none'}",
                f"{has[place]:,} of {had[place]:,}",
            )
        )
    return make_table(("Retrieval", "Query", "From", "To", "Decision", "Results left"), rows, len(positions), numbers)


def _count_entries(profiles: Profiles, profile_of: np.ndarray) -> list[int]:
    entries: list[int] = profiles.entries[profile_of].tolist()
    return entries
