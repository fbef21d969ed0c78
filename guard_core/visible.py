"""Make text from outside safe to print, and counts readable: nothing hidden, nothing that moves the cursor.

Flows in: any text.  Flows out: the same text with every character that cannot be seen, or that changes what stands
around it, written as a visible escape (R20); numbers with their nouns.
Rules kept here: two different texts never look the same (a backslash is doubled where it could be taken for an
escape); the result holds no control, format, surrogate or line separator character, so no terminal sequence survives.
Not here: JSON, which has escapes of its own (``output/evaluation.py``); CSV cells (``output/delimited.py``).
"""

from __future__ import annotations

import re
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that are drawn as nothing at all."""

_LOOKS_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


def visible(text: str) -> str:
    """Return ``text`` with its hidden characters as ``\\n``, ``\\x1b``, ``\\u200b`` or ``\\U000e0041``."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    hidden = [character for character in text if _is_hidden(character)]
    if not hidden and not _LOOKS_ESCAPED.search(text):
        return text
    return "".join(_escape(character) for character in text)


def count_noun(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, thousands set apart: "1 entry", "2 entries", "1,234 results".

    The plural is regular unless it is given: "-s", or "-ies" for a noun that ends in a consonant and "y".
    """
    if number == 1:
        return f"1 {noun}"
    if plural is None:
        plural = noun[:-1] + "ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else noun + "s"
    return f"{number:,} {plural}"


def width(text: str) -> int:
    """Count the terminal columns that ``text`` takes: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def shorten(text: str, columns: int) -> str:
    """Cut ``text`` to ``columns`` terminal columns; an ellipsis stands for what was cut off."""
    if width(text) <= columns:
        return text
    kept, used = [], 1
    for character in text:
        used += _columns(character)
        if used > columns:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _is_hidden(character: str) -> bool:
    category = unicodedata.category(character)
    return category in _HIDDEN_CATEGORIES or character in _BLANK or (category == "Zs" and character != " ")


def _escape(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if not _is_hidden(character):
        return character
    code = ord(character)
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if named:
        return named
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
