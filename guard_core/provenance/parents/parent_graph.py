"""Where documents come from: the graph of parents of a log, and what it proves of class and depth.

Flows in: a log, what catalogue and claims know, the standing of results.  Flows out: ``Lineage``, and the standing
once chains are followed.
Rules kept here: the parents of a document are those that the strongest basis names that names any; links that only the
log gives count for results that only the log speaks for, and for nobody else's class or depth; a parent that is known
nowhere is a conflict (R29), and so is a cycle, whose members a notice names (R31); the links of all results of a
document count for it, so that the order of rows changes nothing.
Not here: the order of a graph (``graph.py``), what parents prove (``chains.py``), anchors (``inheritance.py``).

Nodes of the graph are the entries of ``Known``, one a basis and document, and after them the documents of the log.  It
is followed twice: among entries alone, and then with the log's documents, for which entries are as they were found.
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
from guard_core.provenance.classes import ClassReading
from guard_core.provenance.entries import Known
from guard_core.provenance.parents.depths import Proved, Settled, Stated, descending, follow, settle, too_shallow
from guard_core.provenance.parents.layers import Layers, cycle_members, layers_of
from guard_core.provenance.parents.references import references
from guard_core.provenance.precedence import Standing, disagreements
from guard_core.visible import visible

_CYCLE = CONFLICTS.bit(Conflict.DERIVATION_CYCLE)
_LOST = CONFLICTS.bit(Conflict.PARENT_UNKNOWN)
_DEPTH = CONFLICTS.bit(Conflict.DEPTH_CONFLICT)

MEMBERS_NAMED = 20
"""How many members of cycles the notice names."""


@dataclass(frozen=True, slots=True, eq=False)
class Lineage:
    """The graph of parents.

    ``proved`` are the parents of entries among entries, in ``layers``; ``believed`` the parents of all nodes among all
    nodes, whether or not they count for a class.  ``derived`` marks the nodes for which a parent is named, known or
    not, ``looped`` those on a cycle or below one.  ``classes``, ``depths``, ``says``, ``at_least`` (``Settled``) and
    ``conflicts`` are those of entries with chains followed; ``rows`` is the node of each result.  ``of_entries`` and
    ``of_log`` are the nodes that the parent ids of entries and of the log mean, -1 for none.
    """

    proved: Ragged
    layers: Layers
    believed: Ragged
    derived: NDArray[np.bool_]
    looped: NDArray[np.bool_]
    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    says: NDArray[np.uint8]
    at_least: NDArray[np.int32]
    conflicts: NDArray[np.uint8]
    rows: NDArray[np.int32]
    of_entries: NDArray[np.int32]
    of_log: NDArray[np.int32]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """What following chains makes of a log: its lineage, the standing of its results with class and depth as parents
    prove them, the least depth that they prove where it stays unknown (-1 none), and for which results an entry with a
    class speaks (``upheld``), whatever has become of that class."""

    lineage: Lineage
    standing: Standing
    at_least: NDArray[np.int32]
    upheld: NDArray[np.bool_]


def has_chains(log: Log, known: Known | None) -> bool:
    """Whether anybody names a parent."""
    return bool(len(log.parents.codes)) or (known is not None and bool(len(known.entries.parents.codes)))


def follow_chains(log: Log, known: Known, standing: Standing, declared: ClassReading) -> Followed:
    """Follow the parents of every document that catalogue, claims or log name."""
    entries, size = known.entries, known.entries.count
    of_entries = Stated(entries.classes, entries.depths, entries.says, entries.class_words)
    upheld = standing.upheld_classes != UNKNOWN
    nodes = np.where(upheld, standing.entries, log.document_ids.codes + np.int32(size))
    words = translate_codes(np.where(upheld, standing.entries, -1), of_entries.words)
    of_rows = Stated(standing.classes, standing.depths, standing.says, np.where(upheld, words, log.class_words))
    documents = _of_documents(log, of_rows)

    # Among entries: what catalogue and claims prove.
    meant = references(entries.parent_ids, known, log, documents)
    owner, named = find_owners(entries.parents).astype(np.int32), entries.parents.codes
    among_entries, unproved = _graph(size, owner, meant.proved[named])
    layers = layers_of(among_entries)
    proved = follow(among_entries, layers, of_entries, unproved)
    proved.tainted[:] = descending(among_entries, layers, settle(of_entries, proved).bounds > 0)
    settled = settle(of_entries, proved)
    members = cycle_members(among_entries, layers)

    # With the documents of the log: what it says of those that nobody else gives a class.
    of_log = references(log.parent_ids, known, log, documents)
    linked, links = _links_of_log(log, known, meant.believed, of_log.believed)
    count = size + len(log.document_ids.values)
    believed, lost = _graph(count, np.append(owner, linked), np.append(meant.believed[named], links))
    looped, whole = np.append(proved.looped, np.zeros(count - size, bool)), None
    if len(linked):  # without links of its own, no document of the log is on a cycle
        whole = layers_of(believed)
        more = cycle_members(believed, whole)
        members = np.append(members, more[more >= size])
        looped[size:] = whole.looped[size:]
    of_rows = _with_settled(of_rows, settled, standing.entries, upheld)
    both = _joined(settled, of_entries, _of_documents(log, of_rows))
    ends = np.flatnonzero(looped).astype(np.int32)  # stay so, as parents of themselves
    with_log, unknown = _graph(count, np.append(ends, linked), np.append(ends, links))
    said = follow(with_log, layers_of(with_log), both, unknown, settled.bounds)
    if whole is not None:
        said.tainted[:] = descending(believed, whole, settle(both, said).bounds > 0)

    derived = np.zeros(count, bool)
    derived[owner] = derived[linked] = True
    shallow = too_shallow(of_entries, entries.stated_depths, proved)
    lineage = Lineage(
        proved=among_entries,
        layers=layers,
        believed=believed,
        derived=derived,
        looped=said.looped,
        classes=settled.classes,
        depths=settled.depths,
        says=settled.says,
        at_least=settled.at_least,
        conflicts=entries.conflicts | said.looped[:size] * _CYCLE | lost[:size] * _LOST | shallow * _DEPTH,
        rows=nodes,
        of_entries=meant.believed,
        of_log=of_log.believed,
        notices=_notices(members, known, log),
    )
    entry = np.where(upheld, nodes, -1)
    below = translate_codes(entry, shallow, False)
    conflicts = standing.conflicts | said.looped[nodes] * _CYCLE | lost[nodes] * _LOST | below * _DEPTH
    standing = replace(standing, conflicts=conflicts)
    standing, at_least = _results(log, standing, of_rows, said, lineage, upheld, declared)
    return Followed(lineage, standing, np.where(upheld, translate_codes(entry, settled.at_least), at_least), upheld)


def _results(
    log: Log,
    standing: Standing,
    of_rows: Stated,
    said: Proved,
    lineage: Lineage,
    upheld: NDArray[np.bool_],
    declared: ClassReading,
) -> tuple[Standing, NDArray[np.int32]]:
    """Class and depth of results: of ``upheld`` ones those of their entry (``of_rows``), of others what they say
    themselves and the links of their document prove; and the least depths of the latter."""
    conflicts = standing.conflicts
    classes, depths, says = of_rows.classes.copy(), of_rows.depths.copy(), of_rows.says.copy()
    at_least = np.full(len(classes), UNKNOWN_DEPTH, np.int32)
    derived = lineage.derived[lineage.rows] | lineage.looped[lineage.rows]
    changed = np.flatnonzero(upheld & derived)
    conflicts[changed] |= disagreements(
        ClassReading(declared.classes[changed], declared.depths[changed], np.zeros(0, bool), declared.says[changed]),
        ClassReading(classes[changed], depths[changed], np.zeros(0, bool), says[changed]),
    )
    rows = np.flatnonzero(~upheld & derived)
    own, facts = of_rows.taken(rows), said.taken(lineage.rows[rows])
    found = settle(own, facts)
    classes[rows], depths[rows], says[rows] = found.classes, found.depths, found.says
    at_least[rows] = found.at_least
    conflicts[rows] |= too_shallow(own, log.depths[rows], facts) * _DEPTH
    result = replace(
        standing,
        classes=classes,
        depths=depths,
        says=says,
        upheld_classes=np.where(upheld, classes, np.uint8(UNKNOWN)),
        upheld_depths=np.where(upheld, depths, np.int32(UNKNOWN_DEPTH)),
        conflicts=conflicts,
    )
    return result, at_least


def _graph(count: int, owner: NDArray[np.int32], parent: NDArray[np.int32]) -> tuple[Ragged, NDArray[np.bool_]]:
    """The distinct parents of ``count`` nodes, and which nodes have a parent that is no node (-1)."""
    lost = np.zeros(count, bool)
    lost[owner[parent < 0]] = True
    pairs = sort_distinct(pair_codes(owner[parent >= 0], parent[parent >= 0]))
    return list_pairs(pairs, count), lost


def _with_settled(of_rows: Stated, settled: Settled, entries: NDArray[np.int32], upheld: NDArray[np.bool_]) -> Stated:
    """The same with the chains of entries followed."""
    entry = np.where(upheld, entries, -1)
    return Stated(
        np.where(upheld, translate_codes(entry, settled.classes, UNKNOWN), of_rows.classes),
        np.where(upheld, translate_codes(entry, settled.depths), of_rows.depths),
        np.where(upheld, translate_codes(entry, settled.says, UNKNOWN), of_rows.says),
        of_rows.words,
    )


def _of_documents(log: Log, of_rows: Stated) -> Stated:
    """What is stated of each document of a log: what its least trusted result says; nothing where it has no result."""
    codes, count = log.document_ids.codes, len(log.document_ids.values)
    depths = of_rows.depths.astype(np.int64)
    depths[depths < 0] = 1 << 32  # unknown is less trusted than any known depth
    firm = of_rows.says == DEPTH_2_PLUS
    generated = (of_rows.words != ClassWord.HUMAN) & (of_rows.words != ClassWord.NONE)
    key = of_rows.classes.astype(np.int64) << 40 | depths << 2 | firm.astype(np.int64) << 1 | generated
    worst = np.full(count, -1, np.int64)
    np.maximum.at(worst, codes, key)
    chosen = np.flatnonzero(key == worst[codes])
    row = np.full(count, -1, np.int32)
    row[codes[chosen]] = chosen
    return Stated(
        translate_codes(row, of_rows.classes, UNKNOWN),
        translate_codes(row, of_rows.depths, UNKNOWN_DEPTH),
        translate_codes(row, of_rows.says, UNKNOWN),
        translate_codes(row, of_rows.words, ClassWord.NONE),
    )


def _links_of_log(
    log: Log, known: Known, of_entries: NDArray[np.int32], of_log: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The parents of the documents of a log, as pairs of nodes: the log's own links, but those of the entry where a
    document has one that names parents and no class.  ``of_entries`` and ``of_log`` are what references mean."""
    entries, size = known.entries, known.entries.count
    named = (entries.classes == UNKNOWN) & (count_items(entries.parents) > 0)
    instead = np.flatnonzero(translate_codes(known.of_document, named, False)).astype(np.int32)
    pairs = sort_distinct(pair_codes(log.document_ids.codes[find_owners(log.parents)], log.parents.codes))
    document, reference = split_pairs(pairs)
    if not len(instead):
        return document + np.int32(size), of_log[reference]
    own = ~np.isin(document, instead)
    places, lengths = locate_items(entries.parents, known.of_document[instead])
    return (
        np.append(document[own], np.repeat(instead, lengths)) + np.int32(size),
        np.append(of_log[reference[own]], of_entries[entries.parents.codes[places]]),
    )


