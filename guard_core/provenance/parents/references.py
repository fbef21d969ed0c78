"""Which document a parent reference means.

Flows in: the texts that catalogue, claims and log give as parents.  Flows out: for each the entry, or the document of
the log, that it names.
Rules kept here: a reference is a document id, byte for byte, and only if there is no such document a content digest; of
several documents with that content the least trusted is meant, of equal ones that with the smallest id; catalogue and
claims go before the log, and a document goes by its strongest entry.
Not here: what follows from a parent (``chains.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.codes import UNKNOWN
from guard_core.columns import Strings, find_owners, find_positions, rank_by_bytes, translate_codes
from guard_core.ingest.log import Log
from guard_core.provenance.anchors import digest_form
from guard_core.provenance.entries import Known
from guard_core.provenance.parents.depths import Stated


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """The node that each reference means, -1 for none: ``proved`` knows entries only (node = entry), ``believed`` also
    the documents of the log (node = number of entries + document code)."""

    proved: NDArray[np.int32]
    believed: NDArray[np.int32]


def references(texts: Strings, known: Known, log: Log, documents: Stated) -> References:
    """What ``texts`` mean; ``documents`` is what is stated of the documents of the log."""
    entries = known.entries
    found = find_positions(texts, entries.document_ids)  # of two entries the first, which is the stronger
    _by_content(
        found,
        texts,
        entries.content_digests,
        entries.contents.codes[~known.overruled],
        find_owners(entries.contents)[~known.overruled].astype(np.int32),
        Stated(entries.classes, entries.depths, entries.says, entries.class_words),
        entries.document_ids,
    )
    in_log = find_positions(texts, log.document_ids.values)
    used = np.zeros(len(log.document_ids.values), bool)
    used[log.document_ids.codes] = True
    in_log[~translate_codes(in_log, used, False)] = -1
    believed = found.copy()
    bare = (found >= 0) & (translate_codes(found, entries.classes, UNKNOWN) == UNKNOWN)  # the log may say more of it
    believed[bare & (in_log >= 0)] = -1
    node = np.where(in_log >= 0, in_log + np.int32(entries.count), np.int32(-1))
    believed = np.where(believed < 0, node, believed)
    texts_of = log.text_digests
    if np.any(believed < 0) and len(texts_of.values):
        rows = np.flatnonzero(texts_of.codes >= 0)
        by_text = np.where(believed < 0, np.int32(-1), np.int32(0))
        _by_content(
            by_text,
            texts,
            texts_of.values,
            texts_of.codes[rows],
            log.document_ids.codes[rows],
            documents,
            log.document_ids.values,
        )
        text_node = np.where(by_text >= 0, by_text + np.int32(entries.count), np.int32(-1))
        believed = np.where(believed < 0, text_node, believed)
    return References(found, believed.astype(np.int32))


def _by_content(
    found: NDArray[np.int32],
    texts: Strings,
    digests: Strings,
    contents: NDArray[np.int32],
    holders: NDArray[np.int32],
    stated: Stated,
    ids: Strings,
) -> None:
    """Fill the places of ``found`` that are -1 with the least trusted holder of the content that they name."""
    open_places = np.flatnonzero(found < 0)
    if not len(open_places) or not len(digests):
        return
    wanted = find_positions(digest_form(texts.take(pa.array(open_places))), digests)
    named = np.zeros(len(digests), bool)
    named[wanted[wanted >= 0]] = True
    items = np.flatnonzero(named[contents])
    if not len(items):
        return
    contents, holders = contents[items], holders[items]
    depths = stated.depths[holders].astype(np.int64)
    depths[depths < 0] = np.iinfo(np.int64).max
    ranks = rank_by_bytes(ids, holders)[holders]
    order = np.lexsort((-ranks, depths, stated.classes[holders]))  # the last of a content is its least trusted
    holder = np.full(len(digests), -1, np.int32)
    holder[contents[order]] = holders[order]
    found[open_places] = translate_codes(wanted, holder)
