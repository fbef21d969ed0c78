"""Recognise an evaluation that Source Guard wrote, which is never read as a log.

Flows in: the names of members or columns, and a ``schema``.  Flows out: whether they are those of an evaluation.
Rules kept here: the classes of an evaluation are judged, its signatures are statuses and its anchors are resolved;
taken for declarations of a log they would better its evidence.  CSV and Parquet of ours hold the columns of the log
beside the judged ones under other names, and are read back (``export_columns``).
Not here: what is done about it (the readers refuse the file or reject the record).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

SCHEMAS: Final = "source-guard/evaluation/"
"""How the ``schema`` of every version of the evaluation object begins."""

JUDGED: Final = ("manifest_digest", "verdict_if_signatures_waived")
"""Members that a retrieval of an evaluation has, and no retrieval of a log."""

FAULT: Final = "is an evaluation that Source Guard wrote, not a log"
ADVICE: Final = "name the log that was evaluated; a CSV or Parquet file of --csv or --parquet can be read as one"
RECORD_FAULT: Final = "is a retrieval of an evaluation, not of a log: its classes and signatures are judgements"
"""Reason for a record of an evaluation among the records of a log."""

OBJECT_FAULT: Final = "is an evaluation, not a record of a log"
"""Reason for a whole evaluation object in the place of a record."""


def is_schema(value: object) -> bool:
    """Return whether a value is the ``schema`` of an evaluation object, of any version."""
    return isinstance(value, str) and value.startswith(SCHEMAS)


def is_judged(names: Collection[str]) -> bool:
    """Return whether members or columns are those of a retrieval that was judged."""
    return all(name in names for name in JUDGED)


def is_evaluation(record: Mapping[str, object]) -> bool:
    """Return whether a record is a whole evaluation object."""
    return is_schema(record.get("schema"))
