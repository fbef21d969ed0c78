"""Hold rows as every reader passes them on, whatever the format of the file.

Flows in: nothing.  Flows out: ``RowBatch``, from the readers to the assembly of a log or catalogue.
Rules kept here: a batch holds accepted rows only, in file order, with canonical names and types; rows that are not
accepted stand beside them as ``RejectedRow``; what a reader of the numbers should know is counted by notice code.
Not here: grouping into retrievals, order, repeats (``assemble.py``).

Arrow types of ``RowBatch.columns`` (a column that the file does not have is absent; null means missing):

==============================  =====================  =========================================================
column                          type                   meaning
==============================  =====================  =========================================================
query_id, result_id,            string                 never null in a log (result_id and document_id filled
document_id                                            from each other, R62); query_id is absent in a catalogue
query, collection, title, ...   string
rank                            int32                  >= 1; null: order of listing
score                           float64                finite; null: missing
text_digest                     string                 ``sha256:<hex>`` of the exact UTF-8 text
content_sha256                  string                 ``sha256:<hex>``, lower case, as stated
authenticity                    int8                   ``ClassWord`` codes, never null
synthetic_generation_depth      int32                  >= 0
anchors                         list<string>           hashes as given
anchor_weights                  list<float64>          same lengths as ``anchors``; absent: equal weights
source_authenticity_signature   string                 never empty
timestamp                       int64                  microseconds since the epoch, UTC
creative                        bool                   the task column says creative (R55)
derived_from                    list<string>
==============================  =====================  =========================================================

String columns may be dictionary-encoded (``dictionary<int32, string>``).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.ingest.records.fields import LABEL_COLUMNS

RECORD = "record"
"""The field of a problem that concerns a record as a whole."""

NO_ID = "there is no id"
"""Reason for a row without one of its ids."""

NOT_A_LIST = "the results are not a list"
"""Reason for a nested record whose results are something else."""

NOT_AN_OBJECT = "a result is not an object"
"""Reason for a result that is something else."""

METADATA_NOT_UNDERSTOOD = "metadata_not_understood"
"""Notice: metadata that begins like a JSON object and is none; it gives no provenance."""

COLUMN_TYPES: dict[str, pa.DataType] = {
    "query_id": pa.string(),
    "query": pa.string(),
    "result_id": pa.string(),
    "document_id": pa.string(),
    "rank": pa.int32(),
    "score": pa.float64(),
    "text_digest": pa.string(),
    "content_sha256": pa.string(),
    "authenticity": pa.int8(),
    "synthetic_generation_depth": pa.int32(),
    "anchors": pa.list_(pa.string()),
    "anchor_weights": pa.list_(pa.float64()),
    "source_authenticity_signature": pa.string(),
    "timestamp": pa.int64(),
    "creative": pa.bool_(),
    "derived_from": pa.list_(pa.string()),
    **dict.fromkeys(LABEL_COLUMNS, pa.string()),
}
"""The Arrow type of each column of a batch, as above."""

KEPT_AS = {"task": "creative", "human_source_anchor_hash": "anchors", "text": "text_digest"}
"""Canonical columns that a batch holds under another name, since it holds something else of them."""


class TableKind(Enum):
    """Whether a file is a log or a catalogue; it decides which columns a row must have."""

    LOG = "log"
    CATALOGUE = "catalogue"


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that could not be read.  ``query_id`` and ``time`` are given where they could be read (R71); ``record`` is
    the nested record it stood in, ``None`` in a flat file."""

    line: int
    field: str
    reason: str
    query_id: str | None = None
    time: int | None = None
    record: int | None = None


@dataclass(frozen=True, slots=True)
class EmptyRetrieval:
    """A nested record without a readable result (R9).  It counts as one accepted row, unless its results were rejected:
    then those are its rows."""

    line: int
    query_id: str
    query: str | None
    time: int | None
    creative: bool
    counts_as_row: bool


@dataclass(frozen=True, slots=True)
class RowBatch:
    """The accepted rows of one part of a file.

    ``lines`` (int64, length ``rows``) says where each row begins.  ``records`` (int64) numbers the nested record of
    each row within the file, ``None`` for flat rows, which are grouped by query id and time instead.  ``ignored``
    counts rows that hold neither a result nor a fault (R1).  ``notices`` counts, by code, what can no longer be
    seen in the rows: ``score_not_a_number``, ``empty_text``, ``class_not_understood``, ``time_unknown``...
    """

    rows: int
    lines: NDArray[np.int64]
    columns: dict[str, pa.Array]
    records: NDArray[np.int64] | None = None
    rejected: tuple[RejectedRow, ...] = ()
    empty: tuple[EmptyRetrieval, ...] = ()
    ignored: int = 0
    notices: Counter[str] = field(default_factory=Counter)
    incomplete: bool = False
    mapping: tuple[tuple[str, str], ...] = ()
    """Pairs (canonical column, column of the file) that were read, in order of first use."""
