"""List the formats that are read: the one table of them.

Flows in: nothing.  Flows out: ``FORMATS``, and the lookups by content, by name and by suffix.
Rules kept here: a format is one entry here; detection, reading, preview, texts, ``--input-format``, the upload boxes
and ``docs/`` follow this table.  No file is of two formats: the first of the table that recognises it is the one.
Not here: which format a file has (``guard_core.ingest.detect``).
"""

from __future__ import annotations

from collections.abc import Iterator

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile
from guard_core.files.unpack import PACKINGS_IN_WORDS, remove_suffix
from guard_core.ingest.batch import RowBatch, TableKind
from guard_core.ingest.formats.format import Format
from guard_core.ingest.formats.recognise import is_csv, is_json_document, is_json_lines, is_parquet, is_tsv
from guard_core.ingest.json.json_document import read_json_document, read_json_records
from guard_core.ingest.json.jsonl import read_json_lines, read_line_records
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions
from guard_core.ingest.tables.delimited import read_delimited, read_delimited_records


def _read_tsv(file: InputFile, options: ReadOptions) -> Iterator[RowBatch]:
    return read_delimited(file, options, delimiter="\t" if options.named else None)


def _read_parquet(file: InputFile, options: ReadOptions) -> Iterator[RowBatch]:
    # Loading Arrow's Parquet takes a while, which only those wait for who need it.
    from guard_core.ingest.tables.parquet import read_parquet  # noqa: PLC0415

    return read_parquet(file, options)


def _read_parquet_records(file: InputFile, _chunks: Iterator[bytes], options: RecordOptions) -> RawRecords:
    from guard_core.ingest.tables.parquet import read_parquet_records  # noqa: PLC0415  # as above

    return read_parquet_records(file, options)


JSON_LINES = Format(
    name="jsonl",
    title="JSON Lines",
    suffixes=(".jsonl", ".ndjson", ".json"),
    binary=False,
    may_be_blank=True,
    recognises=is_json_lines,
    read_rows=read_json_lines,
    read_records=read_line_records,
)
JSON = Format(
    name="json",
    title="JSON",
    suffixes=(".json",),
    binary=False,
    may_be_blank=False,
    recognises=is_json_document,
    read_rows=read_json_document,
    read_records=read_json_records,
)
CSV = Format(
    name="csv",
    title="CSV",
    suffixes=(".csv",),
    binary=False,
    may_be_blank=True,
    recognises=is_csv,
    read_rows=read_delimited,
    read_records=read_delimited_records,
)
TSV = Format(
    name="tsv",
    title="TSV",
    suffixes=(".tsv", ".tab"),
    binary=False,
    may_be_blank=True,
    recognises=is_tsv,
    read_rows=_read_tsv,
    read_records=read_delimited_records,
)
PARQUET = Format(
    name="parquet",
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    binary=True,
    may_be_blank=False,
    recognises=is_parquet,
    read_rows=_read_parquet,
    read_records=_read_parquet_records,
)

FORMATS = (JSON_LINES, JSON, CSV, TSV, PARQUET)
"""Every format that is read, in the order in which they are tried: a special one before the general one that would
recognise its files too.  CONTRIBUTING.md lists what else a new format needs."""


def list_titles(kind: TableKind, conjunction: str = "or") -> str:
    """Return the titles of the formats that a log or a catalogue may have, as part of a sentence."""
    *titles, last = [form.title for form in FORMATS if kind is TableKind.LOG or form.may_be_catalogue]
    return f"{', '.join(titles)} {conjunction} {last}"


ACCEPTED = f"accepted are {list_titles(TableKind.LOG, 'and')}, each plain or compressed with {PACKINGS_IN_WORDS}"


def recognise_format(head: bytes, *, binary: bool) -> Format | None:
    """Return the first format, binary or of text, that recognises the first bytes of a file."""
    return next((form for form in FORMATS if form.binary is binary and form.recognises(head)), None)


def find_format(name: str) -> Format:
    """Return the format of that name; raises ``LogError`` with the names that there are."""
    for form in FORMATS:
        if form.name == name.strip().lower():
            return form
    raise LogError("input format", "is not known", f"one of {', '.join(form.name for form in FORMATS)}")


def list_promised_formats(file_name: str) -> list[Format]:
    """Return the formats that the suffix of a file name (before that of a compression) promises."""
    base = remove_suffix(file_name.lower())
    return [form for form in FORMATS if base.endswith(form.suffixes)]
