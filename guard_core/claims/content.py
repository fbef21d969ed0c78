"""Compare the content that a claim states with a text, and find the difference where the two nearly agree.

Flows in: a text, and the digest that a claim states.  Flows out: a digest, a ``ContentCheck``, a hint in words.
Rules kept here: what counts is the digest of the exact UTF-8 bytes; a near miss stays a mismatch, because only a person
can accept a text that differs in spelling alone.  An empty text is a text (R18).
Not here: what follows from a mismatch (``verify``).
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from enum import Enum


class ContentCheck(Enum):
    """Name what is known of the ``content`` of a claim."""

    NOT_STATED = "not stated"
    """The claim states no content."""
    UNCHECKED = "unchecked"
    """It states one, and the text was not at hand."""
    CHECKED = "checked"
    MISMATCH = "mismatch"


def digest_text(text: str) -> str:
    """Return ``sha256:<hex>`` of the exact UTF-8 bytes of a text (half a surrogate pair counts as three bytes)."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def compare_content(stated: str | None, digest: str | None) -> ContentCheck:
    """Compare the digest that a claim states with that of a text; either may be missing."""
    if stated is None:
        return ContentCheck.NOT_STATED
    if digest is None:
        return ContentCheck.UNCHECKED
    return ContentCheck.CHECKED if stated == digest else ContentCheck.MISMATCH


def find_near_miss(text: str, digest: str) -> str | None:
    """Find in which spelling ``text`` differs from the text with that digest.

    Returns ``"line endings"``, ``"a trailing newline"``, ``"Unicode form"``, or two or three of them, the simplest
    explanation first; ``None`` if it is another text, or this one.
    """
    if digest_text(text) == digest:
        return None
    for variant, changes in sorted(_list_variants(text), key=lambda variant: len(variant[1])):
        if digest_text(variant) == digest:
            return " and ".join(changes)
    return None


def _list_variants(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for form, formed in _list_forms(text):
        for ending, ended in _list_endings(formed):
            for last, variant in _list_last_lines(ended):
                yield variant, (*ending, *last, *form)


def _list_forms(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    yield (), text
    if not text.isascii():
        yield ("Unicode form",), unicodedata.normalize("NFC", text)
        yield ("Unicode form",), unicodedata.normalize("NFD", text)


def _list_endings(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    yield (), text
    if "\n" in text or "\r" in text:
        line_feeds = text.replace("\r\n", "\n").replace("\r", "\n")
        yield ("line endings",), line_feeds
        yield ("line endings",), line_feeds.replace("\n", "\r\n")
        yield ("line endings",), line_feeds.replace("\n", "\r")


def _list_last_lines(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    bare = text.rstrip("\r\n")
    yield (), text
    for ending in ("", "\n", "\r\n", "\r"):
        yield ("a trailing newline",), bare + ending
