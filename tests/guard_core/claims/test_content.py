"""Test digests of texts, and the words for near misses."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims.content import digest_text, find_near_miss


@pytest.mark.parametrize(
    ("logged", "signed", "hint"),
    [
        ("a\nb", "a\r\nb", "line endings"),
        ("a\r\nb", "a\nb", "line endings"),
        ("a\rb", "a\nb", "line endings"),
        ("a", "a\n", "a trailing newline"),
        ("a\n", "a", "a trailing newline"),
        ("a\n\n", "a\n", "a trailing newline"),
        ("a", "a\r\n", "a trailing newline"),
        ("", "\n", "a trailing newline"),
        ("caf\u00e9", "cafe\u0301", "Unicode form"),
        ("cafe\u0301", "caf\u00e9", "Unicode form"),
        ("caf\u00e9\r\nx\r\n", "cafe\u0301\nx", "line endings and a trailing newline and Unicode form"),
        ("a", "b", None),
        ("a b", "a  b", None),
        ("A", "a", None),
        ("a", "a", None),
        ("\ufb01", "fi", None),
    ],
    ids=[str(number) for number in range(16)],
)
def test_near_misses(logged: str, signed: str, hint: str | None) -> None:
    assert find_near_miss(logged, digest_text(signed)) == hint


@given(st.text())
def test_the_digest_is_of_the_exact_utf_8(text: str) -> None:
    assert digest_text(text) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert find_near_miss(text, digest_text(text)) is None
    if unicodedata.normalize("NFD", text) != text:
        assert find_near_miss(text, digest_text(unicodedata.normalize("NFD", text))) == "Unicode form"


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest_text("\ud800") != digest_text("?")
    assert find_near_miss("\ud800", digest_text("x")) is None
