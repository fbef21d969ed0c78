"""Find the human sources of results by their parents, where documents derive from each other.

Flows in: a log, the class of each result, the entries of catalogue and claims, and the graph of parents.  Flows out:
``ResultSources``.
Rules kept here: a human document without parents is its own source, any other document descends from its anchors, and
without any that resolves from its parents; an anchor leads to the human document with that content, and through it to
its sources; a document that descends from a cycle has no source (R31); as everywhere the strongest basis that names
anchors or parents counts, the log's links and labels only where they are believed (R32).
Not here: how shares are handed down (``shares.py``), logs in which nobody names a parent (``by_anchor.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import HUMAN, UNKNOWN
from guard_core.columns import (
    Ragged,
    compose_lists,
    count_items,
    find_owners,
    list_pairs,
    pair_codes,
    rank_by_bytes,
    translate_codes,
)
from guard_core.ingest.log import Log
from guard_core.provenance.anchors import UpheldSources, find_upheld_sources, name_documents, resolve_anchors
from guard_core.provenance.entry_index import EntryIndex
from guard_core.provenance.parents.parent_graph import ParentGraph
from guard_core.provenance.sources.by_anchor import ResultSources
from guard_core.provenance.sources.declared import DeclaredSources, find_declared_sources, find_source_documents
from guard_core.provenance.sources.hashes import (
    HashTargets,
    find_targets,
    gather_hashes,
    mark_unresolved_entries,
    mark_unresolved_results,
)
from guard_core.provenance.sources.shares import SourceShares, inherit_shares


def find_sources_by_parent(
    log: Log,
    classes: NDArray[np.uint8],
    upheld: NDArray[np.bool_],
    index: EntryIndex,
    entries: NDArray[np.int32],
    graph: ParentGraph,
) -> ResultSources:
    """Find the sources of every result, arguments as in ``find_sources_by_anchor``."""
    table, size = index.entries, index.entries.count
    proved = find_upheld_sources(index, graph.classes, graph.has_parents[:size])
    derived = graph.has_parents[graph.result_nodes]
    declared = find_declared_sources(log, classes, derived)
    independent = _list_independent(index, proved, declared)
    shares = SourceShares(len(independent.order))
    targets = find_targets(
        log,
        table,
        proved.classified_contents,
        proved.content_entries,
        translate_codes(declared.text_documents, _find_document_nodes(index, len(log.document_ids.values))),
    )
    upheld_sets = _inherit_upheld(index, graph, targets, independent, shares)
    resolved = resolve_anchors(table.anchors, targets.declared, None)
    declared_sets = _inherit_declared(log, index, graph, targets, resolved.sources, independent, upheld_sets, shares)

    # Results: those of their entry, their own, those of the anchors that the log gives, those of its links.
    from_log = resolve_anchors(log.anchors, targets.log, None)
    by_anchor = _mix_rows(from_log.sources, declared_sets, shares)
    own_rows = (classes == HUMAN) & ~derived & ~upheld
    has_sources = proved.independent | graph.has_parents[:size] | (count_items(table.anchors) > 0)
    by_entry = translate_codes(entries, has_sources, False) & ~own_rows
    nodes = log.document_ids.codes + np.int32(size)
    by_link = np.where(graph.has_parents[nodes], declared_sets[nodes], np.int32(-1))
    rest = np.where(by_anchor >= 0, by_anchor, by_link)
    themselves = translate_codes(name_documents(index, proved)[find_source_documents(log, declared)], independent.ranks)
    sets = np.where(by_entry, translate_codes(entries, declared_sets[:size]), np.where(own_rows, themselves, rest))
    sets = np.where(graph.cyclic[graph.result_nodes], np.int32(-1), sets)
    row_upheld_sets = np.where(upheld, translate_codes(entries, upheld_sets), np.int32(-1))

    lists = shares.list_sets()
    lists = Ragged(lists.offsets, independent.order[lists.codes], lists.weights)
    anchors = _select_sets(lists, sets)
    unresolved = mark_unresolved_results(log, classes, from_log.resolves)
    lost = mark_unresolved_entries(table, graph.classes, resolved.resolves, targets.contents)
    declared_anchors, hashes = gather_hashes(log, table, entries)
    truncated = shares.mark_truncated()
    return ResultSources(
        anchors=anchors,
        upheld_anchors=anchors if np.array_equal(sets, row_upheld_sets) else _select_sets(lists, row_upheld_sets),
        sources=index.documents,
        declared_anchors=declared_anchors,
        hashes=hashes,
        unresolved=unresolved | translate_codes(entries, lost, False),
        truncated=translate_codes(sets, truncated, False) | translate_codes(row_upheld_sets, truncated, False),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _IndependentSources:
    """Hold the independent human documents: their codes in the ``order`` of their ids' bytes, the place of each
    document in it (``ranks``, -1 for none), and the place of each node that is one (``node_ranks``, -1 for none)."""

    order: NDArray[np.int32]
    ranks: NDArray[np.int32]
    node_ranks: NDArray[np.int32]


def _list_independent(index: EntryIndex, proved: UpheldSources, declared: DeclaredSources) -> _IndependentSources:
    names = name_documents(index, proved)
    codes = np.append(proved.entry_sources, translate_codes(declared.document_sources, names))
    used = np.zeros(len(index.documents), bool)
    used[codes[codes >= 0]] = True
    used[names] = True  # a result may be its own source although its document is not an independent one
    present = np.flatnonzero(used).astype(np.int32)
    order = present[np.argsort(rank_by_bytes(index.documents, present)[present], kind="stable")]
    ranks = np.full(len(index.documents), -1, np.int32)
    ranks[order] = np.arange(len(order))
    return _IndependentSources(order, ranks, translate_codes(codes, ranks))


def _find_document_nodes(index: EntryIndex, documents: int) -> NDArray[np.int32]:
    """Return the node of each document of the log: its strongest entry if this gives a class, else its own."""
    size = index.entries.count
    has_class = translate_codes(index.strongest, index.entries.classes, UNKNOWN) != UNKNOWN
    return np.where(has_class, index.strongest, np.arange(size, size + documents, dtype=np.int32))


def _inherit_upheld(
    index: EntryIndex,
    graph: ParentGraph,
    targets: HashTargets,
    independent: _IndependentSources,
    shares: SourceShares,
) -> NDArray[np.int32]:
    """Return the set of each entry without the log's labels: entries inherit from entries alone."""
    size = index.entries.count
    anchors = resolve_anchors(index.entries.anchors, targets.upheld, None).sources
    sets = independent.node_ranks[:size].copy()
    links = _list_links(anchors, graph.upheld_parents, sets, graph.cyclic[:size])
    unchanged = len(links.codes) == len(graph.upheld_parents.codes) and not len(anchors.codes)
    inherit_shares(links, sets, shares, graph.upheld_layers if unchanged else None)
    return sets


