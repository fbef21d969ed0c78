"""What is looked at stands in the URL, reads back, and is validated whoever wrote it."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import looks
from dashboard.looks import Look
from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.quarantine import Quarantine
from guard_core.judging.selection import Selection
from guard_core.model import Finding

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30)
LISTS = st.lists(TEXTS, max_size=3, unique=True).map(tuple)
MINUTES = st.integers(-1_000_000_000, 4_000_000_000).map(lambda second: second // 60 * 60_000_000)


def words(allowed: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(allowed), max_size=3, unique=True).map(tuple)


SELECTIONS = st.builds(
    Selection,
    start=st.none() | MINUTES,
    end=st.none() | MINUTES.map(lambda first: first + 59_999_999),
    collections=LISTS,
    originators=LISTS,
    generators=LISTS,
    verdicts=words(VERDICT_WORDS),
    findings=words(tuple(f.value for f in Finding)),
    waived=words(VERDICT_WORDS),
    text=st.just("") | TEXTS,
    document=st.just("") | TEXTS,
    anchor=st.just("") | TEXTS,
)
LOOKS = st.builds(
    Look,
    SELECTIONS,
    st.sampled_from(looks.SORTS),
    st.booleans(),
    st.integers(1, 10**6),
    st.none() | st.tuples(TEXTS, st.integers(1, 99)),
    st.none() | st.tuples(TEXTS, st.booleans()),
    st.none() | st.integers(1, looks.STORY_STEPS),
    st.none() | TEXTS,
    st.sampled_from(("", *looks.DEPTHS_BY)),
    st.sampled_from(looks.LISTINGS),
    st.builds(Quarantine, LISTS, LISTS, LISTS, LISTS, LISTS),
)
NAMES = (
    "from", "to", "collection", "originator", "generator", "verdict", "finding", "waived", "text", "with_document",
    "anchor", "sort", "page", "retrieval", "occurrence", "family", "unresolved", "story", "document", "depths",
    "list", "out_document", "out_anchor", "out_originator", "out_generator", "out_collection",
)  # fmt: skip


@given(LOOKS)
def test_a_look_reads_back(look: Look) -> None:
    assert looks.read(looks.parameters(look)) == (look, ())


@given(SELECTIONS)
def test_controls_say_what_they_show(selection: Selection) -> None:
    assert looks.picked(Look(), looks.shown_as(selection)).selection == selection


@given(st.dictionaries(st.sampled_from(NAMES), st.lists(st.text(), min_size=1, max_size=3)))
def test_any_text_gives_a_look_and_no_exception(given_parameters: dict[str, list[str]]) -> None:
    look, _ = looks.read(given_parameters)
    assert set(look.selection.verdicts) <= set(VERDICT_WORDS)
    assert set(look.selection.findings) <= {f.value for f in Finding}
    assert look.sort in looks.SORTS
    assert look.page >= 1
    assert look.story is None or 1 <= look.story <= looks.STORY_STEPS
    assert looks.read(looks.parameters(look))[0] == look


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("from", "yesterday"), ("to", "2026-13-01"), ("verdict", "GOOD"), ("finding", "<b>"), ("waived", ""),
        ("sort", "drop table"), ("page", "0"), ("page", "-1"), ("page", "9e9"), ("retrieval", "x" * 501),
        ("occurrence", "0"), ("story", "6"), ("text", "a\0b"), ("family", ""),
        ("document", "x" * 501), ("document", ""), ("depths", "colour"),
        ("list", "all"), ("out_document", ""), ("out_anchor", "x" * 501), ("out_generator", "a\0"),
        ("with_document", "a\0b"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(name: str, value: str) -> None:
    given_parameters = {name: [value]} | ({"retrieval": ["q"]} if name == "occurrence" else {})
    look, refused = looks.read(given_parameters)
    assert len(refused) == 1
    assert refused[0].startswith(f"{name}: ")
    assert "allowed" in refused[0]
    assert look == Look()


def test_a_day_is_taken_whole() -> None:
    look, _ = looks.read({"from": ["2026-07-01"], "to": ["2026-07-01"]})
    start, end = look.selection.start, look.selection.end
    assert start is not None
    assert end is not None
    assert end - start == 24 * 3600 * 1_000_000 - 1
    assert looks.moment_text(start) == "2026-07-01T00:00"


def test_values_that_no_control_could_say_are_left_out() -> None:
    said: dict[str, object] = {
        "verdicts": ["GOOD", VERDICT_WORDS[0]], "collections": ["", "a\0", "b"], "text": None,
        "start": datetime(2026, 7, 1), "end": "nonsense",  # noqa: DTZ001  # the widget's times are UTC
    }  # fmt: skip
    chosen = looks.picked(Look(page=3), said)
    assert chosen.selection.verdicts == (VERDICT_WORDS[0],)
    assert chosen.selection.collections == ("b",)
    assert chosen.selection.end is None
    assert chosen.page == 1
    assert looks.picked(Look(page=3), {}).page == 3


def test_what_is_taken_out_is_bounded_and_said() -> None:
    look, refused = looks.read({"out_document": [f"d{n}" for n in range(60)]})
    assert len(look.out.documents) == looks.VALUES_LIMIT
    assert refused == (f"out_document: too many; allowed: {looks.VALUES_LIMIT}",)
    chosen = looks.taken_out(Look(), {"documents": ["a", "a", "", "b\0", "x" * 501], "nonsense": ["c"]})
    assert chosen.out == Quarantine(documents=("a",))
    assert looks.taken_out(chosen, {"anchors": ("s",)}).out == Quarantine(documents=("a",), anchors=("s",))


def test_the_search_of_retrievals_holds_on_no_other_page() -> None:
    selection = Selection(verdicts=(VERDICT_WORDS[0],), text="x", document="d", anchor="a", waived=(VERDICT_WORDS[1],))
    assert looks.everywhere(selection) == Selection(verdicts=(VERDICT_WORDS[0],))


def test_a_time_before_the_year_1000_comes_back_from_its_control() -> None:
    look, refused = looks.read({"from": ["0001-01-01"], "to": ["0999-12-31T23:59"]})
    assert not refused
    again = looks.picked(look, {name: looks.shown_moment(getattr(look.selection, name)) for name in ("start", "end")})
    assert again == look
