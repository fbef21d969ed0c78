"""A look at the head of a file: what format it is taken for, which columns it has, which of them are read, the first
rows.

Flows in: a path, the mapping and format as for reading.  Flows out: ``Preview``, with texts as they stand in the file.
Rules kept here: only the head of the file is read; what cannot be read there is left out here and is told by reading;
names and values are hostile text, for the caller to show literally.
Not here: typing values, counting what is rejected (``reading.py``).
"""

from __future__ import annotations

import base64
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile, open_input
from guard_core.files.limits import Limits
from guard_core.files.lines import cut_lines
from guard_core.ingest.batch import TableKind
from guard_core.ingest.detect import Format, detect_format, named_format
from guard_core.ingest.json.json_array import WRAPPERS
from guard_core.ingest.mapping import checked
from guard_core.ingest.records.json_strict import WHITE_SPACE, BadRecordError, parse_line, parse_value
from guard_core.ingest.records.spellings import Spellings, spellings
from guard_core.ingest.tables.delimited import read_header
from guard_core.ingest.tables.delimited_fields import Layout, strict_fields

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A value as JSON has it."""

HEAD = 4 * 1024 * 1024
"""Decoded bytes that are looked at."""

_NO_MAPPING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Preview:
    """The head of a file.

    ``columns`` are the names in the file that a mapping may use; in nested records those of the record and of its
    results.  ``mapping`` pairs a canonical column with the name that feeds it, ``unmapped`` lists the names that
    nothing is read from.  ``rows`` are the first results by column (a record without results as it is); a member of a
    nested record that its results have too stands in them as ``record.name``.
    """

    name: str
    format: str
    columns: tuple[str, ...]
    mapping: tuple[tuple[str, str], ...]
    unmapped: tuple[str, ...]
    rows: tuple[dict[str, Json], ...]


def preview(
    path: str | os.PathLike[str],
    *,
    mapping: Mapping[str, str] = _NO_MAPPING,
    input_format: str | None = None,
    rows: int = 20,
    kind: TableKind = TableKind.LOG,
) -> Preview:
    """Look at the head of a log, or of a catalogue.

    Raises ``LogError`` for a file that cannot be opened or is of no format that is read, ``MappingError`` for a mapping
    with a field that does not exist.  A mapped column that the file does not have is not in ``mapping``.
    """
    own = checked(mapping, "mapping")
    limits = Limits()
    with open_input(path, limits) as source:
        head = source.head(HEAD)
        form = named_format(input_format) if input_format is not None else detect_format(head, source.name)
        names, records = _records(source, form, head, rows, limits)
        found = spellings(kind, own)
        pairs = tuple(_pairs(found, names, records))
        columns = tuple(dict.fromkeys([*names, *_names(records, found.results)]))
        used = {column for _, column in pairs}.union(found.metadata)
        suffix = ".gz" if source.gzipped else ""
        return Preview(
            source.name,
            form.value + suffix,
            columns,
            pairs,
            tuple(name for name in columns if name not in used),
            tuple(_flattened(records, found.results))[:rows],
        )


def _records(
    source: InputFile, form: Format, head: bytes, rows: int, limits: Limits
) -> tuple[Sequence[str], list[dict[str, Json]]]:
    """Names of columns where the format has a header, and the first records."""
    if form is Format.PARQUET:
        return _parquet(source, rows)
    if form in (Format.CSV, Format.TSV):
        return _delimited(source.name, head, rows, limits)
    lines = _lines_of(head, limits) if form is Format.JSONL else _members_of(head, limits)
    records: list[dict[str, Json]] = []
    for record in lines:
        records.append(record)
        if len(records) == rows:
            break
    return (), records


def _lines_of(head: bytes, limits: Limits) -> Iterator[dict[str, Json]]:
    for line in head.split(b"\n"):
        try:
            yield _json_object(parse_line(line, limits.nesting))
        except BadRecordError:
            continue  # a bad line, or the last one of the head: reading tells


def _members_of(head: bytes, limits: Limits) -> Iterator[dict[str, Json]]:
    """The records of a JSON array, of a wrapped one (R6), or the one object."""
    text = head.decode("utf-8", "replace")
    try:
        whole, _ = parse_value(text, len(text) - len(text.lstrip(WHITE_SPACE)), limits.nesting)
    except BadRecordError:
        whole = None
    if isinstance(whole, dict):
        lists = [whole[name] for name in WRAPPERS if isinstance(whole.get(name), list)]
        whole = lists[0] if lists else [whole]
    if isinstance(whole, list):
        yield from (_json_object(member) for member in whole if isinstance(member, dict))
        return
    position = text.find("[") + 1
    while position > 0:
        while position < len(text) and text[position] in WHITE_SPACE + ",":
            position += 1
        try:
            member, position = parse_value(text, position, limits.nesting)
        except BadRecordError:
            return  # the head ends here
        if isinstance(member, dict):
            yield _json_object(member)


def _delimited(name: str, head: bytes, rows: int, limits: Limits) -> tuple[Sequence[str], list[dict[str, Json]]]:
    header, piece, line = read_header(name, cut_lines(iter([head]), limits.line_bytes), limits)
    if piece is None:
        return header.names, []
    lines = piece.data.split(b"\n", 2 * rows + 1)
    data = b"\n".join(lines[: 2 * rows]) + b"\n"
    wanted = {column: place for place, column in enumerate(header.names) if column}
    fields = strict_fields(
        data, line, Layout(header.delimiter, len(header.names), wanted, limits.line_bytes), last=True
    )
    return list(wanted), pa.table(fields.columns).slice(0, rows).to_pylist() if wanted else []


def _parquet(source: InputFile, rows: int) -> tuple[Sequence[str], list[dict[str, Json]]]:
    # Loading Arrow's Parquet takes a while, which only those wait for who need it.
    import pyarrow.parquet as pq  # noqa: PLC0415

    from guard_core.ingest.tables.parquet import on_disk  # noqa: PLC0415

    with on_disk(source) as path:
        try:
            file = pq.ParquetFile(path)
            batch = next(file.iter_batches(rows), None)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as fault:
            raise LogError(source.name, "is not a whole Parquet file", "copy or write it again") from fault
        records = [] if batch is None else batch.to_pylist()
        return file.schema_arrow.names, [_json_object(record) for record in records]


def _inner(record: Mapping[str, Json], results: str) -> list[dict[str, Json]]:
    listed = record.get(results)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _flattened(records: Iterable[dict[str, Json]], results: str) -> Iterator[dict[str, Json]]:
    """One row for each result of a nested record, with the record's own columns."""
    for record in records:
        inner = _inner(record, results)
        if not inner:
            yield record
        for item in inner:
            own = {name: value for name, value in record.items() if name != results}
            yield {f"record.{name}" if name in item else name: value for name, value in own.items()} | item