def _inherit_declared(
    log: Log,
    index: EntryIndex,
    graph: ParentGraph,
    targets: HashTargets,
    entry_anchors: Ragged,
    independent: _IndependentSources,
    upheld_sets: NDArray[np.int32],
    shares: SourceShares,
) -> NDArray[np.int32]:
    """Return the set of each node with the log's labels: entries, and after them the documents of the log."""
    size = index.entries.count
    anchors = resolve_anchors(_list_document_anchors(log), targets.log, None).sources
    parents = _list_declared_parents(index, graph, anchors)
    sets = independent.node_ranks.copy()
    done = graph.cyclic.copy()
    if np.array_equal(targets.upheld, targets.declared) and _starts_with(parents, graph.upheld_parents):
        sets[:size], done[:size] = upheld_sets, True  # the log has nothing to add to them
    inherit_shares(_list_links(_stack_lists(entry_anchors, anchors), parents, sets, done), sets, shares)
    return sets


def _list_document_anchors(log: Log) -> Ragged:
    """Return the anchors that the log gives for each document, whichever of its results has them."""
    document = log.document_ids.codes[find_owners(log.anchors)]
    weights = np.ones(len(document)) if log.anchors.weights is None else log.anchors.weights
    pairs = pair_codes(document, log.anchors.codes)
    order = np.lexsort((-weights, pairs))  # of a hash that is given with several weights the greatest counts
    first = order[np.flatnonzero(np.diff(pairs[order], prepend=-1))]
    lists = list_pairs(pairs[first], len(log.document_ids.values))
    return Ragged(lists.offsets, lists.codes, None if log.anchors.weights is None else weights[first])


def _list_declared_parents(index: EntryIndex, graph: ParentGraph, document_anchors: Ragged) -> Ragged:
    """Return the parents of every node with the log's labels.

    An entry that is not human, and for which nobody names anchors or parents, has the document of the log as its parent
    where the log gives it any.
    """
    entries, size = index.entries, index.entries.count
    count = len(graph.has_parents)
    bare = (graph.classes != HUMAN) & ~graph.has_parents[:size] & (count_items(entries.anchors) == 0)
    documents = np.flatnonzero(translate_codes(index.strongest, bare, False))
    documents = documents[graph.has_parents[size + documents] | (count_items(document_anchors)[documents] > 0)]
    if not len(documents):
        return graph.declared_parents
    chosen = index.strongest[documents].astype(np.intp)
    others = np.setdiff1d(np.arange(count), chosen)
    single = Ragged(np.arange(len(documents) + 1, dtype=np.int64), (size + documents).astype(np.int32))
    return compose_lists(count, [(chosen, single, np.arange(len(documents))), (others, graph.declared_parents, others)])


def _list_links(anchors: Ragged, parents: Ragged, sets: NDArray[np.int32], done: NDArray[np.bool_]) -> Ragged:
    """Return what each node inherits from: its anchors that resolve, else its parents.

    Nodes that have their set, or get none (``done``), inherit nothing.
    """
    count = len(sets)
    open_nodes = (sets < 0) & ~done
    by_anchor = open_nodes & (count_items(anchors) > 0)
    first, second = np.flatnonzero(by_anchor), np.flatnonzero(open_nodes & ~by_anchor)
    return compose_lists(count, [(first, anchors, first), (second, parents, second)])


def _stack_lists(first: Ragged, second: Ragged) -> Ragged:
    rows, more = len(first.offsets) - 1, len(second.offsets) - 1
    return compose_lists(
        rows + more,
        [(np.arange(rows), first, np.arange(rows)), (np.arange(rows, rows + more), second, np.arange(more))],
    )


def _starts_with(longer: Ragged, shorter: Ragged) -> bool:
    """Return whether the first lists of ``longer`` are those of ``shorter``."""
    end = shorter.offsets[-1]
    return np.array_equal(longer.offsets[: len(shorter.offsets)], shorter.offsets) and np.array_equal(
        longer.codes[:end], shorter.codes
    )


def _mix_rows(lists: Ragged, sets: NDArray[np.int32], shares: SourceShares) -> NDArray[np.int32]:
    """Return, for each list of nodes, the set that mixes theirs."""
    given = sets[lists.codes]
    owners, kept = find_owners(lists), given >= 0
    weights = np.ones(len(given)) if lists.weights is None else lists.weights
    return shares.mix(owners[kept], given[kept], weights[kept], len(lists.offsets) - 1)


def _select_sets(lists: Ragged, sets: NDArray[np.int32]) -> Ragged:
    chosen = np.flatnonzero(sets >= 0)
    return compose_lists(len(sets), [(chosen, lists, sets[chosen])])
