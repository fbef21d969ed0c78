"""Count verdicts over time, in equal periods.

Flows in: ``Verdicts``.  Flows out: ``Trend``, or ``None`` for a log without times.
Rules kept here: times are UTC; a period without retrievals stays in place, empty; retrievals without a time are
counted apart, never placed.  Where the signature gate hides every verdict the trend is that of the waived ones,
and says so.
Not here: choosing a range of time (``controls/filters.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.views.table import Cell, Table, make_table
from dashboard.words import JUDGED, VERDICT_LABEL, format_share
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.judge import Verdicts
from guard_core.visible import count_noun

LONGEST = 80
"""Periods that are drawn at most; the unit of time grows until they fit."""

_UNITS = (("hour", "h"), ("day", "D"), ("week", "W"), ("month", "M"), ("year", "Y"))


@dataclass(frozen=True, slots=True)
class Trend:
    """``counts[i]`` are the counted retrievals of period ``i`` by verdict, in the order of ``JUDGED``."""

    unit: str
    periods: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    waived: bool
    title: str
    note: str
    numbers: Table


def count_trend(verdicts: Verdicts, waived: bool) -> Trend | None:
    """Count verdicts by period; ``waived`` takes the verdicts with the signature gate left out."""
    statistics = verdicts.statistics
    times = statistics.evidence.log.times[statistics.retrievals]
    words = verdicts.per_retrieval("waived" if waived else "verdicts")
    counted = verdicts.counted[statistics.profile_of]
    timed = counted & (times != MISSING_TIME)
    if not timed.any():
        return None
    divided = divide_times(times[timed])
    unit, names, place = divided.unit, divided.names, divided.place
    length = len(names)
    inside = place < length
    flat = np.bincount(place[inside] * len(JUDGED) + words[timed][inside], minlength=length * len(JUDGED))
    counts = tuple(tuple(row) for row in flat.reshape(length, len(JUDGED)).tolist())
    rows: list[tuple[Cell, ...]] = [(name, *row, sum(row)) for name, row in zip(names, counts, strict=True)]
    numbers = make_table((unit.capitalize(), *VERDICT_LABEL[: len(JUDGED)], "All"), rows)
    untimed = int(counted.sum() - timed.sum())
    note = f"{count_noun(untimed, 'retrieval')} without a time not shown. " if untimed else ""
    return Trend(unit, names, counts, waived, _title_trend(counts, names, unit, waived), note, numbers)


@dataclass(frozen=True, slots=True)
class Periods:
    """A span of time cut into equal periods: their names in order, and into which each instant falls; instants far
    behind the others may fall into none (``place`` from the number of names on)."""

    unit: str
    names: tuple[str, ...]
    place: NDArray[np.int64]


def divide_times(times: NDArray[np.int64]) -> Periods:
    """Divide the time that ``times`` span into hours, days, weeks, months or years.

    ``times`` are in microseconds since 1970, at least one of them.
    """
    moments = times.astype("datetime64[us]")
    unit, code = _choose_unit(moments)
    # Weeks of numpy begin on Thursday, the day of the epoch; three days later they begin on Monday.
    shift = np.timedelta64(3, "D") if code == "W" else np.timedelta64(0, "D")
    period = (moments + shift).astype(f"datetime64[{code}]")
    first, last = period.min(), period.max()
    length = min(int((last - first).astype(np.int64)) + 1, 4 * LONGEST)
    names = tuple(_name_period(first + step, shift, unit) for step in np.arange(length))
    return Periods(unit, names, (period - first).astype(np.int64))


def _choose_unit(moments: np.ndarray) -> tuple[str, str]:
    span = moments.max() - moments.min()
    if span <= np.timedelta64(2, "D"):
        return _UNITS[0]
    for unit in _UNITS[1:]:
        first, last = (
            moment.astype(f"datetime64[{unit[1]}]").astype(np.int64) for moment in (moments.min(), moments.max())
        )
        if last - first < (LONGEST if unit[0] != "day" else LONGEST // 2):
            return unit
    return _UNITS[-1]


def _name_period(moment: np.datetime64, shift: np.timedelta64, unit: str) -> str:
    if unit == "week":
        return str(moment.astype("datetime64[D]") - shift)
    return str(moment).replace("T", " ") + (":00" if unit == "hour" else "")


def _title_trend(counts: tuple[tuple[int, ...], ...], names: tuple[str, ...], unit: str, waived: bool) -> str:
    """Compare the first period with the last, and say whether signatures are waived."""
    filled = [(name, row) for name, row in zip(names, counts, strict=True) if sum(row)]
    if len(filled) < 2:
        return f"All retrievals with a time fall into one {unit}{', signatures waived' if waived else ''}"
    (_, start), (_, end) = filled[0], filled[-1]
    lead = "With signatures waived, human grounded" if waived else "Human grounded"
    first, last = (format_share(row[0], sum(row)) for row in (start, end))
    return f"{lead}: {first} in the first {unit}, {last} in the last"
