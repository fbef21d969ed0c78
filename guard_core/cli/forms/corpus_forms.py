"""Write a quarantine, or a ranking of documents, as one JSON object or as CSV.

Flows in: a head and records.  Flows out: bytes on a binary stream.
Rules kept here: JSON is canonical (``schema.encode``), one record a line; CSV has plain and exact numbers, an empty
cell for a missing value (R57), and an apostrophe before a text that a spreadsheet would run (R60); on a terminal hidden
characters are shown as escapes.
Not here: what a record holds (``corpus_records.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from guard_core.output.delimited import write_cell
from guard_core.output.schema import Record, encode


def write_object(head: Record, member: str, records: Iterable[Record], out: BinaryIO) -> None:
    """Write the members of ``head``, and last ``member``: the list of records.  Ended by a line feed."""
    out.write(encode(head)[:-1] + b"," + encode(member) + b":[")
    between = b"\n"
    for record in records:
        out.write(between + encode(record))
        between = b",\n"
    out.write(b"\n]}\n")


def write_rows(kind: type[Record], records: Iterable[Record], out: BinaryIO, for_terminal: bool = False) -> None:
    """Write a header and one row a record; the columns are the members of ``kind``."""
    names = [field.name for field in msgspec.structs.fields(kind)]
    out.write((",".join(names) + "\n").encode())
    for record in records:
        cells = [write_cell(getattr(record, name), for_terminal) for name in names]
        out.write((",".join(cells) + "\n").encode())
