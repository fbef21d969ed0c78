"""Build one graph of which documents derive from which, out of catalogue, claims and log.

Flows in: ``Evidence``.  Flows out: ``DerivationGraph``, built once.
Rules kept here: a document stands once, however many bases name it, and each link holds the bases that give it;
column operations only, so that a million documents take about a second.
Not here: what links prove of class, depth and sources (``guard_core.provenance``), what surrounds one document
(``neighbourhood.py``), the facts of one (``document_record.py``).

A link leads from a document to one of its parents (``derived_from``); from a document for which nobody names a parent
that anybody knows, to the human documents whose content its anchors are.  Only the parents that the strongest basis
names count for class and depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.codes import UNKNOWN
from guard_core.columns import (
    Ragged,
    Strings,
    add_up_lengths,
    find_owners,
    find_positions,
    locate_items,
    mark_contained,
    pair_codes,
    sort_distinct,
    split_pairs,
    translate_codes,
)
from guard_core.model import Belief
from guard_core.provenance.anchors import find_upheld_sources, normalise_hashes
from guard_core.provenance.entry_index import EntryIndex, index_no_entries
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.parents.layers import reverse_links
from guard_core.provenance.parents.parent_graph import ParentGraph
from guard_core.provenance.sources.declared import find_declared_sources


class Bases(IntFlag):
    """Name the bases that say something."""

    SIGNED = 1
    CATALOGUE = 2
    DECLARED = 4


_ALL_BASES = Bases.SIGNED | Bases.CATALOGUE | Bases.DECLARED
_ANCHOR_SHIFT = 3
"""While links are gathered, the bases of anchors stand this many bits above those of parents."""


@dataclass(frozen=True, slots=True, eq=False)
class DerivationGraph:
    """Hold the documents that catalogue, claims or log name, by number, and the links between them.

    ``parents`` are the links of each document, each parent once; ``parent_bases`` and ``anchor_bases`` (bits of
    ``Bases``, one an item) the bases that give the link as a parent, and as an anchor; ``counts`` whether class and
    depth follow it.  ``children`` are the links reversed.  ``results`` counts the results of the log;
    ``log_documents`` are the numbers of its document codes.
    """

    ids: Strings
    parents: Ragged
    parent_bases: NDArray[np.uint8]
    anchor_bases: NDArray[np.uint8]
    counts: NDArray[np.bool_]
    children: Ragged
    results: NDArray[np.int64]
    log_documents: NDArray[np.int32]

    def find_number(self, document_id: str) -> int | None:
        """Return the number of a document, ``None`` where nobody names it."""
        found: int = pc.index(self.ids, pa.scalar(document_id, self.ids.type)).as_py() if len(self.ids) else -1
        return None if found < 0 else found

    def find_id(self, number: int) -> str:
        """Return the id of a document."""
        return str(self.ids[number].as_py())


def build_derivation_graph(evidence: Evidence) -> DerivationGraph:
    """Return the graph of an evidence; an excerpt has the links of its log only."""
    log, (index, graph) = evidence.log, find_knowledge(evidence)
    links = _list_anchor_links(evidence, index, graph)
    if graph is not None:
        links += _list_parent_links(evidence, index, graph)
    pairs = np.concatenate([link.pairs for link in links])
    order = np.argsort(pairs, kind="stable")
    first = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    bits = np.concatenate([link.bits for link in links])[order]
    bits = np.bitwise_or.reduceat(bits, first) if len(first) else bits
    pairs, size = pairs[order][first], len(index.documents)
    is_parent = (bits & _ALL_BASES) > 0
    has_parents = np.zeros(size, bool)
    has_parents[(pairs >> 32)[is_parent]] = True
    kept = is_parent | ~has_parents[pairs >> 32]
    pairs, bits = pairs[kept], bits[kept]
    child, parent = split_pairs(pairs)
    parents = Ragged(add_up_lengths(np.bincount(child, minlength=size)), parent)
    counting = np.zeros(0, np.int64) if graph is None else _list_counting_links(index, graph)
    return DerivationGraph(
        ids=index.documents,
        parents=parents,
        parent_bases=bits & _ALL_BASES,
        anchor_bases=bits >> _ANCHOR_SHIFT,
        counts=mark_contained(pairs, counting),
        children=reverse_links(parents),
        results=np.bincount(index.log_documents[log.document_ids.codes], minlength=size).astype(np.int64),
        log_documents=index.log_documents.astype(np.int32),
    )


def find_knowledge(evidence: Evidence) -> tuple[EntryIndex, ParentGraph | None]:
    """Return the entries of documents, and their parents where anybody names one; an excerpt has neither."""
    if evidence.documents is None:
        return index_no_entries(evidence.log), None
    return evidence.documents.index, evidence.documents.graph


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """Hold pairs (child, parent) of documents, each with its bits: bases of parents, and above them those of
    anchors."""

    pairs: NDArray[np.int64]
    bits: NDArray[np.uint8]


def _pair_links(
    child: NDArray[np.int32], parent: NDArray[np.int32], bases: NDArray[np.uint8] | int, shift: int = 0
) -> _Links:
    wide = np.broadcast_to(np.asarray(bases, np.uint8), child.shape)
    return _Links(pair_codes(child, parent), np.left_shift(wide, np.uint8(shift)))


def _list_parent_links(evidence: Evidence, index: EntryIndex, graph: ParentGraph) -> list[_Links]:
    log, lists = evidence.log, index.entries.parents
    document = _list_node_documents(index)
    owner, node = find_owners(lists), graph.entry_references[lists.codes]
    own = (node >= 0) & ~index.parents_from_catalogue[owner]
    links = [_pair_links(document[owner[own]], document[node[own]], list_entry_bases(index)[owner[own]])]
    child, reference = _list_log_pairs(evidence, log.parents)
    node = graph.log_references[reference]
    found = node >= 0
    links.append(_pair_links(index.log_documents[child[found]], document[node[found]], Bases.DECLARED))
    return links


def _list_anchor_links(evidence: Evidence, index: EntryIndex, graph: ParentGraph | None) -> list[_Links]:
    """Return the links to the human documents that anchors lead to, but none from a document to itself."""
    log, entries, size = evidence.log, index.entries, index.entries.count
    classes = entries.classes if graph is None else graph.classes
    has_parents = np.zeros(size, bool) if graph is None else graph.has_parents[:size]
    targets = translate_codes(find_upheld_sources(index, classes, has_parents).content_entries, index.entry_documents)
    lists, owner = entries.anchors, find_owners(entries.anchors)
    contents = find_positions(normalise_hashes(entries.anchor_hashes), entries.content_digests)
    target = translate_codes(contents, targets)[lists.codes]
    document = index.entry_documents[owner]
    kept = (target >= 0) & ~index.anchors_from_catalogue[owner] & (target != document)
    bases = list_entry_bases(index)[owner[kept]]
    links = [_pair_links(document[kept], target[kept], bases, _ANCHOR_SHIFT)]
    if not len(log.anchors.codes):
        return links
    log_contents = find_positions(normalise_hashes(log.anchor_hashes), entries.content_digests)
    by_content = translate_codes(log_contents, targets)
    derived = np.zeros(log.result_count, bool) if graph is None else graph.has_parents[graph.result_nodes]
    declared = find_declared_sources(log, evidence.under(Belief.DECLARED).classes, derived)
    texts = find_positions(normalise_hashes(log.anchor_hashes), log.text_digests.values)
    by_text = translate_codes(texts, translate_codes(declared.text_documents, index.log_documents))
    child, reference = _list_log_pairs(evidence, log.anchors)
    document = index.log_documents[child]
    target = np.where(by_content >= 0, by_content, by_text)[reference]
    kept = (target >= 0) & (target != document)
    return [*links, _pair_links(document[kept], target[kept], Bases.DECLARED, _ANCHOR_SHIFT)]


def _list_log_pairs(evidence: Evidence, lists: Ragged) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the distinct pairs of a document of the log and an item of the lists of its results."""
    return split_pairs(sort_distinct(pair_codes(evidence.log.document_ids.codes[find_owners(lists)], lists.codes)))


