"""Choose the names under which a record may have its canonical columns.

Flows in: the kind of table, the user's mapping, the format's own names.  Flows out: ``Spellings``: for each canonical
column the member names that may hold it, in order of preference.
Rules kept here: names are looked up record by record, as two records of one log may spell them differently; a null
member is like one that is not there; a canonical name wins over other spellings, and the name that the format has for
a column over both; a column that the user has mapped is taken from the named member only.  A member that is mapped, or
is a format's own name, feeds nothing else.
Not here: the table of spellings (``fields.py``), values (``values.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guard_core.ingest.batch import TableKind
from guard_core.ingest.records.fields import METADATA_COLUMNS, RETRIEVAL_COLUMNS, SPELLINGS

RESULTS = "results"
"""The member of a nested record that lists its results; a mapping or a format may name another."""

_NO_NAMES: Mapping[str, str] = {}
_NOT_IN_A_CATALOGUE = frozenset({*RETRIEVAL_COLUMNS, "rank", "score"})


@dataclass(frozen=True, slots=True)
class Spellings:
    """Canonical column -> member names in order of preference, for results, for nested records, and for metadata."""

    result: Mapping[str, tuple[str, ...]]
    """Columns of a result; in a flat file the columns of its retrieval too."""
    retrieval: Mapping[str, tuple[str, ...]]
    """Columns of a nested record, whose ``id`` is the query id."""
    results: str
    metadata: tuple[str, ...] = METADATA_COLUMNS

    def names(self) -> frozenset[str]:
        """Return every member name that is read."""
        found = {name for names in self.result.values() for name in names}
        found.update(name for names in self.retrieval.values() for name in names)
        return frozenset(found | {self.results, *self.metadata})


def choose_spellings(
    kind: TableKind, mapping: Mapping[str, str], own_names: Mapping[str, str] = _NO_NAMES
) -> Spellings:
    """Return the spellings in force. In a catalogue ``content`` is the digest of the text (R25).

    ``own_names`` are those of the format: field -> member.  The user's ``mapping`` overrules them.
    """
    mapped = frozenset(mapping.values())
    own = {field: name for field, name in own_names.items() if field not in mapping and name not in mapped}
    taken = mapped.union(own.values())

    def choose(column: str, names: tuple[str, ...]) -> tuple[str, ...]:
        if column in mapping:
            return (mapping[column],)
        left = tuple(name for name in names if name not in taken)
        return (own[column], *left) if column in own else left

    result: dict[str, tuple[str, ...]] = {}
    for column, others in SPELLINGS.items():
        if kind is TableKind.CATALOGUE and column in _NOT_IN_A_CATALOGUE:
            continue
        names = (column, *others)
        if kind is TableKind.CATALOGUE:
            if column == "text":
                names = tuple(name for name in names if name != "content")
            elif column == "content_sha256":
                names = (column, "content", *others)
        result[column] = choose(column, names)
    retrieval = {
        column: choose(column, (column, *SPELLINGS[column], *(("id",) if column == "query_id" else ())))
        for column in RETRIEVAL_COLUMNS
        if kind is TableKind.LOG
    }

    metadata = tuple(name for name in METADATA_COLUMNS if name not in taken)
    return Spellings(result, retrieval, mapping.get(RESULTS, own.get(RESULTS, RESULTS)), metadata)


def find_value(record: Mapping[str, object], names: tuple[str, ...]) -> tuple[str, object] | None:
    """Return the first of ``names`` that holds something, and what it holds."""
    for name in names:
        value = record.get(name)
        if value is not None:
            return name, value
    return None


def find_written_name(record: Mapping[str, object], names: tuple[str, ...], canonical: str) -> str:
    """Return the name under which ``record`` has a column, be it null; the canonical name if it has none (R2)."""
    return next((name for name in names if name in record), canonical)
