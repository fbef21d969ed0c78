"""Recognise each format by the first bytes of a file.

Flows in: the first decoded bytes, without byte order mark, not all white space.  Flows out: whether they are of the
format.
Rules kept here: one broken first line does not turn JSON Lines into something else.
Not here: the order in which formats are tried, so that they need not know each other (``table.py``), formats that are
not read (``guard_core.ingest.detect``), the columns of a table (``header.py``).
"""

from __future__ import annotations

import re

from guard_core.ingest.json.json_document import WRAPPERS
from guard_core.ingest.tables.header import find_delimiter

_SPACE = b" \t\r\n"
_WRAPPER = re.compile(rf'\s*\{{\s*"(?:{"|".join(WRAPPERS)})"\s*:\s*\['.encode())
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|$)', re.DOTALL)
_OBJECT = re.compile(rb"\s*\{")
_LINES_EXAMINED = 50


def is_parquet(head: bytes) -> bool:
    """Return whether a file is Parquet."""
    return head.startswith(b"PAR1")


def is_json_lines(head: bytes) -> bool:
    """Return whether text is one JSON object a line, for most lines."""
    start = head.lstrip(_SPACE)
    if start.startswith(b"{"):
        return not _is_one_object(start)
    return not start.startswith(b"[") and has_mostly_lines(start, _OBJECT)


def is_json_document(head: bytes) -> bool:
    """Return whether text that is not JSON Lines is JSON: a list, or one object that is spread over lines or wraps a
    list (R6)."""
    return head.lstrip(_SPACE).startswith((b"{", b"["))


def has_mostly_lines(head: bytes, pattern: re.Pattern[bytes]) -> bool:
    """Return whether more than half of the first lines begin with ``pattern``, blank lines apart."""
    start = head.lstrip(_SPACE)
    lines = [line for line in start.split(b"\n", _LINES_EXAMINED)[:_LINES_EXAMINED] if line.strip()]
    return sum(pattern.match(line) is not None for line in lines) * 2 > len(lines)


def is_csv(head: bytes) -> bool:
    """Return whether text that is not JSON begins with a header line that commas or semicolons divide (R14)."""
    return _find_header_delimiter(head) in (",", ";")


def is_tsv(head: bytes) -> bool:
    """Return whether text that is not JSON begins with a header line that tabs divide (R14)."""
    return _find_header_delimiter(head) == "\t"


def decode_first_line(head: bytes) -> str | None:
    """Return the first line that is not empty, ``None`` if it is not UTF-8; what the end of the head cuts is left
    out."""
    line = head.lstrip(b"\r\n").partition(b"\n")[0]
    try:
        return line.decode()
    except UnicodeDecodeError as fault:
        is_cut = fault.end >= len(line) and len(line) == len(head)
        return line[: fault.start].decode() if is_cut else None


def is_text(line: str) -> bool:
    """Return whether a line holds no control character but tabs."""
    return not any(ord(character) < 32 and character not in "\t\r" for character in line)


def _find_header_delimiter(head: bytes) -> str | None:
    header = decode_first_line(head)
    return find_delimiter(header) if header is not None and is_text(header) else None


def _is_one_object(start: bytes) -> bool:
    """Return whether text that begins with an object is one object, not one a line."""
    first, broken, rest = start.partition(b"\n")
    if not broken:
        return bool(_WRAPPER.match(first))
    bare = _STRING.sub(b'""', first).rstrip()
    opened = bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")
    if opened <= 0:
        return not rest.strip() and bool(_WRAPPER.match(first))
    # The first line leaves something open: it is spread over lines, or cut, in which case a record follows.
    following = rest.lstrip(_SPACE)
    if not bare.endswith((b"{", b"[", b",", b":")):
        return bool(following) and not following.startswith(b"{")
    is_inside_object = bare.rfind(b"{") > bare.rfind(b"[")
    return not (is_inside_object and following.startswith(b"{"))
