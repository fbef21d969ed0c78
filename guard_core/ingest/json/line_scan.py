"""Scan a block of JSON Lines before any fast parser may see it.

Flows in: bytes of whole lines.  Flows out: ``LineScan``, where each line may be one object of bounded nesting in clean
UTF-8; else ``None``.
Rules kept here: a parser that recurses never meets text whose brackets nobody has counted; what the strict reader would
refuse, or read in another way, does not pass (NUL bytes and escapes, broken UTF-8, blank lines, lines that do not begin
with ``{`` and end with ``}``, lines beyond the limit).
Not here: JSON.  That every line is exactly one object is for the parser to show: as many objects as lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.files.limits import Limits

_NEWLINE, _RETURN, _OPEN, _CLOSE = b"\n\r{}"
_BRACKET_BITS, _BRACKET = 0xDF, 0x5B
"""``[`` and ``{`` differ in one bit, and no other byte is either of them without it."""


@dataclass(frozen=True, slots=True)
class LineScan:
    """The result of a scan: ``ends[i]`` is where the newline of line ``i`` stands; ``escapes``: a backslash is
    somewhere."""

    data: bytes
    ends: NDArray[np.int64]
    escapes: bool

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.ends)


def scan_lines(data: bytes, limits: Limits) -> LineScan | None:
    """Scan ``data``, which ends with a newline; return ``None`` if it is not for a fast parser."""
    if not data.startswith(b"{") or not data.endswith(b"\n") or b"\0" in data:
        return None
    content = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(content == _NEWLINE)
    starts = ends[:-1] + 1
    if not np.all(content[starts] == _OPEN):
        return None
    last = content[ends - 1]
    if not np.all((last == _CLOSE) | ((last == _RETURN) & (content[ends - 2] == _CLOSE))):
        return None
    if int(np.diff(ends, prepend=-1).max()) - 1 > limits.line_bytes:
        return None
    brackets = (content & _BRACKET_BITS) == _BRACKET
    if np.count_nonzero(brackets) > len(ends) + limits.nesting - 1:
        most = np.bincount(np.searchsorted(ends, np.flatnonzero(brackets))).max()
        if most > limits.nesting:
            return None
    escapes = b"\\" in data
    if escapes and b"\\u0000" in data:
        return None
    if not data.isascii() and not is_utf8(data):
        return None
    return LineScan(data, ends, escapes)


def is_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8, without copying them."""
    offsets = pa.array([0, len(data)], pa.int32()).buffers()[1]
    try:
        pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
