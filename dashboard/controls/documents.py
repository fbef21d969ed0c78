"""Let the reader choose a document, a list of documents, and what a quarantine takes out.

Flows in: widgets.  Flows out: the view of the session.
Rules kept here: names from outside stand only where they are drawn literally; any name may be typed, and one that
means nothing is named on the page; nothing is taken out except in the what-if.
Not here: what taking them out changes (``guard_core.corpus.quarantine``), numbers (``views``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.controls import state
from dashboard.text import escape_text
from dashboard.view import LISTINGS, QUARANTINE_FIELDS, TEXT_LIMIT, VALUES_LIMIT
from dashboard.words import LISTING_LABEL, OUT_HELP, OUT_LABEL

_OPENED, _LISTING = "opened", "listing"


def open_document(name: str) -> None:
    """Open one document."""
    state.store_view(state.load_view().open_document(name))


def close_document() -> None:
    """Return to the list of documents."""
    state.store_view(state.load_view().close_document())


def ask_document() -> None:
    """Let the reader open a document by its id."""
    st.text_input(
        "Open a document by its id",
        max_chars=TEXT_LIMIT,
        key=state.widget(_OPENED),
        on_change=_open_document,
        placeholder="The whole id, byte for byte",
    )


def choose_listing() -> str:
    """Let the reader choose a list of documents; return the one that is shown."""
    now = state.load_view().listing
    st.session_state[state.widget(_LISTING)] = now
    st.segmented_control(
        "List",
        LISTINGS,
        default=now,
        required=True,
        format_func=LISTING_LABEL.__getitem__,
        key=state.widget(_LISTING),
        on_change=_choose_listing,
    )
    return now


def quarantine(kind: str, name: str) -> None:
    """Add a name to the quarantine; ``kind`` is a field of ``Quarantine``."""
    state.store_view(state.load_view().quarantine_also(kind, name))


def clear_quarantine() -> None:
    """Take nothing out any more."""
    state.store_view(state.load_view().clear_quarantine())


def choose_quarantine(offered: Mapping[str, Sequence[str]]) -> None:
    """Let the reader choose what is taken out; ``offered`` are names to choose from, by field."""
    with st.grid(3, min_column_width=240, gap="medium"):
        for name in QUARANTINE_FIELDS:
            chosen = getattr(state.load_view().quarantine, name)
            state.fill_controls(state.quarantine_widget(name))
            st.multiselect(
                OUT_LABEL[name],
                list(dict.fromkeys((*offered.get(name, ()), *chosen))),
                default=chosen,
                format_func=lambda value: escape_text(value, 60),
                key=state.quarantine_widget(name),
                help=OUT_HELP[name],
                accept_new_options=True,
                max_selections=VALUES_LIMIT,
                filter_mode="contains",
                placeholder="Nothing",
            )


def _open_document() -> None:
    open_document(st.session_state[state.widget(_OPENED)])


def _choose_listing() -> None:
    state.store_view(state.load_view().list_documents(st.session_state[state.widget(_LISTING)]))
