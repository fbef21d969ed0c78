"""Read strict JSON, for claims and trust stores.

Flows in: bytes.  Flows out: plain Python values, or ``StrictJsonError``.
Rules kept here (R35): UTF-8 without a byte order mark; no member twice, at any level, however its name is escaped; no
NaN or Infinity; no half of a surrogate pair; nesting of at most 64, checked before anything is parsed, so that
depth costs neither stack nor time; a bound on size.  No two parsers read an accepted text differently.
A number is an ``int`` when it is written as one and lies within the range that every JSON reader keeps exact, else it
is ``INEXACT``: no float is ever made, so none is mistaken for a time or a depth.
Not here: what members mean (``token``, ``trust_store``); logs, which are read by other rules (``guard_core.ingest``).
"""

from __future__ import annotations

import json
import re
from typing import Final, NoReturn

from guard_core.errors import StrictJsonError

MAX_DEPTH: Final = 64
"""Deepest nesting of objects and lists."""

MAX_INTEGER: Final = 2**53 - 1
"""Greatest magnitude of an integer that every JSON reader keeps exact (RFC 7493, section 2.2)."""


class Inexact:
    """Stand for every number that is no integer within ±``MAX_INTEGER``; its only instance is ``INEXACT``."""

    def __repr__(self) -> str:
        return "INEXACT"


INEXACT: Final = Inexact()

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
# A whole string (or the unfinished rest of the text, so that each byte is read once), or a bracket.
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+["\\]?|[\[{\]}]', re.DOTALL)
_INTEGER_DIGITS = len(str(MAX_INTEGER)) + 1  # with a sign


def parse(data: bytes, *, max_bytes: int) -> object:
    """Read one JSON text of at most ``max_bytes`` bytes.

    Returns ``dict``, ``list``, ``str``, ``int``, ``bool``, ``None`` or ``INEXACT``.  Raises ``StrictJsonError``.
    """
    if len(data) > max_bytes:
        raise StrictJsonError(f"is longer than {max_bytes} bytes")
    # Brackets bound the depth from above; only a text with many of them needs the exact count.
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH:
        _check_depth(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise StrictJsonError("is not UTF-8") from None
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise StrictJsonError(f"is not JSON (at character {error.pos + 1})") from None
    except RecursionError:
        raise StrictJsonError("is nested too deep for the stack that is left") from None
    if _SURROGATE_ESCAPE.search(data):
        _check_surrogates(value)
    return value


def _check_depth(data: bytes) -> None:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(data):
        first = data[match.start()]
        if first in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise StrictJsonError(f"is nested deeper than {MAX_DEPTH}")
        elif first in b"]}":
            depth -= 1


def _check_surrogates(value: object) -> None:
    """Raise ``StrictJsonError`` for half of a surrogate pair, which only an escape can spell."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            try:
                item.encode("utf-8")
            except UnicodeEncodeError:
                raise StrictJsonError("holds half of a surrogate pair") from None
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item.keys())
            waiting.extend(item.values())


def _collect_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise StrictJsonError("repeats a member")
    return members


def _convert_integer(text: str) -> int | Inexact:
    # The length is checked first: turning thousands of digits into a number is slow, or refused.
    if len(text) > _INTEGER_DIGITS:
        return INEXACT
    number = int(text)
    return number if -MAX_INTEGER <= number <= MAX_INTEGER else INEXACT


def _convert_float(_text: str) -> Inexact:
    return INEXACT


def _refuse_constant(_name: str) -> NoReturn:
    raise StrictJsonError("holds NaN or Infinity, which are not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_collect_members,
    parse_int=_convert_integer,
    parse_float=_convert_float,
    parse_constant=_refuse_constant,
)
