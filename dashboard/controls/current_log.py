"""Hold the log of a browser session: load it, and say why one cannot be used.

Flows in: requests, uploads, the mark of a link.  Flows out: the ``LoadedLog`` of the session, with the trust in force,
and the retrievals of it that the view shows.
Rules kept here: a log that cannot be used leaves the one there is in place; another log keeps the policies of the view
and nothing else, unless the link was made for it.
Not here: reading files (``dashboard/logs.py``), the view (``state.py``).
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import checked_logs, logs
from dashboard.controls import state
from dashboard.filtered_log import FilteredLog
from dashboard.logs import LoadedLog, Request, UnusableError
from dashboard.url import LogMark
from guard_core.judging.policy import NamedPolicy

_LOADED, _AWAITED, _FAULT = "loaded", "awaited", "load.fault"


def get_log() -> LoadedLog | None:
    """Return the log of this session, with everybody trusted as the trust store says."""
    found: LoadedLog | None = st.session_state.get(_LOADED)
    return found


def get_distrusting_log() -> LoadedLog | None:
    """Return the log of this session, under the trust in force."""
    found = get_log()
    return None if found is None else checked_logs.distrust_log(found, state.load_view().distrust)


def filter_log(found: LoadedLog, by: NamedPolicy | None = None) -> FilteredLog:
    """Return the retrievals that every page but Retrievals shows; ``by`` decides on verdicts, else the policy in
    force."""
    view = state.load_view()
    return FilteredLog(found, view.page_selection, (by or view.policy).policy)


def search_log(found: LoadedLog) -> FilteredLog:
    """Return the retrievals that the page Retrievals lists."""
    view = state.load_view()
    return FilteredLog(found, view.selection, view.policy.policy)


def apply_distrust(filtered: FilteredLog) -> FilteredLog:
    """Return the same retrievals under the trust in force."""
    return filtered.under(checked_logs.distrust_log(filtered.loaded, state.load_view().distrust))


def open_log(started: Request | None, awaited: LogMark | None) -> tuple[str, ...]:
    """Open the log of the command line, or the sample where the link was made for it; else the link waits for its log.

    Returns a sentence for each log that cannot be used.
    """
    faults = []
    requests = (started, logs.request_sample() if awaited else None)
    for request in requests:
        if request is None:
            continue
        try:
            found = logs.load_log(request)
        except UnusableError as error:
            faults.append(str(error))
            continue
        if awaited is None or awaited.marks(found.evidence.log_digest):
            st.session_state[_LOADED] = found
            return tuple(faults)
    if awaited is not None:
        st.session_state[_AWAITED] = awaited
    return tuple(faults)


def load_log(read: Callable[[], LoadedLog]) -> None:
    """Read a log and make it this session's; one that cannot be used leaves the one there is in place."""
    try:
        found = read()
    except UnusableError as error:
        put_fault(str(error))
        return
    digest = found.evidence.log_digest
    expected = (get_awaited_log(), mark_log())
    st.session_state[_LOADED] = found
    view = state.load_view()
    kept = any(mark is not None and mark.marks(digest) for mark in expected)
    state.store_view((view if kept else view.leave_log()).compare_verdicts(""))
    for key in (_FAULT, _AWAITED):
        st.session_state.pop(key, None)


def mark_log() -> LogMark | None:
    """Return the mark of the log of this session, or of the one that its link waits for."""
    found = get_log()
    return get_awaited_log() if found is None else LogMark.make(found.evidence.log_digest, found.name)


def get_awaited_log() -> LogMark | None:
    """Return the mark of the log that the link was made for, while that log is not loaded."""
    found: LogMark | None = st.session_state.get(_AWAITED)
    return found


def put_fault(sentence: str) -> None:
    """Say on the Load page why nothing was loaded."""
    st.session_state[_FAULT] = sentence


def get_fault() -> str | None:
    """Return why the log that was asked for last cannot be used.  May hold text from outside."""
    found: str | None = st.session_state.get(_FAULT)
    return found
