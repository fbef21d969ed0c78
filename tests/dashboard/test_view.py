"""Each change of a view gives a valid view, and changes nothing else."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dashboard.distrust import Distrust
from dashboard.view import SORTS, VALUES_LIMIT, View
from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.quarantine import Quarantine
from guard_core.judging.policy import find_preset
from guard_core.judging.selection import Selection
from tests.support.random_views import VIEWS

FIRST = View(find_preset("reference"), find_preset("strict"))


def test_names_that_cannot_be_are_left_out() -> None:
    view = FIRST.with_quarantine(documents=["a", "a", "", "b\0", "x" * 501])
    assert view.quarantine == Quarantine(documents=("a",))
    assert view.quarantine_also("anchors", "s").quarantine == Quarantine(documents=("a",), anchors=("s",))
    assert view.clear_quarantine() == FIRST
    assert FIRST.with_distrust(["", "p"], ["k"] * 3).distrust == Distrust(("p",), ("k",))
    assert len(FIRST.with_distrust([str(n) for n in range(60)], []).distrust.originators) == VALUES_LIMIT


def test_the_search_of_retrievals_holds_on_no_other_page() -> None:
    selection = Selection(verdicts=(VERDICT_WORDS[0],), text="x", document="d", anchor="a", waived=(VERDICT_WORDS[1],))
    assert replace(FIRST, selection=selection).page_selection == Selection(verdicts=(VERDICT_WORDS[0],))


@given(VIEWS)
def test_another_selection_or_order_starts_on_the_first_page(view: View) -> None:
    assert view.with_selection(text=view.selection.text + "x").page == 1
    assert view.with_selection() is view
    assert view.clear_selection().selection == Selection()
    assert view.sort_retrievals("time", descending=True).page == 1
    assert view.sort_retrievals("colour", descending=False).sort == SORTS[0]


@given(VIEWS, st.text(max_size=5))
def test_what_is_opened_closes_again_and_leaves_the_story(view: View, name: str) -> None:
    assert view.open_retrieval(name, 2).retrieval == (name, 2)
    assert view.open_retrieval(name, 2).story is None
    assert view.open_retrieval(name, 2).close_retrieval().retrieval is None
    assert view.open_family(name, resolved=False).family == (name, False)
    assert view.open_family(name, resolved=True).close_family().family is None
    assert view.open_document("a" + name).story is None
    assert view.open_document("").document is None
    assert view.open_document("x").close_document().document is None
    found = view.search_retrievals("anchor", "s")
    assert (found.selection.anchor, found.retrieval) == ("s", None)


def test_values_from_nowhere_stand_for_the_usual_ones() -> None:
    assert FIRST.list_documents("all") == FIRST.split_depths("colour") == FIRST.compare_verdicts("maybe") == FIRST
    assert FIRST.turn_to_page(-3).page == 1
    assert [FIRST.show_step(step).story for step in (0, 3, 9, None)] == [1, 3, 5, None]
    assert FIRST.show_step(5).turn_step(forward=True).story == 5
    assert FIRST.show_step(2).turn_step(forward=False).story == 1


@given(VIEWS)
def test_another_log_keeps_the_policies_and_nothing_else(view: View) -> None:
    assert view.leave_log() == View(view.policy, view.baseline)
    assert view.trust_all().distrust == Distrust()
