"""Lines of one shape to columns without parsing each: the way in which programs write logs.

Flows in: the bytes of a piece of whole lines.  Flows out: its members as Arrow columns, or ``None`` if it is not of
this kind.
Rules kept here: a line counts only if it is proved to be the same JSON as a line that was parsed strictly, but for what
stands inside its strings and in place of its numbers; strings are taken only where no escape, control character or
broken UTF-8 is anywhere in the piece; numbers are read only if they are JSON numbers.
Not here: other lines (``jsonl_fast.py`` gives them to Arrow's parser), what members mean.

One record a line, written by one program, has the same members in the same order with the same spacing: its *shape*.
The first line of a shape is parsed; of the others, the quotes are found and the text between the values is compared.
A piece may hold a few shapes (a member that is now and then null makes another).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.ingest.bare_values import bare_column
from guard_core.ingest.batch import Limits
from guard_core.ingest.json_strict import BadRecordError, parse_line
from guard_core.ingest.line_scan import is_utf8

_NEWLINE, _QUOTE = b'\n"'
_SPACE = 0x20
_WORD = 8
_BLOCK = 1024 * 1024
_MOST_SHAPES = 12
_MOST_FIXED = 4096

_MOST_MEMBERS = 200

_MEMBER = re.compile(
    rb'(?P<before>[{,]\s*"(?P<name>[^"]*)"\s*:\s*)'
    rb'(?:"(?P<text>[^"]*)"|(?P<list>\[\s*"[^"]*"(?:\s*,\s*"[^"]*")*\s*\])|(?P<bare>[^\s"\[\]{},]+))\s*(?=[,}])'
)
_LISTED = re.compile(rb'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class _Value:
    """A member of a shape.  ``quotes``: which quote of the line opens each of its texts; for a bare value, which one
    closes its name."""

    name: str
    quotes: tuple[int, ...]
    is_list: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Text that all lines of a shape share.  It begins ``offset`` bytes from a quote (``quote`` -1: the line's end)."""

    quote: int
    offset: int
    text: bytes


@dataclass(frozen=True, slots=True)
class _Shape:
    """What lines of one shape have in common.  A bare value reaches from ``bare[name][0]`` bytes behind the quote that
    closes its name to ``bare[name][1]`` bytes before the next quote, or the end of the line."""

    values: tuple[_Value, ...]
    fixed: tuple[_Fixed, ...]
    bare: dict[str, tuple[int, int]]
    quotes: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Members as Arrow arrays, one value a line, and the number of lines."""

    columns: dict[str, pa.Array]
    lines: int


def read_shapes(data: bytes, limits: Limits, wanted: Callable[[str], bool]) -> Columns | None:
    """The columns of the members that are ``wanted``; ``None`` where the piece is for another reader.

    Text comes as dictionary codes, lists of text as lists of such, numbers as int64 or float64.
    """
    if not data.endswith(b"\n") or b"\\" in data:
        return None
    content = np.frombuffer(data, np.uint8)
    ends, quotes = _ends_and_quotes(content)
    if not np.all(content[ends] == _NEWLINE):
        return None
    if int(np.diff(ends, prepend=-1).max()) - 1 > limits.line_bytes:
        return None
    if not data.isascii() and not is_utf8(data):
        return None
    parts: list[tuple[NDArray[np.int64], dict[str, pa.Array]]] = []
    for lines, places, shape in _by_shape(data, ends, quotes, limits):
        columns = _columns(data, places, ends[lines], shape, wanted)
        if columns is None:
            return None
        parts.append((lines, columns))
    if sum(len(lines) for lines, _ in parts) != len(ends):
        return None
    columns = _joined(parts)
    return None if columns is None else Columns(columns, len(ends))


def _ends_and_quotes(content: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where control characters and where quotes stand; looked for in blocks, so that nothing as large is needed."""
    ends: list[NDArray[np.int64]] = []
    quotes: list[NDArray[np.int64]] = []
    for start in range(0, len(content), _BLOCK):
        block = content[start : start + _BLOCK]
        ends.append(np.flatnonzero(block < _SPACE) + start)
        quotes.append(np.flatnonzero(block == _QUOTE) + start)
    return np.concatenate(ends), np.concatenate(quotes)


