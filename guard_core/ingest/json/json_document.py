"""Read one JSON document: a list of records, or one object that wraps them in a list.

Flows in: an ``InputFile``.  Flows out: ``RowBatch`` objects, with the number of each record from 1 for its line (R2).
Rules kept here: R4 (a document that ends early gives its whole records, and the log is incomplete), R5 (a stated number
of records above those that are there), R6 (a list under ``data``, ``items``, ``records`` or ``retrievals``); an object
that wraps no list is one record; an evaluation that Source Guard wrote is refused, wherever its ``schema`` stands.  A
record that is not an object is rejected by its number; after text that is not JSON no further record can be found, so
the one at fault is rejected and the log is incomplete.
Not here: the strict reading of a record (``json_strict.py``), what records mean (``records.py``).

Memory is bounded by a record and a block: the document is read as a stream of records, and only the other members of a
wrapper are held besides.
"""

from __future__ import annotations

import codecs
import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile
from guard_core.files.limits import Limits
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.mapping import require_mapped
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions
from guard_core.ingest.records.json_strict import (
    BadRecordError,
    ParsedRecord,
    find_end,
    parse_value,
    require_record,
    shorten_name,
    skip_space,
)
from guard_core.ingest.records.own_output import ADVICE, FAULT, is_schema
from guard_core.ingest.records.records import RecordReader

WRAPPERS = ("data", "items", "records", "retrievals")
STATED_TOTALS = ("totalCount", "totalItems")
"""Members of a wrapper that state how many records there are (R5)."""

_BLOCK = 4 * 1024 * 1024
_BATCH = 10_000


def read_json_document(file: InputFile, options: ReadOptions) -> Iterator[RowBatch]:
    """Read the rows of a JSON document; raises ``LogError`` as ``file`` does, and ``MappingError``."""
    document = _Document(file.name, file.chunks(_BLOCK), options.limits)
    return require_mapped(_read_batches(document, RecordReader(options)), options.mapping, file.name)


def read_json_records(file: InputFile, chunks: Iterator[bytes], options: RecordOptions) -> RawRecords:
    """Read the records of a JSON document as they stand in it."""
    found = _Document(file.name, chunks, options.limits).records()
    return RawRecords((), (record for record in found if not isinstance(record, BadRecordError)))


def _read_batches(document: _Document, reader: RecordReader) -> Iterator[RowBatch]:
    """Yield batches of some thousand records; the first of them tell whether the file is nested."""
    records = enumerate(document.records(), 1)
    first = True
    while some := list(itertools.islice(records, _BATCH)):
        if first:
            reader.learn_nesting(record for _, record in some)
            first = False
        for number, record in some:
            reader.read(record, number)
        yield from reader.take_batches()
    if document.incomplete or document.partial:
        notices = Counter({"partial_source": 1}) if document.partial else Counter[str]()
        yield RowBatch(0, np.empty(0, np.int64), {}, notices=notices, incomplete=True)


class _NoEndError(BadRecordError):
    """A value of which no end can be found, so that nothing behind it can be read either."""


class _Text:
    """Decoded text, of which a part is held: from ``position`` on, as far as ``reach`` has read."""

    def __init__(self, chunks: Iterator[bytes], longest: int) -> None:
        self._chunks = chunks
        # A byte that is not UTF-8 becomes half a surrogate pair, which UTF-8 has no other way to spell.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._longest = longest
        self.held = ""
        self.position = 0
        self.ended = False

    def reach(self) -> bool:
        """Hold enough for one more record of the greatest length; return False if there is nothing more."""
        if self.ended or len(self.held) - self.position > self._longest:
            return False
        parts = [self.held[self.position :]]
        length = len(parts[0])
        while length <= self._longest and not self.ended:
            chunk = next(self._chunks, None)
            part = self._decoder.decode(chunk or b"", final=chunk is None)
            self.ended = chunk is None
            parts.append(part)
            length += len(part)
        self.held, self.position = "".join(parts), 0
        return True

    def peek(self) -> str:
        """Return the next character that is not white space, ``""`` at the end."""
        while True:
            self.position = skip_space(self.held, self.position)
            if self.position < len(self.held):
                return self.held[self.position]
            if not self.reach():
                return ""

    def value(self, nesting: int) -> object:
        """Return the next value and move behind it; raises :class:`BadRecordError`, having moved behind it too."""
        while True:
            value: object = None
            end: int | None = None
            fault: BadRecordError | None = None
            try:
                value, end = parse_value(self.held, self.position, nesting)
            except BadRecordError as caught:
                end, fault = find_end(self.held, self.position), caught
            if (end is None or end == len(self.held)) and self.reach():
                continue
            if end is None:
                raise _NoEndError(f"no further record can be read: this one {fault}")
            start, self.position = self.position, end
            if fault is not None:
                raise fault
            if end - start > self._longest:
                raise BadRecordError(f"the record is longer than {self._longest:,} characters")
            if not _is_utf8(self.held, start, end):
                raise BadRecordError("is not UTF-8")
            return value


