"""Hold what is asked of a reader, and records as they stand in a file.

Flows in: nothing.  Flows out: ``ReadOptions``, ``RecordOptions``, ``RawRecords``.
Rules kept here: none.
Not here: rows with canonical names and types (``batch.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from guard_core.files.limits import Limits
from guard_core.ingest.batch import TableKind
from guard_core.ingest.records.spellings import Spellings, choose_spellings


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How the rows of a file are read.

    ``mapping`` holds the user's own choice of columns (canonical field -> column of the file).  ``named``: the user
    named the format, so the content was not asked.  ``own_names`` are those of the format.
    """

    kind: TableKind = TableKind.LOG
    mapping: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    named: bool = False
    own_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def spellings(self) -> Spellings:
        """The column names in force."""
        return choose_spellings(self.kind, self.mapping, self.own_names)


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """Which records of a file are wanted as they stand in it.

    ``names``: of a table only the columns that these names need.  ``hints``: of JSON Lines only lines that hold one of
    these bytes.
    """

    limits: Limits
    names: Spellings | None = None
    hints: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class RawRecords:
    """Records as they stand in a file, without those at fault.

    They are flat records, one for each result, or nested ones with their results in a list, under the names that the
    file has; the list stands under ``results``, or under the format's own name for it.  ``columns`` are the names of a
    table's columns; there are none where each record names its own members.
    """

    columns: tuple[str, ...]
    records: Iterator[Mapping[str, object]]
