"""Controls say what they show, and what they could not say is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from hypothesis import given

from dashboard.controls.fields import read_selection, show_selection, show_time
from dashboard.url import read_parameters
from dashboard.view import View
from guard_core.codes import VERDICT_WORDS
from guard_core.judging.policy import find_preset
from guard_core.judging.selection import Selection
from tests.support.random_views import SELECTIONS

FIRST = View(find_preset("reference"), find_preset("reference"))


@given(SELECTIONS)
def test_controls_say_what_they_show(selection: Selection) -> None:
    assert read_selection(FIRST, show_selection(selection)).selection == selection


def test_values_that_no_control_could_say_are_left_out() -> None:
    values: dict[str, object] = {
        "verdicts": ["GOOD", VERDICT_WORDS[0]], "collections": ["", "a\0", "b"], "text": None,
        "start": datetime(2026, 7, 1), "end": "nonsense",  # noqa: DTZ001  # the widget's times are UTC
        "findings": None, "generators": "model", "document": ["a"],
    }  # fmt: skip
    chosen = read_selection(replace(FIRST, page=3), values)
    assert chosen.selection.verdicts == (VERDICT_WORDS[0],)
    assert chosen.selection.collections == ("b",)
    assert chosen.selection.end is None
    assert chosen.selection.findings == chosen.selection.generators == ()
    assert chosen.selection.document == ""
    assert chosen.page == 1
    assert read_selection(replace(FIRST, page=3), {}).page == 3


def test_a_time_before_the_year_1000_comes_back_from_its_control() -> None:
    view = read_parameters({"from": ["0001-01-01"], "to": ["0999-12-31T23:59"]}, FIRST.policy).view
    values = {name: show_time(getattr(view.selection, name)) for name in ("start", "end")}
    assert read_selection(view, values) == view
