"""The formulas behind the numbers, for one retrieval at a time.

Flows in: counts and masses.  Flows out: numbers, ``None`` where a number would be a rate over nothing.
Rules kept here: ratios are computed from integers; a rate over nothing is ``None``, never 0 or 1; sums run over
masses in ascending order, so that the same masses give the same bits in whatever order they were met.
Not here: the columnar forms for whole logs (``statistics.py``), which are tested against these.

No evenness and no Gini index on a single result list: both call total concentration even (docs/metrics.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

EFFECTIVE_DECIMALS = 9
"""Effective numbers are rounded to this many decimals, so that ten equal masses give 10 and not 10.000000000000005."""


def ratio(part: int, whole: int) -> float | None:
    """``part / whole``, or ``None`` over nothing.  Range 0..1."""
    return None if whole == 0 else part / whole


def required_human(total: int, minimum: float) -> int | None:
    """The least ``h`` with ``h / total >= minimum`` in doubles, as the rule compares; ``None`` if even ``total`` is
    too few.

    "Needs 3 of 5" beside the slider is this number.
    """
    if math.isnan(minimum) or minimum > 1.0:
        return None
    if minimum <= 0.0:
        return 0
    least = math.ceil(minimum * total)
    while least > 0 and (least - 1) / total >= minimum:
        least -= 1
    while least / total < minimum:
        least += 1
    return least


def mass_term(mass: float) -> float:
    """``m ln m``, the summand of the entropy; 0 for a mass of 0 or 1."""
    return mass * math.log(mass) if mass > 0.0 else 0.0


def effective_number(masses: Iterable[float]) -> float | None:
    """Effective number of anchors: exponential of the Shannon entropy of the masses (Hill number of order 1).

    1 when all mass is on one anchor, the number of anchors when the masses are equal; ``None`` without any mass.
    """
    ordered = sorted(m for m in masses if m > 0.0)
    terms = 0.0
    for mass in ordered:
        terms += mass_term(mass)
    # The weights of a result sum to 1 up to rounding; the sum of all masses is a whole number of results again.
    total = round(math.fsum(ordered), EFFECTIVE_DECIMALS)
    if total == 0.0:
        return None
    return round(math.exp(math.log(total) - terms / total), EFFECTIVE_DECIMALS)


def hill_number(masses: Sequence[float], order: float) -> float | None:
    """Hill number of order 0, 1, 2 or infinity (Hill 1973): the number of anchors, weighted ever more by the frequent
    ones."""
    present = sorted(m for m in masses if m > 0.0)
    if not present:
        return None
    total = math.fsum(present)
    if order == 0:
        return float(len(present))
    if order == 1:
        return math.exp(math.log(total) - math.fsum(mass_term(m) for m in present) / total)
    if math.isinf(order):
        return total / present[-1]
    powers = math.fsum((m / total) ** order for m in present)
    return float(powers ** (1.0 / (1.0 - order)))


def coverage_illusion_index(effective: float | None, anchored: float) -> float | None:
    """``1 - (min(D, N) - 1) / (N - 1)``: 0 when every anchored result has a source of its own, 1 when all share one.

    ``None`` for fewer than two anchored results.
    """
    if effective is None or anchored < 2:
        return None
    return 1.0 - (min(effective, anchored) - 1.0) / (anchored - 1.0)


def inflation_factor(effective: float | None, anchored: float) -> float | None:
    """``N / D``: how many times the list is longer than the independent human sources behind it; ``None`` over
    nothing."""
    return None if effective is None else anchored / effective


def same_anchor_probability(masses: Sequence[float], own_squares: float, results: int) -> float | None:
    """The chance that two different results drawn from the list rest on one human source.

    ``own_squares`` is the sum over results of their squared weights (the number of anchored results where each has one
    anchor), which takes a result's agreement with itself out.  ``None`` for fewer than two results.
    """
    if results < 2:
        return None
    return (math.fsum(m * m for m in masses) - own_squares) / (results * (results - 1))


def top_anchor_share(masses: Sequence[float], results: int) -> float | None:
    """The largest mass over the number of results (not of anchored results, so that unanchored ones do not inflate
    it)."""
    return None if results == 0 else max(masses, default=0.0) / results


def discount(position: int) -> float:
    """The weight of a position from 1: ``1 / log2(position + 1)`` (Järvelin and Kekäläinen 2002)."""
    return 1.0 / math.log2(position + 1)


def rank_weighted_ratio(human: Sequence[bool]) -> float | None:
    """The grounding ratio with each position weighted by ``discount``; ``None`` over nothing.  Shown, never judged."""
    if not human:
        return None
    weights = [discount(i + 1) for i in range(len(human))]
    return math.fsum(w for w, h in zip(weights, human, strict=True) if h) / math.fsum(weights)


def macro_ratio(ratios: Iterable[float]) -> float | None:
    """The mean over retrievals of their ratio; ``None`` over nothing."""
    values = list(ratios)
    return None if not values else math.fsum(values) / len(values)
