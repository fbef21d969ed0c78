"""Trust: a trust store for the log at hand, and the what-if of trusting somebody less.

Flows in: widgets, an uploaded trust store.  Flows out: the log of the session with its claims checked;
``state`` reads the what-if at the start of the next run.
Rules kept here: a trust store that cannot be used leaves what there is in place and says why; nobody can be trusted
more than the trust store says; names from outside stand only where they are drawn literally.
Not here: checking (``checked_logs.py``), what is shown (``views``).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import streamlit as st

from dashboard.checked_logs import check_log
from dashboard.controls import current_log, run, state
from dashboard.distrust import list_originators
from dashboard.logs import UploadedTrustStore
from dashboard.text import escape_text
from dashboard.view import VALUES_LIMIT
from guard_core.claims import TrustStore, parse_trust_store
from guard_core.errors import TrustStoreError
from guard_core.judging.policy import find_preset

_UPLOAD, _TIME = "load.trust", "load.trust_time"
_MEGABYTES = 16
_EARLIEST, _LATEST = datetime(2000, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001  # the widget's times are UTC


def draw_upload() -> None:
    """Draw the box for a trust store, and the time to judge claims at."""
    left, right = st.columns([3, 2], gap="large", vertical_alignment="bottom")
    with left:
        file = st.file_uploader(
            "Trust store (JSON Web Key Set)",
            key=_UPLOAD,
            max_upload_size=_MEGABYTES,
            help="The public keys that claims are checked with, and whose they are. A private key refuses the file.",
        )
    with right:
        st.datetime_input(
            "Claims judged at (UTC)",
            value=None,
            min_value=_EARLIEST,
            max_value=_LATEST,
            step=60,
            format="YYYY-MM-DD",
            key=_TIME,
            help="Left empty: now.",
        )
    st.button(
        "Check the claims",
        key="load.check",
        disabled=file is None,
        on_click=_check_claims,
        icon=":material/verified_user:",
    )


def choose_distrust(store: TrustStore) -> None:
    """Switch originators off, take keys as compromised."""
    distrust = state.load_view().distrust
    state.fill_controls(state.widget(state.DISTRUSTED), state.widget(state.COMPROMISED))
    with st.grid(2, min_column_width=280, gap="medium"):
        st.multiselect(
            "Switch originators off",
            list(dict.fromkeys((*list_originators(store), *distrust.originators))),
            default=distrust.originators,
            format_func=lambda name: escape_text(name, 60),
            key=state.widget(state.DISTRUSTED),
            max_selections=VALUES_LIMIT,
            placeholder="All are trusted as the trust store says",
            help="What if no claim of this originator counted?",
        )
        st.multiselect(
            "Take keys as compromised",
            list(dict.fromkeys((*store.keys, *distrust.keys))),
            default=distrust.keys,
            format_func=lambda name: escape_text(name, 60),
            key=state.widget(state.COMPROMISED),
            max_selections=VALUES_LIMIT,
            placeholder="None but those that the trust store revokes",
            help="What if this key had fallen into other hands? Then no claim by it is valid, whatever its date.",
        )


def _check_claims() -> None:
    file, found = st.session_state.get(_UPLOAD), current_log.get_log()
    if file is None or found is None:
        return
    try:
        uploaded = UploadedTrustStore(file.name, parse_trust_store(file.getvalue(), file.name))
    except TrustStoreError as error:
        current_log.put_fault(str(error))
        return
    moment = st.session_state.get(_TIME)
    at = int(moment.replace(tzinfo=UTC).timestamp()) if isinstance(moment, datetime) else int(time.time())
    untouched = (
        state.load_view().policy == run.start_policy() == find_preset("reference") and found.evidence.decided is None
    )
    current_log.load_log(lambda: check_log(found, uploaded, at))
    if untouched:
        state.put_policy(find_preset("strict"))