class _Document:
    """The records of a document, one by one."""

    def __init__(self, name: str, chunks: Iterator[bytes], limits: Limits) -> None:
        self._file = name
        self._text = _Text(chunks, limits.line_bytes)
        self._limits = limits
        self.incomplete = False
        self.partial = False

    def records(self) -> Iterator[ParsedRecord]:
        """Yield records and faults, in order. Several documents may follow each other."""
        while first := self._text.peek():
            if first == "[":
                yield from self._elements()
            elif first == "{":
                yield from self._object()
            else:
                yield BadRecordError("there is text that is no JSON list or object")
                return
            if self.incomplete:
                return

    def _elements(self) -> Iterator[ParsedRecord]:
        """Yield the elements of the list that begins here, and move behind its end."""
        self._text.position += 1
        if self._text.peek() == "]":
            self._text.position += 1
            return
        while True:
            if not self._text.peek():
                self.incomplete = True
                return
            try:
                found: ParsedRecord = require_record(self._text.value(self._limits.nesting))
            except _NoEndError as fault:
                self.incomplete = True
                yield fault
                return
            except BadRecordError as fault:
                found = fault
            following = self._text.peek()
            if following and following not in ",]":
                found = BadRecordError("there is text after the record")
                self._skip_to_separator()
                following = self._text.peek()
            yield found
            if not following:
                self.incomplete = True
                return
            self._text.position += 1
            if following == "]":
                return

    def _skip_to_separator(self) -> None:
        while (following := self._text.peek()) and following not in ",]":
            end = find_end(self._text.held, self._text.position)
            if end is None:
                if not self._text.reach():
                    self._text.position = len(self._text.held)
                continue
            self._text.position = max(end, self._text.position + 1)

    def _object(self) -> Iterator[ParsedRecord]:
        """Yield the records that the object which begins here wraps, or the object itself."""
        self._text.position += 1
        members: dict[str, object] = {}
        wrapped: int | None = None
        fault: BadRecordError | None = None
        while (first := self._text.peek()) != "}":
            try:
                name = self._name(first)
                if name in WRAPPERS and self._text.peek() == "[":
                    wrapped = wrapped or 0
                    for record in self._elements():
                        wrapped += 1
                        yield record
                    if self.incomplete:
                        return
                else:
                    if name in members:
                        fault = BadRecordError("the member is repeated", shorten_name(name))
                    members[name] = self._text.value(self._limits.nesting - 1)
                    if name == "schema" and is_schema(members[name]):
                        raise LogError(self._file, FAULT, ADVICE)
                if (following := self._text.peek()) == ",":
                    self._text.position += 1
                elif following != "}":
                    raise BadRecordError("is not JSON (a comma or the end of the object is missing)")
            except BadRecordError as caught:
                self.incomplete = True
                if wrapped is None:
                    yield caught
                return
        self._text.position += 1
        if wrapped is None:
            yield fault or members
        elif any(_stated(members.get(name), wrapped) for name in STATED_TOTALS):
            self.partial = True

    def _name(self, first: str) -> str:
        if first != '"':
            raise BadRecordError("is not JSON (the name of a member is missing)")
        name = self._text.value(self._limits.nesting)
        if self._text.peek() != ":" or not isinstance(name, str):
            raise BadRecordError("is not JSON (a colon is missing)")
        self._text.position += 1
        self._text.peek()
        return name


def _stated(total: object, there: int) -> bool:
    return isinstance(total, int) and not isinstance(total, bool) and total > there


def _is_utf8(text: str, start: int, end: int) -> bool:
    part = text[start:end]
    if part.isascii():
        return True
    try:
        part.encode()
    except UnicodeEncodeError:
        return False
    return True
