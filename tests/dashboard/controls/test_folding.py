"""What is folded away is neither worked out nor sent until somebody opens it, and then stays open."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import OpenPage


def tables(page: AppTest) -> int:
    return len(page.dataframe)


@pytest.mark.parametrize("name", ["app_pages/overview.py", "app_pages/whatif.py", "app_pages/anchors.py"])
def test_numbers_are_sent_when_they_are_asked_for(open_page: OpenPage, name: str) -> None:
    closed = tables(open_page(("--demo",), name, unfolded=False))
    assert closed < tables(open_page(("--demo",), name))


def test_what_was_opened_stays_open_while_a_value_in_it_changes(open_page: OpenPage) -> None:
    page = open_page(("--demo",), "app_pages/whatif.py", unfolded=False)
    assert "widget.top_k" not in {box.key for box in page.number_input}
    page.session_state["whatif.fields"] = True
    page.run()
    page.number_input(key="widget.top_k").set_value(3).run()
    assert page.number_input(key="widget.top_k").value == 3
    page.session_state["whatif.fields"] = False
    page.run()
    assert "widget.top_k" not in {box.key for box in page.number_input}
    assert page.query_params["top_k"] == "3"  # closed, it holds all the same
