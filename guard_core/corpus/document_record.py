"""Gather the facts of single documents: class, depth and basis, what each basis says of them, their results.

Flows in: ``Evidence`` and its ``DerivationGraph``.  Flows out: ``DocumentFacts``, ``BasisStatement``, rows of the log.
Rules kept here: a document in a log is what its least trusted result is; one that was never retrieved is what its
strongest entry proves, parents followed; a statement is listed as it was made, whether or not it counts.
Not here: which documents derive from which (``derivation.py``), sentences and pictures (the dashboard).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.codes import BASES, CLASSES, CONFLICTS, UNKNOWN, UNKNOWN_DEPTH
from guard_core.columns import Ragged, Strings
from guard_core.corpus.derivation import Bases, DerivationGraph, find_knowledge, list_entry_bases
from guard_core.model import AuthenticityClass, Basis, Belief, Conflict
from guard_core.provenance.entry_index import EntryIndex
from guard_core.provenance.evidence import Evidence

LISTED = 64
"""How many parents and anchors of one statement are listed."""

_VARIANTS = 4
"""How many differing statements of a log about one document are listed: the most frequent ones."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Hold the class, depth and basis of one document.

    ``depth`` is ``None`` where it is unknown, ``depth_at_least`` what parents prove then (else ``None``).
    ``conflicts`` are those of its results, or of its entry where it has none.  ``results`` counts those of the log.
    ``bases`` are those that name the document.
    """

    number: int
    document_id: str
    authenticity: AuthenticityClass
    depth: int | None
    depth_at_least: int | None
    basis: Basis
    conflicts: tuple[Conflict, ...]
    results: int
    bases: Bases


@dataclass(frozen=True, slots=True)
class NamedParent:
    """Hold a parent as it is named: ``text``, and the number of that document (``None`` where nobody knows it)."""

    text: str
    number: int | None


@dataclass(frozen=True, slots=True)
class BasisStatement:
    """Hold what one basis says of a document; ``results`` counts the results of the log that say it."""

    basis: Bases
    word: ClassWord
    depth: int | None
    parents: tuple[NamedParent, ...]
    anchors: tuple[str, ...]
    results: int


def find_results(evidence: Evidence, graph: DerivationGraph, number: int) -> NDArray[np.int64]:
    """Return the rows of the log that are results of a document."""
    codes = np.flatnonzero(graph.log_documents == number)
    rows: NDArray[np.int64] = np.flatnonzero(np.isin(evidence.log.document_ids.codes, codes))
    return rows


def gather_facts(
    evidence: Evidence, graph: DerivationGraph, numbers: Sequence[int], belief: Belief
) -> tuple[DocumentFacts, ...]:
    """Return the facts of the documents with these numbers."""
    place = np.full(len(graph.ids), -1, np.int64)
    place[list(numbers)] = np.arange(len(numbers))
    index, parents = find_knowledge(evidence)
    table = index.entries if parents is None else parents
    at_least = np.full(index.entries.count, UNKNOWN_DEPTH, np.int32) if parents is None else parents.at_least
    strongest, bases = np.full(len(numbers), -1, np.int64), np.zeros(len(numbers), np.uint8)
    entries = np.flatnonzero(place[index.entry_documents] >= 0)[::-1]  # of two entries the first is the stronger
    owner = place[index.entry_documents[entries]]
    strongest[owner] = entries
    np.bitwise_or.at(bases, owner, list_entry_bases(index)[entries])

    of_results = evidence.under(belief)
    owner = place[graph.log_documents][evidence.log.document_ids.codes]
    rows = np.flatnonzero(owner >= 0)
    owner = owner[rows]
    classes, depths = of_results.classes[rows], of_results.depths[rows]
    distrust = classes.astype(np.int64) << 40 | np.where(depths < 0, 1 << 32, depths) << 1
    order = np.argsort(distrust, kind="stable")
    worst = np.full(len(numbers), -1, np.int64)
    worst[owner[order]] = rows[order]  # the last one written is the least trusted
    bases[owner] |= np.uint8(Bases.DECLARED)
    row_conflicts = np.zeros(len(numbers), np.uint8)
    np.bitwise_or.at(row_conflicts, owner, evidence.conflicts[rows])
    found = []
    for i, number in enumerate(numbers):
        row, entry = int(worst[i]), int(strongest[i])
        code, depth, least, basis, bits = UNKNOWN, UNKNOWN_DEPTH, UNKNOWN_DEPTH, Basis.NONE, 0
        if row >= 0:
            code, depth = int(of_results.classes[row]), int(of_results.depths[row])
            least = int(evidence.depth_at_least[row])
            basis, bits = BASES.members[evidence.bases[row]], int(row_conflicts[i])
        elif entry >= 0:
            code, depth, least = int(table.classes[entry]), int(table.depths[entry]), int(at_least[entry])
            bits = int(table.conflicts[entry])
            if code != UNKNOWN:
                basis = Basis.SIGNED if entry < index.signed_count else Basis.CATALOGUE
        found.append(
            DocumentFacts(
                number=number,
                document_id=graph.find_id(number),
                authenticity=CLASSES.members[code],
                depth=None if depth < 0 or code == UNKNOWN else depth,
                depth_at_least=None if least < 0 else least,
                basis=basis,
                conflicts=CONFLICTS.flagged(bits),
                results=int(graph.results[number]),
                bases=Bases(int(bases[i])),
            )
        )
    return tuple(found)


def list_statements(evidence: Evidence, graph: DerivationGraph, number: int) -> tuple[BasisStatement, ...]:
    """Return what each basis says of a document, the strongest first."""
    index, parents = find_knowledge(evidence)
    entries, bases = index.entries, list_entry_bases(index)
    references = None if parents is None else parents.entry_references
    found: list[BasisStatement] = []
    for entry in np.flatnonzero(index.entry_documents == number).tolist():
        one, none = np.array([entry]), np.zeros(0, np.int64)
        given_parents = _list_items(entries.parents, none if index.parents_from_catalogue[entry] else one)
        given_anchors = _list_items(entries.anchors, none if index.anchors_from_catalogue[entry] else one)
        depth = int(entries.given_depths[entry])
        found.append(
            BasisStatement(
                basis=Bases(int(bases[entry])),
                word=ClassWord(int(entries.class_words[entry])),
                depth=None if depth < 0 else depth,
                parents=_name_parents(given_parents, entries.parent_ids, references, index, graph),
                anchors=_list_texts(given_anchors, entries.anchor_hashes),
                results=0,
            )
        )
    log, rows = evidence.log, find_results(evidence, graph, number)
    references = None if parents is None else parents.log_references
    labels = np.stack((log.class_words[rows].astype(np.int64), log.depths[rows].astype(np.int64)))
    variants, variant_of, counts = np.unique(labels, axis=1, return_inverse=True, return_counts=True)
    for variant in np.argsort(-counts, kind="stable")[:_VARIANTS].tolist():
        word, depth = variants[:, variant].tolist()
        chosen = rows[variant_of.ravel() == variant]
        found.append(
            BasisStatement(
                basis=Bases.DECLARED,
                word=ClassWord(word),
                depth=None if depth < 0 else depth,
                parents=_name_parents(_list_items(log.parents, chosen), log.parent_ids, references, index, graph),
                anchors=_list_texts(_list_items(log.anchors, chosen), log.anchor_hashes),
                results=int(counts[variant]),
            )
        )
    return tuple(found)


def _list_items(lists: Ragged, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the distinct items of these lists, in the order in which they first occur."""
    parts = [lists.codes[lists.offsets[row] : lists.offsets[row + 1]] for row in rows[:LISTED].tolist()]
    codes = np.concatenate([*parts, np.zeros(0, np.int32)])
    _, first = np.unique(codes, return_index=True)
    kept: NDArray[np.int32] = codes[np.sort(first)][:LISTED].astype(np.int32)
    return kept


