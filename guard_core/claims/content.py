"""Whether a claim is about this very text, and if not, whether it nearly is.

Flows in: a text, and the digest that a claim states.  Flows out: its digest, and hints in words.
Rules kept here: what counts is the digest of the exact UTF-8 bytes; a near miss stays a mismatch, since "the same but
for its spelling" is for a person to accept.  An empty text is a text (R18).
Not here: what follows from a mismatch (``verify``).
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from enum import Enum


class ContentCheck(Enum):
    """What is known of a claim's ``content``."""

    NOT_STATED = "not stated"
    """The claim names no content."""
    UNCHECKED = "unchecked"
    """It does, and the text was not at hand."""
    CHECKED = "checked"
    MISMATCH = "mismatch"


def text_digest(text: str) -> str:
    """``sha256:<hex>`` of the exact UTF-8 bytes of a text (half a surrogate pair counts as its three bytes)."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def near_miss(text: str, digest: str) -> str | None:
    """How ``text`` differs from the text with that digest, if only in spelling: ``"line endings"``, ``"a trailing
    newline"``, ``"Unicode form"``, or two or three of them; ``None`` if it is another text, or this one."""
    if text_digest(text) == digest:
        return None
    variants = sorted(_variants(text), key=lambda variant: len(variant[1]))  # the simplest explanation first
    for variant, changes in variants:
        if text_digest(variant) == digest:
            return " and ".join(changes)
    return None


def _variants(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for form, formed in _forms(text):
        for ending, ended in _endings(formed):
            for last, variant in _last_lines(ended):
                yield variant, (*ending, *last, *form)


def _forms(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    yield (), text
    if not text.isascii():
        yield ("Unicode form",), unicodedata.normalize("NFC", text)
        yield ("Unicode form",), unicodedata.normalize("NFD", text)


def _endings(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    yield (), text
    if "\n" in text or "\r" in text:
        line_feeds = text.replace("\r\n", "\n").replace("\r", "\n")
        yield ("line endings",), line_feeds
        yield ("line endings",), line_feeds.replace("\n", "\r\n")
        yield ("line endings",), line_feeds.replace("\n", "\r")


def _last_lines(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    bare = text.rstrip("\r\n")
    yield (), text
    for ending in ("", "\n", "\r\n", "\r"):
        yield ("a trailing newline",), bare + ending
