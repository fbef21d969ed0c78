"""Build Arrow columns of values whose places in the text are known.

Flows in: the bytes of a block, and the places of the values of each shape (``ShapeMatch``).  Flows out:
``LineColumns``, in order of lines, or ``None`` where a member is of several types.
Rules kept here: a line whose shape lacks a member has null for it; what is neither text nor a list has to be a JSON
number, ``true``, ``false`` or ``null``, also in members that nobody wants.
Not here: where values stand (``line_shapes.py``), numbers (``bare_values.py``), what members mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.ingest.json.bare_values import parse_bare_values


@dataclass(frozen=True, slots=True)
class ShapeMember:
    """A member of a shape: ``count`` values from the one numbered ``first``, several only in a list of texts; ``bare``:
    without quotes."""

    name: str
    first: int
    count: int
    is_list: bool
    bare: bool


@dataclass(frozen=True, slots=True)
class LineShape:
    """What lines have in common: their members, and the ``fixed`` text before, between and behind the values, newline
    included."""

    values: tuple[ShapeMember, ...]
    fixed: tuple[bytes, ...]

    @property
    def quotes(self) -> int:
        """The number of quotes of a line."""
        return sum(text.count(b'"') for text in self.fixed)

    @property
    def bare(self) -> tuple[bool, ...]:
        """For each value of a line, whether it is written without quotes."""
        return tuple(value.bare for value in self.values for _ in range(value.count))


@dataclass(frozen=True, slots=True)
class ShapeMatch:
    """The lines of one shape, in rising order, and for each value where it begins and ends in each of them."""

    lines: NDArray[np.int64]
    shape: LineShape
    spans: list[tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True, slots=True)
class LineColumns:
    """Members as Arrow arrays, one value a line, and the number of lines."""

    columns: dict[str, pa.Array]
    lines: int


_Part = tuple[ShapeMatch, ShapeMember]


def build_columns(
    data: bytes, starts: NDArray[np.int64], parts: list[ShapeMatch], wanted: Callable[[str], bool]
) -> LineColumns | None:
    """Return the columns of the members that are ``wanted``.

    ``starts`` says where each line begins; each line is in one of the parts.
    """
    members: dict[str, list[_Part]] = {}
    for found in parts:
        for value in found.shape.values:
            members.setdefault(value.name, []).append((found, value))
    columns: dict[str, pa.Array] = {}
    buffer = pa.py_buffer(data)
    for name, where in members.items():
        bare = [part for part in where if part[1].bare]
        quoted = [part for part in where if not part[1].bare]
        column = None
        if bare:
            column = parse_bare_values(_build_texts(buffer, starts, bare))
            if column is None or (quoted and not pa.types.is_null(column.type)):
                return None
        if not wanted(name):
            continue
        if quoted:
            lists = {value.is_list for _, value in quoted}
            if len(lists) > 1:
                return None
            column = _build_lists(buffer, starts, quoted) if lists.pop() else _build_texts(buffer, starts, quoted)
        columns[name] = column
    return LineColumns(columns, len(starts))


def _build_texts(buffer: pa.Buffer, starts: NDArray[np.int64], parts: list[_Part]) -> pa.DictionaryArray:
    """Return one text a line, null where no part has the line."""
    found, value = parts[0]
    if len(found.lines) == len(starts):
        return _encode_spans(buffer, *found.spans[value.first], None)
    begins, ends = starts.copy(), starts.copy()
    given = np.zeros(len(starts), np.bool_)
    for found, value in parts:
        begin, end = found.spans[value.first]
        begins[found.lines], ends[found.lines], given[found.lines] = begin, end, True
    return _encode_spans(buffer, begins, ends, None if given.all() else given)


def _build_lists(buffer: pa.Buffer, starts: NDArray[np.int64], parts: list[_Part]) -> pa.ListArray:
    """Return one list of texts a line, null where no part has the line."""
    counts = np.zeros(len(starts), np.int64)
    for found, value in parts:
        counts[found.lines] = value.count
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    begins, ends = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    for found, value in parts:
        for item in range(value.count):
            begin, end = found.spans[value.first + item]
            begins[offsets[found.lines] + item], ends[offsets[found.lines] + item] = begin, end
    missing = pa.array(counts == 0) if not counts.all() else None
    texts = _encode_spans(buffer, begins, ends, None)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts, mask=missing)


def _encode_spans(
    buffer: pa.Buffer, begins: NDArray[np.int64], ends: NDArray[np.int64], given: NDArray[np.bool_] | None
) -> pa.DictionaryArray:
    """Return the text between places that rise, as codes of distinct texts, null where not ``given``.

    Nothing is copied but the distinct texts: the array that is encoded also has what lies between the texts, as nulls.
    """
    offsets = np.empty(2 * len(begins), np.int32)
    offsets[::2], offsets[1::2] = begins, ends
    length = len(offsets) - 1
    if given is None:
        valid = pa.py_buffer(b"\x55" * (length // 8 + 1))
    else:
        both = np.zeros(length + 1, np.bool_)
        both[::2] = given
        valid = pa.py_buffer(np.packbits(both, bitorder="little").tobytes())
    spans = pa.Array.from_buffers(pa.string(), length, [valid, pa.py_buffer(offsets), buffer])
    encoded = spans.dictionary_encode()
    codes = np.frombuffer(encoded.indices.buffers()[1], np.int32)[:length:2]
    indices = pa.array(codes) if given is None else pa.array(codes, mask=~given)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary)
