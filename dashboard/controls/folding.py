"""Draw parts of a page that are closed until somebody opens them: boxes behind a button, and expanders.

Flows in: a label and a key.  Flows out: a place to draw in, and whether it is open.
Rules kept here: what nobody looks at is neither worked out nor sent, which is most of what a page could hold; whether
something is open belongs to the session, so it stays open while values inside it change.
Not here: what is inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.elements.lib.mutable_popover_container import PopoverContainer


@contextmanager
def open_box(
    caption: str, key: str, icon: str | None = None, *, kind: Literal["secondary", "tertiary"] = "secondary"
) -> Iterator[bool]:
    """Draw a button that opens a box; yield whether it is open."""
    place = st.popover(caption, icon=icon, key=key, type=kind, on_change="rerun")
    with place:
        yield is_open(place)


@contextmanager
def open_part(caption: str, key: str, icon: str | None = None) -> Iterator[bool]:
    """Draw a line that opens a part of the page; yield whether it is open."""
    place = st.expander(caption, icon=icon, key=key, on_change="rerun")
    with place:
        yield is_open(place)


def is_open(place: PopoverContainer | ExpanderContainer) -> bool:
    """Return whether a box or part is open."""
    return bool(place.open)
