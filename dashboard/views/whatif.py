"""Two policies over one log: what changes, for which retrievals, and why; and every minimum ratio at once.

Flows in: ``Verdicts`` of a baseline and of a candidate.  Flows out: ``Comparison``, ``Curve``, tables and
sentences.
Rules kept here: creative tasks stay out of every count; a reason names the numbers that the rule compared, under
both policies; a sweep has break points only.  ``waived`` everywhere means: verdicts with the signature gate left
out.
Not here: the flips themselves (``guard_core.judging.whatif``), policy controls (``controls``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.distrust import Distrust
from dashboard.text import escape_text
from dashboard.views.numbers import compute_median
from dashboard.views.overview import JUDGED
from dashboard.views.table import Table, make_table
from dashboard.words import DECISIONS, FIELD_LABEL, VERDICTS, count_noun, format_share, label_code
from guard_core.codes import EXCESSIVE, GROUNDED, UNITS, UNVERIFIED
from guard_core.judging.judge import Verdicts, count_closers
from guard_core.judging.policy import FIELDS, NamedPolicy, policy_fields
from guard_core.judging.profiles import Category
from guard_core.judging.rule import required_human
from guard_core.judging.whatif import decided_otherwise, first_flipped, flips, sweep
from guard_core.model import SynthesisPolicy


@dataclass(frozen=True, slots=True)
class Comparison:
    """``flows[i][j]`` counted retrievals go from verdict i to verdict j, in the order of ``JUDGED``."""

    total: int
    changed: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    flows: tuple[tuple[int, ...], ...]
    title: str
    decisions: str
    shares_title: str
    shares: Table
    flow_title: str
    moves: Table


def compare_verdicts(baseline: Verdicts, candidate: Verdicts, waived: bool) -> Comparison:
    """Counts of both judgements and of what goes where."""
    matrix = flips(baseline, candidate, waived=waived)[:4, :4]
    flows = tuple(tuple(row) for row in matrix.tolist())
    before, after = tuple(matrix.sum(axis=1).tolist()), tuple(matrix.sum(axis=0).tolist())
    total, changed = int(matrix.sum()), int(matrix.sum() - np.trace(matrix))
    rows = [
        (label_code(name), a, format_share(a, total), b, format_share(b, total), b - a)
        for name, a, b in zip(JUDGED, before, after, strict=True)
    ]
    moves = [
        (label_code(JUDGED[i]), label_code(JUDGED[j]), flows[i][j], format_share(flows[i][j], total))
        for i in range(4)
        for j in range(4)
        if flows[i][j]
    ]
    return Comparison(
        total,
        changed,
        before,
        after,
        flows,
        _title_changes(changed, total, waived),
        _describe_decisions(baseline, candidate) + (" Decisions are as judged." if waived else ""),
        f"Human grounded: {format_share(before[0], total)} under the baseline, "
        f"{format_share(after[0], total)} under the candidate" + end_title(waived),
        make_table(("Verdict", "Baseline", "Share before", "Candidate", "Share after", "Change"), rows),
        _title_flow(flows) + end_title(waived),
        make_table(("From", "To", "Retrievals", "Share"), moves),
    )


def end_title(waived: bool) -> str:
    """What ends a title of verdicts that are not those as judged."""
    return ", signatures waived" if waived else ""


def _title_changes(changed: int, total: int, waived: bool) -> str:
    if not total:
        return "There is nothing to compare"
    end = end_title(waived)
    if not changed:
        return f"None of {count_noun(total, 'retrieval')} changes its verdict{end}"
    return f"{changed:,} of {count_noun(total, 'retrieval')} {'change' if changed > 1 else 'changes'} verdict{end}"


def _title_flow(flows: tuple[tuple[int, ...], ...]) -> str:
    """The largest flow between two verdicts."""
    moves = [(flows[i][j], i, j) for i in range(4) for j in range(4) if i != j]
    number, i, j = max(moves, key=lambda move: move[0])
    if not number:
        return "No retrieval moves from one verdict to another"
    return (
        f"The largest flow: {count_noun(number, 'retrieval')} from {label_code(JUDGED[i])} to {label_code(JUDGED[j])}"
    )


def _describe_decisions(baseline: Verdicts, candidate: Verdicts) -> str:
    """What callers would notice: decisions that change."""
    halted, freed = decided_otherwise(baseline, candidate)
    parts = [
        f"{count_noun(n, 'retrieval')} more would {word}" for n, word in ((halted, "halt"), (freed, "proceed")) if n
    ]
    return " and ".join(parts) + "." if parts else "No decision changes."


FLIPS_ON_SCREEN = 200
"""Rows that are made and sent at every move of a slider."""

FLIP_COLUMNS = ("Retrieval", "Query", "From", "To", "Decision", "Before", "Now")


def list_flips(baseline: Verdicts, candidate: Verdicts, waived: bool) -> Table:
    """The retrievals whose verdict changes, each with the numbers that the rule compared before and after."""
    shown, total = first_flipped(baseline, candidate, FLIPS_ON_SCREEN, waived=waived)
    grounds = _FlipReasons(baseline, waived), _FlipReasons(candidate, waived)
    log = candidate.statistics.evidence.log
    rows = []
    numbers = candidate.statistics.retrievals[shown].tolist()
    profiles = (verdicts.statistics.profile_of[shown].tolist() for verdicts in (baseline, candidate))
    for number, before, after in zip(numbers, *profiles, strict=True):
        first, second = DECISIONS[baseline.decisions[before]], DECISIONS[candidate.decisions[after]]
        rows.append(
            (
                escape_text(log.retrieval_id(number)),
                escape_text(log.queries.text(number)),
                grounds[0].verdict(before),
                grounds[1].verdict(after),
                first if first == second else f"{first} → {second}",
                grounds[0].of(before),
                grounds[1].of(after),
            )
        )
    return make_table(FLIP_COLUMNS, rows, total, numbers)


class _FlipReasons:
    """Says what the rule compared in one profile; its words are made once."""

    def __init__(self, verdicts: Verdicts, waived: bool) -> None:
        policy, profiles = verdicts.policy, verdicts.statistics.profiles
        counts = profiles.counts[policy.belief, UNITS.code(policy.count)]
        self._policy = policy
        self._codes = verdicts.waived if waived else verdicts.verdicts
        self._human, self._total = counts[Category.HUMAN], counts.sum(axis=0)
        self._closers = count_closers(counts, policy)
        self._known: dict[int, str] = {}

    def verdict(self, profile: int) -> str:
        return label_code(VERDICTS[self._codes[profile]])

    def of(self, profile: int) -> str:
        if profile not in self._known:
            self._known[profile] = self._words(profile)
        return self._known[profile]

    def _words(self, profile: int) -> str:
        code = int(self._codes[profile])
        if code == UNVERIFIED:
            return f"a result does not pass the signature gate ({self._policy.signatures.value})"
        human, total = int(self._human[profile]), int(self._total[profile])
        needed = required_human(total, self._policy.min_human_grounding_ratio)
        ratio = f"{human} of {total} human, {needed} needed"
        if code == GROUNDED:
            return ratio
        if code == EXCESSIVE and self._policy.allow_depth_1_synthetic:
            return f"{ratio}, {count_noun(int(self._closers[profile]), 'item')} close the depth-1 route"
        return f"{ratio}, depth 1 {'is not allowed' if code == EXCESSIVE else 'stands in'}"


@dataclass(frozen=True, slots=True)
class SweepCurve:
    """Verdict counts over the break points of the minimum ratio; ``counts[allowed][verdict][point]``.

    With a minimum in (``ratios[i - 1]``, ``ratios[i]``] the counts are those of point i.
    """

    ratios: tuple[float, ...]
    counts: tuple[tuple[tuple[int, ...], ...], ...]
    total: int
    minimum: float
    depth_1: bool
    title: str
    numbers: Table


def compute_curve(candidate: Verdicts, waived: bool) -> SweepCurve:
    """Every minimum ratio at once, with and without depth 1, the other fields as the candidate has them."""
    policy = candidate.policy
    swept = sweep(candidate.statistics, policy, waived=waived)
    counts = swept.counts.tolist()
    ratios = swept.ratios.tolist()
    rows = [
        (round(ratios[i], 4), *(counts[1][v][i] for v in range(4)), *(counts[0][v][i] for v in range(4)))
        for i in range(len(ratios))
    ]
    names = (
        "Minimum up to",
        *(f"{label_code(v)}, depth 1 allowed" for v in JUDGED),
        *(f"{label_code(v)}, not" for v in JUDGED),
    )
    return SweepCurve(
        tuple(ratios),
        tuple(tuple(tuple(line) for line in side) for side in counts),
        swept.counted,
        policy.min_human_grounding_ratio,
        policy.allow_depth_1_synthetic,
        _title_curve(ratios, counts[1][GROUNDED], swept.counted, end_title(waived)),
        make_table(names, rows),
    )


def _title_curve(ratios: list[float], grounded: list[int], total: int, end: str) -> str:
    """Where grounding is lost: the break point after which the most retrievals stop being grounded."""
    if not total:
        return "No minimum changes anything: there is nothing to judge"
    lost = [grounded[i] - grounded[i + 1] for i in range(len(grounded) - 1)]
    steepest = max(range(len(lost)), key=lost.__getitem__, default=0)
    if not lost or not lost[steepest]:
        return f"No minimum changes a verdict{end}"
    step = f"{ratios[steepest]:.2f}: {count_noun(lost[steepest], 'retrieval')} lose grounding"
    return f"The steepest step is above a minimum of {step}{end}"


def explain_minimum(candidate: Verdicts) -> str:
    """What the minimum means for a list of middling length: "needs 3 of 5"."""
    policy, statistics = candidate.policy, candidate.statistics
    totals = statistics.profiles.counts[policy.belief, UNITS.code(policy.count)].sum(axis=0)
    length = compute_median(totals, np.where(candidate.counted, statistics.multiplicity, 0))
    if length is None:
        return "No list to apply it to."
    needed = required_human(int(length), policy.min_human_grounding_ratio)
    return f"Needs {needed} of {int(length)}: so many human {policy.count.value} in a list of middling length."


def list_differences(baseline: SynthesisPolicy, candidate: SynthesisPolicy, wish: Distrust | None = None) -> Table:
    """Every field in which the two policies differ, and who is trusted less."""
    before, after = policy_fields(baseline), policy_fields(candidate)
    rows = [
        (FIELD_LABEL[name], format_setting(before[name]), format_setting(after[name]))
        for name in after
        if before[name] != after[name]
    ]
    less = wish or Distrust()
    rows += [
        (f"Originator {escape_text(iss, 60)}", "as the trust store says", "switched off") for iss in less.originators
    ]
    rows += [(f"Key {escape_text(kid, 60)}", "as the trust store says", "compromised") for kid in less.keys]
    return make_table(("Field", "Baseline", "Candidate"), rows)


def describe_policy(named: NamedPolicy) -> str:
    """The policy in force in half a line; every field stands in :func:`fields`."""
    policy = named.policy
    depth_1 = "depth 1 allowed" if policy.allow_depth_1_synthetic else "depth 1 not allowed"
    first = f"minimum {policy.min_human_grounding_ratio:g}, signatures {policy.signatures.value}, {depth_1}"
    return f"Policy {named.preset}: {first}, counting {policy.count.value}"


def list_fields(policy: SynthesisPolicy) -> Table:
    """Every field of a policy with its value and meaning."""
    rows = [
        (FIELD_LABEL[name], format_setting(value), FIELDS[name].meaning)
        for name, value in policy_fields(policy).items()
    ]
    return make_table(("Field", "Value", "Meaning"), rows)


def format_setting(value: object) -> str:
    """A policy value as words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(label_code(str(word)) for word in value) or "nothing"
    return f"{value:g}" if isinstance(value, float) else str(value)
