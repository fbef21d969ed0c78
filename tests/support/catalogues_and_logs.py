"""Build logs and catalogues by hand for tests of evidence, without any file.

Flows in: ``Row`` and ``Entry``, one a result or catalogue entry.  Flows out: the ``Log`` and ``Catalogue`` that
readers would make of them, and hypothesis strategies for both, over so few documents and texts that they meet often.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from guard_core.class_words import ClassWord
from guard_core.columns import Ragged, TextColumn
from guard_core.ingest.batch import RejectedRow, RowBatch
from guard_core.ingest.log import MISSING_TIME, Log, LogFile
from guard_core.provenance.catalogue import Catalogue, build_catalogue

FILE = LogFile("catalogue.csv", "csv", "0" * 64)


def digest(text: str) -> str:
    """Return the content digest of a text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Row:
    """Hold one result of a log."""

    document: str
    word: ClassWord = ClassWord.NONE
    depth: int = -1
    anchors: tuple[tuple[str, float], ...] = ()
    text: str | None = None
    given: str | None = None
    parents: tuple[str, ...] = ()
    signature: str | None = None
    title: str | None = None
    originator: str | None = None


@dataclass(frozen=True)
class Entry:
    """Hold one entry of a catalogue."""

    document: str
    word: ClassWord = ClassWord.NONE
    depth: int | None = None
    anchors: tuple[tuple[str, float], ...] = ()
    content: str | None = None
    parents: tuple[str, ...] = ()
    originator: str | None = None
    title: str | None = None


def make_text_column(texts: Sequence[str | None], *, values: Sequence[str] | None = None) -> TextColumn:
    """Return a text column; ``values`` sets the order of its dictionary."""
    known = list(dict.fromkeys(t for t in texts if t is not None)) if values is None else list(values)
    codes = [-1 if t is None else known.index(t) for t in texts]
    return TextColumn(np.array(codes, np.int32), pa.array(known, pa.string()))


def make_ragged(lists: Sequence[Sequence[tuple[str, float]]]) -> tuple[Ragged, pa.StringArray]:
    """Return lists of (text, weight); weights are left out where all are 1."""
    flat = [pair for pairs in lists for pair in pairs]
    column = make_text_column([text for text, _ in flat])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(pairs) for pairs in lists], dtype=np.int64)])
    weights = np.array([weight for _, weight in flat], float)
    return Ragged(offsets, column.codes, None if np.all(weights == 1.0) else weights), column.values


def make_log(retrievals: Sequence[Sequence[Row]], *, notes: Iterable[str] = ()) -> Log:
    """Return a log of these retrievals, ranked as listed."""
    rows = [row for results in retrievals for row in results]
    anchors, hashes = make_ragged([row.anchors for row in rows])
    parents, parent_ids = make_ragged([[(parent, 1.0) for parent in row.parents] for row in rows])
    count, size = len(retrievals), len(rows)
    lengths = [len(results) for results in retrievals]
    documents = make_text_column([row.document for row in rows])
    labels = {
        "title": make_text_column([row.title for row in rows]),
        "originator": make_text_column([row.originator for row in rows]),
    }
    return Log(
        files=tuple(LogFile(name, "jsonl", "0" * 64) for name in notes),
        rows_read=size,
        rows_accepted=size,
        rows_rejected=0,
        rows_ignored=0,
        incomplete=False,
        problems=(),
        notices=(),
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]),
        query_ids=make_text_column([f"q{i}" for i in range(count)]),
        occurrences=np.ones(count, np.int32),
        queries=TextColumn.missing(count),
        times=np.full(count, MISSING_TIME),
        creative=np.zeros(count, bool),
        rejected_results=np.zeros(count, np.int32),
        result_ids=documents,
        document_ids=documents,
        ranks=np.array([rank for length in lengths for rank in range(1, length + 1)], np.int32),
        ranks_given=np.zeros(size, bool),
        scores=np.full(size, np.nan),
        class_words=np.array([row.word for row in rows], np.int8),
        depths=np.array([row.depth for row in rows], np.int32),
        anchors=anchors,
        anchor_hashes=hashes,
        signatures=make_text_column([row.signature for row in rows]),
        text_digests=make_text_column([None if row.text is None else digest(row.text) for row in rows]),
        content_digests=make_text_column([None if row.given is None else digest(row.given) for row in rows]),
        parents=parents,
        parent_ids=parent_ids,
        labels={name: column for name, column in labels.items() if len(column.values)},
    )


def make_batch(entries: Sequence[Entry], *, rejected: tuple[RejectedRow, ...] = ()) -> RowBatch:
    """Return the batch that a reader makes of these entries; columns without any value are absent."""
    columns = {
        "document_id": pa.array([e.document for e in entries], pa.string()),
        "result_id": pa.array([e.document for e in entries], pa.string()),
        "authenticity": pa.array([int(e.word) for e in entries], pa.int8()),
        "synthetic_generation_depth": pa.array([e.depth for e in entries], pa.int32()),
        "content_sha256": pa.array([None if e.content is None else digest(e.content) for e in entries], pa.string()),
        "anchors": pa.array([[h for h, _ in e.anchors] or None for e in entries], pa.list_(pa.string())),
        "anchor_weights": pa.array([[w for _, w in e.anchors] or None for e in entries], pa.list_(pa.float64())),
        "derived_from": pa.array([list(e.parents) or None for e in entries], pa.list_(pa.string())),
        "originator": pa.array([e.originator for e in entries], pa.string()).dictionary_encode(),
        "title": pa.array([e.title for e in entries], pa.string()),
    }
    kept = {name: column for name, column in columns.items() if column.null_count < len(column)}
    return RowBatch(len(entries), np.arange(2, len(entries) + 2), kept, rejected=rejected)


def make_catalogue(entries: Sequence[Entry], *, split: int | None = None) -> Catalogue:
    """Return the catalogue of these entries, read in two batches if ``split`` says where."""
    if split is None:
        return build_catalogue(FILE, [make_batch(entries)])
    return build_catalogue(FILE, [make_batch(entries[:split]), make_batch(entries[split:])])


DOCUMENTS = ("a", "b", "c", "é", "ab")
TEXTS = ("one", "two", "three")

_documents = st.sampled_from(DOCUMENTS)
_texts = st.none() | st.sampled_from(TEXTS)
_hashes = st.sampled_from([digest(t) for t in TEXTS] + [digest("one")[7:].upper(), digest("nowhere"), "no digest"])
_anchors = st.lists(st.tuples(_hashes, st.sampled_from([1.0, 1.0, 2.0, 0.25])), max_size=3).map(tuple)
_parents = st.lists(
    st.one_of(_documents, _documents, st.sampled_from([digest(t) for t in TEXTS] + ["nowhere"])), max_size=2
).map(tuple)

rows = st.builds(
    Row,
    document=_documents,
    word=st.sampled_from(ClassWord),
    depth=st.integers(-1, 3),
    anchors=_anchors,
    text=_texts,
    given=_texts,
    parents=_parents,
    signature=st.none() | st.just("label"),
)
entries = st.builds(
    Entry,
    document=_documents,
    word=st.sampled_from(ClassWord),
    depth=st.none() | st.integers(0, 3),
    anchors=_anchors,
    content=_texts,
    parents=_parents,
    originator=st.none() | st.sampled_from(["x", "y"]),
)
logs = st.lists(st.lists(rows, max_size=4), max_size=3)
catalogues = st.lists(entries, max_size=7)
