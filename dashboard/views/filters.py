"""Describe the filter in words, and list the values that it offers.

Flows in: ``Evidence``, a ``Selection``.  Flows out: sentences and options, plain text of our own and of the log.
Rules kept here: a filter always says how many retrievals it leaves of how many; of a label with many values the most
frequent are offered, with the number of all; values of the log are for places that draw them literally.
Not here: what a selection keeps (``guard_core.judging.selection``), the controls.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dashboard.text import escape_text
from dashboard.url import format_time
from dashboard.words import PICK_LABEL, label_code
from guard_core.columns import TextColumn
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.selection import Selection
from guard_core.provenance.evidence import Evidence

OFFERED = 100
"""Values of a label that are offered; any other may be typed."""

LABELS = ("collections", "originators", "generators")


def list_filter_values(evidence: Evidence) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return for each label its most frequent values, and how many values there are in all."""
    return {name: _list_frequent(getattr(evidence, name)) for name in LABELS}


def has_times(evidence: Evidence) -> bool:
    """Return whether any retrieval has a time."""
    return bool((evidence.log.times != MISSING_TIME).any())


def describe_count(kept: int, total: int) -> str:
    """Say how many retrievals are shown of how many."""
    return f"Showing {kept:,} of {total:,} retrievals"


def describe_selection(selection: Selection) -> str:
    """Describe a selection in a few words; empty if it keeps everything."""
    parts = []
    if selection.start is not None:
        parts.append(f"from {format_time(selection.start).replace('T', ' ')}")
    if selection.end is not None:
        parts.append(f"to {format_time(selection.end).replace('T', ' ')} UTC")
    for name in LABELS:
        values = getattr(selection, name)
        if values:
            parts.append(
                f"{PICK_LABEL[name].lower()} {_join_values(tuple(escape_text(value, 40) for value in values))}"
            )
    for name in ("verdicts", "findings", "waived"):
        values = getattr(selection, name)
        if values:
            parts.append(f"{PICK_LABEL[name].lower()} {_join_values(tuple(label_code(code) for code in values))}")
    for name in ("text", "document", "anchor"):
        value = getattr(selection, name)
        if value:
            parts.append(f"{name} {escape_text(value, 60)}")
    return "; ".join(parts)


def _join_values(values: tuple[str, ...]) -> str:
    return " or ".join(values[:3]) + (f" or {len(values) - 3} more" if len(values) > 3 else "")


def _list_frequent(column: TextColumn) -> tuple[tuple[str, ...], int]:
    used = column.codes[column.codes >= 0]
    if not used.size:
        return (), 0
    counts = np.bincount(used, minlength=len(column.values))
    order = np.argsort(-counts, kind="stable")[:OFFERED]
    order = order[counts[order] > 0]
    names: list[str] = column.values.take(pa.array(order)).to_pylist()
    return tuple(sorted(name for name in names if name and "\0" not in name)), int(np.count_nonzero(counts))
