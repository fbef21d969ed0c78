"""Build the graph of parents of a log, and derive class and depth of its results from it.

Flows in: a log, the entries of catalogue and claims, and the class of each result before parents are followed.  Flows
out: ``ParentGraph``, and the classes of results after parents are followed.
Rules kept here: the parents of a document are those that the strongest basis names that names any; links that only the
log gives count for results to which only the log gives a class, and for nobody else's class or depth; a parent that
nobody knows is a conflict (R29), and so is a cycle, whose members a notice names (R31); the links of all results of a
document count for it, so that the order of rows changes nothing.
Not here: the order of a graph (``layers.py``), what parents prove (``depths.py``), sources (``sources/shares.py``).

Nodes of the graph are the entries of ``EntryIndex``, one a basis and document, and after them the documents of the log.
It is followed twice: among entries alone, and then with the log's documents, for which entries stay as derived.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.codes import CONFLICTS, DEPTH_2_PLUS, UNKNOWN, UNKNOWN_DEPTH
from guard_core.columns import (
    Ragged,
    count_items,
    find_owners,
    list_pairs,
    locate_items,
    pair_codes,
    sort_distinct,
    split_pairs,
    translate_codes,
)
from guard_core.ingest.log import Log, Notice
from guard_core.model import Conflict
from guard_core.provenance.classes import StatedClasses
from guard_core.provenance.entry_index import EntryIndex
from guard_core.provenance.parents.depths import (
    ClassColumns,
    DerivedClasses,
    ParentDepths,
    derive_classes,
    follow_parents,
    mark_descendants,
    mark_too_shallow,
)
from guard_core.provenance.parents.layers import Layers, build_layers, find_cycle_members
from guard_core.provenance.parents.references import resolve_references
from guard_core.provenance.precedence import ResultClasses, mark_disagreements
from guard_core.visible import visible

_CYCLE = CONFLICTS.bit(Conflict.DERIVATION_CYCLE)
_LOST = CONFLICTS.bit(Conflict.PARENT_UNKNOWN)
_DEPTH = CONFLICTS.bit(Conflict.DEPTH_CONFLICT)

MEMBERS_NAMED = 20
"""How many members of cycles the notice names."""


@dataclass(frozen=True, slots=True, eq=False)
class ParentGraph:
    """Hold the parents of documents, and the classes of entries after these are followed.

    ``upheld_parents`` are the parents of entries among entries, in ``upheld_layers``; ``declared_parents`` those of all
    nodes among all nodes, whether or not they count for a class.  ``has_parents`` marks the nodes for which a parent is
    named, known or not, ``cyclic`` those on a cycle or below one.  ``classes``, ``depths``, ``stated``, ``at_least``
    (``DerivedClasses``) and ``conflicts`` are those of entries; ``result_nodes`` is the node of each result.
    ``entry_references`` and ``log_references`` are the nodes that the parent ids of entries and of the log name, -1 for
    none.
    """

    upheld_parents: Ragged
    upheld_layers: Layers
    declared_parents: Ragged
    has_parents: NDArray[np.bool_]
    cyclic: NDArray[np.bool_]
    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    stated: NDArray[np.uint8]
    at_least: NDArray[np.int32]
    conflicts: NDArray[np.uint8]
    result_nodes: NDArray[np.int32]
    entry_references: NDArray[np.int32]
    log_references: NDArray[np.int32]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FollowedParents:
    """Hold the graph of a log, and the classes of its results after parents are followed.

    ``at_least`` is the depth that parents prove at least where the depth is unknown, -1 for none; ``upheld`` marks the
    results whose entry gives a class, whatever parents make of it.
    """

    graph: ParentGraph
    results: ResultClasses
    at_least: NDArray[np.int32]
    upheld: NDArray[np.bool_]


def has_parents(log: Log, index: EntryIndex | None) -> bool:
    """Return whether anybody names a parent."""
    return bool(len(log.parents.codes)) or (index is not None and bool(len(index.entries.parents.codes)))


def build_parent_graph(
    log: Log, index: EntryIndex, results: ResultClasses, log_reading: StatedClasses
) -> FollowedParents:
    """Follow the parents of every document that catalogue, claims or log name.

    ``log_reading`` is what the log itself says of its results.
    """
    entries, size = index.entries, index.entries.count
    given = ClassColumns(entries.classes, entries.depths, entries.stated, entries.class_words)
    upheld = results.upheld_classes != UNKNOWN
    nodes = np.where(upheld, results.entries, log.document_ids.codes + np.int32(size))
    entry = np.where(upheld, nodes, -1)
    words = np.where(upheld, translate_codes(entry, given.words), log.class_words)
    row_classes = ClassColumns(results.classes, results.depths, results.stated, words)
    documents = _classify_documents(log, row_classes)

    # Among entries: what catalogue and claims prove.
    references = resolve_references(entries.parent_ids, index, log, documents)
    owner, parent = find_owners(entries.parents).astype(np.int32), entries.parents.codes
    upheld_graph = _follow_entries(given, owner, references.upheld[parent])
    derived = upheld_graph.derived

    # With the documents of the log: what it says of those to which nobody else gives a class.
    log_references = resolve_references(log.parent_ids, index, log, documents)
    child, links = _link_documents(log, index, references.declared, log_references.declared)
    count = size + len(log.document_ids.values)
    declared_parents, lost = _list_parents(
        count, np.append(owner, child), np.append(references.declared[parent], links)
    )
    row_classes = _replace_derived(row_classes, derived, entry)
    all_classes = _append_documents(derived, given.words, _classify_documents(log, row_classes))
    proved, members = _follow_documents(all_classes, upheld_graph, declared_parents, child, links)

    named = np.zeros(count, bool)
    named[owner] = named[child] = True
    shallow = mark_too_shallow(given, entries.given_depths, upheld_graph.proved)
    graph = ParentGraph(
        upheld_parents=upheld_graph.parents,
        upheld_layers=upheld_graph.layers,
        declared_parents=declared_parents,
        has_parents=named,
        cyclic=proved.cyclic,
        classes=derived.classes,
        depths=derived.depths,
        stated=derived.stated,
        at_least=derived.at_least,
        conflicts=entries.conflicts | proved.cyclic[:size] * _CYCLE | lost[:size] * _LOST | shallow * _DEPTH,
        result_nodes=nodes,
        entry_references=references.declared,
        log_references=log_references.declared,
        notices=_name_members(members, index, log),
    )
    conflicts = results.conflicts | proved.cyclic[nodes] * _CYCLE | lost[nodes] * _LOST
    conflicts |= translate_codes(entry, shallow, False) * _DEPTH
    results = replace(results, conflicts=conflicts)
    results, at_least = _derive_results(log, results, row_classes, proved, graph, upheld, log_reading)
    return FollowedParents(graph, results, np.where(upheld, translate_codes(entry, derived.at_least), at_least), upheld)


@dataclass(frozen=True, slots=True, eq=False)
class _EntryGraph:
    """Hold the parents of entries among entries, what they prove, and the classes that follow."""

    parents: Ragged
    layers: Layers
    proved: ParentDepths
    derived: DerivedClasses


def _follow_entries(given: ClassColumns, owner: NDArray[np.int32], parent: NDArray[np.int32]) -> _EntryGraph:
    parents, lost = _list_parents(len(given.classes), owner, parent)
    layers = build_layers(parents)
    proved = follow_parents(parents, layers, given, lost)
    proved.below_synthetic[:] = mark_descendants(parents, layers, derive_classes(given, proved).bounds > 0)
    return _EntryGraph(parents, layers, proved, derive_classes(given, proved))


def _follow_documents(
    given: ClassColumns,
    entries: _EntryGraph,
    declared_parents: Ragged,
    child: NDArray[np.int32],
    links: NDArray[np.int32],
) -> tuple[ParentDepths, NDArray[np.int32]]:
    """Follow the links of the log's documents (``child`` to ``links``), entries being derived already.

    Returns what parents prove of all nodes, and the members of cycles.
    """
    count, size = len(given.classes), len(entries.derived.classes)
    cyclic = np.append(entries.proved.cyclic, np.zeros(count - size, bool))
    members, layers = find_cycle_members(entries.parents, entries.layers), None
    if len(child):  # without links of its own, no document of the log is on a cycle
        layers = build_layers(declared_parents)
        more = find_cycle_members(declared_parents, layers)
        members = np.append(members, more[more >= size])
        cyclic[size:] = layers.cyclic[size:]
    ends = np.flatnonzero(cyclic).astype(np.int32)  # stay cyclic, as parents of themselves
    parents, lost = _list_parents(count, np.append(ends, child), np.append(ends, links))
    proved = follow_parents(parents, build_layers(parents), given, lost, entries.derived.bounds)
    if layers is not None:
        synthetic = derive_classes(given, proved).bounds > 0
        proved.below_synthetic[:] = mark_descendants(declared_parents, layers, synthetic)
    return proved, members


def _derive_results(
    log: Log,
    results: ResultClasses,
    given: ClassColumns,
    proved: ParentDepths,
    graph: ParentGraph,
    upheld: NDArray[np.bool_],
    log_reading: StatedClasses,
) -> tuple[ResultClasses, NDArray[np.int32]]:
    """Return the classes of results, and the least depths of those that are not ``upheld``.

    An upheld result has the class of its entry (``given``); any other the one that follows from its own and from the
    links of its document.  The conflicts of ``results`` are added to in place.
    """
    conflicts = results.conflicts
    classes, depths, says = given.classes.copy(), given.depths.copy(), given.stated.copy()
    at_least = np.full(len(classes), UNKNOWN_DEPTH, np.int32)
    linked = graph.has_parents[graph.result_nodes] | graph.cyclic[graph.result_nodes]
    changed = np.flatnonzero(upheld & linked)
    none = np.zeros(0, bool)
    conflicts[changed] |= mark_disagreements(
        StatedClasses(log_reading.classes[changed], log_reading.depths[changed], none, log_reading.stated[changed]),
        StatedClasses(classes[changed], depths[changed], none, says[changed]),
    )
    rows = np.flatnonzero(~upheld & linked)
    row_classes, row_parents = given.select(rows), proved.select(graph.result_nodes[rows])
    derived = derive_classes(row_classes, row_parents)
    classes[rows], depths[rows], says[rows] = derived.classes, derived.depths, derived.stated
    at_least[rows] = derived.at_least
    conflicts[rows] |= mark_too_shallow(row_classes, log.depths[rows], row_parents) * _DEPTH
    found = replace(
        results,
        classes=classes,
        depths=depths,
        stated=says,
        upheld_classes=np.where(upheld, classes, np.uint8(UNKNOWN)),
        upheld_depths=np.where(upheld, depths, np.int32(UNKNOWN_DEPTH)),
        conflicts=conflicts,
    )
    return found, at_least


def _list_parents(count: int, owner: NDArray[np.int32], parent: NDArray[np.int32]) -> tuple[Ragged, NDArray[np.bool_]]:
    """Return the distinct parents of ``count`` nodes, and which nodes have a parent that is no node (-1)."""
    lost = np.zeros(count, bool)
    lost[owner[parent < 0]] = True
    return list_pairs(sort_distinct(pair_codes(owner[parent >= 0], parent[parent >= 0])), count), lost


def _replace_derived(rows: ClassColumns, derived: DerivedClasses, entry: NDArray[np.int32]) -> ClassColumns:
    """Return the classes of results, with those derived for the ``entry`` of each where there is one."""
    upheld = entry >= 0
    return ClassColumns(
        np.where(upheld, translate_codes(entry, derived.classes, UNKNOWN), rows.classes),
        np.where(upheld, translate_codes(entry, derived.depths), rows.depths),
        np.where(upheld, translate_codes(entry, derived.stated, UNKNOWN), rows.stated),
        rows.words,
    )


def _classify_documents(log: Log, rows: ClassColumns) -> ClassColumns:
    """Return the class of each document of a log, which is that of its least trusted result; none without a result."""
    codes, count = log.document_ids.codes, len(log.document_ids.values)
    depths = rows.depths.astype(np.int64)
    depths[depths < 0] = 1 << 32  # unknown is less trusted than any known depth
    firm = rows.stated == DEPTH_2_PLUS
    generated = (rows.words != ClassWord.HUMAN) & (rows.words != ClassWord.NONE)
    key = rows.classes.astype(np.int64) << 40 | depths << 2 | firm.astype(np.int64) << 1 | generated
    worst = np.full(count, -1, np.int64)
    np.maximum.at(worst, codes, key)
    chosen = np.flatnonzero(key == worst[codes])
    row = np.full(count, -1, np.int32)
    row[codes[chosen]] = chosen
    return ClassColumns(
        translate_codes(row, rows.classes, UNKNOWN),
        translate_codes(row, rows.depths, UNKNOWN_DEPTH),
        translate_codes(row, rows.stated, UNKNOWN),
        translate_codes(row, rows.words, ClassWord.NONE),
    )


def _link_documents(
    log: Log, index: EntryIndex, entry_references: NDArray[np.int32], log_references: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the links of the documents of a log to their parents, as nodes.

    A document has the log's own links, but those of its entry where this names parents and gives no class.
    """
    entries, size = index.entries, index.entries.count
    links_only = (entries.classes == UNKNOWN) & (count_items(entries.parents) > 0)
    by_entry = np.flatnonzero(translate_codes(index.strongest, links_only, False)).astype(np.int32)
    document, reference = split_pairs(
        sort_distinct(pair_codes(log.document_ids.codes[find_owners(log.parents)], log.parents.codes))
    )
    if not len(by_entry):
        return document + np.int32(size), log_references[reference]
    by_log = ~np.isin(document, by_entry)
    places, lengths = locate_items(entries.parents, index.strongest[by_entry])
    return (
        np.append(document[by_log], np.repeat(by_entry, lengths)) + np.int32(size),
        np.append(log_references[reference[by_log]], entry_references[entries.parents.codes[places]]),
    )


