"""Resolve the references by which documents name their parents.

Flows in: the texts that catalogue, claims and log give as parents.  Flows out: the entry, or the document of the log,
that each of them names.
Rules kept here: a reference is a document id, byte for byte, and only if there is no such document a content digest; of
several documents with that content it names the least trusted, of equal ones that with the smallest id; catalogue and
claims go before the log, and the strongest entry of a document before its others.
Not here: what a parent proves (``depths.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.codes import UNKNOWN
from guard_core.columns import Strings, find_owners, find_positions, rank_by_bytes, translate_codes
from guard_core.ingest.log import Log
from guard_core.provenance.anchors import normalise_hashes
from guard_core.provenance.entry_index import EntryIndex
from guard_core.provenance.parents.depths import ClassColumns


@dataclass(frozen=True, slots=True, eq=False)
class ParentReferences:
    """Hold the node that each reference names, -1 for none.

    ``upheld`` are found among entries only (node = entry), ``declared`` also among the documents of the log (node =
    number of entries + document code).
    """

    upheld: NDArray[np.int32]
    declared: NDArray[np.int32]


def resolve_references(texts: Strings, index: EntryIndex, log: Log, documents: ClassColumns) -> ParentReferences:
    """Return the nodes that ``texts`` name; ``documents`` are the classes of the documents of the log."""
    entries = index.entries
    upheld = find_positions(texts, entries.document_ids)  # of two entries the first, which is the stronger
    _resolve_by_content(
        upheld,
        texts,
        digests=entries.content_digests,
        contents=entries.contents.codes[~index.overruled_contents],
        holders=find_owners(entries.contents)[~index.overruled_contents].astype(np.int32),
        classes=ClassColumns(entries.classes, entries.depths, entries.stated, entries.class_words),
        ids=entries.document_ids,
    )
    in_log = find_positions(texts, log.document_ids.values)
    used = np.zeros(len(log.document_ids.values), bool)
    used[log.document_ids.codes] = True
    in_log[~translate_codes(in_log, used, False)] = -1
    declared = upheld.copy()
    bare = (upheld >= 0) & (translate_codes(upheld, entries.classes, UNKNOWN) == UNKNOWN)  # the log may give a class
    declared[bare & (in_log >= 0)] = -1
    node = np.where(in_log >= 0, in_log + np.int32(entries.count), np.int32(-1))
    declared = np.where(declared < 0, node, declared)
    log_texts = log.text_digests
    if np.any(declared < 0) and len(log_texts.values):
        rows = np.flatnonzero(log_texts.codes >= 0)
        by_text = np.where(declared < 0, np.int32(-1), np.int32(0))
        _resolve_by_content(
            by_text,
            texts,
            digests=log_texts.values,
            contents=log_texts.codes[rows],
            holders=log.document_ids.codes[rows],
            classes=documents,
            ids=log.document_ids.values,
        )
        text_node = np.where(by_text >= 0, by_text + np.int32(entries.count), np.int32(-1))
        declared = np.where(declared < 0, text_node, declared)
    return ParentReferences(upheld, declared.astype(np.int32))


def _resolve_by_content(
    found: NDArray[np.int32],
    texts: Strings,
    *,
    digests: Strings,
    contents: NDArray[np.int32],
    holders: NDArray[np.int32],
    classes: ClassColumns,
    ids: Strings,
) -> None:
    """Fill the places of ``found`` that are -1 with the least trusted holder of the content that they name.

    ``contents`` are codes into ``digests``, one for each of ``holders``, which index ``classes`` and ``ids``.
    """
    open_places = np.flatnonzero(found < 0)
    if not len(open_places) or not len(digests):
        return
    wanted = find_positions(normalise_hashes(texts.take(pa.array(open_places))), digests)
    is_wanted = np.zeros(len(digests), bool)
    is_wanted[wanted[wanted >= 0]] = True
    items = np.flatnonzero(is_wanted[contents])
    if not len(items):
        return
    contents, holders = contents[items], holders[items]
    depths = classes.depths[holders].astype(np.int64)
    depths[depths < 0] = np.iinfo(np.int64).max
    ranks = rank_by_bytes(ids, holders)[holders]
    order = np.lexsort((-ranks, depths, classes.classes[holders]))  # the last of a content is its least trusted
    holder = np.full(len(digests), -1, np.int32)
    holder[contents[order]] = holders[order]
    found[open_places] = translate_codes(wanted, holder)
