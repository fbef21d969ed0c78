"""Name the columns of the tables that Source Guard writes, and guard text cells of CSV against formulas (R60).

Flows in: nothing.  Flows out: names, and the two directions of the formula guard.
Rules kept here: a CSV file whose header is exactly ``EXPORT_COLUMNS`` or ``SIGNED_COLUMNS`` was written by Source
Guard, and only there is the apostrophe taken off again; the columns of an evaluation stand in three sections: those of
the log under their canonical names, the evidence, the verdict of the retrieval.
Not here: what stands in the cells (``guard_core.output.columns``), reading CSV (``delimited.py``).
"""

from __future__ import annotations

RETRIEVAL_ID = "retrieval_id"
"""The column that tells retrievals of one query id apart (``q1``, ``q1#2``); rows of one retrieval stand together."""

EXPORT_COLUMNS = (
    "query_id",
    "query",
    "timestamp",
    "task",
    "rank",
    "result_id",
    "document_id",
    "score",
    "authenticity",
    "synthetic_generation_depth",
    "human_source_anchor_hash",
    "source_authenticity_signature",
    "derived_from",
    "content_sha256",
    "originator",
    "generator",
    "collection",
    "title",
    "url",
    "declared_authenticity",
    "basis",
    "depth_at_least",
    "resolved_anchors",
    "signature_status",
    "conflicts",
    RETRIEVAL_ID,
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
    "findings",
    "directive",
    "manifest_digest",
)

SIGNED_COLUMNS = (
    "document_id",
    "authenticity",
    "synthetic_generation_depth",
    "content_sha256",
    "human_source_anchor_hash",
    "derived_from",
    "originator",
    "generator",
    "collection",
    "title",
    "url",
    "source_authenticity_signature",
)
"""The columns of a signed catalogue that Source Guard writes."""

NUMBER_COLUMNS = frozenset(
    {
        "rank",
        "score",
        "synthetic_generation_depth",
        "depth_at_least",
        "total",
        "human",
        "authenticity_diversity_metric",
        "anchored_ratio",
        "effective_anchors",
        "max_depth",
        "margin",
    }
)
"""The columns in which no cell has an apostrophe: a minus sign there is a minus sign."""

_GUARDED_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")


def guard_text(cell: str) -> str:
    """Return a text cell that no spreadsheet takes for a formula; numbers never pass through here."""
    return "'" + cell if cell.startswith(_GUARDED_STARTS) else cell
