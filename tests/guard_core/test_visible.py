"""Text from outside on a terminal: nothing hidden survives, and nothing is confused with an escape.

Flows in: random text of every category.  Flows out: laws.
"""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.visible import count_noun, shorten, visible, width

anything = st.text(st.characters() | st.sampled_from("\\nrtxuU0a\x1b\u200b\u202e\u00ad\ufeff\U000e0041 "))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("report-7", "report-7"),
        ("Bericht über 東京", "Bericht über 東京"),
        (r"C:\temp\notes", r"C:\temp\notes".replace("\\", "\\\\")),  # \t could be a tab, \n a line break
        (r"C:\Users", r"C:\Users"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("report\u200b-7", r"report\u200b-7"),
        ("\u202e7-troper", r"\u202e7-troper"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("a\U000e0041", r"a\U000e0041"),
        ("a\u00a0b", r"a\xa0b"),
        ("a\ud800", r"a\ud800"),
        (r"report\u200b-7", r"report\\u200b-7"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(anything)
def test_nothing_hidden_survives(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(anything, anything)
def test_two_texts_never_look_the_same(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)


@given(anything, st.integers(1, 20))
def test_a_cut_fits(text: str, columns: int) -> None:
    assert width(shorten(visible(text), columns)) <= columns


def test_a_number_and_its_noun_agree() -> None:
    assert [count_noun(number, "result") for number in (0, 1, 2, 1234)] == [
        "0 results", "1 result", "2 results", "1,234 results",
    ]  # fmt: skip
    assert [count_noun(2, noun) for noun in ("entry", "key", "retrieval")] == ["2 entries", "2 keys", "2 retrievals"]
    assert count_noun(2, "list of results", "lists of results") == "2 lists of results"
