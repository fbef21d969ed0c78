"""Hold what one basis says of documents: one entry a document, chosen among all that there are for it.

Flows in: rows of a catalogue, or valid claims, several a document.  Flows out: ``DocumentEntries``.
Rules kept here: the least trusted entry of a document counts (``entry_choice.py``, R27); where entries of a document
are equal in class and depth, each of their contents is one of the document's.
Not here: entries of several bases together (``entry_index.py``), what parents prove.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import CONFLICTS
from guard_core.columns import Ragged, Strings, TextColumn, compose_lists, list_pairs, pair_codes, sort_distinct
from guard_core.model import Conflict
from guard_core.provenance.classes import derive_classes
from guard_core.provenance.entry_choice import choose_entries


@dataclass(frozen=True, slots=True, eq=False)
class DocumentEntries:
    """Hold the entries of ``d`` documents, as columns of length ``d``.

    ``classes``, ``depths`` and ``stated`` are what ``class_words`` and ``given_depths`` (-1 where none is given) mean
    (``StatedClasses``).  ``conflicts`` has the bits of ``class_conflict`` (entries of one document differ) and
    ``depth_conflict`` (word and depth disagree).  ``contents`` are the digests of a document's text.  ``anchors`` are
    the hashes that count, ``declared_anchors`` all that were given, those of a weaker basis included (R66).
    """

    document_ids: Strings
    class_words: NDArray[np.int8]
    given_depths: NDArray[np.int32]
    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    stated: NDArray[np.uint8]
    conflicts: NDArray[np.uint8]
    contents: Ragged
    content_digests: Strings
    anchors: Ragged
    declared_anchors: Ragged
    anchor_hashes: Strings
    parents: Ragged
    parent_ids: Strings

    @property
    def count(self) -> int:
        """The number of entries."""
        return len(self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class EntryRows:
    """Hold entries as they are given, several a document; ``documents`` numbers the document of each, 0, 1, ..."""

    documents: NDArray[np.int32]
    class_words: NDArray[np.int8]
    depths: NDArray[np.int32]
    contents: TextColumn
    anchors: Ragged
    anchor_hashes: Strings
    parents: Ragged
    parent_ids: Strings


def build_entries(
    document_ids: Strings, rows: EntryRows, ties: Sequence[NDArray[np.int32]] = ()
) -> tuple[DocumentEntries, NDArray[np.int64]]:
    """Return the entries of the documents with these ids, and the row that each was taken from.

    ``ties`` are further columns that decide between rows which are otherwise worth the same.
    """
    reading = derive_classes(rows.class_words, rows.depths)
    ties = [*ties, rows.contents.codes, rows.class_words.astype(np.int32)]
    chosen = choose_entries(rows.documents, reading, rows.anchors, rows.parents, ties)
    conflicts = reading.conflicts[chosen.rows] * CONFLICTS.bit(Conflict.DEPTH_CONFLICT)
    conflicts |= chosen.differing * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
    with_content = chosen.equal & (rows.contents.codes >= 0)
    contents = sort_distinct(pair_codes(rows.documents[with_content], rows.contents.codes[with_content]))
    anchors = select_lists(rows.anchors, chosen.rows)
    entries = DocumentEntries(
        document_ids=document_ids,
        class_words=rows.class_words[chosen.rows],
        given_depths=rows.depths[chosen.rows],
        classes=reading.classes[chosen.rows],
        depths=reading.depths[chosen.rows],
        stated=reading.stated[chosen.rows],
        conflicts=conflicts,
        contents=list_pairs(contents, len(chosen.rows)),
        content_digests=rows.contents.values,
        anchors=anchors,
        declared_anchors=anchors,
        anchor_hashes=rows.anchor_hashes,
        parents=select_lists(rows.parents, chosen.rows),
        parent_ids=rows.parent_ids,
    )
    return entries, chosen.rows


def select_lists(lists: Ragged, rows: NDArray[np.int64] | NDArray[np.int32]) -> Ragged:
    """Return the lists of these rows."""
    return compose_lists(len(rows), [(np.arange(len(rows)), lists, rows)])
