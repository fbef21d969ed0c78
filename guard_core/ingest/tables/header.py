"""Read the header of CSV and TSV: the delimiter, and the names of the columns.

Flows in: blocks of lines.  Flows out: ``TableHeader``.
Rules kept here: R14 (the header line shows the delimiter); a file that Source Guard wrote is known by its header, which
is exactly ``EXPORT_COLUMNS`` or ``SIGNED_COLUMNS``.
Not here: rows (``delimited.py``).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from guard_core.errors import LogError
from guard_core.files.limits import Limits
from guard_core.files.lines import LineBlock
from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS, SIGNED_COLUMNS

DELIMITERS = ("\t", ";", ",")
"""What may stand between the fields of a header line, in order of precedence (R14)."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"?')


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The names of the columns (trimmed; none if the file is empty) and the delimiter."""

    names: tuple[str, ...]
    delimiter: str

    @property
    def is_export(self) -> bool:
        """Whether Source Guard wrote the file, as the rows of an evaluation."""
        return self.names == EXPORT_COLUMNS

    @property
    def is_guarded(self) -> bool:
        """Whether Source Guard wrote the file, so that the apostrophes of the formula guard come off."""
        return self.is_export or self.names == SIGNED_COLUMNS


def find_delimiter(header: str) -> str | None:
    """Return the delimiter that a header line shows outside quotes, ``None`` if there is none."""
    bare = _QUOTED.sub("", header)
    return next((mark for mark in DELIMITERS if mark in bare), None)


def read_header(
    name: str, blocks: Iterator[LineBlock], limits: Limits, delimiter: str | None = None
) -> tuple[TableHeader, LineBlock | None, int]:
    """Return the header, the rest of the block in which it stands, and the line on which that rest begins.

    Raises ``LogError`` for a header that is not UTF-8, is too long, or has too many columns or only one.
    """
    line = 1
    for block in blocks:
        if block.too_long:
            raise LogError(name, f"has a header line longer than {limits.line_bytes:,} bytes", "is it a table of text?")
        data = block.data
        while data:
            first, newline, data = data.partition(b"\n")
            line += 1
            if first.strip():
                header = _parse_header(name, first, limits, delimiter)
                return header, LineBlock(data, block.open_end and bool(newline)), line
    return TableHeader((), ","), None, line


def _parse_header(name: str, raw: bytes, limits: Limits, delimiter: str | None) -> TableHeader:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise LogError(name, "has a header line that is not UTF-8", "write it as UTF-8") from None
    mark = delimiter or find_delimiter(text)
    if mark is None:
        raise LogError(name, "has a header line of one column only", "put comma, semicolon or tab between its names")
    try:
        fields = next(csv.reader([text], delimiter=mark, strict=True))
    except csv.Error:
        raise LogError(name, "has a header line with a quote that is not closed", "keep it on one line") from None
    if len(fields) > limits.columns:
        raise LogError(name, f"has {len(fields)} columns, more than {limits.columns}", "leave out what is not needed")
    return TableHeader(tuple(field.strip() for field in fields), mark)
