"""What the reader chose to look at: which verdicts, which finding, which split of depths.

Flows in: widgets.  Flows out: choices.
Rules kept here: a choice that the log at hand does not offer is dropped, never shown empty.
Not here: what is shown (the pages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from dashboard import looks
from dashboard.controls import state
from dashboard.words import label

_FINDING = "overview.finding"
_DEPTHS, _WHOLE = "depths", ""


def show_finding(code: str) -> None:
    """Show the retrievals behind a finding."""
    st.session_state[_FINDING] = code


def finding(numbers: Mapping[str, int]) -> str | None:
    """Lets the reader choose a finding among those that occur (code -> retrievals); ``None`` shows no retrievals."""
    if not numbers:
        st.session_state.pop(_FINDING, None)
        return None
    if st.session_state.get(_FINDING) not in numbers:
        st.session_state[_FINDING] = None
    chosen: str | None = st.pills(
        "Show the retrievals behind",
        list(numbers),
        format_func=lambda code: f"{label(code)} {numbers[code]:,}",
        key=_FINDING,
    )
    return chosen


def depths_by(offered: Sequence[str]) -> str:
    """What depths are split by, one of ``offered``; nothing for not at all."""
    now = state.look().depths
    return now if now in offered else _WHOLE


def depths(offered: Sequence[str]) -> None:
    """Lets the reader split depths by one of ``offered``."""
    key = state.widget(_DEPTHS)
    st.session_state[key] = depths_by(offered)
    st.segmented_control(
        "Split by",
        [_WHOLE, *offered],
        default=depths_by(offered),
        required=True,
        format_func=lambda word: label(word) if word else "Nothing",
        key=key,
        on_change=_choose_depths,
    )


def _choose_depths() -> None:
    by = st.session_state[state.widget(_DEPTHS)]
    state.show(replace(state.look(), depths=by if by in looks.DEPTHS_BY else _WHOLE))


def reading(now: bool) -> None:
    """Lets the reader choose between verdicts as judged and with signatures waived."""
    key = state.widget(state.READING)
    st.session_state[key] = state.WAIVED if now else state.JUDGED
    st.segmented_control(
        "Compare verdicts",
        [state.JUDGED, state.WAIVED],
        default=st.session_state[key],
        required=True,
        format_func=lambda word: "As judged" if word == state.JUDGED else "Signatures waived",
        key=key,
        on_change=_choose_reading,
        help="Most logs carry no signature. Signatures waived shows what the other rules say of them.",
    )


def _choose_reading() -> None:
    st.session_state[state.READING] = st.session_state[state.widget(state.READING)]
