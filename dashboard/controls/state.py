"""What a browser session holds, and its URL.

Flows in: options of the command line, URL parameters, what the controls say.  Flows out: policy, baseline, log,
refusals.
Rules kept here: the policy of a session is one immutable, validated value; widgets are filled from it and read back
into it at the start of each run, so that control and verdict never disagree, whichever page is open; a widget's own
limits are never trusted; a control has its value as its default too, since one that is only put into the session
reaches the page once, and is lost with a run that the next one cuts off; the URL is written from the state in each run
and read once, when a session begins.
Not here: what the parameters of a link mean (``links.py``), loading (``session.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dashboard import distrust, launch, links, looks, session, trusting
from dashboard.distrust import Distrust
from dashboard.looks import Look
from dashboard.scene import Scene
from dashboard.views.overview import shares
from guard_core.errors import PolicyError
from guard_core.judging.judge import Verdicts
from guard_core.judging.policy import FIELDS, NamedPolicy, load_policy, policy_fields, preset, with_fields

JUDGED, WAIVED = "judged", "waived"
READING = "reading"

_POLICY, _BASELINE, _START, _LOADED, _LINK, _REFUSED = "policy", "baseline", "start", "loaded", "link", "refused"
_LOOK, _LEAVING, _PAGE = "look", "leaving", "page"
_DISTRUST = "distrust"
DISTRUSTED, COMPROMISED = "distrusted", "compromised"
_FAULT = "load.fault"


def widget(name: str) -> str:
    """The key of the widget that shows a policy field, or ``READING``."""
    return f"widget.{name}"


def out_widget(name: str) -> str:
    """The key of the widget that shows a field of what is taken out."""
    return f"widget.out.{name}"


def begin() -> None:
    """Once a run, before any page: open the session if it is new, and take over what the policy widgets say."""
    if _POLICY not in st.session_state:
        _open()
    said = {name: st.session_state[widget(name)] for name in FIELDS if widget(name) in st.session_state}
    if said:
        take(lambda: with_fields(policy(), said), fill=False)
    picked = {name: st.session_state[widget(name)] for name in looks.PICKED if widget(name) in st.session_state}
    out = {name: st.session_state[out_widget(name)] for name in looks.OUT if out_widget(name) in st.session_state}
    show(looks.taken_out(looks.picked(look(), picked), out))
    wish = wished()
    less = [
        st.session_state.get(widget(name), held)
        for name, held in ((DISTRUSTED, wish.originators), (COMPROMISED, wish.keys))
    ]
    st.session_state[_DISTRUST] = distrust.chosen(*less)


def enter(page: str) -> None:
    """Once a run, when the page is known: controls that stand on several pages show the state on a new one too."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        for name in (*looks.PICKED, DISTRUSTED, COMPROMISED):
            st.session_state.pop(widget(name), None)
        forget_out()


def end() -> None:
    """Once a run, after the page: write the view into the URL."""
    found, wanted = as_loaded(), waiting()
    digest = found.evidence.log_digest if found else None
    given = links.parameters(policy(), baseline(), digest, found.name if found else None)
    if found is None and wanted is not None:
        given |= {"log": wanted[0], "file": wanted[1]}
    if st.session_state.get(READING):
        given[READING] = st.session_state[READING]
    view = {name: [value] for name, value in given.items()} | looks.parameters(look())
    view |= distrust.parameters(wished())
    if _given() != view:
        st.query_params.from_dict(view)


def look() -> Look:
    """What this session looks at."""
    found: Look = st.session_state[_LOOK]
    return found


def show(wanted: Look) -> None:
    """Look at something else."""
    st.session_state[_LOOK] = wanted


def pick(**fields: object) -> None:
    """Replace fields of the selection, on screen too, and show its first page."""
    st.session_state[_LOOK] = looks.with_selection(look(), fields)
    for name in fields:
        st.session_state.pop(widget(name), None)


def clear() -> None:
    """Look at every retrieval again."""
    pick(**looks.NOTHING_PICKED)


def sort(by: str, descending: bool) -> None:
    """Sort retrievals, from the first page on."""
    show(replace(look(), sort=by if by in looks.SORTS else "log", descending=bool(descending), page=1))


def turn(page: int) -> None:
    """Show another page of retrievals."""
    show(replace(look(), page=max(1, int(page))))


def open_retrieval(query_id: str, occurrence: int) -> None:
    """Open one retrieval."""
    show(replace(look(), retrieval=(query_id, occurrence), story=None))


