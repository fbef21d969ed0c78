"""A control starts with what the state says, in every run: its default too, which no run that is cut off can lose."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox, Widget

from tests.dashboard.conftest import OpenPage

POLICY = {
    "preset": "reference", "min_human_grounding_ratio": "0.35", "signatures": "catalogued", "count": "documents",
    "allow_depth_1_synthetic": "false", "top_k": "4", "min_effective_anchors": "2.5", "max_depth_in_grounded": "3",
    "require_anchor": "true", "allow_unknown": "false", "halt_on": "few_results,coverage_illusion",
}  # fmt: skip
LOOK: dict[str, str | list[str]] = {
    "text": "ferry", "with_document": "almanac", "anchor": "almanac", "waived": "HUMAN_GROUNDED",
    "originator": ["Saltrook Press (TEST)"], "finding": "coverage_illusion", "sort": "ratio", "descending": "true",
    "start": "2026-07-02", "depths": "rank", "distrusted": "Saltrook Press (TEST)",
}  # fmt: skip


def controls(page: AppTest) -> list[Widget]:
    kinds = (page.selectbox, page.multiselect, page.text_input, page.number_input, page.toggle, page.select_slider)
    return [element for kind in kinds for element in kind]


def default_of(control: Widget) -> list[int | float | str | bool]:
    """What a control shows where nothing else reaches the page; places of options for those that have some."""
    default = control.proto.default
    return [default] if isinstance(default, str | int | float | bool) else list(default)


@pytest.mark.parametrize("page", ["app_pages/overview.py", "app_pages/whatif.py", "app_pages/retrievals.py"])
def test_a_default_is_what_the_state_says(open_page: OpenPage, page: str) -> None:
    shown = open_page(("--demo",), page, POLICY | LOOK)
    first = {element.key: (default_of(element), element.value) for element in controls(shown)}
    put = {element.key: list(getattr(element.proto, "raw_values", ())) for element in controls(shown)}
    later = {element.key: (default_of(element), element.value) for element in controls(shown.run())}
    assert later == first
    checked = 0
    for element in controls(shown):
        default, value = first[element.key]
        options = list(getattr(element.proto, "options", ()))
        match element.type:
            case "text_input" | "number_input" | "toggle":
                assert default == [0 if value is None else value], element.key
            case "selectbox":
                assert isinstance(element, Selectbox)
                assert default == [element.index], element.key
            case "multiselect":
                assert [options[int(place)] for place in default] == put[element.key], element.key
            case _:
                continue
        checked += 1
    assert checked >= 5
    if page == "app_pages/whatif.py":
        slider = shown.select_slider(key="widget.min_human_grounding_ratio")
        assert [slider.options[int(place)] for place in slider.proto.default] == ["0.35"]
    if page == "app_pages/retrievals.py":
        assert first["widget.text"] == (["ferry"], "ferry")
