"""Detect the format of a file by its first bytes; its suffix counts only where the bytes leave the format open.

Flows in: the first decoded bytes of a file, and its name.  Flows out: ``Format``; ``LogError`` for a file that is not
of a format that is read.
Rules kept here: the content decides, and a suffix that says otherwise gets a notice (``format_differs_from_suffix``);
formats that run code or hide files are not opened.
Not here: undoing compression (``guard_core.files``), the formats that are read (``formats/table.py``).
"""

from __future__ import annotations

from guard_core.errors import LogError
from guard_core.ingest.batch import TableKind
from guard_core.ingest.formats.format import Format
from guard_core.ingest.formats.recognise import decode_first_line, is_text
from guard_core.ingest.formats.table import (
    ACCEPTED,
    JSON_LINES,
    find_format,
    list_promised_formats,
    list_titles,
    recognise_format,
)

FORMAT_DIFFERS = "format_differs_from_suffix"
"""Code of the notice for a file whose suffix promises another format than it holds."""

_FOREIGN = (
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
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
"""How files begin that are named instead of read."""


def detect_format(head: bytes, name: str) -> Format:
    """Return the format of a file, given its first decoded bytes (without byte order mark) and its name.

    A file of nothing but white space is an empty one of the format that its suffix promises, JSON Lines otherwise.
    Raises ``LogError`` for a format that is not read, and for text in which no format can be seen.
    """
    if (form := recognise_format(head, binary=True)) is not None:
        return form
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise LogError(name, f"is {what}, which is not read", ACCEPTED)
    if not head.strip(b" \t\r\n"):
        return next((form for form in list_promised_formats(name) if form.may_be_blank), JSON_LINES)
    if (form := recognise_format(head, binary=False)) is not None:
        return form
    header = decode_first_line(head)
    if header is None:
        raise LogError(name, "has a first line that is not UTF-8", f"write it as UTF-8; {ACCEPTED}")
    if not is_text(header):
        raise LogError(name, "is not text", ACCEPTED)
    raise LogError(name, "begins neither like JSON nor with a header line of several columns", ACCEPTED)


def choose_format(head: bytes, name: str, input_format: str | None = None, kind: TableKind = TableKind.LOG) -> Format:
    """Return the format that the user named, else the one that the first bytes of the file show.

    Raises ``LogError`` as :func:`detect_format` does, for a name that is not known, and for a catalogue in a format
    that cannot be one.
    """
    form = detect_format(head, name) if input_format is None else find_format(input_format)
    if kind is TableKind.CATALOGUE and not form.may_be_catalogue:
        raise LogError(name, f"is {form.title}, which cannot be a catalogue", f"a catalogue may be {list_titles(kind)}")
    return form


def differs_from_suffix(name: str, found: Format) -> bool:
    """Return whether the suffix of a file name promises other formats than the one that was found."""
    promised = list_promised_formats(name)
    return bool(promised) and found not in promised
