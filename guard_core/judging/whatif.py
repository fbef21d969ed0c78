"""Compare judgements of the same statistics: flips between two policies, and the sweep over every minimum ratio.

Flows in: ``Verdicts`` of a baseline and a candidate; ``Statistics`` and a policy for a sweep.  Flows out: counts and
indices.
Rules kept here: a sweep evaluates only break points (a ratio of n results takes n + 1 values), compared as
the rule compares; flips are counted over profiles, not retrievals.
Not here: drawing (the dashboard), the judgement
itself (``judge.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1_ACCEPTABLE, EXCESSIVE, GATES, GROUNDED, HALT, PROCEED, UNITS, UNVERIFIED
from guard_core.errors import SourceGuardError
from guard_core.judging.categories import Category
from guard_core.judging.judge import Verdicts, count_closers
from guard_core.judging.rule import grounding_ratio
from guard_core.judging.statistics import Statistics
from guard_core.model import SignatureGate, SynthesisPolicy

_BLOCK = 1 << 14
"""Retrievals that are looked at in one go where only the first few are wanted."""


def _choose_column(verdicts: Verdicts, waived: bool) -> NDArray[np.uint8]:
    return verdicts.waived if waived else verdicts.verdicts


def count_flips(baseline: Verdicts, candidate: Verdicts, *, waived: bool = False) -> NDArray[np.int64]:
    """Count the retrievals that go from each verdict (rows) to each (columns): 5 x 5, the last index NO_RESULTS.

    Creative tasks are left out, as everywhere in shares.  The two judgements may be of statistics with another
    ``top_k``, or of evidence under another trust store, but of the same retrievals; anything else raises
    ``SourceGuardError``.
    """
    before, after, weight = _pair_verdicts(baseline, candidate, waived)
    matrix = np.bincount(before.astype(np.int64) * 5 + after, weights=weight, minlength=25)
    return matrix.astype(np.int64).reshape(5, 5)


def find_flips(baseline: Verdicts, candidate: Verdicts, *, waived: bool = False) -> NDArray[np.int64]:
    """Find the retrievals whose verdict differs between the two judgements, without creative tasks.

    Returns positions among the kept retrievals, ascending.
    """
    before, after, weight = _pair_verdicts(baseline, candidate, waived)
    differ = (before != after) & (weight > 0)
    if baseline.statistics is candidate.statistics:
        differ = differ[baseline.statistics.profile_of]
    return np.flatnonzero(differ)


def find_first_flips(
    baseline: Verdicts, candidate: Verdicts, most: int, *, waived: bool = False
) -> tuple[NDArray[np.int64], int]:
    """Return the first ``most`` of :func:`find_flips`, and how many there are in all; looks no further than it must."""
    if baseline.statistics is not candidate.statistics:
        positions = find_flips(baseline, candidate, waived=waived)
        return positions[:most], len(positions)
    before, after, weight = _pair_verdicts(baseline, candidate, waived)
    differ = (before != after) & (weight > 0)
    total, profile_of = int(weight[differ].sum()), baseline.statistics.profile_of
    found, known, start = [np.zeros(0, np.int64)], 0, 0
    while known < min(most, total):
        found.append(start + np.flatnonzero(differ[profile_of[start : start + _BLOCK]]))
        known, start = known + len(found[-1]), start + _BLOCK
    return np.concatenate(found)[:most], total


def count_changed_decisions(baseline: Verdicts, candidate: Verdicts) -> tuple[int, int]:
    """Count the retrievals that proceed under the baseline and would halt, and those that halt and would proceed."""
    _check_retrievals(baseline, candidate)
    if baseline.statistics is candidate.statistics:
        before, after = baseline.decisions, candidate.decisions
        weight = np.where(candidate.counted, candidate.statistics.multiplicity, 0)
    else:
        before = baseline.decisions[baseline.statistics.profile_of]
        after = candidate.decisions[candidate.statistics.profile_of]
        weight = candidate.counted[candidate.statistics.profile_of].astype(np.int64)
    halted = int(weight[(before == PROCEED) & (after == HALT)].sum())
    return halted, int(weight[(before == HALT) & (after == PROCEED)].sum())


def _pair_verdicts(
    baseline: Verdicts, candidate: Verdicts, waived: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Return the verdicts of both and weights: one a profile where the statistics are the same, else a retrieval."""
    _check_retrievals(baseline, candidate)
    if baseline.statistics is candidate.statistics:
        weight = np.where(baseline.statistics.profiles.creative, 0, baseline.statistics.multiplicity)
        return _choose_column(baseline, waived), _choose_column(candidate, waived), weight
    before = _choose_column(baseline, waived)[baseline.statistics.profile_of]
    after = _choose_column(candidate, waived)[candidate.statistics.profile_of]
    creative = candidate.statistics.profiles.creative[candidate.statistics.profile_of]
    return before, after, (~creative).astype(np.int64)


def _check_retrievals(baseline: Verdicts, candidate: Verdicts) -> None:
    first, second = baseline.statistics, candidate.statistics
    if first is not second and (
        first.evidence.log is not second.evidence.log or not np.array_equal(first.retrievals, second.retrievals)
    ):
        raise SourceGuardError("the two judgements are of different retrievals and cannot be compared")


@dataclass(frozen=True, slots=True)
class Sweep:
    """Verdict counts over every minimum ratio.

    ``ratios`` are the break points, ascending from 0 to 1: with a minimum in (``ratios[i - 1]``, ``ratios[i]``] the
    counts are those of column i.  ``counts`` has shape (2, 4, points): depth 1 not allowed and allowed, verdict,
    break point.  ``counted`` is the denominator.
    """

    ratios: NDArray[np.float64]
    counts: NDArray[np.int64]
    counted: int


def sweep(statistics: Statistics, policy: SynthesisPolicy, *, waived: bool = False) -> Sweep:
    """Judge under every minimum ratio at once, the other fields as in ``policy``."""
    p = statistics.profiles
    counts = p.counts[policy.belief, UNITS.code(policy.count)]
    counted = (p.entries > 0) & ~p.creative
    weight = statistics.multiplicity[counted]
    total = counts.sum(axis=0)[counted]
    ratio = grounding_ratio(counts[Category.HUMAN][counted], total)
    route = count_closers(counts, policy)[counted] == 0
    gate = SignatureGate.IGNORED if waived else policy.signatures
    passes = p.gates[GATES.code(gate)][counted]
    points = np.unique(np.concatenate((ratio, [0.0, 1.0])))
    out = np.zeros((2, 4, len(points)), np.int64)
    out[:, UNVERIFIED] = int(weight[~passes].sum())
    place = np.searchsorted(points, ratio)

    def at_each_point(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(place[chosen], weights=weight[chosen], minlength=len(points)).astype(np.int64)

    everything, open_route = at_each_point(passes), at_each_point(passes & route)
    # Grounded at minimum m: ratio >= m, so a reversed cumulative sum; the others are what lies below.
    grounded = np.cumsum(everything[::-1])[::-1]
    below, below_open = everything.sum() - grounded, open_route.sum() - np.cumsum(open_route[::-1])[::-1]
    out[:, GROUNDED] = grounded
    out[0, EXCESSIVE] = below
    out[1, DEPTH_1_ACCEPTABLE], out[1, EXCESSIVE] = below_open, below - below_open
    return Sweep(points, out, int(weight.sum()))
