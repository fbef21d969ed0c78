"""On which human sources each result rests where documents derive from each other.

Flows in: a log, its believed classes, what catalogue and claims know, and the lineage.  Flows out: ``Grounding``.
Rules kept here: a human document without parents is its own source, any other document rests on the anchors that it
states, and without any that resolves on those of its parents; an anchor leads to the human document with that content,
and through it to its sources; whoever descends from a cycle rests on nothing (R31); as everywhere the strongest basis
that names anchors or parents counts, the log's links and labels only where its word is believed (R32).
Not here: how sources are handed down (``inheritance.py``), logs in which nobody names a parent (``grounding.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import HUMAN
from guard_core.columns import (
    Ragged,
    add_up_lengths,
    compose_lists,
    count_items,
    find_owners,
    find_positions,
    pair_codes,
    rank_by_bytes,
    translate_codes,
)
from guard_core.ingest.log import Log
from guard_core.provenance.anchors import ProvedSources, digest_form, proved_sources, resolve
from guard_core.provenance.entries import Known
from guard_core.provenance.parents.parent_graph import Lineage
from guard_core.provenance.sources.by_anchor import (
    Grounding,
    believed_targets,
    named_hashes,
    names_of_documents,
    own_codes,
    unresolved_entries,
    unresolved_rows,
)
from guard_core.provenance.sources.declared import DeclaredSources, declared_sources
from guard_core.provenance.sources.shares import SourceSets, inherit


def ground_by_descent(
    log: Log,
    classes: NDArray[np.uint8],
    proved: NDArray[np.bool_],
    known: Known,
    entries: NDArray[np.int32],
    lineage: Lineage,
) -> Grounding:
    """The sources of every result, arguments as in ``ground``."""
    table, size = known.entries, known.entries.count
    own = proved_sources(known, lineage.classes, lineage.derived[:size])
    declared = declared_sources(log, classes, lineage.derived[lineage.rows])
    independent = _Independent.of(known, own, declared)
    sets = SourceSets(len(independent.order))

    # Without the log's word: entries alone.
    contents = find_positions(digest_form(table.anchor_hashes), table.content_digests)
    upheld_of = translate_codes(contents, own.of_content)
    stated = resolve(table.anchors, upheld_of, None).sources
    upheld = independent.numbers[:size].copy()
    links = _links(stated, lineage.proved, upheld, lineage.looped[:size])
    as_before = len(links.codes) == len(lineage.proved.codes) and not len(stated.codes)
    inherit(links, upheld, sets, lineage.layers if as_before else None)

    # With it: entries and documents of the log.
    node_of = _nodes_of_documents(known, lineage, len(log.document_ids.values))
    of_text = translate_codes(declared.of_text, node_of)
    believed_of = believed_targets(table.anchor_hashes, contents, own, upheld_of, log, of_text)
    log_contents = find_positions(digest_form(log.anchor_hashes), table.content_digests)
    log_of = believed_targets(
        log.anchor_hashes, log_contents, own, translate_codes(log_contents, own.of_content), log, of_text
    )
    resolved = resolve(table.anchors, believed_of, None)
    of_documents = resolve(_lists_of_documents(log), log_of, None).sources
    believed = independent.numbers.copy()
    parents = _parents_believed(known, lineage, of_documents)
    settled = lineage.looped.copy()
    if np.array_equal(upheld_of, believed_of) and _same_lists(parents, lineage.proved):
        believed[:size], settled[:size] = upheld, True  # the log has nothing to add to them
    inherit(_links(_one_after_other(resolved.sources, of_documents), parents, believed, settled), believed, sets)

    # Results.
    rows = len(entries)
    from_log = resolve(log.anchors, log_of, None)
    by_log = _mixed_rows(from_log.sources, believed, sets)
    own_rows = (classes == HUMAN) & ~lineage.derived[lineage.rows] & ~proved
    named = own.independent | lineage.derived[:size] | (count_items(table.anchors) > 0)
    by_entry = translate_codes(entries, named, False) & ~own_rows
    by_links = believed[log.document_ids.codes + np.int32(size)]
    linked = lineage.derived[log.document_ids.codes + np.int32(size)]
    rest = np.where(by_log >= 0, by_log, np.where(linked, by_links, np.int32(-1)))
    itself = translate_codes(names_of_documents(known, own)[own_codes(log, declared)], independent.ranks)
    number = np.where(by_entry, translate_codes(entries, believed[:size]), np.where(own_rows, itself, rest))
    number = np.where(lineage.looped[lineage.rows], np.int32(-1), number)
    upheld_number = np.where(proved, translate_codes(entries, upheld), np.int32(-1))

    lists = sets.lists()
    lists = Ragged(lists.offsets, independent.order[lists.codes], lists.weights)
    anchors = _taken(lists, number, rows)
    upheld_anchors = anchors if np.array_equal(number, upheld_number) else _taken(lists, upheld_number, rows)
    unresolved = unresolved_rows(log, classes, from_log.found)
    unresolved |= translate_codes(entries, unresolved_entries(table, lineage.classes, resolved.found, contents), False)
    hashes_named, hashes = named_hashes(log, table, entries)
    cut = translate_codes(number, sets.cut(), False) | translate_codes(upheld_number, sets.cut(), False)
    return Grounding(anchors, upheld_anchors, known.sources, hashes_named, hashes, unresolved, cut)


@dataclass(frozen=True, slots=True, eq=False)
class _Independent:
    """The independent human documents.  ``order`` are their codes in the order of their ids' bytes, ``ranks`` the place
    of each source code in it (-1 none), ``numbers`` the place of each node that is one, else -1."""

    order: NDArray[np.int32]
    ranks: NDArray[np.int32]
    numbers: NDArray[np.int32]

    @staticmethod
    def of(known: Known, own: ProvedSources, declared: DeclaredSources) -> _Independent:
        names = names_of_documents(known, own)
        codes = np.append(own.own, translate_codes(declared.own, names))
        used = np.zeros(len(known.sources), bool)
        used[codes[codes >= 0]] = True
        used[names] = True  # a result may be its own source although its document is no independent one
        present = np.flatnonzero(used).astype(np.int32)
        order = present[np.argsort(rank_by_bytes(known.sources, present)[present], kind="stable")]
        ranks = np.full(len(known.sources), -1, np.int32)
        ranks[order] = np.arange(len(order))
        return _Independent(order, ranks, translate_codes(codes, ranks))


def _nodes_of_documents(known: Known, lineage: Lineage, documents: int) -> NDArray[np.int32]:
    """The node of each document of the log: its strongest entry if this gives a class, else what the log says of it."""
    size = known.entries.count
    firm = translate_codes(known.of_document, known.entries.classes, 3) != 3
    return np.where(firm, known.of_document, np.arange(size, size + documents, dtype=np.int32))


def _lists_of_documents(log: Log) -> Ragged:
    """The anchors that the log states for each document, whichever of its results states them."""
    count = len(log.document_ids.values)
    document = log.document_ids.codes[find_owners(log.anchors)]
    weights = np.ones(len(document)) if log.anchors.weights is None else log.anchors.weights
    pairs = pair_codes(document, log.anchors.codes)
    order = np.lexsort((-weights, pairs))  # of a hash that is stated with several weights the greatest counts
    first = order[np.flatnonzero(np.diff(pairs[order], prepend=-1))]
    sizes = np.bincount(document[first], minlength=count)
    offsets = add_up_lengths(sizes)
    return Ragged(offsets, log.anchors.codes[first], None if log.anchors.weights is None else weights[first])


def _parents_believed(known: Known, lineage: Lineage, stated: Ragged) -> Ragged:
    """The parents of every node when the log is believed: an entry that is not human, and for which nobody names
    anchors or parents, goes by what the log says of its document."""
    entries, size = known.entries, known.entries.count
    count = len(lineage.derived)
    bare = (lineage.classes != HUMAN) & ~lineage.derived[:size] & (count_items(entries.anchors) == 0)
    documents = np.flatnonzero(translate_codes(known.of_document, bare, False))
    documents = documents[lineage.derived[size + documents] | (count_items(stated)[documents] > 0)]
    if not len(documents):
        return lineage.believed
    chosen = known.of_document[documents].astype(np.intp)
    others = np.setdiff1d(np.arange(count), chosen)
    own = Ragged(np.arange(len(documents) + 1, dtype=np.int64), (size + documents).astype(np.int32))
    return compose_lists(count, [(chosen, own, np.arange(len(documents))), (others, lineage.believed, others)])


def _links(stated: Ragged, parents: Ragged, numbers: NDArray[np.int32], settled: NDArray[np.bool_]) -> Ragged:
    """What each node inherits from: the stated anchors that resolve, else its parents; nothing for those that have
    their set, or get none (``settled``)."""
    count = len(numbers)
    open_nodes = (numbers < 0) & ~settled
    by_anchor = open_nodes & (count_items(stated) > 0)
    first, second = np.flatnonzero(by_anchor), np.flatnonzero(open_nodes & ~by_anchor)
    return compose_lists(count, [(first, stated, first), (second, parents, second)])


def _one_after_other(first: Ragged, second: Ragged) -> Ragged:
    rows = len(first.offsets) - 1
    more = len(second.offsets) - 1
    own, rest = np.arange(rows), np.arange(more)
    return compose_lists(rows + more, [(own, first, own), (rest + rows, second, rest)])


def _same_lists(longer: Ragged, shorter: Ragged) -> bool:
    """Whether the first lists of ``longer`` are those of ``shorter``."""
    ends = shorter.offsets[-1]
    return np.array_equal(longer.offsets[: len(shorter.offsets)], shorter.offsets) and np.array_equal(
        longer.codes[:ends], shorter.codes
    )


def _mixed_rows(lists: Ragged, numbers: NDArray[np.int32], sets: SourceSets) -> NDArray[np.int32]:
    """For each list of nodes the set that mixes theirs."""
    given = numbers[lists.codes]
    owners, kept = find_owners(lists), given >= 0
    weights = np.ones(len(given)) if lists.weights is None else lists.weights
    return sets.mixed(owners[kept], given[kept], weights[kept], len(lists.offsets) - 1)


def _taken(lists: Ragged, numbers: NDArray[np.int32], rows: int) -> Ragged:
    chosen = np.flatnonzero(numbers >= 0)
    return compose_lists(rows, [(chosen, lists, numbers[chosen])])
