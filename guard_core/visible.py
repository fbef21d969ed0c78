"""Text from outside, made safe to print: nothing hidden, nothing that moves the cursor, no line of its own.

Flows in: any text.  Flows out: the same text with every character that cannot be seen, or that changes what stands
around it, written as a visible escape (R20).
Rules kept here: two different texts never look the same (a backslash is doubled where it could be taken for an
escape); the result holds no control, format, surrogate or line separator character, so no terminal sequence survives.
Not here: JSON, which has escapes of its own (``evaluation.py``); CSV cells (``output/delimited.py``).
"""

from __future__ import annotations

import re
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that are drawn as nothing at all."""

_LOOKS_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


def visible(text: str) -> str:
    """``text`` with hidden characters as ``\\n``, ``\\x1b``, ``\\u200b`` or ``\\U000e0041``; other text unchanged."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    hidden = [character for character in text if _is_hidden(character)]
    if not hidden and not _LOOKS_ESCAPED.search(text):
        return text
    return "".join(_escape(character) for character in text)


def width(text: str) -> int:
    """How many terminal columns ``text`` takes: two for wide characters, none for marks that sit on another one."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def shorten(text: str, columns: int) -> str:
    """``text`` cut to ``columns`` terminal columns; what was cut off is marked with an ellipsis."""
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