def _joined(settled: Settled, of_entries: Stated, of_documents: Stated) -> Stated:
    """Entries as they were found, and after them the documents of the log."""
    return Stated(
        np.append(settled.classes, of_documents.classes),
        np.append(settled.depths, of_documents.depths),
        np.append(settled.says, of_documents.says),
        np.append(of_entries.words, of_documents.words),
    )


def _notices(members: NDArray[np.int32], known: Known, log: Log) -> tuple[Notice, ...]:
    """The notice that names the members of cycles."""
    if not len(members):
        return ()
    size = known.entries.count
    ids = known.entries.document_ids.take(pa.array(members[members < size])).to_pylist()
    ids += log.document_ids.values.take(pa.array(members[members >= size] - size)).to_pylist()
    names = sorted(set(ids), key=str.encode)
    listed = ", ".join(visible(name) for name in names[:MEMBERS_NAMED])
    rest = f" and {len(names) - MEMBERS_NAMED:,} more" if len(names) > MEMBERS_NAMED else ""
    who = "1 document descends from itself" if len(names) == 1 else f"{len(names):,} documents descend from themselves"
    words = f"{who}, and nothing that comes from a cycle has a depth: "
    return (Notice(Conflict.DERIVATION_CYCLE.value, len(names), words + listed + rest),)
