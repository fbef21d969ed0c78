"""Name the canonical columns of logs and catalogues, and the other spellings under which they are accepted.

Flows in: nothing.  Flows out: tables of names.
Rules kept here: a canonical name always wins over another spelling; among other spellings the order below decides.
Not here: which name a given file or mapping uses (``spellings.py``), class words (``guard_core.class_words``), values
(``values.py``).
"""

from __future__ import annotations

SPELLINGS: dict[str, tuple[str, ...]] = {
    "query_id": ("qid",),
    "query": ("query_text", "question", "user_input"),
    "rank": ("position",),
    "result_id": ("chunk_id", "node_id", "_id", "id"),
    "document_id": ("doc_id", "docno", "source_id", "parent_id"),
    "score": ("_score", "similarity", "distance"),
    "text": ("content", "page_content"),
    "authenticity": ("origin", "source_class", "provenance_class", "digitalSourceType"),
    "synthetic_generation_depth": ("depth", "synthetic_depth", "declared_depth"),
    "human_source_anchor_hash": ("human_anchor_hash", "anchors"),
    "source_authenticity_signature": ("source_signature", "signature", "claim"),
    "timestamp": ("time", "start_time", "created_at", "ts"),
    "task": (),
    "derived_from": ("parents",),
    "content_sha256": ("content_hash", "text_hash"),
    "originator": ("issuer", "author"),
    "generator": ("model",),
    "collection": ("corpus", "index"),
    "title": (),
    "url": (),
}
"""Canonical column -> other accepted spellings, in order of preference."""

RETRIEVAL_COLUMNS = ("query_id", "query", "timestamp", "task")
"""Columns that describe a retrieval; in a nested log they stand on the record."""

PROVENANCE_COLUMNS = (
    "authenticity",
    "synthetic_generation_depth",
    "human_source_anchor_hash",
    "source_authenticity_signature",
)
"""Columns that may also stand in a result's metadata (R15)."""

METADATA_COLUMNS = ("metadata", "meta", "payload", "_source")
"""Where a result's metadata may stand, an object or the JSON text of one."""

LABEL_COLUMNS = ("originator", "generator", "collection", "title", "url")
"""Columns for grouping and filtering only."""
