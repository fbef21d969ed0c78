"""Index the entries of all bases: those of the catalogue and, above them, those of valid claims.

Flows in: a ``Catalogue`` and the entries that ``signed_entries.py`` makes of claims.  Flows out: ``EntryIndex``.
Rules kept here: each basis keeps an entry of its own, so that what one says of a document is never mixed into what
another says; wherever somebody else names a document, its strongest entry counts; a claim that names neither anchors
nor parents leaves these to the catalogue, unless the two are about different texts; the hashes that both name are kept,
the claim's first (R66).
Not here: which entry counts for which result (``precedence.py``), what parents prove (``parents/``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.columns import (
    Ragged,
    Strings,
    TextColumn,
    append_lists,
    compose_lists,
    concatenate_texts,
    count_items,
    filter_items,
    find_owners,
    mark_contained,
    pair_codes,
    sort_distinct,
    translate_codes,
    unite_texts,
)
from guard_core.ingest.log import Log
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.entries import DocumentEntries, EntryRows, build_entries
from guard_core.provenance.join import CatalogueJoin
from guard_core.provenance.signed_entries import SignedEntries


@dataclass(frozen=True, slots=True, eq=False)
class EntryIndex:
    """Hold every entry of every basis: the ``signed_count`` of claims first, then the catalogue's.

    ``documents`` are all document ids: the catalogue's, then the log's.  ``entry_documents`` and ``log_documents`` are
    the codes in it of the document of each entry, and of each document of the log.  ``strongest`` is the strongest
    entry of each document of the log, -1 for none.  ``overruled_contents`` marks the contents (items of
    ``entries.contents``) that a stronger entry of the same document has too; ``parents_from_catalogue`` and
    ``anchors_from_catalogue`` mark the entries of claims that have theirs from the catalogue.
    """

    entries: DocumentEntries
    signed_count: int
    documents: Strings
    entry_documents: NDArray[np.int32]
    log_documents: NDArray[np.int32]
    strongest: NDArray[np.int32]
    overruled_contents: NDArray[np.bool_]
    parents_from_catalogue: NDArray[np.bool_]
    anchors_from_catalogue: NDArray[np.bool_]


def index_entries(
    log: Log, catalogue: Catalogue | None, join: CatalogueJoin | None, signed: SignedEntries | None
) -> EntryIndex | None:
    """Return the entries of catalogue and claims; ``None`` where there is neither a catalogue nor a valid claim."""
    ids = log.document_ids.values
    size = 0 if catalogue is None else catalogue.documents
    own_codes = np.arange(size, size + len(ids), dtype=np.int32)
    if catalogue is None or join is None:
        if signed is None:
            return None
        strongest = np.full(len(ids), -1, np.int32)
        strongest[signed.documents] = np.arange(signed.entries.count)
        return _index_single_basis(signed.entries, signed.entries.count, ids, signed.documents, own_codes, strongest)

    documents = concatenate_texts(catalogue.entries.document_ids, ids)
    log_documents = np.where(join.document_entries >= 0, join.document_entries, own_codes)
    entry_documents = np.arange(size, dtype=np.int32)
    if signed is None:
        return _index_single_basis(
            catalogue.entries, 0, documents, entry_documents, log_documents, join.document_entries
        )
    count = signed.entries.count
    strongest = np.where(join.document_entries >= 0, join.document_entries + np.int32(count), np.int32(-1))
    strongest[signed.documents] = np.arange(count)
    below = join.document_entries[signed.documents]
    entries, overruled = _stack_entries(signed.entries, catalogue.entries, below)
    inherits, none = slice(count), np.zeros(size, bool)
    no_parents, no_anchors = (count_items(lists) == 0 for lists in (signed.entries.parents, signed.entries.anchors))
    return EntryIndex(
        entries=entries,
        signed_count=count,
        documents=documents,
        entry_documents=np.append(log_documents[signed.documents], entry_documents),
        log_documents=log_documents,
        strongest=strongest,
        overruled_contents=overruled,
        parents_from_catalogue=np.append(no_parents & (count_items(entries.parents)[inherits] > 0), none),
        anchors_from_catalogue=np.append(no_anchors & (count_items(entries.anchors)[inherits] > 0), none),
    )


def index_no_entries(log: Log) -> EntryIndex:
    """Return the index of a log with neither a catalogue nor a valid claim."""
    ids = log.document_ids.values
    lists, texts = Ragged.empty(0), pa.array([], ids.type)
    nothing = np.zeros(0, np.int32)
    rows = EntryRows(
        documents=nothing,
        class_words=np.zeros(0, np.int8),
        depths=nothing,
        contents=TextColumn(nothing, texts),
        anchors=lists,
        anchor_hashes=texts,
        parents=lists,
        parent_ids=texts,
    )
    entries, _ = build_entries(texts, rows)
    log_documents = np.arange(len(ids), dtype=np.int32)
    return _index_single_basis(entries, 0, ids, nothing, log_documents, np.full(len(ids), -1, np.int32))


def _index_single_basis(
    entries: DocumentEntries,
    signed_count: int,
    documents: Strings,
    entry_documents: NDArray[np.int32],
    log_documents: NDArray[np.int32],
    strongest: NDArray[np.int32],
) -> EntryIndex:
    none = np.zeros(entries.count, bool)
    return EntryIndex(
        entries=entries,
        signed_count=signed_count,
        documents=documents,
        entry_documents=entry_documents,
        log_documents=log_documents,
        strongest=strongest,
        overruled_contents=np.zeros(len(entries.contents.codes), bool),
        parents_from_catalogue=none,
        anchors_from_catalogue=none,
    )


def _stack_entries(
    upper: DocumentEntries, lower: DocumentEntries, below: NDArray[np.int32]
) -> tuple[DocumentEntries, NDArray[np.bool_]]:
    """Return both, one after the other, and the marks of ``EntryIndex.overruled_contents``.

    ``below[i]`` is the lower entry of the document of upper entry ``i``, -1 for none.
    """
    contents_table, digests = unite_texts(upper.content_digests, lower.content_digests)
    hash_table, hashes = unite_texts(upper.anchor_hashes, lower.anchor_hashes)
    parent_table, parent_ids = unite_texts(upper.parent_ids, lower.parent_ids)
    contents, anchors, parents = (
        Ragged(lists.offsets, translate_codes(lists.codes, table), lists.weights)
        for lists, table in (
            (lower.contents, contents_table),
            (lower.anchors, hash_table),
            (lower.parents, parent_table),
        )
    )
    usable = np.where(_mark_contradictions(upper.contents, contents, below), np.int32(-1), below)
    no_parents, no_anchors = count_items(upper.parents) == 0, count_items(upper.anchors) == 0
    upper_contents = _fill_lists(upper.contents, contents, usable, count_items(upper.contents) == 0)
    inherited = _fill_lists(Ragged.empty(upper.count), anchors, usable, np.ones(upper.count, bool))
    entries = DocumentEntries(
        document_ids=concatenate_texts(upper.document_ids, lower.document_ids),
        class_words=np.append(upper.class_words, lower.class_words),
        given_depths=np.append(upper.given_depths, lower.given_depths),
        classes=np.append(upper.classes, lower.classes),
        depths=np.append(upper.depths, lower.depths),
        stated=np.append(upper.stated, lower.stated),
        conflicts=np.append(upper.conflicts, lower.conflicts),
        contents=_stack_lists(upper_contents, contents),
        content_digests=digests,
        anchors=_stack_lists(_fill_lists(upper.anchors, anchors, usable, no_anchors & no_parents), anchors),
        declared_anchors=_stack_lists(
            _append_missing(upper.anchors, inherited), Ragged(anchors.offsets, anchors.codes)
        ),
        anchor_hashes=hashes,
        parents=_stack_lists(_fill_lists(upper.parents, parents, usable, no_parents), parents),
        parent_ids=parent_ids,
    )
    above = np.full(lower.count, -1, np.int32)
    above[below[below >= 0]] = np.flatnonzero(below >= 0)
    held = sort_distinct(pair_codes(find_owners(upper_contents), upper_contents.codes))
    owner = above[find_owners(contents)]
    overruled = (owner >= 0) & mark_contained(pair_codes(owner, contents.codes), held)
    return entries, np.append(np.zeros(len(upper_contents.codes), bool), overruled)


def _mark_contradictions(upper: Ragged, lower: Ragged, below: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark the upper lists that have items, none of them in common with a lower list that has items too."""
    both = (count_items(upper) > 0) & translate_codes(below, count_items(lower) > 0, False)
    if not both.any():
        return both
    owner = find_owners(upper)
    shared = mark_contained(
        pair_codes(below[owner].clip(0), upper.codes), sort_distinct(pair_codes(find_owners(lower), lower.codes))
    )
    agrees = np.zeros(len(both), bool)
    agrees[owner[shared]] = True
    return both & ~agrees


