"""The canonical columns of logs and catalogues, the other spellings they are accepted under, and the words in them.

Flows in: column names and class words as written in a file.  Flows out: canonical names and ``ClassWord`` codes.
Rules kept here: a canonical name always wins over another spelling; among other spellings the order below decides; a
word that is not in the closed tables is not understood, never guessed.
Not here: types of values (the readers), what a class is worth (``guard_core.provenance.evidence``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from guard_core.ingest.log import ClassWord
from guard_core.ingest.records.iptc import digital_source_type

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

_WORDS: dict[str, ClassWord] = {
    "human": ClassWord.HUMAN,
    "human-authored": ClassWord.HUMAN,
    "human_authored": ClassWord.HUMAN,
    "model": ClassWord.MODEL,
    "model-generated": ClassWord.MODEL,
    "synthetic": ClassWord.MODEL,
    "hybrid": ClassWord.HYBRID,
    "synthetic_depth_1": ClassWord.SYNTHETIC_DEPTH_1,
    "synthetic_depth_2_plus": ClassWord.SYNTHETIC_DEPTH_2_PLUS,
    "unknown": ClassWord.NONE,
}


def map_columns(names: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """Which column of the file feeds which canonical column.

    ``names`` are the columns of the file, ``mapping`` the user's own choices (canonical -> column), which come first.
    A column of the file feeds one canonical column at most.  ``id`` means the result's id here; a nested record's own
    ``id`` is the reader's business.  Columns that are not accepted under any spelling are left out.
    """
    present = list(names)
    chosen = {field: column for field, column in (mapping or {}).items() if column in present}
    taken = set(chosen.values())
    for field, others in SPELLINGS.items():
        if field in chosen:
            continue
        for name in (field, *others):
            if name in present and name not in taken:
                chosen[field] = name
                taken.add(name)
                break
    return chosen


def class_word(text: str) -> ClassWord | None:
    """The class that a word names, ``None`` if it is not understood (R16).

    Case and surrounding white space do not matter.  IPTC digital source types (and C2PA's two) are taken by the last
    segment of their URI, http or https, from the closed table in ``guard_core.ingest.records.iptc``.
    """

    word = text.strip().lower()
    known = _WORDS.get(word)
    return known if known is not None else digital_source_type(text)
