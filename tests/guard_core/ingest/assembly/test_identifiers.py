"""Ids that look like others or hide characters (R20): counted once each, never joined."""

from __future__ import annotations

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.ingest.assembly.identifiers import count_suspicious_ids, is_hidden


def suspicious(*names: str, more: tuple[str, ...] = ()) -> tuple[int, int]:
    return count_suspicious_ids([pa.array(names, pa.string()), pa.array(more, pa.large_string())])


def test_plain_ids_are_not_suspicious() -> None:
    assert suspicious("001", "01", "a b", "~", "NA", "") == (0, 0)
    assert suspicious() == (0, 0)
    assert suspicious("é", "日本", "Ω") == (0, 0)


def test_forms() -> None:
    assert suspicious("é", "e\u0301", "x") == (2, 0)
    assert suspicious("é", more=("e\u0301", "é")) == (2, 0)
    assert suspicious("K", "\u212a") == (2, 0)  # the Kelvin sign is a K in its normal form
    assert suspicious("\u212a") == (0, 0)


@pytest.mark.parametrize(
    "character",
    ["\u200b", "\u202e", "\x01", "\x7f", "\u00ad", "\ufeff", "\u2066", "\u3164", "\ufe0f", "\U000e0041", "\n"],
    ids=ascii,
)
def test_hidden_characters(character: str) -> None:
    assert is_hidden(character)
    assert suspicious(f"a{character}b", "ab")[1] == 1


def test_each_id_counts_once() -> None:
    assert suspicious("a\u200b", more=("a\u200b", "b\u200b")) == (0, 2)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=4), max_size=6))
def test_against_the_definition(names: list[str]) -> None:
    ids = set(names)
    forms = [unicodedata.normalize("NFC", name) for name in ids]
    expected = sum(forms.count(form) > 1 for form in forms)
    hidden = sum(any(is_hidden(c) for c in name) for name in ids)
    assert suspicious(*names) == (expected, hidden)
