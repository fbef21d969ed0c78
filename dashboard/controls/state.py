"""Load the view of a browser session, and store it.

Flows in: the values of controls, views.  Flows out: the ``View`` of the session.
Rules kept here: the view is one immutable, valid value; controls take their values from it, and are read back into it
at the start of each run, so that control and verdict never disagree, whichever page is open; storing a view makes the
controls of what changed take their values anew.
Not here: changes of a view (``dashboard/view.py``), the URL and the order of a run (``run.py``), the log of the session
(``current_log.py``).

A control has its value as its default too: a value that is only put into the session reaches the page once, and is lost
with a run that the next one cuts off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.controls.fields import read_selection, show_selection
from dashboard.view import QUARANTINE_FIELDS, SELECTION_FIELDS, View
from guard_core.errors import PolicyError
from guard_core.judging.policy import FIELDS, NamedPolicy, list_policy_fields, replace_fields

_VIEW, _REFUSED, _PAGE, _LEAVING = "view", "refused", "page", "leaving"
DISTRUSTED, COMPROMISED = "distrusted", "compromised"


def widget(name: str) -> str:
    """Return the key of the control of a field: of the policy, the selection or the distrust."""
    return f"widget.{name}"


def quarantine_widget(name: str) -> str:
    """Return the key of the control of a field of the quarantine."""
    return f"widget.out.{name}"


def load_view() -> View:
    """Return the view of this session."""
    view: View = st.session_state[_VIEW]
    return view


def store_view(view: View) -> None:
    """Make ``view`` the view of this session; controls of what differs from before take their values from it."""
    before = load_view()
    for part, keys in _CONTROLS.items():
        if getattr(view, part) != getattr(before, part):
            _forget(keys)
    st.session_state[_VIEW] = view


def fill_controls(*keys: str) -> None:
    """Give each of these controls that is not on screen yet its value."""
    for key in keys:
        if key not in st.session_state:
            st.session_state[key] = _read_field(load_view(), key)


def has_view() -> bool:
    """Return whether this session has begun."""
    return _VIEW in st.session_state


def begin_view(view: View, refused: Sequence[str]) -> None:
    """Begin the session with a view, and with what was refused of its link and its options."""
    st.session_state[_VIEW], st.session_state[_REFUSED] = view, tuple(refused)


def read_controls() -> None:
    """Read what the controls on screen say into the view: once a run, before any page."""
    view = read_selection(load_view(), _read_controls(SELECTION_FIELDS))
    view = view.with_quarantine(**_read_controls(QUARANTINE_FIELDS, quarantine_widget))
    view = view.with_distrust(
        st.session_state.get(widget(DISTRUSTED), view.distrust.originators),
        st.session_state.get(widget(COMPROMISED), view.distrust.keys),
    )
    try:
        view = replace(view, policy=replace_fields(view.policy, _read_controls(tuple(FIELDS))))
    except PolicyError as error:
        refuse(str(error))
    st.session_state[_VIEW] = view


def enter_page(page: str) -> None:
    """Have controls that stand on several pages take their values anew on another page: once a run."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        for part in ("selection", "quarantine", "distrust"):
            _forget(_CONTROLS[part])


def put_policy(named: NamedPolicy) -> None:
    """Put a policy in force, whatever its controls say."""
    st.session_state[_REFUSED] = ()
    _forget(_CONTROLS["policy"])
    store_view(replace(load_view(), policy=named))


def put_baseline(named: NamedPolicy) -> None:
    """Compare the policy in force with another baseline."""
    store_view(replace(load_view(), baseline=named))


def refuse(sentence: str) -> None:
    """Say on the next page drawn that something was refused."""
    st.session_state[_REFUSED] = (sentence,)


def list_refusals() -> tuple[str, ...]:
    """List what was refused: values of a link, a file of the command line, a policy.  May hold text from outside."""
    found: tuple[str, ...] = st.session_state.get(_REFUSED, ())
    return found


def search_retrievals(by: str, name: str) -> None:
    """Search the retrievals with this anchor or document, on the page Retrievals."""
    store_view(load_view().search_retrievals(by, name))
    st.session_state[_LEAVING] = True


def is_leaving() -> bool:
    """Return true once after a search that belongs on the page Retrievals."""
    return bool(st.session_state.pop(_LEAVING, False))


_CONTROLS: Mapping[str, tuple[str, ...]] = {
    "policy": tuple(map(widget, FIELDS)),
    "selection": tuple(map(widget, SELECTION_FIELDS)),
    "quarantine": tuple(map(quarantine_widget, QUARANTINE_FIELDS)),
    "distrust": (widget(DISTRUSTED), widget(COMPROMISED)),
}
"""The keys of the controls of each part of a view."""


def _forget(keys: tuple[str, ...]) -> None:
    for key in keys:
        st.session_state.pop(key, None)


def _read_field(view: View, key: str) -> object:
    """Return the value that the control with this key shows."""
    values: dict[str, object] = {widget(name): value for name, value in list_policy_fields(view.policy.policy).items()}
    values |= {widget(name): value for name, value in show_selection(view.selection).items()}
    values |= {quarantine_widget(name): list(getattr(view.quarantine, name)) for name in QUARANTINE_FIELDS}
    values |= {widget(DISTRUSTED): list(view.distrust.originators), widget(COMPROMISED): list(view.distrust.keys)}
    return values[key]


def _read_controls(names: tuple[str, ...], key: Callable[[str], str] = widget) -> dict[str, Any]:
    """Return what the controls of these fields say, for those that are on screen."""
    return {name: st.session_state[key(name)] for name in names if key(name) in st.session_state}
