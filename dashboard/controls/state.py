"""What a browser session holds, and its URL.

Flows in: options of the command line, URL parameters, what the controls say.  Flows out: policy, baseline, log,
refusals.
Rules kept here: the policy of a session is one immutable, validated value; widgets are filled from it and read back
into it at the start of each run, so that control and verdict never disagree, whichever page is open; a widget's own
limits are never trusted; the URL is written from the state in each run and read once, when a session begins.
Not here: what the parameters of a link mean (``links.py``), loading (``session.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import streamlit as st

from dashboard import launch, links, session
from dashboard.views.overview import shares
from guard_core.errors import PolicyError
from guard_core.judge import Verdicts
from guard_core.policy import FIELDS, NamedPolicy, load_policy, policy_fields, preset, with_fields

JUDGED, WAIVED = "judged", "waived"
READING = "reading"

_POLICY, _BASELINE, _START, _LOADED, _LINK, _REFUSED = "policy", "baseline", "start", "loaded", "link", "refused"
_FAULT = "load.fault"


def widget(name: str) -> str:
    """The key of the widget that shows a policy field, or ``READING``."""
    return f"widget.{name}"


def begin() -> None:
    """Once a run, before any page: open the session if it is new, and take over what the policy widgets say."""
    if _POLICY not in st.session_state:
        _open()
    said = {name: st.session_state[widget(name)] for name in FIELDS if widget(name) in st.session_state}
    if said:
        take(lambda: with_fields(policy(), said), fill=False)


def end() -> None:
    """Once a run, after the page: write the view into the URL."""
    found, wanted = loaded(), waiting()
    digest = found.evidence.log_digest if found else None
    given = links.parameters(policy(), baseline(), digest, found.name if found else None)
    if found is None and wanted is not None:
        given |= {"log": wanted[0], "file": wanted[1]}
    if st.session_state.get(READING):
        given[READING] = st.session_state[READING]
    if st.query_params.to_dict() != given:
        st.query_params.from_dict(given)


def policy() -> NamedPolicy:
    """The policy in force on every page; on What-if it is the candidate."""
    found: NamedPolicy = st.session_state[_POLICY]
    return found


def baseline() -> NamedPolicy:
    """The policy that the candidate is compared with."""
    found: NamedPolicy = st.session_state[_BASELINE]
    return found


def start() -> NamedPolicy:
    """The policy that the dashboard was started with."""
    found: NamedPolicy = st.session_state[_START]
    return found


def take(make: Callable[[], NamedPolicy], *, fill: bool = True) -> None:
    """Put a policy in force if it is valid, else keep the one there is and say why.

    ``fill`` gives the widgets its values; left out where the values come from the widgets.
    """
    try:
        named = make()
    except PolicyError as error:
        st.session_state[_REFUSED] = (str(error),)
        return
    st.session_state[_POLICY] = named
    if fill:
        st.session_state[_REFUSED] = ()
        for name, value in policy_fields(named.policy).items():
            st.session_state[widget(name)] = value


def fill() -> None:
    """Give each policy widget that is not on screen yet the value of the policy in force."""
    for name, value in policy_fields(policy().policy).items():
        if widget(name) not in st.session_state:
            st.session_state[widget(name)] = value


def compare_with(named: NamedPolicy) -> None:
    """Make ``named`` the baseline."""
    st.session_state[_BASELINE] = named


def refuse(sentence: str) -> None:
    """Say on the next page drawn that something was refused."""
    st.session_state[_REFUSED] = (sentence,)


def refusals() -> tuple[str, ...]:
    """What was refused: values of a link, a file of the command line, a policy.  May hold text from outside."""
    found: tuple[str, ...] = st.session_state.get(_REFUSED, ())
    return found


def loaded() -> session.Loaded | None:
    """The log of this session."""
    found: session.Loaded | None = st.session_state.get(_LOADED)
    return found


def load(read: Callable[[], session.Loaded]) -> None:
    """Read a log and make it this session's; one that cannot be used leaves the one there is in place.  The policy
    stays.
    """
    try:
        found = read()
    except session.UnusableError as error:
        st.session_state[_FAULT] = str(error)
        return
    st.session_state[_LOADED] = found
    for key in (_FAULT, _LINK, READING):
        st.session_state.pop(key, None)


def fault(sentence: str) -> None:
    """Say on the Load page why nothing was loaded."""
    st.session_state[_FAULT] = sentence


def load_fault() -> str | None:
    """Why the log that was asked for last cannot be used.  May hold text from outside."""
    found: str | None = st.session_state.get(_FAULT)
    return found


def waiting() -> tuple[str, str] | None:
    """The mark and file name of the log that a link was made for, while that log is not loaded."""
    found: tuple[str, str] | None = st.session_state.get(_LINK)
    return found


def start_request() -> session.Request | None:
    """The log that the dashboard was started with."""
    return session.from_command_line(launch.options(sys.argv[1:]))


def waived(*judgements: Verdicts) -> bool:
    """Whether verdicts are shown with the signature gate waived: as chosen, else where the gate hides every other
    verdict.
    """
    chosen = st.session_state.get(READING)
    if chosen in (JUDGED, WAIVED):
        return bool(chosen == WAIVED)
    return all(shares(judgement.summary()).hidden for judgement in judgements)


def _open() -> None:
    """A new session: options of the command line, then what the URL asks for."""
    options = launch.options(sys.argv[1:])
    link = links.read(st.query_params.to_dict())
    refused = [f"A value of the link was left out. {sentence}" for sentence in link.refused]
    first = _start(options, refused)
    st.session_state[_START] = first
    st.session_state[_POLICY] = link.policy or first
    st.session_state[_BASELINE] = link.baseline or first
    if st.query_params.get(READING) in (JUDGED, WAIVED):
        st.session_state[READING] = st.query_params[READING]
    _open_log(start_request(), link, refused)
    st.session_state[_REFUSED] = tuple(refused)


def _open_log(started: session.Request | None, link: links.Link, refused: list[str]) -> None:
    """The log of the command line, or the sample where a link was made for it; else the link waits for its log."""
    requests = [request for request in (started, session.sample() if link.log else None) if request is not None]
    for request in requests:
        try:
            found = session.load(request)
        except session.UnusableError as error:
            refused.append(str(error))
            continue
        if link.log is None or links.log_mark(found.evidence.log_digest) == link.log:
            st.session_state[_LOADED] = found
            return
    if link.log is not None:
        st.session_state[_LINK] = (link.log, link.file or "")


def _start(options: launch.Options, refused: list[str]) -> NamedPolicy:
    """The policy of the command line; on the sample, the one that comes with it."""
    file = options.policy
    if file is None and options.preset is None and options.demo and not options.logs:
        file = str(session.sample_policy())
    try:
        usual = "reference" if options.trust is None else "strict"
        return preset(options.preset or usual) if file is None else load_policy(file, options.preset, default=usual)
    except PolicyError as error:
        refused.append(str(error))
        return preset("reference")
