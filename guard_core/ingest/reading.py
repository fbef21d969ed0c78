"""Read the files of a log or a catalogue, whatever their formats.

Flows in: paths, or tables in memory.  Flows out: ``RowBatch`` objects of one of them (``open_table``), or the ``Log``
of several (``read_log``).
Rules kept here: R3 (unusable input is an error that names the file); the content decides on the format; every file is
opened once, and its digest is that of the bytes that were read; only the head of a file without a retrieval is read
again, to name its columns.
Not here: the formats (``formats/table.py``), the log (``assemble.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from guard_core.errors import LogError
from guard_core.files.input_file import open_input
from guard_core.files.limits import Limits, Progress
from guard_core.ingest.assembly.assemble import Assembly
from guard_core.ingest.assembly.memory import share_allocator
from guard_core.ingest.batch import RowBatch, TableKind
from guard_core.ingest.detect import FORMAT_DIFFERS, choose_format, differs_from_suffix
from guard_core.ingest.log import Log, LogFile
from guard_core.ingest.mapping import check_mapping
from guard_core.ingest.preview import preview_file
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.tables.in_memory import ArrowStream, MemoryTable

_NO_MAPPING: Mapping[str, str] = {}


class TableFile:
    """One file of rows: a log's, or a catalogue's. A context manager.

    ``batches`` reads it once; afterwards ``file`` says what was read and ``incomplete`` whether it was cut. Raises
    ``LogError`` and ``MappingError``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        kind: TableKind,
        *,
        mapping: Mapping[str, str] = _NO_MAPPING,
        input_format: str | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        limits = limits or Limits()
        own = check_mapping(mapping, "mapping")
        self.incomplete = False
        self._input = open_input(path, limits, progress)
        try:
            self.name = self._input.name
            self.format = choose_format(self._input.head(), self.name, input_format, kind)
        except BaseException:
            self._input.close()
            raise
        self._options = ReadOptions(kind, own, limits, input_format is not None, self.format.own_names)
        self.spellings = self._options.spellings
        self._used: dict[tuple[str, str], None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._input.close()

    @property
    def format_differs(self) -> bool:
        """Whether the name of the file promises another format than its content shows."""
        return not self._options.named and differs_from_suffix(self.name, self.format)

    def batches(self) -> Iterator[RowBatch]:
        """Yield the rows of the file, in file order."""
        for batch in self.format.read_rows(self._input, self._options):
            self._used.update(dict.fromkeys(batch.mapping))
            self.incomplete = self.incomplete or batch.incomplete
            yield batch
        self.incomplete = self.incomplete or self._input.incomplete

    @property
    def file(self) -> LogFile:
        """What was read: name, format, digest of the bytes on disk, columns in use."""
        return LogFile(self.name, self.format.name + self._input.packed_suffix, self._input.sha256, tuple(self._used))


TableSource: TypeAlias = "str | os.PathLike[str] | ArrowStream"
"""A file, by its path, or a table in memory."""


def open_table(
    source: TableSource,
    kind: TableKind,
    *,
    mapping: Mapping[str, str] = _NO_MAPPING,
    input_format: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> TableFile | MemoryTable:
    """Open a file of rows, or a table in memory.  Raises ``LogError`` and ``MappingError``."""
    if isinstance(source, str | os.PathLike):
        return TableFile(source, kind, mapping=mapping, input_format=input_format, limits=limits, progress=progress)
    return MemoryTable(source, ReadOptions(kind, check_mapping(mapping, "mapping"), limits or Limits()))


def read_log(
    sources: Sequence[TableSource],
    *,
    mapping: Mapping[str, str] = _NO_MAPPING,
    input_format: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Log:
    """Read the files or tables of one log.

    ``mapping`` gives the user's own columns (canonical field -> column), ``input_format`` a format by name where the
    content should not decide; ``progress`` is called with bytes done and in all. Raises ``LogError`` for a file that is
    unusable (unreadable, of no format that is read, or with records but no retrieval) and ``MappingError``.
    """
    if not sources:
        raise LogError("log", "no file was named", "name at least one")
    limits = limits or Limits()
    assembly = Assembly(limits)
    whole = _Progress(progress, sources)
    with share_allocator():
        for source in sources:
            with open_table(
                source, TableKind.LOG, mapping=mapping, input_format=input_format, limits=limits, progress=whole.of_file
            ) as table:
                for batch in table.batches():
                    assembly.add(batch, table.name)
                if table.format_differs:
                    assembly.add_notice(FORMAT_DIFFERS)
                seen = partial(_list_columns, source, input_format)
                assembly.end_file(table.file, incomplete=table.incomplete, columns=seen, spellings=table.spellings)
            whole.file_done()
        return assembly.finish()


def _list_columns(source: TableSource, input_format: str | None) -> Sequence[str]:
    """List the columns of a file, as far as its head shows, or of a table."""
    if not isinstance(source, str | os.PathLike):
        return MemoryTable(source, ReadOptions()).columns
    try:
        return preview_file(source, input_format=input_format, rows=1).columns
    except LogError:  # the fault of the file is raised already
        return ()


class _Progress:
    """Progress over several files, from the progress of one."""

    def __init__(self, progress: Progress | None, sources: Sequence[TableSource]) -> None:
        self._progress = progress
        self._total = sum(map(_size, sources)) if progress else 0
        self._before = 0
        self._last = 0

    def of_file(self, done: int, _size_of_file: int) -> None:
        self._last = done
        if self._progress is not None:
            self._progress(min(self._before + done, self._total), self._total)

    def file_done(self) -> None:
        self._before += self._last
        self._last = 0


def _size(source: TableSource) -> int:
    if not isinstance(source, str | os.PathLike):
        return 0
    try:
        return Path(source).stat().st_size
    except (OSError, ValueError):
        return 0  # opening it will say why
