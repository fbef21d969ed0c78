"""Detect the encodings other than UTF-8, which are named and not read.

Flows in: the first bytes.  Flows out: the name of a foreign encoding or ``None``.
Rules kept here: a byte order mark decides; without one, zeros at every second byte, or at three of four.
Not here: broken UTF-8 further on in the file (the readers reject only that line).
"""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
"""The UTF-8 byte order mark."""

_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_LOOK_AT = 64


def detect_foreign_encoding(first: bytes) -> str | None:
    """Return ``"UTF-16"`` or ``"UTF-32"`` where the bytes are that, else ``None``.

    Text in these encodings begins, without a mark, with an ASCII character (a bracket or a letter of a header) whose
    other bytes are zero; in UTF-8 a zero byte is U+0000 and never stands at every second place.
    """
    for mark, name in _MARKS:
        if first.startswith(mark):
            return name
    sample = first[:_LOOK_AT]
    if len(sample) < 4:
        return None
    zeros = [sample[i::4].count(0) * 4 >= len(sample) - 3 for i in range(4)]
    if zeros in ([True, True, True, False], [False, True, True, True]):
        return "UTF-32"
    if zeros in ([True, False, True, False], [False, True, False, True]):
        return "UTF-16"
    return None
