"""Parse JSON strictly: one text, one record, and a reason that a person can act on where it is not one.

Flows in: the bytes of one line, or a text and a place in it.  Flows out: a ``dict`` whose members are each there once.
Rules kept here: UTF-8 only; nesting is bounded; a member that is repeated anywhere in a record, under whatever escape,
refuses it; nothing may follow the record; integers keep every digit.  ``NaN``, ``Infinity`` and ``-Infinity`` are read,
as numbers that are not finite, so that a score that holds one costs the score and not its row (R19).  U+0000 and half
surrogate pairs pass: whether they matter depends on the column (R7, R8).
Not here: what members mean (``records.py``); lines and their numbers (``jsonl.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from guard_core.ingest.batch import RECORD
from guard_core.ingest.records.values import LongInteger, NegativeZero

WHITE_SPACE = " \t\r\n"
_LONGEST_NUMBER = 4000
_LONGEST_NAME = 80
_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]|,', re.DOTALL)


class BadRecordError(ValueError):
    """A record that cannot be read.  ``field`` is the member at fault, or ``record``; the message is the reason."""

    def __init__(self, reason: str, field: str = RECORD) -> None:
        self.field = field
        super().__init__(reason)


ParsedRecord = dict[str, object] | BadRecordError
"""A record, or what is wrong with it."""


def parse_line(line: bytes, nesting: int) -> dict[str, object]:
    """Return the record on one line; raises :class:`BadRecordError`. Columns in reasons count characters from 1."""
    text = decode_utf8(line)
    record, end = parse_value(text, skip_space(text, 0), nesting)
    end = skip_space(text, end)
    if end < len(text):
        raise BadRecordError(f"there is text after the record, from column {end + 1}")
    return require_record(record)


def require_record(value: object) -> dict[str, object]:
    """Return ``value`` if it is an object; raises :class:`BadRecordError`."""
    if not isinstance(value, dict):
        raise BadRecordError("is not a JSON object")
    return value


def decode_utf8(raw: bytes) -> str:
    """Return UTF-8 text; raises :class:`BadRecordError` with the byte at fault."""
    try:
        return raw.decode()
    except UnicodeDecodeError as fault:
        raise BadRecordError(f"is not UTF-8 (byte {fault.start + 1})") from None


def parse_value(text: str, start: int, nesting: int) -> tuple[object, int]:
    """Return the JSON value at ``start`` and where it ends; raises :class:`BadRecordError`."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as fault:
        raise BadRecordError(f"is not JSON ({fault.msg}, column {fault.pos - start + 1})") from None
    except RecursionError:  # the scanner stops long before the stack does
        raise BadRecordError(f"is nested more than {nesting} deep") from None
    if text.count("{", start, end) + text.count("[", start, end) > nesting:
        _check_nesting(text, start, end, nesting)
    return value, end


def find_end(text: str, start: int) -> int | None:
    """Return where the value at ``start`` ends by its brackets and quotes alone, be it JSON or not.

    ``None``: the end is not in ``text``. A value that is neither list nor object ends before the next comma or bracket.
    """
    depth = 0
    for match in _STRUCTURE.finditer(text, start):
        first = text[match.start()]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
            if depth <= 0:
                return match.end() if depth == 0 else match.start()
        elif first == "," and depth == 0:
            return match.start()
    return None


def parse_embedded(text: str, nesting: int) -> dict[str, object] | None:
    """Return the object whose JSON text ``text`` is, ``None`` if it is not one; raises for a bad object (R15)."""
    if not text.lstrip(WHITE_SPACE).startswith("{"):
        return None
    record, end = parse_value(text, skip_space(text, 0), nesting)
    if skip_space(text, end) < len(text):
        raise BadRecordError("there is text after the object")
    return require_record(record)


def _check_nesting(text: str, start: int, end: int, nesting: int) -> None:
    depth = 0
    for match in _STRUCTURE.finditer(text, start, end):
        first = text[match.start()]
        if first in "[{":
            depth += 1
            if depth > nesting:
                raise BadRecordError(f"is nested more than {nesting} deep")
        elif first in "]}":
            depth -= 1


def skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in WHITE_SPACE:
        position += 1
    return position


def _members(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    listed = list(pairs)
    members = dict(listed)
    if len(members) != len(listed):
        seen: set[str] = set()
        for name, _ in listed:
            if name in seen:
                raise BadRecordError("the member is repeated", shorten_name(name))
            seen.add(name)
    return members


def shorten_name(name: str) -> str:
    """Return the name of a member as a problem may list it: bounded, and without half surrogate pairs."""
    return name[:_LONGEST_NAME].encode("utf-8", "backslashreplace").decode()


def _integer(digits: str) -> object:
    if digits == "-0":
        return NegativeZero(0)
    return int(digits) if len(digits) <= _LONGEST_NUMBER else LongInteger(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_int=_integer)
