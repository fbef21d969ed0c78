"""Who derives from whom: the documents of catalogue, claims and log as one graph.

Flows in: ``Evidence``.  Flows out: ``Derivation``, made once.
Rules kept here: a document stands once, however many bases speak of it, and each link says which of them name it;
column operations only, so that a million documents take about a second.
Not here: what links prove of class, depth and sources (``guard_core.provenance``), what stands around one document
(``kin.py``), what is known of it (``document_record.py``).

A link leads from a document to one that it derives from (``derived_from``); from a document for which nobody names one
of which anything is known, to the human documents whose content it names as its anchors.  Only the parents that the
strongest basis names count for class and depth.
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
from guard_core.provenance.anchors import digest_form, proved_sources
from guard_core.provenance.entries import Known, nothing_known
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.parents.parent_graph import Lineage
from guard_core.provenance.sources.declared import declared_sources


class Said(IntFlag):
    """Who names a link."""

    CLAIM = 1
    CATALOGUE = 2
    LOG = 4


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """The documents that catalogue, claims or log know, by number.

    ``parents`` are the links of each document, a document once; ``derived`` and ``anchored`` (bits of ``Said``, one an
    item) who names the link as one of derivation, and as an anchor; ``counts`` whether class and depth follow it.
    ``children`` are the links turned round.  ``results`` counts the results of the log, ``of_log`` are the numbers of
    its document codes.  Numbers that are no code of ``of_log`` and of no entry stand for nothing.
    """

    ids: Strings
    parents: Ragged
    derived: NDArray[np.uint8]
    anchored: NDArray[np.uint8]
    counts: NDArray[np.bool_]
    children: Ragged
    results: NDArray[np.int64]
    of_log: NDArray[np.int32]

    def number(self, document_id: str) -> int | None:
        """The number of a document, ``None`` where nobody knows it."""
        found: int = pc.index(self.ids, pa.scalar(document_id, self.ids.type)).as_py() if len(self.ids) else -1
        return None if found < 0 else found

    def name(self, number: int) -> str:
        """The id of a document."""
        return str(self.ids[number].as_py())


def derivation_of(evidence: Evidence) -> Derivation:
    """The graph of an evidence; an excerpt has none of catalogue and claims."""
    log, chains = evidence.log, evidence.chains
    known = nothing_known(log) if chains is None else chains.known
    lineage = None if chains is None else chains.lineage
    of_log = known.log_names.astype(np.int32)
    parts = _anchor_links(evidence, known, lineage)
    if lineage is not None:
        parts += _parent_links(evidence, known, lineage)
    pair = np.concatenate([part.pairs for part in parts])
    order = np.argsort(pair, kind="stable")
    first = np.flatnonzero(np.diff(pair[order], prepend=-1))
    bits = np.concatenate([part.bits for part in parts])[order]
    bits = np.bitwise_or.reduceat(bits, first) if len(first) else bits
    pair, size = pair[order][first], len(known.sources)
    descends = np.zeros(size, bool)
    descends[(pair >> 32)[(bits & 7) > 0]] = True
    kept = ((bits & 7) > 0) | ~descends[pair >> 32]
    pair, bits = pair[kept], bits[kept]
    child, parent = split_pairs(pair)
    parents = Ragged(_ends(child, size), parent)
    turned = np.argsort(parent, kind="stable")
    return Derivation(
        ids=known.sources,
        parents=parents,
        derived=bits & 7,
        anchored=bits >> 3,
        counts=mark_contained(pair, _counting(known, lineage)) if lineage is not None else np.zeros(len(pair), bool),
        children=Ragged(_ends(parent, size), child[turned]),
        results=np.bincount(of_log[log.document_ids.codes], minlength=size).astype(np.int64),
        of_log=of_log,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """Pairs (child, parent) of documents, each with its bits: derivation in the lower three, anchors in the upper."""

    pairs: NDArray[np.int64]
    bits: NDArray[np.uint8]


def _links(child: NDArray[np.int32], parent: NDArray[np.int32], bits: NDArray[np.uint8] | int, shift: int) -> _Links:
    wide = np.broadcast_to(np.asarray(bits, np.uint8), child.shape)
    return _Links(pair_codes(child, parent), np.left_shift(wide, np.uint8(shift)))


def _parent_links(evidence: Evidence, known: Known, lineage: Lineage) -> list[_Links]:
    log, lists = evidence.log, known.entries.parents
    document = np.append(known.names, known.log_names).astype(np.int32)
    owner, named = find_owners(lists), lineage.of_entries[lists.codes]
    own = (named >= 0) & ~known.lent_parents[owner]
    links = [_links(document[owner[own]], document[named[own]], _by_entry(known)[owner[own]], 0)]
    pairs = sort_distinct(pair_codes(log.document_ids.codes[find_owners(log.parents)], log.parents.codes))
    child, named = (pairs >> 32).astype(np.int32), lineage.of_log[pairs & 0xFFFFFFFF]
    found = named >= 0
    links.append(_links(known.log_names[child[found]].astype(np.int32), document[named[found]], Said.LOG, 0))
    return links


def _anchor_links(evidence: Evidence, known: Known, lineage: Lineage | None) -> list[_Links]:
    """Links to the human documents that anchors lead to; a document that names its own content has none by that."""
    log, entries, size = evidence.log, known.entries, known.entries.count
    classes = entries.classes if lineage is None else lineage.classes
    derived = np.zeros(size, bool) if lineage is None else lineage.derived[:size]
    own = proved_sources(known, classes, derived)
    proved = translate_codes(own.of_content, known.names)
    lists, owner = entries.anchors, find_owners(entries.anchors)
    contents = find_positions(digest_form(entries.anchor_hashes), entries.content_digests)
    target = translate_codes(contents, proved)[lists.codes]
    kept = (target >= 0) & ~known.lent_anchors[owner] & (target != known.names[owner])
    links = [_links(known.names[owner[kept]].astype(np.int32), target[kept], _by_entry(known)[owner[kept]], 3)]
    if not len(log.anchors.codes):
        return links
    of_hash = translate_codes(find_positions(digest_form(log.anchor_hashes), entries.content_digests), proved)
    edited = np.zeros(log.result_count, bool) if lineage is None else lineage.derived[lineage.rows]
    texts = translate_codes(
        declared_sources(log, evidence.under(Belief.DECLARED).classes, edited).of_text, known.log_names
    )
    by_text = translate_codes(find_positions(digest_form(log.anchor_hashes), log.text_digests.values), texts)
    of_hash = np.where(of_hash >= 0, of_hash, by_text).astype(np.int32)
    pairs = sort_distinct(pair_codes(log.document_ids.codes[find_owners(log.anchors)], log.anchors.codes))
    child, target = known.log_names[pairs >> 32].astype(np.int32), of_hash[pairs & 0xFFFFFFFF]
    kept = (target >= 0) & (target != child)
    return [*links, _links(child[kept], target[kept], Said.LOG, 3)]


def _by_entry(known: Known) -> NDArray[np.uint8]:
    """Who speaks in each entry."""
    bits = np.full(known.entries.count, Said.CATALOGUE, np.uint8)
    bits[: known.signed] = Said.CLAIM
    return bits


def _counting(known: Known, lineage: Lineage) -> NDArray[np.int64]:
    """The links that class and depth follow, as sorted pairs: those of the strongest entry with a class, else of what
    the log says of the document."""
    size, count = known.entries.count, len(known.sources)
    strongest, of_log = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    strongest[known.names[::-1]] = np.arange(size)[::-1]
    of_log[known.log_names] = size + np.arange(len(known.log_names))
    firm = translate_codes(strongest.astype(np.int32), known.entries.classes, UNKNOWN) != UNKNOWN
    node = np.where(firm | (of_log < 0), strongest, of_log)
    speaking = np.flatnonzero(node >= 0)
    places, lengths = locate_items(lineage.believed, node[speaking].astype(np.int32))
    document = np.append(known.names, known.log_names).astype(np.int32)
    return sort_distinct(pair_codes(np.repeat(speaking, lengths), document[lineage.believed.codes[places]]))


def _ends(owner: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    return add_up_lengths(np.bincount(owner, minlength=size))
