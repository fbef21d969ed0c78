"""Documents: which one is opened, which list of them is shown, and what is taken out of the results for a what-if.

Flows in: widgets.  Flows out: the look of the session.
Rules kept here: names from outside stand only where they are drawn literally; any name may be typed, and one that
means nothing is said on the page; nothing is taken out but for the what-if.
Not here: what taking them out changes (``guard_core.corpus.quarantine``), numbers (``views``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from dashboard import looks
from dashboard.controls import state
from dashboard.text import visible
from dashboard.words import LISTING_LABEL, OUT_HELP, OUT_LABEL

_OPENED, _LISTING = "opened", "listing"


def open_document(name: str) -> None:
    """Open one document."""
    state.show(replace(state.look(), document=name or None, story=None))


def close() -> None:
    """Back to all documents."""
    state.show(replace(state.look(), document=None))


def ask() -> None:
    """Lets the reader open a document by its id."""
    st.text_input(
        "Open a document by its id",
        max_chars=looks.TEXT_LIMIT,
        key=state.widget(_OPENED),
        on_change=_open,
        placeholder="The whole id, byte for byte",
    )


def listing() -> str:
    """Lets the reader choose a list of documents; gives the one that is shown."""
    now = state.look().listing
    st.session_state[state.widget(_LISTING)] = now
    st.segmented_control(
        "List",
        looks.LISTINGS,
        default=now,
        required=True,
        format_func=LISTING_LABEL.__getitem__,
        key=state.widget(_LISTING),
        on_change=_choose_listing,
    )
    return now


def take_out(field: str, name: str) -> None:
    """Take something more out; ``field`` is one of ``looks.OUT``."""
    state.show(looks.taken_out(state.look(), {field: (*getattr(state.look().out, field), name)}))
    state.forget_out()


def leave_in() -> None:
    """Take nothing out any more."""
    state.show(looks.taken_out(state.look(), dict.fromkeys(looks.OUT, ())))
    state.forget_out()


def taken_out(offered: Mapping[str, Sequence[str]]) -> None:
    """A box for each kind of name that can be taken out; ``offered`` are names to choose from, by field."""
    with st.grid(3, min_column_width=240, gap="medium"):
        for name in looks.OUT:
            chosen = getattr(state.look().out, name)
            if state.out_widget(name) not in st.session_state:
                st.session_state[state.out_widget(name)] = list(chosen)
            st.multiselect(
                OUT_LABEL[name],
                list(dict.fromkeys((*offered.get(name, ()), *chosen))),
                default=chosen,
                format_func=lambda value: visible(value, 60),
                key=state.out_widget(name),
                help=OUT_HELP[name],
                accept_new_options=True,
                max_selections=looks.VALUES_LIMIT,
                filter_mode="contains",
                placeholder="Nothing",
            )


def _open() -> None:
    open_document(st.session_state[state.widget(_OPENED)].replace("\0", ""))


def _choose_listing() -> None:
    chosen = st.session_state[state.widget(_LISTING)]
    state.show(replace(state.look(), listing=chosen if chosen in looks.LISTINGS else looks.LISTINGS[0]))
