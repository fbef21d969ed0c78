"""Read lines that one program wrote in one shape, without parsing each of them (docs/adr/0002).

Flows in: the bytes of a block of whole lines.  Flows out: its members as Arrow columns, or ``None`` if the block is not
of this kind.
Rules kept here: a line counts only if it is proved to be the same JSON as a line that was parsed strictly, but for the
contents of its strings and its numbers; strings are taken only where no escape, control character or broken UTF-8 is
anywhere in the block; numbers are read only if they are JSON numbers.
Not here: other lines (``jsonl_fast.py`` gives them to Arrow's parser), columns of the values that were found
(``line_columns.py``), what members mean.

One record a line, written by one program, has the same members in the same order with the same spacing: its *shape*.
The first line of a shape is parsed.  The others are compared value by value, all lines at once: the text that stands
between two values has to be there, and where a value ends is guessed from the lines before.  No guess is trusted: the
texts between values have to fill a line exactly together with the values, and the block has to hold as many quotes as
those texts have, so that no value holds one.  A block may hold a few shapes (a member that is now and then null makes
another).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from guard_core.files.limits import Limits
from guard_core.ingest.json.line_columns import LineColumns, LineShape, ShapeMatch, ShapeMember, build_columns
from guard_core.ingest.json.line_scan import is_utf8
from guard_core.ingest.records.json_strict import BadRecordError, parse_line

_NEWLINE, _QUOTE = b'\n"'
_SPACE = 0x20
_WORD = 8
_BLOCK = 256 * 1024
_MOST_SHAPES = 12
_MOST_FIXED = 4096
_MOST_MEMBERS = 200
_MOST_BYTES = (1 << 31) - 1

_GUESSES = 6
"""Lengths of a value that are tried on all lines at once; then its end is looked for line by line."""
_WORTHWHILE = 16
"""A length that fits fewer than one line in so many shows that guessing does not help."""

_MEMBER = re.compile(
    rb'(?P<before>[{,]\s*"(?P<name>[^"]*)"\s*:\s*)'
    rb'(?:"(?P<text>[^"]*)"|(?P<list>\[\s*"[^"]*"(?:\s*,\s*"[^"]*")*\s*\])|(?P<bare>[^\s"\[\]{},]+))\s*(?=[,}])'
)
_LISTED = re.compile(rb'"([^"]*)"')


def read_shapes(data: bytes, limits: Limits, wanted: Callable[[str], bool]) -> LineColumns | None:
    """Return the columns of the members that are ``wanted``, ``None`` where another tier has to read the block.

    Text comes as dictionary codes, lists of text as lists of such, numbers as int64 or float64.
    """
    if not data.endswith(b"\n") or b"\\" in data or len(data) > _MOST_BYTES:
        return None
    ends, quotes = _find_ends(np.frombuffer(data, np.uint8))
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1))
    if int((ends - starts).max()) > limits.line_bytes or not np.all(np.frombuffer(data, np.uint8)[ends] == _NEWLINE):
        return None
    if not data.isascii() and not is_utf8(data):
        return None
    parts: list[ShapeMatch] = []
    remaining = np.arange(len(ends))
    while len(remaining):
        line = int(remaining[0])
        shape = _parse_shape(data[int(starts[line]) : int(ends[line])], limits)
        found = None if shape is None else _match_shape(data, starts, ends, remaining, shape)
        if found is None or not len(found.lines) or len(parts) == _MOST_SHAPES:
            return None
        quotes -= len(found.lines) * found.shape.quotes
        parts.append(found)
        if len(found.lines) == len(remaining):
            break
        remaining = np.setdiff1d(remaining, found.lines, assume_unique=True)
    return None if quotes else build_columns(data, starts, parts, wanted)


def _find_ends(content: NDArray[np.uint8]) -> tuple[NDArray[np.int64], int]:
    """Return where control characters stand and how many quotes there are, block by block in the cache."""
    ends: list[NDArray[np.int64]] = []
    quotes = 0
    for start in range(0, len(content), _BLOCK):
        block = content[start : start + _BLOCK]
        ends.append(np.flatnonzero(block < _SPACE) + start)
        quotes += int(np.count_nonzero(block == _QUOTE))
    return np.concatenate(ends), quotes


def _parse_shape(line: bytes, limits: Limits) -> LineShape | None:
    """Return the shape of a line, ``None`` if it is not a flat record that the strict reader accepts."""
    values: list[ShapeMember] = []
    fixed: list[bytes] = []
    position = begin = 0
    while match := _MEMBER.match(line, position):
        name = match["name"].decode("utf-8", "replace")
        spans = [match.span("bare")]
        if match["text"] is not None:
            spans = [match.span("text")]
        elif match["list"] is not None:
            spans = [text.span(1) for text in _LISTED.finditer(line, *match.span("list"))]
        values.append(ShapeMember(name, len(fixed), len(spans), match["list"] is not None, match["bare"] is not None))
        for start, end in spans:
            fixed.append(line[begin:start])
            begin = end
        position = match.end()
    fixed.append(line[begin:] + b"\n")
    if max(map(len, fixed)) > _MOST_FIXED:
        return None
    if line[position:].strip() != b"}" or not 0 < len(values) <= _MOST_MEMBERS:
        return None
    try:
        record = parse_line(line, limits.nesting)
    except BadRecordError:
        return None
    return LineShape(tuple(values), tuple(fixed)) if list(record) == [v.name for v in values] else None


def _match_shape(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], lines: NDArray[np.int64], shape: LineShape
) -> ShapeMatch:
    """Match ``lines`` with a shape: those with all its fixed texts, something between them and nothing behind."""
    lines = lines[_compare_text(data, starts[lines], shape.fixed[0])]
    places = starts[lines] + len(shape.fixed[0])
    spans: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for text, bare in zip(shape.fixed[1:], shape.bare, strict=True):
        closes = _find_closes(data, places, text)
        kept = closes >= places + bare  # a number has at least one character
        if not kept.all():
            lines, places, closes = lines[kept], places[kept], closes[kept]
            spans = [(begin[kept], end[kept]) for begin, end in spans]
        spans.append((places, closes))
        places = closes + len(text)
    whole = places == ends[lines] + 1
    if not whole.all():
        lines, spans = lines[whole], [(begin[whole], end[whole]) for begin, end in spans]
    return ShapeMatch(lines, shape, spans)


def _find_closes(data: bytes, places: NDArray[np.int64], text: bytes) -> NDArray[np.int64]:
    """Return where the values end that begin at ``places``, if ``text`` stands there; else -1."""
    first = text[:1]
    closes = np.full(len(places), -1, np.int64)
    open_ = np.arange(len(places))
    begins = places
    for _ in range(_GUESSES):
        if not len(open_):
            return closes
        begin = int(begins[0])
        guess = begins + (data.find(first, begin) - begin)
        fits = _compare_text(data, guess, text)
        if fits.all():
            closes[open_] = guess
            return closes
        closes[open_[fits]] = guess[fits]
        fewer = int(np.count_nonzero(fits)) * _WORTHWHILE < len(open_)
        fits[0] = True  # this one's end is known: either it was found now, or the text does not stand there
        open_, begins = open_[~fits], begins[~fits]
        if fewer:
            break
    found = np.array([data.find(first, begin) for begin in begins.tolist()], np.int64)
    closes[open_] = np.where(_compare_text(data, found, text), found, -1)
    return closes


def _compare_text(data: bytes, places: NDArray[np.int64], text: bytes) -> NDArray[np.bool_]:
    """Return whether ``text`` stands at each place, comparing whole words, as long as none reaches beyond the data."""
    words = -(-len(text) // _WORD)
    width = words * _WORD
    outside = (places < 0) | (places > len(data) - width)
    beyond = np.flatnonzero(outside)
    same = np.zeros(len(places), np.bool_)
    if len(beyond) < len(places):
        windows = np.ndarray((len(data) - width + 1,), f"V{width}", data, strides=(1,))
        found = windows[np.where(outside, 0, places) if len(beyond) else places].view("<u8").reshape(-1, words)
        same[:] = True
        for word in range(words):
            part = text[word * _WORD : (word + 1) * _WORD]
            given = found[:, word]
            if len(part) < _WORD:
                given = given & np.uint64((1 << (8 * len(part))) - 1)
            same &= given == np.uint64(int.from_bytes(part, "little"))
    for row in beyond.tolist():
        place = int(places[row])
        same[row] = place >= 0 and data[place : place + len(text)] == text
    return same