def _by_shape(
    data: bytes, ends: NDArray[np.int64], quotes: NDArray[np.int64], limits: Limits
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], _Shape]]:
    """Lines of one shape, the places of their quotes (one row a line), and the shape; stops where there is none."""
    first = np.searchsorted(quotes, np.concatenate(([0], ends[:-1])))
    counts = np.diff(first, append=len(quotes))
    remaining = np.arange(len(ends))
    for _ in range(_MOST_SHAPES):
        if not len(remaining):
            return
        line = int(remaining[0])
        begin = int(ends[line - 1]) + 1 if line else 0
        shape = _shape(data[begin : int(ends[line])], limits)
        if shape is None or shape.quotes != counts[line]:
            return
        alike = counts[remaining] == shape.quotes
        lines = remaining[alike]
        if len(lines) == len(ends):
            places = quotes.reshape(len(ends), shape.quotes)
        else:
            places = quotes[first[lines][:, None] + np.arange(shape.quotes)]
        same = _same(data, places, ends[lines], shape)
        if not same.all():
            lines, places = lines[same], places[same]
            alike[alike] = same
        yield lines, places, shape
        remaining = remaining[~alike]


def _shape(line: bytes, limits: Limits) -> _Shape | None:
    """The shape of a line, ``None`` if it is no flat record or not one that the strict reader accepts."""
    values: list[_Value] = []
    fixed: list[_Fixed] = []
    bare: dict[str, tuple[int, int]] = {}
    position = quote = 0
    anchor, offset = 0, -line.find(b'"')  # fixed text begins here: at the line's start, known by its first quote
    begin = 0
    while match := _MEMBER.match(line, position):
        name = match["name"].decode("utf-8", "replace")
        quote += 2
        if match["bare"] is not None:
            fixed.append(_Fixed(anchor, offset, line[begin : match.start("bare")]))
            following = line.find(b'"', match.end("bare"))
            behind = (following if following >= 0 else len(line)) - match.end("bare")
            bare[name] = (match.start("bare") - match.end("name"), behind)
            values.append(_Value(name, (quote - 1,), bare=True))
            anchor, offset, begin = (quote if following >= 0 else -1), -behind, match.end("bare")
        else:
            group = "text" if match["text"] is not None else "list"
            source = match.start("text") - 1 if group == "text" else match.start("list")
            opened: list[int] = []
            for text in _LISTED.finditer(line, source, match.end(group) + (group == "text")):
                fixed.append(_Fixed(anchor, offset, line[begin : text.start() + 1]))
                opened.append(quote)
                quote += 2
                anchor, offset, begin = quote - 1, 0, text.end() - 1
            values.append(_Value(name, tuple(opened), is_list=group == "list"))
        position = match.end()
    fixed.append(_Fixed(anchor, offset, line[begin:] + b"\n"))
    if max(len(text.text) for text in fixed) > _MOST_FIXED:
        return None
    if line[position:].strip() != b"}" or not 0 < len(values) <= _MOST_MEMBERS:
        return None
    try:
        record = parse_line(line, limits.nesting)
    except BadRecordError:
        return None
    return _Shape(tuple(values), tuple(fixed), bare, quote) if list(record) == [v.name for v in values] else None


def _same(data: bytes, quotes: NDArray[np.int64], ends: NDArray[np.int64], shape: _Shape) -> NDArray[np.bool_]:
    """Which lines have the fixed text of the shape where it must stand."""
    same = np.ones(len(ends), np.bool_)
    for fixed in shape.fixed:
        places = (ends if fixed.quote < 0 else quotes[:, fixed.quote]) + fixed.offset
        same &= _stands(data, places, fixed.text)
    for value in shape.values:
        if value.bare:  # fixed text before and behind it that overlaps would prove nothing
            begin, end = _bare_span(quotes, ends, shape, value)
            same &= end > begin
    return same