def _append_documents(derived: DerivedClasses, words: NDArray[np.int8], documents: ClassColumns) -> ClassColumns:
    """Return the classes of entries as derived, and after them those of the documents of the log."""
    return ClassColumns(
        np.append(derived.classes, documents.classes),
        np.append(derived.depths, documents.depths),
        np.append(derived.stated, documents.stated),
        np.append(words, documents.words),
    )


def _name_members(members: NDArray[np.int32], index: EntryIndex, log: Log) -> tuple[Notice, ...]:
    """Return the notice that names the members of cycles, if there are any."""
    if not len(members):
        return ()
    size = index.entries.count
    ids = index.entries.document_ids.take(pa.array(members[members < size])).to_pylist()
    ids += log.document_ids.values.take(pa.array(members[members >= size] - size)).to_pylist()
    names = sorted(set(ids), key=str.encode)
    listed = ", ".join(visible(name) for name in names[:MEMBERS_NAMED])
    rest = f" and {len(names) - MEMBERS_NAMED:,} more" if len(names) > MEMBERS_NAMED else ""
    who = "1 document descends from itself" if len(names) == 1 else f"{len(names):,} documents descend from themselves"
    words = f"{who}, and nothing that comes from a cycle has a depth: "
    return (Notice(Conflict.DERIVATION_CYCLE.value, len(names), words + listed + rest),)
