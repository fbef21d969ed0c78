"""Preview a file: its format, its columns, which of them are read, and its first rows.

Flows in: a path, the mapping and format as for reading.  Flows out: ``Preview``, with texts as they stand in the file.
Rules kept here: only the head of the file is read; records at fault are left out, since reading lists them; names and
values are hostile text, which the caller shows literally.
Not here: types of values, counts of what is rejected (``reading.py``), the records of a format (its reader).
"""

from __future__ import annotations

import base64
import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from guard_core.files.input_file import open_input
from guard_core.files.limits import Limits
from guard_core.ingest.batch import TableKind
from guard_core.ingest.detect import choose_format
from guard_core.ingest.mapping import check_mapping
from guard_core.ingest.read_options import RecordOptions
from guard_core.ingest.records.spellings import Spellings, choose_spellings

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A value as JSON has it."""

HEAD = 4 * 1024 * 1024
"""Decoded bytes of a file that are read for a preview."""

_CHUNK = 64 * 1024

_NO_MAPPING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Preview:
    """The head of a file, and what is read of it.

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


def preview_file(
    path: str | os.PathLike[str],
    *,
    mapping: Mapping[str, str] = _NO_MAPPING,
    input_format: str | None = None,
    rows: int = 20,
    kind: TableKind = TableKind.LOG,
) -> Preview:
    """Return the preview of a log or of a catalogue, with at most ``rows`` records.

    Raises ``LogError`` for a file that cannot be opened or is of no format that is read, ``MappingError`` for a mapping
    with a field that does not exist.  A mapped column that the file does not have is not in ``mapping``.
    """
    mapping = check_mapping(mapping, "mapping")
    limits = Limits()
    with open_input(path, limits) as file:
        head = file.head(HEAD)
        form = choose_format(head, file.name, input_format, kind)
        names = choose_spellings(kind, mapping, form.own_names)
        chunks = (head[start : start + _CHUNK] for start in range(0, len(head), _CHUNK))
        found = form.read_records(file, chunks, RecordOptions(limits))
        records = [_convert_object(record) for record in itertools.islice(found.records, rows)]
        pairs = tuple(_pair_columns(names, found.columns, records))
        columns = tuple(dict.fromkeys([*found.columns, *_list_names(records, names.results)]))
        used = {column for _, column in pairs}.union(names.metadata)
        return Preview(
            name=file.name,
            format=form.name + file.packed_suffix,
            columns=columns,
            mapping=pairs,
            unmapped=tuple(name for name in columns if name not in used),
            rows=tuple(_flatten(records, names.results))[:rows],
        )


def _list_results(record: Mapping[str, Json], results: str) -> list[dict[str, Json]]:
    listed = record.get(results)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _flatten(records: Iterable[dict[str, Json]], results: str) -> Iterator[dict[str, Json]]:
    """Yield one row for each result of a nested record, with the record's own columns."""
    for record in records:
        inner = _list_results(record, results)
        if not inner:
            yield record
        for item in inner:
            own = {name: value for name, value in record.items() if name != results}
            yield {f"record.{name}" if name in item else name: value for name, value in own.items()} | item


def _list_names(records: Iterable[dict[str, Json]], results: str) -> Iterator[str]:
    """Yield the names of the members of records and of their results, without that of the list of results."""
    for record in records:
        yield from (name for name in record if name != results)
        for item in _list_results(record, results):
            yield from item


def _pair_columns(
    found: Spellings, header: Sequence[str], records: Sequence[dict[str, Json]]
) -> Iterator[tuple[str, str]]:
    """Pair each canonical column with the name that feeds it: the first that holds something, else the first that is
    there."""
    nested = any(isinstance(record.get(found.results), list) for record in records)
    items = [item for record in records for item in _list_results(record, found.results)]
    for canonical, spelled in found.result.items():
        names, rows = spelled, records
        if nested:
            names, rows = (found.retrieval[canonical], records) if canonical in found.retrieval else (spelled, items)
        present = [name for name in names if name in header or any(name in row for row in rows)]
        held = [name for name in present if any(row.get(name) is not None for row in rows)]
        if present:
            yield canonical, (held or present)[0]


def _convert_object(record: Mapping[str, object]) -> dict[str, Json]:
    return {str(_convert_value(str(name))): _convert_value(value) for name, value in record.items()}


def _convert_value(value: object) -> Json:
    """Return ``value`` as JSON; what JSON does not have (dates, decimals, bytes) as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()  # half surrogate pairs, made visible
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, dict):
        return _convert_object(value)
    if isinstance(value, (list, tuple)):
        return [_convert_value(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)
