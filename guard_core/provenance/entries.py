"""What is known of documents without the log's own word: entries of the catalogue and, above them, of valid claims.

Flows in: a ``Catalogue`` and the entries that ``signed.py`` makes of claims.  Flows out: ``Entries`` and ``Known``.
Rules kept here: each basis keeps an entry of its own, so that what one says of a document is never mixed into what
another says; a document goes by its strongest entry wherever somebody else names it; a claim that names neither anchors
nor parents leaves these to the catalogue, unless the two speak of different texts; the hashes that both name are kept,
the claim's first (R66).
Not here: which entry counts for which result (``standing.py``), what a chain of parents proves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.columns import (
    Ragged,
    Strings,
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
from guard_core.provenance.join import Join


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """What one basis says of ``d`` documents, or two bases one after the other; columns as in ``Catalogue``.

    ``named`` are the hashes named for a document, those of a weaker basis included; ``anchors`` those that count.
    """

    document_ids: Strings
    class_words: NDArray[np.int8]
    stated_depths: NDArray[np.int32]
    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    says: NDArray[np.uint8]
    conflicts: NDArray[np.uint8]
    contents: Ragged
    content_digests: Strings
    anchors: Ragged
    named: Ragged
    anchor_hashes: Strings
    parents: Ragged
    parent_ids: Strings

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Every entry of every basis, the ``signed`` first ones from claims, then the catalogue's.

    ``sources`` are the ids under which human sources go: the catalogue's documents, then the log's; ``names`` gives the
    code of each entry's document among them, ``log_names`` that of each document of the log.  ``of_document`` is the
    strongest entry of each document of the log, -1 for none.  ``overruled`` marks the contents (items of
    ``entries.contents``) that a stronger entry of the same document claims too; ``lent_parents`` and ``lent_anchors``
    the entries of claims that have theirs from the catalogue.
    """

    entries: Entries
    signed: int
    sources: Strings
    names: NDArray[np.int32]
    log_names: NDArray[np.int32]
    of_document: NDArray[np.int32]
    overruled: NDArray[np.bool_]
    lent_parents: NDArray[np.bool_]
    lent_anchors: NDArray[np.bool_]


def catalogue_entries(catalogue: Catalogue) -> Entries:
    """The catalogue as entries."""
    return Entries(
        document_ids=catalogue.document_ids,
        class_words=catalogue.class_words,
        stated_depths=catalogue.stated_depths,
        classes=catalogue.classes,
        depths=catalogue.depths,
        says=catalogue.says,
        conflicts=catalogue.conflicts,
        contents=catalogue.contents,
        content_digests=catalogue.content_digests,
        anchors=catalogue.anchors,
        named=catalogue.anchors,
        anchor_hashes=catalogue.anchor_hashes,
        parents=catalogue.parents,
        parent_ids=catalogue.parent_ids,
    )


def everything_known(
    log: Log, catalogue: Catalogue | None, join: Join | None, signed: Entries | None, documents: NDArray[np.int32]
) -> Known | None:
    """What catalogue and claims know; ``documents`` are the document codes of the ``signed`` entries.

    ``None`` where there is neither a catalogue nor a valid claim.
    """
    ids = log.document_ids.values
    size = 0 if catalogue is None else catalogue.documents
    own = np.arange(size, size + len(ids), dtype=np.int32)
    if catalogue is None or join is None:
        if signed is None:
            return None
        of_document = np.full(len(ids), -1, np.int32)
        of_document[documents] = np.arange(signed.count)
        overruled, own_word = np.zeros(len(signed.contents.codes), bool), np.zeros(signed.count, bool)
        return Known(signed, signed.count, ids, documents, own, of_document, overruled, own_word, own_word)

    sources = concatenate_texts(catalogue.document_ids, ids)
    log_names = np.where(join.of_document >= 0, join.of_document, own)
    names = np.arange(size, dtype=np.int32)
    lower = catalogue_entries(catalogue)
    if signed is None:
        open_contents, own_word = np.zeros(len(lower.contents.codes), bool), np.zeros(size, bool)
        return Known(lower, 0, sources, names, log_names, join.of_document, open_contents, own_word, own_word)
    entries, overruled, lent = _stacked(signed, lower, join.of_document[documents])
    of_document = np.where(join.of_document >= 0, join.of_document + np.int32(signed.count), np.int32(-1))
    of_document[documents] = np.arange(signed.count)
    own_names = np.append(log_names[documents], names)
    return Known(entries, signed.count, sources, own_names, log_names, of_document, overruled, *lent)


