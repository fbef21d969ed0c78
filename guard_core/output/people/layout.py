"""Lay out tables for people: labels and what stands beside them, shares, ratios.

Flows in: numbers and sentences, already made safe to print.  Flows out: lines of text.
Rules kept here: a share of nothing is "not applicable", and none is rounded to nothing or to all where it is neither;
lines are broken at spaces only.
Not here: what is shown (``table.py``, ``corpus_table.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

from guard_core.visible import width

NARROWEST = 76
"""The columns that the widest fixed table takes."""

LABEL = 14
"""The columns of a label."""


def format_part(part: int, whole: int) -> str:
    """Write a count with its share of the whole."""
    return f"{part:,} ({format_share(part, whole)})"


def format_share(part: int, whole: int) -> str:
    """Write a share in per cent with one decimal, never rounded to none or all where it is neither.

    A share of nothing is "not applicable".
    """
    if whole == 0:
        return "not applicable"
    percent = 100.0 * part / whole
    if 0 < part < whole:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:.1f} %"


def format_ratio(value: float | None) -> str:
    """Write a ratio with three decimals; "not applicable" over nothing."""
    return "not applicable" if value is None else f"{value:.3f}"


def wrap_lines(label: str, entries: list[str], columns: int, indent: int = LABEL) -> Iterator[str]:
    """Set entries one below the other beside a label, each broken at spaces where it is too wide."""
    lead = f"{label:<{indent}}" if label else " " * indent
    for entry in entries:
        line, gap = "", ""
        for word in entry.split(" "):
            if line and width(line) + 1 + width(word) > columns - indent:
                yield (lead + line).rstrip()
                lead, line, gap = " " * indent, "  ", ""
            line += gap + word
            gap = " "
        yield (lead + line).rstrip()
        lead = " " * indent
