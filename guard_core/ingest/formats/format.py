"""Hold the description of one format of logs and catalogues.

Flows in: nothing.  Flows out: ``Format``, which detection, reading, preview, texts and the command line work from.
Rules kept here: every field is required, so that a format without a reader or a preview does not pass ``mypy``.
Not here: the formats (``table.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from guard_core.files.input_file import InputFile
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is read.

    ``name`` stands on the command line and in output, ``title`` in sentences.  ``suffixes`` are those of file names
    that promise it, before ``.gz``.  A format that ``may_be_blank`` is what a file of nothing but white space is taken
    for, where its name promises it.  ``binary`` formats are recognised before formats of text.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    binary: bool
    may_be_blank: bool
    recognises: Callable[[bytes], bool]
    """Whether the first decoded bytes of a file, which are not all white space, are those of this format."""
    read_rows: Callable[[InputFile, ReadOptions], Iterator[RowBatch]]
    """Read the rows of a file, in file order."""
    read_records: Callable[[InputFile, Iterator[bytes], RecordOptions], RawRecords]
    """Read the records as they stand in the given bytes of a file, without those at fault."""
