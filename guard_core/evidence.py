"""Evidence: for each result its class, depth and anchors, and how they are known, as compact columns.

Flows in: a ``Log`` and, optionally, a ``Catalogue``.  Flows out: ``Evidence``, built once and immutable; a policy never
changes it.
Rules kept here: nothing inside a log raises the basis of its evidence; the stronger basis counts and the disagreement
is listed; between equals the less trusted value counts; two readings are kept side by side, *believed* (the log's labels
count) and *upheld* (they do not), so that a change of ``signatures`` only judges again.
Not here: counting (``statistics.py``), judging (``judge.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.ingest.log import Log, Ragged, TextColumn

HUMAN, DEPTH_1, DEPTH_2_PLUS, UNKNOWN = 0, 1, 2, 3
"""Class codes, in the order of ``AuthenticityClass``; a greater code is less trusted (R27)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Per-result evidence of a log of ``m`` results, rows as in the log.

    Class codes are those above, basis codes index ``tuple(Basis)``, signature codes ``tuple(SignatureStatus)``, conflict
    bit ``1 << i`` is the i-th of ``tuple(Conflict)``.
    """

    log: Log
    classes: NDArray[np.uint8]
    """Believed class: the strongest basis that says anything."""
    upheld_classes: NDArray[np.uint8]
    """The class without the log's word: UNKNOWN where only the log gives one."""
    declared_classes: NDArray[np.uint8]
    """The log's own class, shown beside the others; UNKNOWN where it gives none."""
    bases: NDArray[np.uint8]
    depths: NDArray[np.int32]
    """Believed depth; -1 unknown."""
    upheld_depths: NDArray[np.int32]
    depth_at_least: NDArray[np.int32]
    """The greatest depth that known parents prove where the depth is unknown; -1 none."""
    catalogued: NDArray[np.bool_]
    """The catalogue gives this document a class that counts for this result."""
    signature_statuses: NDArray[np.uint8]
    conflicts: NDArray[np.uint8]
    anchors: Ragged
    """Resolved human sources when declarations are believed: codes into ``sources``, weights that sum to 1 a row."""
    upheld_anchors: Ragged
    sources: pa.StringArray | pa.LargeStringArray
    """Document ids of human sources."""
    declared_anchors: Ragged
    """Anchor hashes that claim, catalogue and log name (R66), strongest basis first: codes into ``hashes``."""
    hashes: pa.StringArray | pa.LargeStringArray
    originators: TextColumn
    generators: TextColumn
    collections: TextColumn
    catalogue_documents: int
    matched_results: int
    catalogue_digest: str | None
    notices: tuple[object, ...] = ()
