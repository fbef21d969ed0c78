"""A user's own choice of columns: pairs from the command line, and profiles in files.

Flows in: ``FIELD=COLUMN`` pairs, ``@FILE`` names of profiles, profile files (TOML or JSON).  Flows out: a mapping
canonical field -> column of the file.
Rules kept here: a field must be canonical; a field is mapped once and a column feeds one field; a column that a file
with fixed columns does not have is an error, never passed over.
Not here: the spellings that are recognised without a mapping (``fields.py``).

A profile holds one table::

    [map]
    result_id = "chunk"
    query = "user question"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from guard_core.errors import MappingError
from guard_core.files.input_file import display_name
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.records.spellings import RESULTS

MAPPABLE = (*SPELLINGS, RESULTS)
"""The fields that a mapping may name: every canonical column, and the list of results of a nested record."""

_ASKED = "--map"
_PROFILE_BYTES = 1024 * 1024
_SHOWN_COLUMNS = 20


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """The mapping that command line values give, later ones overruling a profile.

    Each is ``FIELD=COLUMN`` or ``@FILE``.  Raises ``MappingError``.
    """
    found: dict[str, str] = {}
    given: dict[str, str] = {}
    for pair in pairs:
        if pair.startswith("@"):
            found.update(load_profile(pair[1:]))
            continue
        name, sign, column = pair.partition("=")
        if not sign or not name.strip() or not column:
            raise MappingError(_ASKED, "is not of the form FIELD=COLUMN", "as in --map result_id=chunk")
        if given.setdefault(name.strip(), column) != column:
            raise MappingError(_ASKED, f"maps {name.strip()} twice", "map it once")
    found.update(given)
    return check_mapping(found, _ASKED)


def check_mapping(mapping: Mapping[str, object], where: str) -> dict[str, str]:
    """``mapping`` if its fields exist and no column feeds two; raises ``MappingError`` naming what exists."""
    result: dict[str, str] = {}
    for name, column in mapping.items():
        if name not in MAPPABLE:
            raise MappingError(where, f"there is no field {_shown(name)}", f"fields are {', '.join(MAPPABLE)}")
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
            listed = ", ".join(_shown(c) for c in present[:_SHOWN_COLUMNS])
            more = f" and {len(present) - _SHOWN_COLUMNS} more" if len(present) > _SHOWN_COLUMNS else ""
            raise MappingError(file, f"has no column {_shown(column)} for {name}", f"its columns are {listed}{more}")


def load_profile(path: str | Path) -> dict[str, str]:
    """The mapping in a profile file, TOML or (if it begins with a brace) JSON.  Raises ``MappingError``."""
    name = display_name(path)
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_PROFILE_BYTES + 1)
    except (OSError, ValueError):
        raise MappingError(name, "cannot be read", "check the path of the mapping profile") from None
    if len(raw) > _PROFILE_BYTES:
        raise MappingError(name, "is too long for a mapping profile", "name the profile, not the log")
    try:
        text = raw.decode("utf-8-sig")
        document = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError):
        raise MappingError(name, "is neither TOML nor JSON", 'a profile holds a table "map"') from None
    table = document.get("map")
    if not isinstance(table, dict) or set(document) != {"map"}:
        raise MappingError(name, 'holds something else than one table "map"', "write it with fields as names")
    return check_mapping(table, name)


def save_profile(mapping: Mapping[str, str], path: str | Path) -> None:
    """Write ``mapping`` as a TOML profile that ``load_profile`` reads back."""
    Path(path).write_text(profile_toml(mapping), encoding="utf-8")


def profile_toml(mapping: Mapping[str, str]) -> str:
    """``mapping`` as the text of a TOML profile."""
    lines = [f"{name} = {_toml_text(column)}" for name, column in check_mapping(mapping, "mapping").items()]
    return "\n".join(["# Source Guard: which column of a log feeds which field", "[map]", *lines, ""])


def _toml_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown(name: str) -> str:
    short = name if len(name) <= 60 else name[:60] + "..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short)
