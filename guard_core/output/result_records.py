"""From evidence columns to result records, a stretch of results at a time.

Flows in: ``Evidence`` and the policy's ``signatures``.  Flows out: ``ResultRecord`` and ``SearchResult``-free plain
values.
Rules kept here: class, depth and anchors are those that the policy in force counts (R33, R64); what the log declares
stands beside them; anchors are sorted by bytes (R32); an unknown depth is null (R67).
Not here: verdicts (``manifest.py``), bytes (``evaluation.py``).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.codes import BASES, CLASSES, CONFLICTS, DEPTH_1, DEPTH_2_PLUS, HUMAN, STATUSES
from guard_core.columns import Ragged, TextColumn
from guard_core.model import SignatureGate
from guard_core.output.schema import ResultRecord
from guard_core.provenance.evidence import Evidence

_CLASSES = tuple(member.name for member in CLASSES.members)
_BASES = tuple(member.value for member in BASES.members)
_STATUSES = tuple(member.value for member in STATUSES.members)
_CONFLICTS = tuple(tuple(member.value for member in CONFLICTS.flagged(bits)) for bits in range(1 << len(CONFLICTS)))
"""The codes behind every combination of conflict bits."""


def result_records(evidence: Evidence, gate: SignatureGate, first: int, last: int) -> list[ResultRecord]:
    """Records of the results ``first`` to ``last`` (exclusive), in the log's order."""
    log = evidence.log
    rows = slice(first, last)
    counting = evidence.under(gate.belief)
    classes, anchors = counting.classes[rows], counting.anchors
    depths = _depths(classes, counting.depths[rows])
    return list(
        map(
            ResultRecord,
            log.ranks[rows].tolist(),
            _present(texts(log.result_ids, rows)),
            _present(texts(log.document_ids, rows)),
            _or_none(log.scores[rows], np.isnan(log.scores[rows])),
            [_CLASSES[code] for code in classes.tolist()],
            [_CLASSES[code] for code in evidence.declared_classes[rows].tolist()],
            [_BASES[code] for code in evidence.bases[rows].tolist()],
            depths,
            _or_none(evidence.depth_at_least[rows], evidence.depth_at_least[rows] < 0),
            [
                found if len(found) < 2 else tuple(sorted(set(found)))
                for found in lists(anchors, evidence.sources, rows)
            ],
            lists(evidence.declared_anchors, evidence.hashes, rows),
            [_STATUSES[code] for code in evidence.signature_statuses[rows].tolist()],
            texts(evidence.originators, rows),
            [_CONFLICTS[bits] for bits in evidence.conflicts[rows].tolist()],
        )
    )


def texts(column: TextColumn, rows: slice) -> list[str | None]:
    """The texts of a stretch of rows, ``None`` where missing."""
    codes = column.codes[rows]
    missing = codes < 0
    if missing.all():
        return [None] * len(codes)
    taken = column.values.take(pa.array(codes, mask=missing if missing.any() else None))
    values: list[str | None] = taken.to_numpy(zero_copy_only=False).tolist()
    return values


def lists(column: Ragged, values: pa.StringArray | pa.LargeStringArray, rows: slice) -> list[tuple[str, ...]]:
    """The lists of texts of a stretch of rows."""
    bounds = column.offsets[rows.start : rows.stop + 1]
    if bounds[0] == bounds[-1]:
        return [()] * (len(bounds) - 1)
    flat: tuple[str, ...] = tuple(
        values.take(pa.array(column.codes[bounds[0] : bounds[-1]])).to_numpy(zero_copy_only=False).tolist()
    )
    edges = (bounds - bounds[0]).tolist()
    return [flat[start:stop] for start, stop in pairwise(edges)]


def _present(values: list[str | None]) -> list[str]:
    """Ids are never missing in a log (R7)."""
    return [value if value is not None else "" for value in values] if None in values else values  # type: ignore[return-value]  # no None left


def _or_none(values: NDArray[np.float64] | NDArray[np.int32], missing: NDArray[np.bool_]) -> list[float | int | None]:
    plain: list[float | int | None] = values.tolist()
    if missing.any():
        for index in np.flatnonzero(missing).tolist():
            plain[index] = None
    return plain


def _depths(classes: NDArray[np.uint8], stated: NDArray[np.int32]) -> list[float | int | None]:
    """The depth that goes with a class: 0, 1, what is known of deeper content, else null."""
    depths = np.select(
        [classes == HUMAN, classes == DEPTH_1, (classes == DEPTH_2_PLUS) & (stated >= 2)], [0, 1, stated], default=-1
    )
    return _or_none(depths, depths < 0)
