"""Translate between the fields of a view and the values of their controls.

Flows in: a ``View``, or the values of controls by the names of fields.  Flows out: the other one.
Rules kept here: the limits of a control are never trusted, so that a value which it could not have is left out; times
are minutes in UTC.
Not here: Streamlit (``state.py``), the view in a URL (``dashboard/url.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from dashboard.url import format_time, parse_time
from dashboard.view import SELECTION_FIELDS, TEXT_LIMIT, View, keep_names
from guard_core.codes import VERDICT_WORDS
from guard_core.judging.selection import Selection
from guard_core.model import Finding

_TIMES = ("start", "end")
_EVERYTHING = Selection()
_WORDS: Mapping[str, tuple[str, ...]] = {
    "verdicts": VERDICT_WORDS,
    "waived": VERDICT_WORDS,
    "findings": tuple(finding.value for finding in Finding),
}


def show_time(at: int | None) -> datetime | None:
    """Return a time of a selection as its control shows it, in UTC without a time zone."""
    return None if at is None else datetime.fromisoformat(format_time(at))


def show_selection(selection: Selection) -> dict[str, object]:
    """Return the value that the control of each field of a selection shows."""
    values: dict[str, object] = {}
    for name in SELECTION_FIELDS:
        value = getattr(selection, name)
        values[name] = show_time(value) if name in _TIMES else list(value) if isinstance(value, tuple) else value
    return values


def read_selection(view: View, values: Mapping[str, object]) -> View:
    """Replace the fields of the selection for which ``values`` hold what a control says."""
    return view.with_selection(**{name: _read_value(name, value) for name, value in values.items()})


def _read_value(name: str, value: object) -> object:
    if name in _TIMES:
        # isoformat, since strftime writes years before 1000 with fewer than four digits
        minute = value.replace(tzinfo=None).isoformat(timespec="minutes") if isinstance(value, datetime) else None
        return None if minute is None else parse_time(minute, late=name == "end")
    if isinstance(getattr(_EVERYTHING, name), tuple):
        words, chosen = _WORDS.get(name), value if isinstance(value, (list, tuple)) else ()
        return keep_names(str(one) for one in chosen if words is None or one in words)
    return value[:TEXT_LIMIT].replace("\0", "") if isinstance(value, str) else ""
