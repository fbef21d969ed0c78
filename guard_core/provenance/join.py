"""Which entry of the catalogue counts for each result of a log.

Flows in: a ``Log`` and a ``Catalogue``.  Flows out: ``Join``.
Rules kept here: join by document id (R62), byte for byte; an entry whose content is not the text that the log gives
is not used for this result (R26); a result without a usable entry is joined by its content, which is the digest of
its text or, where the log has no text, the digest that the log states; of several documents with one content the
least trusted counts, as for repeated entries (R27).
Not here: what the entry is worth against the log's own word (``guard_core.provenance.evidence``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import (
    TextColumn,
    count_items,
    find_owners,
    find_positions,
    mark_contained,
    pair_codes,
    translate_codes,
)
from guard_core.ingest.log import Log
from guard_core.provenance.catalogue import Catalogue


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """For each of ``m`` results: the entry that counts, and what stood against another.

    ``entries`` are indices into the catalogue's documents, -1 for none; ``mismatched`` marks results whose document
    has an entry with another content; ``ambiguous`` marks results joined by a content that documents of different
    class share. ``of_document`` is, for each document code of the log, the entry with that id, -1 for none.
    """

    entries: NDArray[np.int32]
    mismatched: NDArray[np.bool_]
    ambiguous: NDArray[np.bool_]
    of_document: NDArray[np.int32]


def join(log: Log, catalogue: Catalogue) -> Join:
    """Join every result of ``log``."""
    of_document = find_positions(log.document_ids.values, catalogue.document_ids)
    entries = translate_codes(log.document_ids.codes, of_document)
    nowhere = np.zeros(len(entries), bool)
    if not len(catalogue.contents.codes):
        return Join(entries, nowhere, nowhere, of_document)

    contents = _find_contents(log.text_digests, catalogue)
    has_text = log.text_digests.codes >= 0
    mismatched = has_text & (entries >= 0)
    mismatched[mismatched] = ~_holds(catalogue, entries[mismatched], contents[mismatched])
    if len(log.content_digests.values):
        stated = _find_contents(log.content_digests, catalogue)
        contents = np.where(has_text, contents, stated)

    open_rows = np.flatnonzero(((entries < 0) | mismatched) & (contents >= 0))
    entries[mismatched] = -1
    ambiguous = nowhere
    if len(open_rows):
        holder, shared = _holders(catalogue)
        entries[open_rows] = holder[contents[open_rows]]
        ambiguous = np.zeros(len(entries), bool)
        ambiguous[open_rows] = shared[contents[open_rows]]
    return Join(entries, mismatched, ambiguous, of_document)


def _find_contents(digests: TextColumn, catalogue: Catalogue) -> NDArray[np.int32]:
    """Find the catalogue's content of each row by its digest, -1 where it has none."""
    return translate_codes(digests.codes, find_positions(digests.values, catalogue.content_digests))


def _holds(catalogue: Catalogue, entries: NDArray[np.int32], contents: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each entry has this content, or states none that could disagree."""
    lists = catalogue.contents
    lengths = count_items(lists)
    first = np.full(len(lengths), -1, np.int32)
    first[lengths > 0] = lists.codes[lists.offsets[:-1][lengths > 0]]
    own = first[entries]
    held: NDArray[np.bool_] = (own == contents) | (own < 0)
    several = np.flatnonzero(~held & (lengths[entries] > 1) & (contents >= 0))
    if len(several):
        pairs = pair_codes(find_owners(lists), lists.codes)  # ascending by construction
        held[several] = mark_contained(pair_codes(entries[several], contents[several]), pairs)
    return held


def _holders(catalogue: Catalogue) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """For each content the least trusted document that has it, and whether its documents differ in class or depth."""
    lists = catalogue.contents
    owner = find_owners(lists).astype(np.int32)
    classes = catalogue.classes[owner].astype(np.int64)
    depths = catalogue.depths[owner].astype(np.int64)
    depths[depths < 0] = np.iinfo(np.int32).max  # unknown is less trusted than any known depth
    order = np.lexsort((-owner.astype(np.int64), depths, classes))  # the last of a content is its least trusted
    holder = np.full(len(catalogue.content_digests), -1, np.int32)
    holder[lists.codes[order]] = owner[order]
    chosen = holder[lists.codes]
    differs = (catalogue.classes[chosen] != classes) | (catalogue.depths[chosen] != catalogue.depths[owner])
    shared = np.zeros(len(holder), bool)
    shared[lists.codes[differs]] = True
    return holder, shared