def _list_node_documents(index: EntryIndex) -> NDArray[np.int32]:
    """Return the document of each node of ``ParentGraph``."""
    return np.append(index.entry_documents, index.log_documents).astype(np.int32)


def list_entry_bases(index: EntryIndex) -> NDArray[np.uint8]:
    """Return the basis of each entry, as a bit of ``Bases``."""
    bases = np.full(index.entries.count, Bases.CATALOGUE, np.uint8)
    bases[: index.signed_count] = Bases.SIGNED
    return bases


def _list_counting_links(index: EntryIndex, graph: ParentGraph) -> NDArray[np.int64]:
    """Return the links that class and depth follow, as sorted pairs.

    They are those of the strongest entry if this gives a class, else those of what the log says of the document.
    """
    size, count = index.entries.count, len(index.documents)
    strongest, log_nodes = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    strongest[index.entry_documents[::-1]] = np.arange(size)[::-1]
    log_nodes[index.log_documents] = size + np.arange(len(index.log_documents))
    has_class = translate_codes(strongest, index.entries.classes, UNKNOWN) != UNKNOWN
    node = np.where(has_class | (log_nodes < 0), strongest, log_nodes)
    documents = np.flatnonzero(node >= 0)
    places, lengths = locate_items(graph.declared_parents, node[documents])
    parents = _list_node_documents(index)[graph.declared_parents.codes[places]]
    return sort_distinct(pair_codes(np.repeat(documents, lengths), parents))
