"""``RowBatch``: what every reader hands to ``assemble``, whatever the format of the file was.

Flows in: nothing.  Flows out: the form in which rows travel from the readers to the assembly of a log or catalogue.
Rules kept here: a batch holds accepted rows only, in file order, with canonical names and types; each row that is not
accepted travels beside them as a ``RejectedRow``; counts of row-level oddities travel as notices.
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


class TableKind(Enum):
    """What a file is read as; it decides which columns a row must have."""

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
    """A nested record with zero readable results (R9).  It counts as one accepted row unless its results were rejected,
    in which case the rejected results are the rows."""

    line: int
    record: int
    query_id: str
    query: str | None
    time: int | None
    creative: bool
    counts_as_row: bool


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Accepted rows of one stretch of a file.

    ``lines`` (int64, length ``rows``) says where each row begins.  ``records`` (int64) numbers the nested record of
    each row within the file, ``None`` for flat rows, which are grouped by query id and time instead.  ``ignored``
    counts rows that hold no result and no fault (R1).  ``notices`` counts per code what the assembly cannot see:
    ``score_not_a_number``, ``empty_text``, ``class_not_understood``, ``time_assumed_utc``, ``time_unknown``...
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
