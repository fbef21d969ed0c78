"""Compare two policies over one log: what changes, for which retrievals, and why; and every minimum ratio at once.

Flows in: ``Verdicts`` of a baseline and of a candidate.  Flows out: ``PolicyChange``, ``SweepCurve``, tables and
sentences.
Rules kept here: creative tasks stay out of every count; a reason names the numbers that the rule compared, under
both policies; a sweep has break points only.  ``waived`` everywhere means: verdicts with the signature gate left
out.
Not here: the flips themselves (``guard_core.judging.whatif``), policy controls (``controls``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.distrust import Distrust
from dashboard.text import escape_text
from dashboard.views.comparison import Comparison, compare_verdicts, end_title, format_decisions
from dashboard.views.numbers import compute_median
from dashboard.views.retrievals import name_retrievals
from dashboard.views.table import Table, make_table
from dashboard.words import FIELD_LABEL, JUDGED, UNIT_NOUN, VERDICT_LABEL, label_code
from guard_core.codes import EXCESSIVE, GROUNDED, UNITS, UNVERIFIED
from guard_core.judging.categories import Category
from guard_core.judging.judge import Verdicts, count_closers
from guard_core.judging.policy import FIELDS, NamedPolicy, list_policy_fields
from guard_core.judging.rule import required_human
from guard_core.judging.whatif import count_changed_decisions, count_flips, find_first_flips, sweep
from guard_core.model import SynthesisPolicy
from guard_core.visible import count_noun


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """Two judgements side by side, with what changes in a sentence for verdicts and one for decisions."""

    comparison: Comparison
    title: str
    decisions: str


def compare_policies(baseline: Verdicts, candidate: Verdicts, waived: bool) -> PolicyChange:
    """Compare the judgements of two policies."""
    compared = compare_verdicts(
        count_flips(baseline, candidate, waived=waived), ("Baseline", "Candidate"), waived=waived
    )
    decisions = _describe_decisions(baseline, candidate) + (" Decisions are as judged." if waived else "")
    return PolicyChange(compared, _title_changes(compared.changed, compared.total, waived), decisions)


def _title_changes(changed: int, total: int, waived: bool) -> str:
    if not total:
        return "There is nothing to compare"
    end = end_title(waived)
    if not changed:
        return f"None of {count_noun(total, 'retrieval')} changes its verdict{end}"
    return f"{changed:,} of {count_noun(total, 'retrieval')} {'change' if changed > 1 else 'changes'} verdict{end}"


def _describe_decisions(baseline: Verdicts, candidate: Verdicts) -> str:
    halted, freed = count_changed_decisions(baseline, candidate)
    parts = [
        f"{count_noun(number, 'retrieval')} more would {word}"
        for number, word in ((halted, "halt"), (freed, "proceed"))
        if number
    ]
    return " and ".join(parts) + "." if parts else "No decision changes."


FLIPS_ON_SCREEN = 200
"""Rows that are made and sent at every move of a slider."""

FLIP_COLUMNS = ("Retrieval", "Query", "From", "To", "Decision", "Before", "Now")


def list_flips(baseline: Verdicts, candidate: Verdicts, waived: bool) -> Table:
    """List the retrievals whose verdict changes, each with the numbers that the rule compared before and after."""
    shown, total = find_first_flips(baseline, candidate, FLIPS_ON_SCREEN, waived=waived)
    before, after = _explain_verdicts(baseline, shown, waived), _explain_verdicts(candidate, shown, waived)
    decisions = (
        verdicts.decisions[verdicts.statistics.profile_of[shown]].tolist() for verdicts in (baseline, candidate)
    )
    numbers = candidate.statistics.retrievals[shown]
    rows = [
        (*names, first, second, format_decisions(*codes), reason, other)
        for names, (first, reason), (second, other), *codes in zip(
            name_retrievals(candidate.statistics.evidence.log, numbers), before, after, *decisions, strict=True
        )
    ]
    return make_table(FLIP_COLUMNS, rows, total, numbers.tolist())


def _explain_verdicts(verdicts: Verdicts, positions: NDArray[np.int64], waived: bool) -> list[tuple[str, str]]:
    """Return the verdict of each retrieval at these positions, and what the rule compared; each profile once."""
    policy, profiles = verdicts.policy, verdicts.statistics.profiles
    counts = profiles.counts[policy.belief, UNITS.code(policy.count)]
    codes = verdicts.waived if waived else verdicts.verdicts
    human, total, closers = counts[Category.HUMAN], counts.sum(axis=0), count_closers(counts, policy)
    places = verdicts.statistics.profile_of[positions].tolist()
    explained = {
        place: _explain_verdict(policy, int(codes[place]), int(human[place]), int(total[place]), int(closers[place]))
        for place in set(places)
    }
    return [explained[place] for place in places]


def _explain_verdict(policy: SynthesisPolicy, code: int, human: int, total: int, closers: int) -> tuple[str, str]:
    verdict = VERDICT_LABEL[code]
    if code == UNVERIFIED:
        return verdict, f"a result does not pass the signature gate ({policy.signatures.value})"
    needed = required_human(total, policy.min_human_grounding_ratio)
    ratio = f"{human} of {total} human, {needed} needed"
    if code == GROUNDED:
        return verdict, ratio
    if code == EXCESSIVE and policy.allow_depth_1_synthetic:
        return verdict, f"{ratio}, depth-1 route closed by {count_noun(closers, 'item')}"
    return verdict, f"{ratio}, depth 1 {'is not allowed' if code == EXCESSIVE else 'accepted'}"


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
    """Count verdicts at every minimum ratio, with and without depth 1, the other fields as the candidate has them."""
    policy = candidate.policy
    swept = sweep(candidate.statistics, policy, waived=waived)
    counts = swept.counts.tolist()
    ratios = swept.ratios.tolist()
    rows = [
        (round(ratios[i], 4), *(counts[1][v][i] for v in range(4)), *(counts[0][v][i] for v in range(4)))
        for i in range(len(ratios))
    ]
    names = [f"{name}, depth 1 {end}" for end in ("allowed", "not allowed") for name in VERDICT_LABEL[: len(JUDGED)]]
    return SweepCurve(
        tuple(ratios),
        tuple(tuple(tuple(line) for line in side) for side in counts),
        swept.counted,
        policy.min_human_grounding_ratio,
        policy.allow_depth_1_synthetic,
        _title_curve(ratios, counts[1][GROUNDED], swept.counted, end_title(waived)),
        make_table(("Minimum up to", *names), rows),
    )


def _title_curve(ratios: list[float], grounded: list[int], total: int, end: str) -> str:
    """Name the minimum above which the most retrievals stop being grounded."""
    if not total:
        return "No minimum changes anything: there is nothing to judge"
    lost = [grounded[i] - grounded[i + 1] for i in range(len(grounded) - 1)]
    steepest = max(range(len(lost)), key=lost.__getitem__, default=0)
    if not lost or not lost[steepest]:
        return f"No minimum changes a verdict{end}"
    step = f"{ratios[steepest]:.2f}: {count_noun(lost[steepest], 'retrieval')} no longer grounded"
    return f"The steepest step is above a minimum of {step}{end}"


def explain_minimum(candidate: Verdicts) -> str:
    """Explain the minimum: "A retrieval of median length needs 3 human of 5 results."."""
    policy, statistics = candidate.policy, candidate.statistics
    totals = statistics.profiles.counts[policy.belief, UNITS.code(policy.count)].sum(axis=0)
    length = compute_median(totals, np.where(candidate.counted, statistics.multiplicity, 0))
    if length is None:
        return "No retrieval to apply it to."
    needed = required_human(int(length), policy.min_human_grounding_ratio)
    whole = count_noun(int(length), UNIT_NOUN[policy.count])
    return f"A retrieval of median length needs {needed} human of {whole}."


def list_differences(baseline: SynthesisPolicy, candidate: SynthesisPolicy, distrust: Distrust | None = None) -> Table:
    """List the fields in which two policies differ, and who is trusted less."""
    before, after = list_policy_fields(baseline), list_policy_fields(candidate)
    rows = [
        (FIELD_LABEL[name], format_setting(before[name]), format_setting(after[name]))
        for name in after
        if before[name] != after[name]
    ]
    less = distrust or Distrust()
    rows += [
        (f"Originator {escape_text(iss, 60)}", "as the trust store says", "switched off") for iss in less.originators
    ]
    rows += [(f"Key {escape_text(kid, 60)}", "as the trust store says", "compromised") for kid in less.keys]
    return make_table(("Field", "Baseline", "Candidate"), rows)


def describe_policy(named: NamedPolicy) -> str:
    """Describe a policy in a few words; :func:`list_fields` has every field."""
    policy = named.policy
    depth_1 = "depth 1 allowed" if policy.allow_depth_1_synthetic else "depth 1 not allowed"
    first = f"minimum {policy.min_human_grounding_ratio:g}, signatures {policy.signatures.value}, {depth_1}"
    return f"Policy {named.preset}: {first}, counting {policy.count.value}"


def list_fields(policy: SynthesisPolicy) -> Table:
    """List every field of a policy with its value and meaning."""
    rows = [
        (FIELD_LABEL[name], format_setting(value), FIELDS[name].meaning)
        for name, value in list_policy_fields(policy).items()
    ]
    return make_table(("Field", "Value", "Meaning"), rows)


def format_setting(value: object) -> str:
    """Return the value of a policy field in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(label_code(str(word)) for word in value) or "nothing"
    return f"{value:g}" if isinstance(value, float) else str(value)
