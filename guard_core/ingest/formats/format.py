"""Hold the description of one format of logs and catalogues.

Flows in: nothing.  Flows out: ``Format``, which detection, reading, preview, texts and the command line work from.
Rules kept here: a format without a reader or a preview does not pass ``mypy``.
Not here: the formats (``table.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from guard_core.files.input_file import InputFile
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.read_options import RawRecords, ReadOptions, RecordOptions


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is read.

    ``name`` stands on the command line and in output, ``title`` in sentences.  ``suffixes`` are those of file names
    that promise it, before that of a compression.  A format that ``may_be_blank`` is what a file of nothing but white
    space is taken for, where its name promises it.  ``binary`` formats are recognised before formats of text.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    binary: bool
    may_be_blank: bool
    recognises: Callable[[bytes], bool]
    """Whether the first decoded bytes of a file, which are not all white space, are those of this format, given that
    they are of none before it in the table."""
    read_rows: Callable[[InputFile, ReadOptions], Iterator[RowBatch]]
    """Read the rows of a file, in file order."""
    read_records: Callable[[InputFile, Iterator[bytes], RecordOptions], RawRecords]
    """Read the records in the given bytes of a file: flat ones, or nested ones with their results in a list under
    ``results`` or this format's own name for it.  They keep the names of the file, and those at fault are left out."""
    may_be_catalogue: bool = True
    """Whether a catalogue may have this format; otherwise it is refused."""
    own_names: Mapping[str, str] = field(default_factory=dict)
    """What only this format calls a field: canonical field, or ``results`` for the list of results -> member.  Its name
    is tried before the usual spellings, and ``--map`` overrules it."""