def close_retrieval() -> None:
    """Back to the list."""
    show(replace(look(), retrieval=None))


def open_family(name: str, resolved: bool) -> None:
    """Open one anchor family."""
    show(replace(look(), family=(name, resolved)))


def forget_out() -> None:
    """Have the widgets of what is taken out show it anew."""
    for name in looks.OUT:
        st.session_state.pop(out_widget(name), None)


def search(field: str, name: str) -> None:
    """Search the retrievals with this anchor, or this document (a field of the selection), on the page Retrievals."""
    show(replace(look(), retrieval=None))
    pick(**{field: name})
    st.session_state[_LEAVING] = True


def leaving() -> bool:
    """True once after something that belongs on the page Retrievals was asked for."""
    return bool(st.session_state.pop(_LEAVING, False))


def close_family() -> None:
    """Back to all anchors."""
    show(replace(look(), family=None))


def tell(step: int | None) -> None:
    """Tell the story from this step on; ``None`` ends it."""
    show(replace(look(), story=None if step is None else min(max(step, 1), looks.STORY_STEPS)))


def turn_story(forward: bool) -> None:
    """One step on, or back."""
    tell((look().story or 1) + (1 if forward else -1))


def fill_picked(*names: str) -> None:
    """Give each of these widgets of the selection that is not on screen yet its value."""
    values = looks.shown_as(look().selection)
    for name in names:
        if widget(name) not in st.session_state:
            st.session_state[widget(name)] = values[name]


def wished() -> Distrust:
    """Whom the reader does not trust, for a what-if."""
    found: Distrust = st.session_state.get(_DISTRUST, Distrust())
    return found


def trust_all() -> None:
    """Trust everybody again as the trust store says."""
    st.session_state[_DISTRUST] = Distrust()
    for name in (DISTRUSTED, COMPROMISED):
        st.session_state.pop(widget(name), None)


def fill_wished() -> None:
    """Give each widget of the what-if over trust that is not on screen yet its value."""
    for name, values in ((DISTRUSTED, wished().originators), (COMPROMISED, wished().keys)):
        if widget(name) not in st.session_state:
            st.session_state[widget(name)] = list(values)


def scene(found: session.Loaded, by: NamedPolicy | None = None) -> Scene:
    """The retrievals that every page but Retrievals looks at; ``by`` decides on verdicts, else the policy in force."""
    return Scene(found, looks.everywhere(look().selection), (by or policy()).policy)


def less_trusted(looked: Scene) -> Scene:
    """The same retrievals under the trust in force."""
    return looked.over(trusting.distrusting(looked.loaded, wished()))


def searched(found: session.Loaded) -> Scene:
    """The retrievals that the page Retrievals looks at."""
    return Scene(found, look().selection, policy().policy)


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


def as_loaded() -> session.Loaded | None:
    """The log of this session, everybody trusted as the trust store says."""
    found: session.Loaded | None = st.session_state.get(_LOADED)
    return found


def loaded() -> session.Loaded | None:
    """The log of this session, under the trust in force."""
    found = as_loaded()
    return None if found is None else trusting.distrusting(found, wished())


def load(read: Callable[[], session.Loaded]) -> None:
    """Read a log and make it this session's; one that cannot be used leaves the one there is in place.  The policy
    stays.
    """
    try:
        found = read()
    except session.UnusableError as error:
        st.session_state[_FAULT] = str(error)
        return
    before, linked = as_loaded(), waiting()
    st.session_state[_LOADED] = found
    mark = links.log_mark(found.evidence.log_digest)
    same = before is not None and links.log_mark(before.evidence.log_digest) == mark
    if not same and (linked is None or linked[0] != mark):
        clear()
        trust_all()
        show(Look())
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
    """Whether verdicts are shown with signatures waived: as chosen, else where the gate hides every other
    verdict.
    """
    chosen = st.session_state.get(READING)
    if chosen in (JUDGED, WAIVED):
        return bool(chosen == WAIVED)
    return all(shares(judgement.summary()).hidden for judgement in judgements)


def _given() -> dict[str, list[str]]:
    """The parameters of the URL; a name may stand several times."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _open() -> None:
    """A new session: options of the command line, then what the URL asks for."""
    options = launch.options(sys.argv[1:])
    link = links.read(st.query_params.to_dict())
    st.session_state[_LOOK], unread = looks.read(_given())
    st.session_state[_DISTRUST], unkept = distrust.read(_given())
    refused = [f"A value of the link was left out. {sentence}" for sentence in (*link.refused, *unread, *unkept)]
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
