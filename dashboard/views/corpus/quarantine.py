"""Describe a quarantine: each retrieval before and after documents are taken out.

Flows in: ``BeforeAndAfter``.  Flows out: ``QuarantineOutcome``, tables and sentences.
Rules kept here: the numbers are those of the command line; the page says that results are dropped from the lists and
that a real re-query would fill the places, and lists names that occur nowhere; a share over nothing is none.
Not here: taking documents out (``guard_core.corpus.quarantine``).
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.text import escape_text
from dashboard.views.comparison import Comparison, compare_verdicts, end_title, format_decisions
from dashboard.views.numbers import format_number
from dashboard.views.retrievals import name_retrievals
from dashboard.views.table import ROWS_ON_SCREEN, Table, make_table
from dashboard.words import JUDGED, VERDICT_LABEL, format_share, label_code
from guard_core.corpus.quarantine import Quarantine, QuarantineEffect, apply_quarantine
from guard_core.judging.judge import Summary, Verdicts
from guard_core.judging.whatif import count_flips, find_flips
from guard_core.visible import count_noun

HOW_COUNTED = (
    "Results are dropped from the lists and nothing takes their places; a real re-query would fill them with what "
    "ranks below."
)


@dataclass(frozen=True, slots=True)
class QuarantineOutcome:
    """What taking documents out changes; ``unmatched`` are names that occur nowhere."""

    title: str
    tiles: tuple[tuple[str, str], ...]
    numbers: Table
    comparison: Comparison
    flips: Table
    unmatched: tuple[str, ...]


def judge_without(before: Verdicts, quarantine: Quarantine, waived: bool) -> QuarantineOutcome:
    """Take ``quarantine`` out of the results that were judged, and describe what that changes."""
    return describe_outcome(apply_quarantine(before, quarantine), waived)


def describe_outcome(found: QuarantineEffect, waived: bool) -> QuarantineOutcome:
    """Describe what a quarantine changes; ``waived`` takes the verdicts with the signature gate left out."""
    empty = found.before.summary().no_results, found.after.summary().no_results  # creative tasks among them (R55)
    flips = count_flips(found.before, found.after, waived=waived)
    compared = compare_verdicts(flips, ("Before", "After"), waived=waived, empty=empty)
    counted = sum(compared.before[: len(JUDGED)])
    title = (
        f"Taking out {count_noun(found.dropped, 'result')} changes {compared.changed:,} of "
        f"{count_noun(counted, 'verdict')}{end_title(waived)}"
        if found.dropped
        else "What is named occurs in no retrieval that is shown, so nothing changes"
    )
    tiles = (
        ("Verdicts that change", f"{compared.changed:,}"),
        ("Left short", f"{len(found.short):,}"),
        ("Left empty", f"{len(found.empty):,}"),
        ("Independent human sources", " → ".join(map(format_number, found.sources))),
    )
    unmatched = tuple(f"{label_code(kind)} {escape_text(name, 80)}" for kind, name in found.unmatched)
    return QuarantineOutcome(title, tiles, _list_numbers(found), compared, _list_flips(found, waived), unmatched)


def describe_quarantine(quarantine: Quarantine) -> str:
    """Describe in a few words what is taken out."""
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
    """List the retrievals whose verdict changes, with how many of their results are left."""
    positions = find_flips(found.before, found.after, waived=waived)
    shown = positions[:ROWS_ON_SCREEN]
    statistics = found.before.statistics
    verdicts, decisions, results = (
        [column.tolist() for column in pair]
        for pair in (
            [each.per_retrieval("waived" if waived else "verdicts")[shown] for each in (found.before, found.after)],
            [each.per_retrieval("decisions")[shown] for each in (found.before, found.after)],
            [
                each.statistics.profiles.entries[each.statistics.profile_of[shown]]
                for each in (found.before, found.after)
            ],
        )
    )
    numbers = statistics.retrievals[shown]
    rows = [
        (*names, VERDICT_LABEL[first], VERDICT_LABEL[second], format_decisions(*codes), f"{left:,} of {had:,}")
        for names, first, second, *codes, had, left in zip(
            name_retrievals(statistics.evidence.log, numbers), *verdicts, *decisions, *results, strict=True
        )
    ]
    columns = ("Retrieval", "Query", "From", "To", "Decision", "Results left")
    return make_table(columns, rows, len(positions), numbers.tolist())