def _fill_lists(first: Ragged, second: Ragged, use: NDArray[np.int32], where: NDArray[np.bool_]) -> Ragged:
    """Return the lists of ``first``, but ``second[use]`` at those places ``where`` there is one to use."""
    replaced = where & (use >= 0)
    if not replaced.any():
        return first
    kept, filled = np.flatnonzero(~replaced), np.flatnonzero(replaced)
    return compose_lists(len(use), [(kept, first, kept), (filled, second, use[filled])])


def _append_missing(first: Ragged, second: Ragged) -> Ragged:
    """Append to each list of ``first`` those items of ``second`` that it lacks; weights are left out."""
    held = sort_distinct(pair_codes(find_owners(first), first.codes))
    missing = ~mark_contained(pair_codes(find_owners(second), second.codes), held)
    return append_lists(first, filter_items(second, missing))


def _stack_lists(first: Ragged, second: Ragged) -> Ragged:
    """Return the lists of ``first`` and after them those of ``second``."""
    weights = None
    if first.weights is not None or second.weights is not None:
        weights = np.concatenate(
            [np.ones(len(lists.codes)) if lists.weights is None else lists.weights for lists in (first, second)]
        )
    return Ragged(
        np.append(first.offsets, second.offsets[1:] + first.offsets[-1]),
        np.append(first.codes, second.codes),
        weights,
    )
