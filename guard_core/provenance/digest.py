"""Compute digests of columns, which depend on what the columns say and not on how they came to be.

Flows in: columns.  Flows out: ``sha256:<hex>``.
Rules kept here: R58: neither the order of a dictionary, nor its type, nor values that no row uses, nor the machine's
byte order change a digest; a column without any value equals a column that is not there.
Not here: which rows are accepted and in which order they stand; that is canonical before a digest is taken.

Codes are renumbered in the order in which rows first use them, which needs no sorting of texts; texts are preceded by
their lengths, so that no two columns of texts give the same bytes.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.columns import Ragged, Strings, TextColumn, count_items
from guard_core.ingest.log import Log

_SLICE = 1 << 16
"""Texts are copied in slices of so many, so that a digest of a column of long texts needs little memory."""


class ColumnDigest:
    """A running digest over named columns.  ``purpose`` keeps digests of different things apart."""

    def __init__(self, purpose: str) -> None:
        self._hash = hashlib.sha256()
        self._word(purpose)

    def text(self, name: str, column: TextColumn) -> None:
        """Add a text column."""
        self._word(name)
        self._coded(column.codes, column.values)

    def lists(self, name: str, lists: Ragged, values: Strings) -> None:
        """Add a column of lists of texts, with their weights unless all are 1."""
        self._word(name)
        if not len(lists.codes):
            self._word("empty")
            return
        self._array(count_items(lists), "<i8")
        self._coded(lists.codes, values)
        if lists.weights is None or np.all(lists.weights == 1.0):
            self._word("equal")
        else:
            self._array(lists.weights, "<f8")

    def numbers(self, name: str, values: NDArray[np.generic]) -> None:
        """Add a column of numbers; every NaN stands for a missing number and is the same."""
        self._word(name)
        if values.dtype.kind == "f":
            missing = np.isnan(values)
            self._array(np.where(missing, np.nan, values) if missing.any() else values, "<f8")
        else:
            self._array(values, values.dtype.newbyteorder("<").str)

    def word(self, name: str, value: str) -> None:
        """Add a single text."""
        self._word(name)
        self._word(value)

    def hexdigest(self) -> str:
        """Return ``sha256:<hex>`` of everything that was added."""
        return "sha256:" + self._hash.hexdigest()

    def _word(self, text: str) -> None:
        data = text.encode()
        self._hash.update(len(data).to_bytes(8, "little") + data)

    def _array(self, values: NDArray[np.generic], kind: str) -> None:
        plain = np.ascontiguousarray(values, dtype=kind)
        self._word(f"{kind}[{len(plain)}]")
        self._hash.update(plain.data)

    def _coded(self, codes: NDArray[np.int32], values: Strings) -> None:
        order, ranks = _order_by_use(codes, len(values))
        if not len(order):
            self._word("empty")
            return
        self._texts(values, order)
        size = len(order)
        self._array(ranks[codes], "<u1" if size < 1 << 8 else "<u2" if size < 1 << 16 else "<u4")

    def _texts(self, values: Strings, order: NDArray[np.int64]) -> None:
        self._word(str(len(order)))
        whole = len(order) == len(values) and bool(np.all(order[1:] > order[:-1]))
        for start in range(0, len(order), _SLICE):
            size = min(_SLICE, len(order) - start)
            part = values.slice(start, size) if whole else values.take(pa.array(order[start : start + size]))
            kind = np.int64 if pa.types.is_large_string(part.type) else np.int32
            _, offsets, data = part.buffers()
            ends = np.frombuffer(offsets, kind)[part.offset : part.offset + size + 1]
            self._array(np.diff(ends), "<i8")
            if data is not None:
                self._hash.update(memoryview(data)[int(ends[0]) : int(ends[-1])])


def _order_by_use(codes: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes in the order of their first use, and a table from code to 1, 2, ... in it (missing: 0)."""
    rows = len(codes)
    first = np.full(size + 1, rows, np.int64)  # the last place takes the code -1
    first[codes[::-1]] = np.arange(rows - 1, -1, -1)  # of equal codes the last assignment stays: the first use
    used = np.flatnonzero(first[:-1] < rows)
    order = used[np.argsort(first[used], kind="stable")]
    ranks = np.zeros(size + 1, np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return order, ranks


def digest_log(log: Log) -> str:
    """Return ``sha256:<hex>`` of the accepted rows of a log: every column read, in canonical order.

    File names, formats, compression, problems and notices are not part of it.  The order of retrievals is.
    """
    digest = ColumnDigest("source-guard/log/1")
    digest.numbers("results", np.diff(log.offsets))
    digest.text("query_id", log.query_ids)
    digest.text("query", log.queries)
    digest.numbers("timestamp", log.times)
    digest.numbers("creative", log.creative)
    digest.text("result_id", log.result_ids)
    digest.text("document_id", log.document_ids)
    digest.numbers("rank", log.ranks)
    digest.numbers("score", log.scores)
    digest.numbers("authenticity", log.class_words)
    digest.numbers("synthetic_generation_depth", log.depths)
    digest.lists("human_source_anchor_hash", log.anchors, log.anchor_hashes)
    digest.text("source_authenticity_signature", log.signatures)
    digest.text("text", log.text_digests)
    digest.text("content_sha256", log.content_digests)
    digest.lists("derived_from", log.parents, log.parent_ids)
    for name in sorted(log.labels):
        if np.any(log.labels[name].codes >= 0):
            digest.text(name, log.labels[name])
    return digest.hexdigest()
