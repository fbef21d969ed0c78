"""Begin and end one run of the script: the session, its controls, its URL.

Flows in: options of the command line, the parameters of the URL.  Flows out: a session with a view and perhaps a log,
and the URL of that view.
Rules kept here: the URL is read once, when a session begins, and written in each run; a link that was made for another
log waits for it.
Not here: what parameters mean (``dashboard/url.py``), pages.
"""

from __future__ import annotations

import sys

import streamlit as st

from dashboard import launch, logs, url
from dashboard.controls import current_log, state
from guard_core.errors import PolicyError
from guard_core.judging.policy import NamedPolicy, choose_preset, find_preset, load_policy

_START = "start"


def begin_run() -> None:
    """Open the session if it is new, and read the controls into its view: once a run, before any page."""
    if not state.has_view():
        _open_session()
    state.read_controls()


def end_run() -> None:
    """Write the view into the URL: once a run, after the page."""
    parameters = url.write_parameters(state.load_view(), current_log.mark_log())
    if _read_parameters() != parameters:
        st.query_params.from_dict(parameters)


def start_policy() -> NamedPolicy:
    """Return the policy that the dashboard was started with."""
    found: NamedPolicy = st.session_state[_START]
    return found


def request_start() -> logs.Request | None:
    """Return the log that the dashboard was started with."""
    return logs.request_options(launch.parse_options(sys.argv[1:]))


def _read_parameters() -> dict[str, list[str]]:
    """Return the parameters of the URL; a name may stand several times."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _open_session() -> None:
    """Open a new session: options of the command line, then what the URL asks for."""
    faults: list[str] = []
    options = launch.parse_options(sys.argv[1:])
    start = _choose_policy(options, faults)
    link = url.read_parameters(_read_parameters(), start)
    faults += current_log.open_log(logs.request_options(options), link.log)
    refused = [f"A value of the link was left out. {sentence}" for sentence in link.refused]
    st.session_state[_START] = start
    state.begin_view(link.view, (*refused, *faults))


def _choose_policy(options: launch.Options, faults: list[str]) -> NamedPolicy:
    """Choose the policy of the command line; on the sample, the one that comes with it."""
    file = options.policy
    if file is None and options.preset is None and options.demo and not options.logs:
        file = str(logs.SAMPLE_POLICY)
    try:
        usual = choose_preset(trusted=options.trust is not None)
        return (
            find_preset(options.preset or usual) if file is None else load_policy(file, options.preset, default=usual)
        )
    except PolicyError as error:
        faults.append(str(error))
        return find_preset("reference")
