"""Trust: a trust store for the log at hand, and the what-if of trusting somebody less.

Flows in: widgets, an uploaded trust store.  Flows out: the log of the session with its claims checked;
``state`` takes the what-if over at the start of the next run.
Rules kept here: a trust store that cannot be used leaves what there is in place and says why; nobody can be trusted
more than the trust store says; names from outside stand only where they are drawn literally.
Not here: checking (``trusting.py``), what is shown (``views``).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import streamlit as st

from dashboard import distrust, session, trusting
from dashboard.controls import state
from dashboard.session import HeldStore
from dashboard.text import visible
from guard_core.claims import TrustStore, parse_trust_store
from guard_core.errors import TrustStoreError
from guard_core.judging.policy import preset

_UPLOAD, _TIME = "load.trust", "load.trust_time"
_MEGABYTES = 16
_EARLIEST, _LATEST = datetime(2000, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001  # the widget's times are UTC


def upload() -> None:
    """A trust store for the log at hand, and the time to judge its claims at."""
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
        on_click=_check,
        icon=":material/verified_user:",
    )


def less(store: TrustStore) -> None:
    """Switch originators off, take keys as compromised."""
    state.fill_wished()
    wish = state.wished()
    with st.grid(2, min_column_width=280, gap="medium"):
        st.multiselect(
            "Switch originators off",
            list(dict.fromkeys((*distrust.originators_of(store), *wish.originators))),
            default=wish.originators,
            format_func=lambda name: visible(name, 60),
            key=state.widget(state.DISTRUSTED),
            max_selections=distrust.NAMES_LIMIT,
            placeholder="All are trusted as the trust store says",
            help="What if no claim of this originator counted?",
        )
        st.multiselect(
            "Take keys as compromised",
            list(dict.fromkeys((*store.keys, *wish.keys))),
            default=wish.keys,
            format_func=lambda name: visible(name, 60),
            key=state.widget(state.COMPROMISED),
            max_selections=distrust.NAMES_LIMIT,
            placeholder="None but those that the trust store revokes",
            help="What if this key had fallen into other hands? Then no claim by it stands, whatever its date.",
        )


def _check() -> None:
    file, found = st.session_state.get(_UPLOAD), state.as_loaded()
    if file is None or found is None:
        return
    try:
        held = HeldStore(file.name, parse_trust_store(file.getvalue(), file.name))
    except TrustStoreError as error:
        state.fault(str(error))
        return
    moment = st.session_state.get(_TIME)
    at = int(moment.replace(tzinfo=UTC).timestamp()) if isinstance(moment, datetime) else int(time.time())
    untouched = state.policy() == state.start() == preset("reference") and found.evidence.decided is None
    state.load(lambda: _checked(found, held, at))
    if untouched:
        state.take(lambda: preset("strict"))


def _checked(found: session.Loaded, held: HeldStore, at: int) -> session.Loaded:
    return trusting.checked(found, held, at)
