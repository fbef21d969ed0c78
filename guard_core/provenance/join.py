"""Find the entry of the catalogue that counts for each result of a log.

Flows in: a ``Log`` and a ``Catalogue``.  Flows out: ``CatalogueJoin``.
Rules kept here: join by document id (R62), byte for byte; an entry whose content is not the text that the log gives
is not used for this result (R26); a result without a usable entry is joined by its content, which is the digest of
its text or, where the log has no text, the digest that the log gives; of several documents with one content the
least trusted counts, as for repeated entries (R27).
Not here: whether the entry or the log's label counts (``precedence.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import count_items, find_owners, find_positions, mark_contained, pair_codes, translate_codes
from guard_core.ingest.log import Log
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.entries import DocumentEntries


@dataclass(frozen=True, slots=True, eq=False)
class CatalogueJoin:
    """Hold the catalogue entry of each of ``m`` results, -1 for none.

    ``mismatched`` marks results whose document has an entry with another content; ``ambiguous`` marks results joined by
    a content that documents of different class or depth share.  ``document_entries`` is, for each document code of the
    log, the entry with that id, -1 for none.
    """

    entries: NDArray[np.int32]
    mismatched: NDArray[np.bool_]
    ambiguous: NDArray[np.bool_]
    document_entries: NDArray[np.int32]


def join_catalogue(log: Log, catalogue: Catalogue) -> CatalogueJoin:
    """Return the catalogue entry that counts for every result of ``log``."""
    table = catalogue.entries
    document_entries = find_positions(log.document_ids.values, table.document_ids)
    entries = translate_codes(log.document_ids.codes, document_entries)
    nowhere = np.zeros(len(entries), bool)
    if not len(table.contents.codes):
        return CatalogueJoin(entries, nowhere, nowhere, document_entries)

    contents = translate_codes(log.text_digests.codes, find_positions(log.text_digests.values, table.content_digests))
    has_text = log.text_digests.codes >= 0
    mismatched = has_text & (entries >= 0)
    mismatched[mismatched] = ~_allow_contents(table, entries[mismatched], contents[mismatched])
    if len(log.content_digests.values):
        given = find_positions(log.content_digests.values, table.content_digests)
        contents = np.where(has_text, contents, translate_codes(log.content_digests.codes, given))

    open_rows = np.flatnonzero(((entries < 0) | mismatched) & (contents >= 0))
    entries[mismatched] = -1
    ambiguous = nowhere
    if len(open_rows):
        holders, shared = _find_holders(table)
        entries[open_rows] = holders[contents[open_rows]]
        ambiguous = np.zeros(len(entries), bool)
        ambiguous[open_rows] = shared[contents[open_rows]]
    return CatalogueJoin(entries, mismatched, ambiguous, document_entries)


def _allow_contents(
    table: DocumentEntries, entries: NDArray[np.int32], contents: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return whether each entry has this content, or gives none that could disagree."""
    lists = table.contents
    lengths = count_items(lists)
    first = np.full(len(lengths), -1, np.int32)
    first[lengths > 0] = lists.codes[lists.offsets[:-1][lengths > 0]]
    first = first[entries]
    allowed: NDArray[np.bool_] = (first == contents) | (first < 0)
    several = np.flatnonzero(~allowed & (lengths[entries] > 1) & (contents >= 0))
    if len(several):
        pairs = pair_codes(find_owners(lists), lists.codes)  # ascending by construction
        allowed[several] = mark_contained(pair_codes(entries[several], contents[several]), pairs)
    return allowed


def _find_holders(table: DocumentEntries) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the least trusted document of each content, and whether its documents differ in class or depth."""
    lists = table.contents
    owner = find_owners(lists).astype(np.int32)
    classes = table.classes[owner].astype(np.int64)
    depths = table.depths[owner].astype(np.int64)
    depths[depths < 0] = np.iinfo(np.int32).max  # unknown is less trusted than any known depth
    order = np.lexsort((-owner.astype(np.int64), depths, classes))  # the last of a content is its least trusted
    holders = np.full(len(table.content_digests), -1, np.int32)
    holders[lists.codes[order]] = owner[order]
    chosen = holders[lists.codes]
    differs = (table.classes[chosen] != classes) | (table.depths[chosen] != table.depths[owner])
    shared = np.zeros(len(holders), bool)
    shared[lists.codes[differs]] = True
    return holders, shared
