"""What is known of single documents: class, depth and basis, what each basis says of them, where they were retrieved.

Flows in: ``Evidence`` and its ``Derivation``.  Flows out: ``Facts``, ``Statement``, rows of the log.
Rules kept here: a document in a log is what its least trusted result is; one that was never retrieved is what its
strongest entry proves, chains followed; a statement is shown as it was made, whether or not it counts.
Not here: who derives from whom (``derivation.py``), sentences and pictures (the dashboard).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.codes import BASES, CLASSES, CONFLICTS, UNKNOWN
from guard_core.columns import Ragged, Strings
from guard_core.corpus.derivation import Derivation, Said
from guard_core.model import AuthenticityClass, Basis, Belief, Conflict
from guard_core.provenance.entries import Known
from guard_core.provenance.evidence import Evidence

LISTED = 64
"""Parents and anchors of one statement that are given."""

_VARIANTS = 4
"""Differing statements of a log about one document that are given; the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One document as a reading has it.

    ``depth`` is ``None`` where it is unknown, ``depth_at_least`` what known parents prove then (else ``None``).
    ``conflicts`` are those of its results, or of its entry where it has none.  ``results`` counts the log's.
    """

    number: int
    document_id: str
    authenticity: AuthenticityClass
    depth: int | None
    depth_at_least: int | None
    basis: Basis
    conflicts: tuple[Conflict, ...]
    results: int
    known: Said
    """Who speaks of it."""


@dataclass(frozen=True, slots=True)
class Named:
    """A parent as it is named: ``text``, and the number of the document that it means (``None``: nobody knows it)."""

    text: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Statement:
    """What one basis says of a document.  ``results``: how many results of the log say it, 0 for the others."""

    said: Said
    word: ClassWord
    depth: int | None
    parents: tuple[Named, ...]
    anchors: tuple[str, ...]
    results: int


def rows_of(evidence: Evidence, graph: Derivation, number: int) -> NDArray[np.int64]:
    """The results of the log that come from a document."""
    codes = np.flatnonzero(graph.of_log == number)
    rows: NDArray[np.int64] = np.flatnonzero(np.isin(evidence.log.document_ids.codes, codes))
    return rows


def facts_of(evidence: Evidence, graph: Derivation, numbers: Sequence[int], belief: Belief) -> tuple[Facts, ...]:
    """The facts of these documents under a reading."""
    place = np.full(len(graph.ids), -1, np.int64)
    place[list(numbers)] = np.arange(len(numbers))
    known, (classes, depths, at_least, conflicts) = _entries(evidence)
    first, said = np.full(len(numbers), -1, np.int64), np.zeros(len(numbers), np.uint8)
    if known is not None:
        entries = np.flatnonzero(place[known.names] >= 0)[::-1]  # of two entries the first is the stronger
        first[place[known.names[entries]]] = entries
        signed = entries < known.signed
        said[place[known.names[entries[signed]]]] |= np.uint8(Said.CLAIM)
        said[place[known.names[entries[~signed]]]] |= np.uint8(Said.CATALOGUE)
    results = evidence.under(belief)
    at = place[graph.of_log][evidence.log.document_ids.codes]
    rows = np.flatnonzero(at >= 0)
    owner = at[rows]
    depth_of = results.depths[rows]
    distrust = results.classes[rows].astype(np.int64) << 40 | np.where(depth_of < 0, 1 << 32, depth_of) << 1
    order = np.argsort(distrust, kind="stable")
    worst = np.full(len(numbers), -1, np.int64)
    worst[owner[order]] = rows[order]  # the last one written is the least trusted
    bits = np.zeros(len(numbers), np.uint8)
    np.bitwise_or.at(bits, owner, evidence.conflicts[rows])
    found = []
    for i, number in enumerate(numbers):
        row, entry = int(worst[i]), int(first[i])
        if row >= 0:
            code, depth = int(results.classes[row]), int(results.depths[row])
            least, basis, mark = int(evidence.depth_at_least[row]), BASES.members[evidence.bases[row]], int(bits[i])
            said[i] |= np.uint8(Said.LOG)
        elif entry >= 0 and known is not None:
            code, depth, least, mark = (int(column[entry]) for column in (classes, depths, at_least, conflicts))
            basis = Basis.NONE if code == UNKNOWN else Basis.SIGNED if entry < known.signed else Basis.CATALOGUE
        else:
            code, depth, least, basis, mark = UNKNOWN, -1, -1, Basis.NONE, 0
        found.append(
            Facts(
                number=number,
                document_id=graph.name(number),
                authenticity=CLASSES.members[code],
                depth=None if depth < 0 or code == UNKNOWN else depth,
                depth_at_least=None if least < 0 else least,
                basis=basis,
                conflicts=CONFLICTS.flagged(mark),
                results=int(graph.results[number]),
                known=Said(int(said[i])),
            )
        )
    return tuple(found)


def _entries(
    evidence: Evidence,
) -> tuple[Known | None, tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]]:
    """What is known without the log's word, with class, depth, least depth and conflicts of each entry."""
    if evidence.chains is None:
        none, short = np.zeros(0, np.int32), np.zeros(0, np.uint8)
        return None, (short, none, none, short)
    known, lineage = evidence.chains.known, evidence.chains.lineage
    if lineage is None:
        entries = known.entries
        return known, (entries.classes, entries.depths, np.full(entries.count, -1, np.int32), entries.conflicts)
    return known, (lineage.classes, lineage.depths, lineage.at_least, lineage.conflicts)