def _list_texts(codes: NDArray[np.int32], values: Strings) -> tuple[str, ...]:
    return tuple(str(values[code].as_py()) for code in codes.tolist())


def _name_parents(
    codes: NDArray[np.int32],
    values: Strings,
    references: NDArray[np.int32] | None,
    index: EntryIndex,
    graph: DerivationGraph,
) -> tuple[NamedParent, ...]:
    """Return parents by their codes; ``references`` are the nodes that all parent ids name."""
    nodes = np.full(len(codes), -1) if references is None else references[codes]
    size = index.entries.count
    numbers = [
        None if node < 0 else int(index.entry_documents[node] if node < size else graph.log_documents[node - size])
        for node in nodes.tolist()
    ]
    return tuple(map(NamedParent, _list_texts(codes, values), numbers))


def list_sources(evidence: Evidence, row: int, belief: Belief) -> tuple[tuple[str, float], ...]:
    """Return the human sources of a result with their shares, the greatest first."""
    lists = evidence.under(belief).anchors
    start, stop = int(lists.offsets[row]), int(lists.offsets[row + 1])
    equal = 1.0 / max(stop - start, 1)
    shares = [equal] * (stop - start) if lists.weights is None else lists.weights[start:stop].tolist()
    names = _list_texts(lists.codes[start:stop], evidence.sources)
    return tuple(sorted(zip(names, shares, strict=True), key=lambda item: (-item[1], item[0])))