def _stands(data: bytes, places: NDArray[np.int64], text: bytes) -> NDArray[np.bool_]:
    """True where ``text`` stands at a place.  Whole words are compared, as long as none reaches beyond the data."""
    words = -(-len(text) // _WORD)
    width = words * _WORD
    outside = (places < 0) | (places > len(data) - width)
    same = np.zeros(len(places), np.bool_)
    if not outside.all():
        windows = np.ndarray((len(data) - width + 1,), f"V{width}", data, strides=(1,))
        found = windows[np.where(outside, 0, places)].view("<u8").reshape(len(places), words)
        same[:] = True
        for word in range(words):
            part = text[word * _WORD : (word + 1) * _WORD]
            mask = np.uint64((1 << (8 * len(part))) - 1)
            same &= (found[:, word] & mask) == np.uint64(int.from_bytes(part, "little"))
    for row in np.flatnonzero(outside).tolist():
        place = int(places[row])
        same[row] = place >= 0 and data[place : place + len(text)] == text
    return same


def _bare_span(
    quotes: NDArray[np.int64], ends: NDArray[np.int64], shape: _Shape, value: _Value
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    closing = value.quotes[0]
    after, before = shape.bare[value.name]
    following = quotes[:, closing + 1] if closing + 1 < shape.quotes else ends
    return quotes[:, closing] + after, following - before


def _columns(
    data: bytes, quotes: NDArray[np.int64], ends: NDArray[np.int64], shape: _Shape, wanted: Callable[[str], bool]
) -> dict[str, pa.Array] | None:
    columns: dict[str, pa.Array] = {}
    buffer = pa.py_buffer(data)
    for value in shape.values:
        if value.bare:
            column = bare_column(_texts(buffer, *_bare_span(quotes, ends, shape, value)))
            if column is None:
                return None
        elif not wanted(value.name):
            continue
        elif value.is_list:
            opened = np.array(value.quotes)
            texts = _texts(buffer, quotes[:, opened].ravel() + 1, quotes[:, opened + 1].ravel())
            offsets = np.arange(0, len(texts) + 1, len(opened), dtype=np.int32)
            column = pa.ListArray.from_arrays(pa.array(offsets), texts)
        else:
            column = _texts(buffer, quotes[:, value.quotes[0]] + 1, quotes[:, value.quotes[0] + 1])
        if wanted(value.name):
            columns[value.name] = column
    return columns


def _texts(buffer: pa.Buffer, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> pa.DictionaryArray:
    """Text between places that rise, as codes of distinct texts; nothing is copied but those.

    The array that is encoded has what lies between the texts too, as nulls.
    """
    offsets = np.empty(2 * len(begins), np.int32)
    offsets[::2], offsets[1::2] = begins, ends
    length = len(offsets) - 1
    valid = pa.py_buffer(b"\x55" * (length // 8 + 1))
    spans = pa.Array.from_buffers(pa.string(), length, [valid, pa.py_buffer(offsets), buffer])
    encoded = spans.dictionary_encode()
    codes = np.frombuffer(encoded.indices.buffers()[1], np.int32)[:length:2]
    return pa.DictionaryArray.from_arrays(pa.array(codes), encoded.dictionary)


def _joined(parts: list[tuple[NDArray[np.int64], dict[str, pa.Array]]]) -> dict[str, pa.Array] | None:
    """The columns of all lines, in order of lines; a shape without a member has nulls for it.  ``None`` where a member
    is of several types."""
    if len(parts) == 1:
        return parts[0][1]
    order = np.argsort(np.concatenate([lines for lines, _ in parts]), kind="stable")
    kinds: dict[str, pa.DataType] = {}
    for _, columns in parts:
        for name, column in columns.items():
            known = kinds.setdefault(name, column.type)
            if pa.types.is_null(known):
                kinds[name] = column.type
            elif known != column.type and not pa.types.is_null(column.type):
                return None
    joined: dict[str, pa.Array] = {}
    for name, kind in kinds.items():
        pieces = [
            columns[name] if name in columns and columns[name].type == kind else pa.nulls(len(lines), kind)
            for lines, columns in parts
        ]
        joined[name] = pa.chunked_array(pieces, kind).unify_dictionaries().combine_chunks().take(pa.array(order))
    return joined