def statements_of(evidence: Evidence, graph: Derivation, number: int) -> tuple[Statement, ...]:
    """What each basis says of a document, the strongest first."""
    found: list[Statement] = []
    if evidence.chains is not None:
        known = evidence.chains.known
        entries = np.flatnonzero(known.names == number).tolist()
        found += [_by_entry(evidence, graph, known, entry) for entry in entries]
    log, rows = evidence.log, rows_of(evidence, graph, number)
    lineage = None if evidence.chains is None else evidence.chains.lineage
    means = None if lineage is None else lineage.of_log
    variants = np.stack((log.class_words[rows].astype(np.int64), log.depths[rows].astype(np.int64)))
    kinds, which, counts = np.unique(variants, axis=1, return_inverse=True, return_counts=True)
    for kind in np.argsort(-counts, kind="stable")[:_VARIANTS].tolist():
        word, depth = kinds[:, kind].tolist()
        mine = rows[which.ravel() == kind]
        found.append(
            Statement(
                Said.LOG,
                ClassWord(word),
                None if depth < 0 else depth,
                _parents(_items(log.parents, mine), log.parent_ids, means, evidence, graph),
                _texts(_items(log.anchors, mine), log.anchor_hashes),
                int(counts[kind]),
            )
        )
    return tuple(found)


def _by_entry(evidence: Evidence, graph: Derivation, known: Known, entry: int) -> Statement:
    entries, lineage = known.entries, None if evidence.chains is None else evidence.chains.lineage
    means = None if lineage is None else lineage.of_entries
    one = np.array([entry])
    parents = _items(entries.parents, one) if not known.lent_parents[entry] else np.zeros(0, np.int32)
    anchors = _items(entries.anchors, one) if not known.lent_anchors[entry] else np.zeros(0, np.int32)
    depth = int(entries.stated_depths[entry])
    return Statement(
        Said.CLAIM if entry < known.signed else Said.CATALOGUE,
        ClassWord(int(entries.class_words[entry])),
        None if depth < 0 else depth,
        _parents(parents, entries.parent_ids, means, evidence, graph),
        _texts(anchors, entries.anchor_hashes),
        0,
    )


def _items(lists: Ragged, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """The distinct items of these lists, in the order in which they first stand."""
    parts = [lists.codes[lists.offsets[row] : lists.offsets[row + 1]] for row in rows[:LISTED].tolist()]
    codes = np.concatenate([*parts, np.zeros(0, np.int32)])
    _, first = np.unique(codes, return_index=True)
    kept: NDArray[np.int32] = codes[np.sort(first)][:LISTED].astype(np.int32)
    return kept


def _texts(codes: NDArray[np.int32], values: Strings) -> tuple[str, ...]:
    return tuple(str(values[code].as_py()) for code in codes.tolist())


def _parents(
    codes: NDArray[np.int32], values: Strings, means: NDArray[np.int32] | None, evidence: Evidence, graph: Derivation
) -> tuple[Named, ...]:
    nodes = np.full(len(codes), -1) if means is None else means[codes]
    names = np.zeros(0, np.int32) if evidence.chains is None else evidence.chains.known.names
    numbers = [
        None if node < 0 else int(names[node]) if node < len(names) else int(graph.of_log[node - len(names)])
        for node in nodes.tolist()
    ]
    return tuple(map(Named, _texts(codes, values), numbers))


def sources_of(evidence: Evidence, row: int, belief: Belief) -> tuple[tuple[str, float], ...]:
    """The human sources that a result rests on with their shares, the greatest first."""
    lists = evidence.under(belief).anchors
    start, stop = int(lists.offsets[row]), int(lists.offsets[row + 1])
    equal = 1.0 / max(stop - start, 1)
    shares = [equal] * (stop - start) if lists.weights is None else lists.weights[start:stop].tolist()
    names = _texts(lists.codes[start:stop], evidence.sources)
    return tuple(sorted(zip(names, shares, strict=True), key=lambda item: (-item[1], item[0])))