def _names(records: Iterable[dict[str, Json]], results: str) -> Iterator[str]:
    """Names of members, of records and of results; not that of the list itself, which is read as such."""
    for record in records:
        yield from (name for name in record if name != results)
        for item in _inner(record, results):
            yield from item


def _pairs(found: Spellings, header: Sequence[str], records: Sequence[dict[str, Json]]) -> Iterator[tuple[str, str]]:
    """The name that feeds each canonical column: the first that holds something, else the first that is there."""
    nested = any(isinstance(record.get(found.results), list) for record in records)
    items = [item for record in records for item in _inner(record, found.results)]
    for canonical, spelled in found.result.items():
        names, rows = spelled, records
        if nested:
            names, rows = (found.retrieval[canonical], records) if canonical in found.retrieval else (spelled, items)
        present = [name for name in names if name in header or any(name in row for row in rows)]
        held = [name for name in present if any(row.get(name) is not None for row in rows)]
        if present:
            yield canonical, (held or present)[0]


def _json_object(record: Mapping[str, object]) -> dict[str, Json]:
    return {str(_json(str(name))): _json(value) for name, value in record.items()}


def _json(value: object) -> Json:
    """``value`` as JSON; what JSON does not have (dates, decimals, bytes) as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()  # half surrogate pairs, made visible
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, dict):
        return _json_object(value)
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)
