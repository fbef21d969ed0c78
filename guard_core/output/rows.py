"""One row for each result, with the verdict of its retrieval: the common content of CSV and Parquet.

Flows in: an ``Evaluation`` and a stretch of retrievals.  Flows out: one list of values for each of ``EXPORT_COLUMNS``.
Rules kept here: column names are the canonical ones, so that Source Guard reads the table back (R59); class and depth
are those that the policy in force counts, as in JSON, with the declared class beside them; a retrieval without
results has no row.
Not here: cells and types of a format (``delimited.py``, ``parquet.py``).

What JSON calls ``signature`` and ``anchors`` is ``signature_status`` and ``resolved_anchors`` here: those two names are
accepted spellings of log columns, and a status read back as a claim would better the log's evidence.
``human_source_anchor_hash`` holds every anchor hash that log, catalogue or claim name (``declared_anchors`` in JSON),
``content_sha256`` the digest of the text where the log has the text, else the digest that it states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat

from guard_core.ingest.log import MISSING_TIME
from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS
from guard_core.output.evaluation import Evaluation
from guard_core.output.result_records import lists, texts
from guard_core.output.schema import ResultRecord, RetrievalRecord

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_OF_RETRIEVAL = (
    "query_id",
    "query",
    "retrieval_id",
    "verdict",
    "verdict_if_signatures_waived",
    "decision",
    "applicability",
    "total",
    "human",
    "authenticity_diversity_metric",
    "anchored_ratio",
    "effective_anchors",
    "max_depth",
    "margin",
    "directive",
    "manifest_digest",
)
_OF_RESULT: dict[str, Callable[[ResultRecord], object]] = {
    "rank": lambda r: r.rank,
    "result_id": lambda r: r.result_id,
    "document_id": lambda r: r.document_id,
    "score": lambda r: r.score,
    "authenticity": lambda r: r.authenticity,
    "synthetic_generation_depth": lambda r: r.depth,
    "human_source_anchor_hash": lambda r: r.declared_anchors,
    "originator": lambda r: r.originator,
    "declared_authenticity": lambda r: r.declared_authenticity,
    "basis": lambda r: r.basis,
    "depth_at_least": lambda r: r.depth_at_least,
    "resolved_anchors": lambda r: r.anchors,
    "signature_status": lambda r: r.signature,
    "conflicts": lambda r: r.conflicts,
}


def export_rows(evaluation: Evaluation, first: int, last: int) -> dict[str, Sequence[object]]:
    """The rows of retrievals ``first`` to ``last`` (exclusive) as columns, in the order of ``EXPORT_COLUMNS``."""
    log, evidence = evaluation.evidence.log, evaluation.evidence
    rows = slice(int(log.offsets[first]), int(log.offsets[last]))
    records = evaluation.stretch(first, last)
    results = [result for record in records for result in record.results]
    columns: dict[str, Sequence[object]] = {
        name: _repeated(records, (getattr(record, name) for record in records)) for name in _OF_RETRIEVAL
    }
    columns["findings"] = _repeated(records, (tuple(record.findings) for record in records))
    columns |= {name: [value(result) for result in results] for name, value in _OF_RESULT.items()}
    columns["timestamp"] = _repeated(records, map(iso_time, log.times[first:last].tolist()))
    columns["task"] = _repeated(records, ["creative" if c else None for c in log.creative[first:last].tolist()])
    columns["source_authenticity_signature"] = texts(log.signatures, rows)
    columns["derived_from"] = lists(log.parents, log.parent_ids, rows)
    stated = texts(log.content_digests, rows)
    columns["content_sha256"] = [d or s for d, s in zip(texts(log.text_digests, rows), stated, strict=True)]
    columns["generator"] = texts(evidence.generators, rows)
    columns["collection"] = texts(evidence.collections, rows)
    for name in ("title", "url"):
        columns[name] = texts(evidence.label(name), rows)
    return {name: columns[name] for name in EXPORT_COLUMNS}


def iso_time(microseconds: int) -> str | None:
    """An instant as ISO 8601 UTC text, ``None`` for a missing one."""
    if microseconds == MISSING_TIME:
        return None
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return moment.isoformat().replace("+00:00", "Z")


def _repeated(records: Sequence[RetrievalRecord], values: Iterable[object]) -> list[object]:
    """A value of each retrieval, once for each of its results."""
    return list(chain.from_iterable(map(repeat, values, (len(record.results) for record in records))))
