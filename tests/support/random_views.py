"""Make views of the dashboard for property tests: ``VIEWS``, and the parts that they are made of."""

from __future__ import annotations

from hypothesis import strategies as st

from dashboard.distrust import Distrust
from dashboard.view import DEPTHS_BY, JUDGED, LISTINGS, SORTS, STORY_STEPS, WAIVED, View
from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.quarantine import Quarantine
from guard_core.judging.policy import PRESETS, NamedPolicy
from guard_core.judging.selection import Selection
from guard_core.model import Finding
from tests.support.random_retrievals import policies

_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30)
_LISTS = st.lists(_TEXTS, max_size=3, unique=True).map(tuple)
_MINUTES = st.integers(-1_000_000_000, 4_000_000_000).map(lambda second: second // 60 * 60_000_000)


def _words(allowed: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(allowed), max_size=3, unique=True).map(tuple)


NAMED_POLICIES = st.builds(NamedPolicy, st.sampled_from(sorted(PRESETS)), policies)

SELECTIONS = st.builds(
    Selection,
    start=st.none() | _MINUTES,
    end=st.none() | _MINUTES.map(lambda first: first + 59_999_999),
    collections=_LISTS,
    originators=_LISTS,
    generators=_LISTS,
    verdicts=_words(VERDICT_WORDS),
    findings=_words(tuple(f.value for f in Finding)),
    waived=_words(VERDICT_WORDS),
    text=st.just("") | _TEXTS,
    document=st.just("") | _TEXTS,
    anchor=st.just("") | _TEXTS,
)

VIEWS = st.builds(
    View,
    policy=NAMED_POLICIES,
    baseline=NAMED_POLICIES,
    verdicts=st.sampled_from(("", JUDGED, WAIVED)),
    selection=SELECTIONS,
    sort=st.sampled_from(SORTS),
    descending=st.booleans(),
    page=st.integers(1, 10**6),
    retrieval=st.none() | st.tuples(_TEXTS, st.integers(1, 99)),
    family=st.none() | st.tuples(_TEXTS, st.booleans()),
    document=st.none() | _TEXTS,
    depths=st.sampled_from(("", *DEPTHS_BY)),
    listing=st.sampled_from(LISTINGS),
    quarantine=st.builds(Quarantine, _LISTS, _LISTS, _LISTS, _LISTS, _LISTS),
    story=st.none() | st.integers(1, STORY_STEPS),
    distrust=st.builds(Distrust, _LISTS, _LISTS),
)
