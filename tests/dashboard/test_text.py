"""Text from a log is shown literally, in every kind of place."""

from __future__ import annotations

import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.text import escape_code, escape_markdown, escape_plotly, escape_text

HOSTILE = (
    "![x](http://127.0.0.1:9/canary.png)",
    "<img src=http://127.0.0.1:9/x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "=HYPERLINK(1)",
    ":red[fine] :material/star: :smile:",
    "costs $5 and $6",
    "``` `x` ``",
    "a\u202eb\u200bc\x1b[2Jd",
)


@given(st.text(alphabet=st.characters(categories=["Cc", "Cf", "Zl", "Zp", "Co"])))
def test_nothing_hidden_is_left(text: str) -> None:
    shown = escape_text(text, None)
    assert all(unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp", "Co"} for character in shown)


def test_a_cut_is_marked() -> None:
    assert escape_text("x" * 310, 300) == "x" * 300 + "… (10 more characters)"
    assert escape_text("x" * 300, 300) == "x" * 300
    assert escape_text(None) == ""


@given(st.text())
def test_plotly_text_reads_back(text: str) -> None:
    shown = escape_plotly(text, None)
    assert "<" not in shown
    assert ">" not in shown
    assert html.unescape(shown) == escape_text(text, None)


@given(st.text(min_size=1))
def test_a_code_span_is_closed_by_nothing_inside(text: str) -> None:
    shown = escape_code(text, None)
    if shown.startswith("("):
        return
    fence = re.match(r"`+", shown)
    assert fence is not None
    inside = shown[len(fence[0]) : -len(fence[0])]
    assert shown.endswith(fence[0])
    assert fence[0] not in re.findall(r"`+", inside)
    assert inside.strip(" ") == escape_text(text, None).strip(" ")


@given(st.text())
def test_markdown_is_all_escaped_or_a_code_span(text: str) -> None:
    shown = escape_markdown(text)
    if shown.startswith(("`", "(")):
        return
    assert not re.search(r"(?<!\\)(?:\\\\)*[!-/:-@\[\]^-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", shown))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_link_or_image_survives(text: str) -> None:
    for shown in (escape_markdown(text), escape_code(text)):
        plain = re.sub(r"`+[^`].*`+", "", shown)
        assert not re.search(r"(?<!\\)[\[!<$]", plain)


def test_blank_text_says_so() -> None:
    assert escape_code("") == "(empty)"
    assert escape_code("   ") == "(3 spaces)"
