"""Find the human sources that a log itself declares, for policies that believe its labels.

Flows in: a ``Log`` and, for each of its results, the class that is believed.  Flows out: ``DeclaredSources``.
Rules kept here: a document that the log calls human, and nowhere synthetic, is its sources source unless it names
parents; documents of one content are one source, named by the smallest id by bytes; an anchor resolves to such a
document only by a text that stands in the log: a digest that the log merely gives may make two sources one, but
proves none (R32).
Not here: what the catalogue says, which always goes first (``anchors.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN
from guard_core.columns import assign_smallest_ids, translate_codes, unite_texts
from guard_core.ingest.log import Log


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredSources:
    """Hold the sources of a log, as document codes, -1 for none.

    ``document_sources`` is the source that each document of the log is; ``text_documents`` the human document that each
    text digest of the log stands for.
    """

    document_sources: NDArray[np.int32]
    text_documents: NDArray[np.int32]


def find_declared_sources(log: Log, classes: NDArray[np.uint8], derived: NDArray[np.bool_]) -> DeclaredSources:
    """Return the sources of a log whose results have these ``classes``; ``derived`` marks results with parents."""
    documents = log.document_ids.codes
    count = len(log.document_ids.values)
    human = classes == HUMAN
    independent = np.zeros(count, bool)
    independent[documents[human & ~derived]] = True
    synthetic = (classes == DEPTH_1) | (classes == DEPTH_2_PLUS)
    independent[documents[synthetic | derived]] = False
    sources = np.where(independent, np.arange(count), -1).astype(np.int32)

    text_documents = np.full(len(log.text_digests.values), -1, np.int32)
    texts = log.text_digests.codes
    if len(text_documents):
        rows = np.flatnonzero(human & (texts >= 0))
        if derived.any():  # an edit counts only where no independent document has its text
            has_synthetic = np.zeros(count, bool)
            has_synthetic[documents[synthetic]] = True
            edits = rows[~independent[documents[rows]] & ~has_synthetic[documents[rows]]]
            assign_smallest_ids(text_documents, texts[edits], documents[edits], log.document_ids.values)
        rows = rows[independent[documents[rows]]]
        assign_smallest_ids(text_documents, texts[rows], documents[rows], log.document_ids.values)
        text_documents[texts[synthetic & (texts >= 0)]] = -1
    contents = _encode_contents(log)
    if contents is not None:
        _unite_equal_contents(sources, contents, human, log)
    return DeclaredSources(sources, text_documents)


def find_source_documents(log: Log, declared: DeclaredSources) -> NDArray[np.int32]:
    """Return, for each result, the document code that names it as a source, were it one."""
    sources = declared.document_sources
    codes: NDArray[np.int32] = np.where(sources >= 0, sources, np.arange(len(sources), dtype=np.int32))
    return codes[log.document_ids.codes]


def _encode_contents(log: Log) -> NDArray[np.int32] | None:
    """Return a code of each result's content: its text's digest, else the one that the log gives; ``None`` if there is
    none."""
    texts, given = log.text_digests, log.content_digests
    if not len(given.values):
        return texts.codes if len(texts.values) else None
    table, _ = unite_texts(texts.values, given.values)
    return np.where(texts.codes >= 0, texts.codes, translate_codes(given.codes, table))


def _unite_equal_contents(
    sources: NDArray[np.int32], contents: NDArray[np.int32], human: NDArray[np.bool_], log: Log
) -> None:
    """Make independent documents of one and the same content one source, in ``sources``."""
    documents = log.document_ids.codes
    document_contents = np.full(len(sources), -1, np.int32)
    rows = np.flatnonzero(human & (contents >= 0))
    document_contents[documents[rows]] = contents[rows]
    several = np.zeros(len(sources), bool)  # more than one text: no single content
    differs = rows[contents[rows] != document_contents[documents[rows]]]
    several[documents[differs]] = True
    candidates = np.flatnonzero((sources >= 0) & (document_contents >= 0) & ~several).astype(np.int32)
    shared = np.bincount(document_contents[candidates]) > 1 if len(candidates) else np.zeros(0, bool)
    candidates = candidates[shared[document_contents[candidates]]]
    if len(candidates):
        smallest = np.full(len(shared), -1, np.int32)
        assign_smallest_ids(smallest, document_contents[candidates], candidates, log.document_ids.values)
        sources[candidates] = smallest[document_contents[candidates]]
