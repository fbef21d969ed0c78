"""Compute medians, and write numbers for sentences.

Flows in: arrays of values with weights, single numbers.  Flows out: numbers, text.
Rules kept here: a median is a value that occurs, never a mean of two; a missing number is a word, never 0.
Not here: shares, and counts with their nouns (``dashboard.words``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def compute_median(values: NDArray[np.generic], weight: NDArray[np.int64]) -> float | None:
    """Return the lower median of ``values`` that occur ``weight`` times each; ``None`` over nothing."""
    whole = int(weight.sum())
    if not whole:
        return None
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(weight[order]), (whole + 1) // 2)])


def format_number(value: float | None) -> str:
    """Return a number as text, with one decimal where it is below 100 and not whole; "no" for none."""
    if value is None:
        return "no"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"
