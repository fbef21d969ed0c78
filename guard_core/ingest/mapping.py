"""Check a user's own choice of columns.

Flows in: ``FIELD=COLUMN`` pairs, or a mapping that a program gives.  Flows out: a mapping, canonical field -> column of
the file.
Rules kept here: a field must be canonical; a field is mapped once and a column feeds one field; a column that a file
with fixed columns does not have is an error, never passed over.
Not here: the spellings that are recognised without a mapping (``fields.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from guard_core.errors import MappingError
from guard_core.files.input_file import escape_file_name
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.records.spellings import RESULTS

MAPPABLE = (*SPELLINGS, RESULTS)
"""The fields that a mapping may name: every canonical column, and the list of results of a nested record."""

_ASKED = "--map"
_COLUMNS_LISTED = 20
_NAME_SHOWN = 60


def parse_pair(text: str) -> tuple[str, str]:
    """Return the field and the column of a ``FIELD=COLUMN`` text; raises ``MappingError``."""
    name, equals, column = text.partition("=")
    if not equals or not column:
        raise MappingError(_ASKED, f"{_shorten(text)} is not of the form FIELD=COLUMN", "as in result_id=chunk")
    check_mapping({name: column}, _ASKED)
    return name, column


def parse_mapping(pairs: Iterable[str]) -> dict[str, str]:
    """Return the mapping that ``FIELD=COLUMN`` texts make up; raises ``MappingError``."""
    found: dict[str, str] = {}
    for text in pairs:
        name, column = parse_pair(text)
        if name in found:
            raise MappingError(_ASKED, f"maps {name} twice", "map it once")
        found[name] = column
    return check_mapping(found, _ASKED)


def check_mapping(mapping: Mapping[str, object], where: str) -> dict[str, str]:
    """Return ``mapping`` if its fields exist and no column feeds two; raises ``MappingError`` that names ``where``."""
    if not isinstance(mapping, Mapping):
        raise MappingError(where, "is no mapping", 'give one, such as {"result_id": "chunk"}')
    result: dict[str, str] = {}
    for name, column in mapping.items():
        if name not in MAPPABLE:
            raise MappingError(where, f"there is no field {_shorten(str(name))}", f"fields are {', '.join(MAPPABLE)}")
        if not isinstance(column, str) or not column:
            raise MappingError(where, f"the column for {name} is not a name", "give the name of a column as text")
        if column in result.values():
            raise MappingError(where, f"one column is mapped twice, the second time to {name}", "map it to one field")
        result[name] = column
    return result


def require_columns(mapping: Mapping[str, str], columns: Iterable[str], file: str) -> None:
    """Raise ``MappingError`` if a mapped column is not among those of the file."""
    present = list(columns)
    for name, column in mapping.items():
        if column not in present:
            listed = ", ".join(map(_shorten, present[:_COLUMNS_LISTED]))
            more = f" and {len(present) - _COLUMNS_LISTED} more" if len(present) > _COLUMNS_LISTED else ""
            raise MappingError(file, f"has no column {_shorten(column)} for {name}", f"its columns are {listed}{more}")


def require_mapped(batches: Iterable[RowBatch], mapping: Mapping[str, str], file: str) -> Iterator[RowBatch]:
    """Yield ``batches``, then raise ``MappingError`` if there were rows and a mapped column was in no record."""
    found: set[tuple[str, str]] = set()
    any_record = False
    for batch in batches:
        found.update(batch.mapping)
        any_record = any_record or batch.rows > 0 or bool(batch.empty)
        yield batch
    missing = [name for name, column in mapping.items() if (name, column) not in found]
    if any_record and missing:
        raise MappingError(file, f"no record has the column that is mapped to {missing[0]}", "check the mapping")


def _shorten(name: str) -> str:
    return escape_file_name(name if len(name) <= _NAME_SHOWN else name[:_NAME_SHOWN] + "...")
