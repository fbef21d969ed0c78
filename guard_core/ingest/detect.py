"""Which format a file is in, told by its first bytes; the suffix is a hint where the bytes leave it open.

Flows in: the first decoded bytes of a file, and its name.  Flows out: ``Format``; ``LogError`` for what is none of
ours.
Rules kept here: the content decides, and a suffix that says otherwise gets a notice (``format_differs_from_suffix``);
one broken first line does not turn JSON lines into something else; formats that run code or hide files are not opened.
Not here: undoing gzip (``input_file.py``), the columns of a table (``delimited.py``, ``parquet.py``).
"""

from __future__ import annotations

import re
from enum import Enum

from guard_core.errors import LogError

FORMAT_DIFFERS = "format_differs_from_suffix"
"""Code of the notice for a file whose suffix promises another format than it holds."""

ACCEPTED = "accepted are JSON Lines, JSON, CSV, TSV and Parquet, each plain or gzip"

PARQUET_MAGIC = b"PAR1"
DELIMITERS = ("\t", ";", ",")
"""What may stand between the fields of a header line (R14)."""

_FOREIGN = (
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\xfd7zXZ\x00", "XZ"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"ARROW1", "an Arrow file"),
    (b"\xff\xff\xff\xff", "an Arrow stream"),
    (b"FEA1", "a Feather file"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"%PDF", "a PDF"),
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
)
_WRAPPER = re.compile(rb'^\s*\{\s*"(?:data|items|records|retrievals)"\s*:\s*\[')
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|$)', re.DOTALL)
_LINES_LOOKED_AT = 50


class Format(Enum):
    """The formats that are read; the value is the name on the command line and in output."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"


_SUFFIXES = {
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".json": Format.JSON,
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".tab": Format.TSV,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
}


def named_format(word: str) -> Format:
    """The format of that name; raises ``LogError`` naming those that there are."""
    try:
        return Format(word.strip().lower())
    except ValueError:
        names = ", ".join(form.value for form in Format)
        raise LogError("input format", "is not known", f"one of {names}") from None


def suffix_format(name: str) -> Format | None:
    """What the suffix of a file name promises (before ``.gz``), if anything."""
    base = name.lower().removesuffix(".gz")
    return next((form for suffix, form in _SUFFIXES.items() if base.endswith(suffix)), None)


def differs_from_suffix(name: str, found: Format) -> bool:
    """True where the suffix promises another format than was found; ``.json`` promises either kind of JSON."""
    promised = suffix_format(name)
    if promised is Format.JSON and found is Format.JSONL:
        return False
    return promised is not None and promised is not found


def detect_format(head: bytes, name: str) -> Format:
    """The format of a file from its first decoded bytes (without byte order mark).

    A file of nothing but white space is an empty one of the format that its suffix promises, JSON Lines otherwise.
    Raises ``LogError`` for a format that is not read, and for text in which no format can be seen.
    """
    if head.startswith(PARQUET_MAGIC):
        return Format.PARQUET
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise LogError(name, f"is {what}, which is not read", ACCEPTED)
    start = head.lstrip(b" \t\r\n")
    if not start:
        promised = suffix_format(name)
        return Format.JSONL if promised in (None, Format.PARQUET, Format.JSON) else promised
    if start.startswith(b"["):
        return Format.JSON
    if start.startswith(b"{"):
        return _object_format(start)
    if _mostly_objects(start):
        return Format.JSONL
    return _delimited_format(head, name)


def header_delimiter(header: str) -> str | None:
    """The delimiter that a header line shows outside quotes: tab before semicolon before comma, ``None`` if none
    (R14)."""
    bare = re.sub(r'"(?:[^"]|"")*"?', "", header)
    return next((mark for mark in DELIMITERS if mark in bare), None)


def _object_format(start: bytes) -> Format:
    """JSON Lines, or one object that is spread over lines or wraps its records in a list (R6)."""
    first, broken, rest = start.partition(b"\n")
    if not broken:
        return Format.JSON if _WRAPPER.match(first) else Format.JSONL
    bare = _STRING.sub(b'""', first).rstrip()
    opened = bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")
    if opened <= 0:
        alone = not rest.strip()
        return Format.JSON if alone and _WRAPPER.match(first) else Format.JSONL
    # The first line leaves something open: spread over lines, or a record that was cut.  A cut one is followed by a
    # record.
    following = rest.lstrip(b" \t\r\n")
    if not bare.endswith((b"{", b"[", b",", b":")):
        return Format.JSONL if following.startswith(b"{") or not following else Format.JSON
    inside_object = bare.rfind(b"{") > bare.rfind(b"[")
    return Format.JSONL if inside_object and following.startswith(b"{") else Format.JSON


def _mostly_objects(start: bytes) -> bool:
    """Text that does not begin with an object, but whose lines mostly do: JSON Lines whose first line is broken."""
    lines = [line for line in start.split(b"\n", _LINES_LOOKED_AT)[:_LINES_LOOKED_AT] if line.strip()]
    objects = sum(line.lstrip().startswith(b"{") for line in lines)
    return objects * 2 > len(lines)


def _delimited_format(head: bytes, name: str) -> Format:
    line = head.lstrip(b"\r\n").partition(b"\n")[0]
    try:
        header = line.decode()
    except UnicodeDecodeError as fault:
        if fault.end >= len(line) and len(line) == len(head):
            header = line[: fault.start].decode()
        else:
            raise LogError(name, "has a first line that is not UTF-8", f"write it as UTF-8; {ACCEPTED}") from None
    if not header.replace("\t", "").isprintable() and any(ord(c) < 32 and c not in "\t\r" for c in header):
        raise LogError(name, "is not text", ACCEPTED)
    delimiter = header_delimiter(header)
    if delimiter is None:
        raise LogError(name, "begins neither like JSON nor with a header line of several columns", ACCEPTED)
    return Format.TSV if delimiter == "\t" else Format.CSV