def nothing_known(log: Log) -> Known:
    """What is known where there is neither a catalogue nor a valid claim: no entry."""
    none, texts = np.zeros(0, np.uint8), pa.array([], log.document_ids.values.type)
    depths, lists = np.zeros(0, np.int32), Ragged.empty(0)
    entries = Entries(
        document_ids=texts,
        class_words=np.zeros(0, np.int8),
        stated_depths=depths,
        classes=none,
        depths=depths,
        says=none,
        conflicts=none,
        contents=lists,
        content_digests=texts,
        anchors=lists,
        named=lists,
        anchor_hashes=texts,
        parents=lists,
        parent_ids=texts,
    )
    ids = log.document_ids.values
    own = np.arange(len(ids), dtype=np.int32)
    nothing = np.zeros(0, bool)
    return Known(entries, 0, ids, depths, own, np.full(len(ids), -1, np.int32), nothing, nothing, nothing)


def _stacked(
    upper: Entries, lower: Entries, below: NDArray[np.int32]
) -> tuple[Entries, NDArray[np.bool_], tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Both, one after the other; ``below[i]`` is the lower entry of the document of upper entry ``i``, -1 for none.

    Also gives the marks of ``Known.overruled``, and those of ``Known.lent_parents`` and ``Known.lent_anchors``.
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
    use = np.where(_contradicts(upper.contents, contents, below), np.int32(-1), below)
    no_parents, no_anchors = count_items(upper.parents) == 0, count_items(upper.anchors) == 0
    stated = _filled(upper.contents, contents, use, count_items(upper.contents) == 0)
    inherited = _filled(Ragged.empty(upper.count), anchors, use, np.ones(upper.count, bool))
    entries = Entries(
        document_ids=concatenate_texts(upper.document_ids, lower.document_ids),
        class_words=np.append(upper.class_words, lower.class_words),
        stated_depths=np.append(upper.stated_depths, lower.stated_depths),
        classes=np.append(upper.classes, lower.classes),
        depths=np.append(upper.depths, lower.depths),
        says=np.append(upper.says, lower.says),
        conflicts=np.append(upper.conflicts, lower.conflicts),
        contents=_end_to_end(stated, contents),
        content_digests=digests,
        anchors=_end_to_end(_filled(upper.anchors, anchors, use, no_anchors & no_parents), anchors),
        named=_end_to_end(_more(upper.anchors, inherited), Ragged(anchors.offsets, anchors.codes)),
        anchor_hashes=hashes,
        parents=_end_to_end(_filled(upper.parents, parents, use, no_parents), parents),
        parent_ids=parent_ids,
    )
    above = np.full(lower.count, -1, np.int32)
    above[below[below >= 0]] = np.flatnonzero(below >= 0)
    held = sort_distinct(pair_codes(find_owners(stated), stated.codes))
    owner = above[find_owners(contents)]
    overruled = (owner >= 0) & mark_contained(pair_codes(owner, contents.codes), held)
    own_word, first = np.zeros(lower.count, bool), slice(upper.count)
    lent_parents = np.append(no_parents & (count_items(entries.parents)[first] > 0), own_word)
    lent_anchors = np.append(no_anchors & (count_items(entries.anchors)[first] > 0), own_word)
    return entries, np.append(np.zeros(len(stated.codes), bool), overruled), (lent_parents, lent_anchors)


def _contradicts(upper: Ragged, lower: Ragged, below: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Where both state contents and have none in common."""
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


def _filled(first: Ragged, second: Ragged, use: NDArray[np.int32], where: NDArray[np.bool_]) -> Ragged:
    """The lists of ``first``, and ``second[use]`` in their place ``where`` there is one to use."""
    taken = where & (use >= 0)
    if not taken.any():
        return first
    kept, filled = np.flatnonzero(~taken), np.flatnonzero(taken)
    return compose_lists(len(use), [(kept, first, kept), (filled, second, use[filled])])


def _more(first: Ragged, second: Ragged) -> Ragged:
    """Each list of ``first``, followed by what that of ``second`` has more; weights are left out."""
    held = sort_distinct(pair_codes(find_owners(first), first.codes))
    fresh = ~mark_contained(pair_codes(find_owners(second), second.codes), held)
    return append_lists(first, filter_items(second, fresh))


def _end_to_end(first: Ragged, second: Ragged) -> Ragged:
    """The lists of ``first`` and after them those of ``second``."""
    weights = None
    if first.weights is not None or second.weights is not None:
        weights = np.concatenate([_weights(first), _weights(second)])
    return Ragged(
        np.append(first.offsets, second.offsets[1:] + first.offsets[-1]),
        np.append(first.codes, second.codes),
        weights,
    )


def _weights(lists: Ragged) -> NDArray[np.float64]:
    return np.ones(len(lists.codes)) if lists.weights is None else lists.weights
