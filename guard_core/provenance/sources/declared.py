"""The human sources that a log itself declares, for policies that believe a log's labels.

Flows in: a ``Log`` and, for each of its results, the class that is believed.  Flows out: ``DeclaredSources``.
Rules kept here: a document that the log calls human, and nowhere synthetic, is its own source unless it names
parents; documents of one content are one source, named by the smallest id by bytes; an anchor resolves to such a
document only by a text that stands in the log: a digest that the log merely states may make two sources one, but
proves none (R32).
Not here: what the catalogue knows, which always goes first (``anchors.py``).
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
    """Per document code of the log: ``own``, the document that names its source, or -1 if it is no source of its own.
    Per text digest of the log: ``of_text``, the human document that it stands for, or -1."""

    own: NDArray[np.int32]
    of_text: NDArray[np.int32]


def declared_sources(log: Log, classes: NDArray[np.uint8], edited: NDArray[np.bool_]) -> DeclaredSources:
    """The sources of a log whose results have the believed ``classes``; ``edited`` marks results with parents."""
    documents = log.document_ids.codes
    count = len(log.document_ids.values)
    human = classes == HUMAN
    independent = np.zeros(count, bool)
    independent[documents[human & ~edited] if edited.any() else documents[human]] = True
    synthetic = (classes == DEPTH_1) | (classes == DEPTH_2_PLUS)
    independent[documents[synthetic]] = False
    if edited.any():
        independent[documents[edited]] = False
    own = np.where(independent, np.arange(count), -1).astype(np.int32)

    of_text = np.full(len(log.text_digests.values), -1, np.int32)
    texts = log.text_digests.codes
    if len(of_text):
        rows = np.flatnonzero(human & (texts >= 0))
        if edited.any():  # an edit is meant only where no independent document has its text
            both = np.zeros(count, bool)
            both[documents[synthetic]] = True
            edits = rows[~independent[documents[rows]] & ~both[documents[rows]]]
            assign_smallest_ids(of_text, texts[edits], documents[edits], log.document_ids.values)
        rows = rows[independent[documents[rows]]]
        assign_smallest_ids(of_text, texts[rows], documents[rows], log.document_ids.values)
        of_text[texts[synthetic & (texts >= 0)]] = -1
    contents = _contents(log)
    if contents is not None:
        _unite(own, contents, human, log)
    return DeclaredSources(own, of_text)


def _contents(log: Log) -> NDArray[np.int32] | None:
    """A code of each result's content: its text's digest, else the digest that the log states; ``None`` if there is
    none."""
    texts, stated = log.text_digests, log.content_digests
    if not len(texts.values) and not len(stated.values):
        return None
    if not len(stated.values):
        return texts.codes
    if not len(texts.values):
        return stated.codes
    table, _ = unite_texts(texts.values, stated.values)
    return np.where(texts.codes >= 0, texts.codes, translate_codes(stated.codes, table))


def _unite(own: NDArray[np.int32], contents: NDArray[np.int32], human: NDArray[np.bool_], log: Log) -> None:
    """Give independent documents of one and the same content one name, in ``own``."""
    documents = log.document_ids.codes
    content_of = np.full(len(own), -1, np.int32)
    known = np.flatnonzero(human & (contents >= 0))
    content_of[documents[known]] = contents[known]
    several = np.zeros(len(own), bool)  # a document whose results have several texts has no content of its own
    differs = known[contents[known] != content_of[documents[known]]]
    several[documents[differs]] = True
    candidates = np.flatnonzero((own >= 0) & (content_of >= 0) & ~several).astype(np.int32)
    shared = np.bincount(content_of[candidates]) > 1 if len(candidates) else np.zeros(0, bool)
    candidates = candidates[shared[content_of[candidates]]]
    if len(candidates):
        name = np.full(len(shared), -1, np.int32)
        assign_smallest_ids(name, content_of[candidates], candidates, log.document_ids.values)
        own[candidates] = name[content_of[candidates]]
