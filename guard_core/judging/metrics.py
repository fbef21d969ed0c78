"""Compute the numbers that describe one result list.

Flows in: counts and masses.  Flows out: numbers, ``None`` where a number would be a rate over nothing.
Rules kept here: ratios are computed from integers; a rate over nothing is ``None``, never 0 or 1; sums run over
masses in ascending order, so that the same masses give the same bits in whatever order they were met.
Not here: the columnar forms for whole logs (``statistics.py``), which are tested against these.

No evenness and no Gini index on a single result list: both call total concentration even (docs/metrics.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Sums: TypeAlias = "float | NDArray[np.float64]"

EFFECTIVE_DECIMALS = 9
"""Effective numbers are rounded to this many decimals, so that ten equal masses give 10 and not 10.000000000000005."""


def ratio(part: int, whole: int) -> float | None:
    """Return ``part / whole``, or ``None`` over nothing.  Range 0..1."""
    return None if whole == 0 else part / whole


def mass_term(mass: float) -> float:
    """Return ``m ln m``, the summand of the entropy; 0 for a mass of 0 or 1."""
    return mass * math.log(mass) if mass > 0.0 else 0.0


def exponentiate_entropy(terms: Sums, total: Sums) -> NDArray[np.float64]:
    """Return the effective number of anchors: the exponential of the Shannon entropy (Hill number of order 1).

    ``terms`` is the sum of ``m ln m`` over the masses, ``total`` the sum of the masses; arrays for many sets of masses.
    """
    number: NDArray[np.float64] = np.exp(np.log(total) - terms / total)
    return number.round(EFFECTIVE_DECIMALS)


def effective_number(masses: Iterable[float]) -> float | None:
    """Return the effective number of anchors of a result list.

    1 when all mass is on one anchor, the number of anchors when the masses are equal; ``None`` without any mass.
    """
    ordered = sorted(m for m in masses if m > 0.0)
    terms = 0.0
    for mass in ordered:
        terms += mass_term(mass)
    # The weights of a result sum to 1 up to rounding; the sum of all masses is a whole number of results again.
    total = round(math.fsum(ordered), EFFECTIVE_DECIMALS)
    return None if total == 0.0 else float(exponentiate_entropy(terms, total))


def hill_number(masses: Sequence[float], order: float) -> float | None:
    """Return the Hill number of order 0, 1, 2 or infinity (Hill 1973): frequent anchors weigh more with the order."""
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
    """Return ``1 - (min(D, N) - 1) / (N - 1)``.

    0 when every anchored result has a source of its own, 1 when all share one; ``None`` for fewer than two of them.
    """
    if effective is None or anchored < 2:
        return None
    return 1.0 - (min(effective, anchored) - 1.0) / (anchored - 1.0)


def inflation_factor(effective: float | None, anchored: float) -> float | None:
    """Return ``N / D``: how many results there are for each independent human source; ``None`` over nothing."""
    return None if effective is None else anchored / effective


def same_anchor_probability(masses: Sequence[float], own_squares: float, results: int) -> float | None:
    """Return the chance that two different results drawn from the list rest on one human source.

    ``own_squares`` is the sum over results of their squared weights (the number of anchored results where each has one
    anchor), which takes a result's agreement with itself out.  ``None`` for fewer than two results.
    """
    if results < 2:
        return None
    return (math.fsum(m * m for m in masses) - own_squares) / (results * (results - 1))
