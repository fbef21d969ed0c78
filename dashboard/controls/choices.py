"""Let the reader choose which verdicts, which finding and which split of depths a page shows.

Flows in: widgets.  Flows out: choices.
Rules kept here: a choice that the log at hand does not offer is dropped, never shown empty.
Not here: what is shown (the pages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.controls import state
from dashboard.view import JUDGED, WAIVED
from dashboard.views.overview import is_hidden
from dashboard.words import label_code
from guard_core.judging.judge import Verdicts

_FINDING = "overview.finding"
_DEPTHS, _WHOLE, _VERDICTS = "depths", "", "reading"


def show_finding(code: str) -> None:
    """Show the retrievals behind a finding."""
    st.session_state[_FINDING] = code


def choose_finding(numbers: Mapping[str, int]) -> str | None:
    """Let the reader choose a finding among those that occur (code -> retrievals); ``None`` shows no retrievals."""
    if not numbers:
        st.session_state.pop(_FINDING, None)
        return None
    if st.session_state.get(_FINDING) not in numbers:
        st.session_state[_FINDING] = None
    chosen: str | None = st.pills(
        "Show the retrievals behind",
        list(numbers),
        format_func=lambda code: f"{label_code(code)} {numbers[code]:,}",
        key=_FINDING,
    )
    return chosen


def get_depths(offered: Sequence[str]) -> str:
    """Return what depths are split by, one of ``offered``; empty for nothing."""
    now = state.load_view().depths
    return now if now in offered else _WHOLE


def choose_depths(offered: Sequence[str]) -> None:
    """Let the reader split depths by one of ``offered``."""
    key = state.widget(_DEPTHS)
    st.session_state[key] = get_depths(offered)
    st.segmented_control(
        "Split by",
        [_WHOLE, *offered],
        default=get_depths(offered),
        required=True,
        format_func=lambda word: label_code(word) if word else "Nothing",
        key=key,
        on_change=_store_depths,
    )


def _store_depths() -> None:
    state.store_view(state.load_view().split_depths(st.session_state[state.widget(_DEPTHS)]))


def is_waived(*judgements: Verdicts) -> bool:
    """Return whether verdicts are shown with signatures waived: as chosen, else where the gate hides every other
    verdict."""
    chosen = state.load_view().verdicts
    return chosen == WAIVED if chosen else all(is_hidden(judgement.summary()) for judgement in judgements)


def choose_verdicts(waived: bool) -> None:
    """Let the reader choose between verdicts as judged and with signatures waived."""
    key = state.widget(_VERDICTS)
    st.session_state[key] = WAIVED if waived else JUDGED
    st.segmented_control(
        "Compare verdicts",
        [JUDGED, WAIVED],
        default=st.session_state[key],
        required=True,
        format_func=lambda word: "As judged" if word == JUDGED else "Signatures waived",
        key=key,
        on_change=_store_verdicts,
        help="Most logs carry no signature. Signatures waived shows what the other rules say of them.",
    )


def _store_verdicts() -> None:
    state.store_view(state.load_view().compare_verdicts(st.session_state[state.widget(_VERDICTS)]))
