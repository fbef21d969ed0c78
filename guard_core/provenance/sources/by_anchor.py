"""Find the human sources of results by their anchors, in logs in which nobody names a parent.

Flows in: a log, the class of each result, the entries of catalogue and claims, and which of them counts for which
result.  Flows out: ``ResultSources``.
Rules kept here: a human document without parents is its own source; the anchors of the strongest basis that names any
count; without the log's labels only catalogue and claims count, and only documents that these prove human are sources
(R32).
Not here: what a hash stands for (``hashes.py``), logs in which anybody names a parent (``by_parent.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import HUMAN
from guard_core.columns import (
    Ragged,
    Strings,
    add_up_lengths,
    compose_lists,
    count_items,
    find_positions,
    translate_codes,
)
from guard_core.ingest.log import Log
from guard_core.provenance.anchors import (
    find_upheld_sources,
    name_documents,
    normalise_hashes,
    resolve_anchors,
)
from guard_core.provenance.entry_index import EntryIndex
from guard_core.provenance.sources.declared import find_declared_sources, find_source_documents
from guard_core.provenance.sources.hashes import (
    find_targets,
    gather_hashes,
    mark_unresolved_entries,
    mark_unresolved_results,
)


@dataclass(frozen=True, slots=True, eq=False)
class ResultSources:
    """Hold the human sources of ``m`` results, as lists of codes into ``sources`` with weights that sum to 1.

    ``anchors`` are those with the log's labels believed, ``upheld_anchors`` those without.  ``declared_anchors`` are
    the hashes given for each result (codes into ``hashes``); ``unresolved`` marks results of which one resolves to
    nothing, ``truncated`` those with more sources than count (``None``: there are none).
    """

    anchors: Ragged
    upheld_anchors: Ragged
    sources: Strings
    declared_anchors: Ragged
    hashes: Strings
    unresolved: NDArray[np.bool_]
    truncated: NDArray[np.bool_] | None = None


def find_sources_by_anchor(
    log: Log,
    classes: NDArray[np.uint8],
    upheld: NDArray[np.bool_],
    index: EntryIndex | None,
    entries: NDArray[np.int32],
) -> ResultSources:
    """Find the sources of every result of a log in which nobody names a parent.

    ``classes`` are those with the log's labels believed, ``upheld`` marks the ones that do not rest on these, and
    ``entries`` are the entries of ``index`` that count, -1 for none.
    """
    if index is not None:
        return _find_with_index(log, classes, upheld, index, entries)
    sources = log.document_ids.values
    declared = find_declared_sources(log, classes, np.zeros(len(classes), bool))
    texts = find_positions(normalise_hashes(log.anchor_hashes), log.text_digests.values)
    resolved = resolve_anchors(log.anchors, translate_codes(texts, declared.text_documents), sources)
    return ResultSources(
        anchors=_list_themselves(classes == HUMAN, find_source_documents(log, declared), resolved.sources),
        upheld_anchors=Ragged.empty(len(classes)),
        sources=sources,
        declared_anchors=log.anchors,
        hashes=log.anchor_hashes,
        unresolved=mark_unresolved_results(log, classes, resolved.resolves),
        truncated=resolved.truncated,
    )


def _list_themselves(rows: NDArray[np.bool_], themselves: NDArray[np.int32], others: Ragged) -> Ragged:
    """Return for each of ``rows`` a list of itself, and for other rows the lists of ``others``."""
    single = Ragged(add_up_lengths(rows), themselves[rows])
    if not len(others.codes):
        return single
    mine, rest = np.flatnonzero(rows), np.flatnonzero(~rows)
    return compose_lists(len(rows), [(mine, single, mine), (rest, others, rest)])


def _find_with_index(
    log: Log, classes: NDArray[np.uint8], upheld: NDArray[np.bool_], index: EntryIndex, entries: NDArray[np.int32]
) -> ResultSources:
    table, sources = index.entries, index.documents
    proved = find_upheld_sources(index, table.classes, np.zeros(table.count, bool))
    declared = find_declared_sources(log, classes, np.zeros(len(classes), bool))
    names = name_documents(index, proved)
    targets = find_targets(
        log,
        table,
        proved.classified_contents,
        translate_codes(proved.content_entries, index.entry_documents),
        translate_codes(declared.text_documents, names),
    )
    by_upheld = _list_themselves(
        proved.independent, proved.entry_sources, resolve_anchors(table.anchors, targets.upheld, sources).sources
    )
    resolved = resolve_anchors(table.anchors, targets.declared, sources)
    same = np.array_equal(targets.upheld, targets.declared)
    by_declared = by_upheld
    if not same:
        by_declared = _list_themselves(proved.independent, proved.entry_sources, resolved.sources)

    upheld_rows = np.flatnonzero(upheld)
    upheld_anchors = compose_lists(len(entries), [(upheld_rows, by_upheld, entries[upheld_rows])])
    from_log = resolve_anchors(log.anchors, targets.log, sources)
    own_rows = (classes == HUMAN) & ~upheld
    has_sources = proved.independent | (count_items(table.anchors) > 0)
    by_entry = translate_codes(entries, has_sources, False) & ~own_rows
    by_log = ~by_entry & (own_rows | (count_items(from_log.sources) > 0))
    if same and np.array_equal(by_entry, upheld) and not by_log.any():
        anchors = upheld_anchors
    else:
        rest = _list_themselves(own_rows, names[find_source_documents(log, declared)], from_log.sources)
        chosen, others = np.flatnonzero(by_entry), np.flatnonzero(~by_entry)
        anchors = compose_lists(len(entries), [(chosen, by_declared, entries[chosen]), (others, rest, others)])

    unresolved = mark_unresolved_results(log, classes, from_log.resolves)
    lost = mark_unresolved_entries(table, table.classes, resolved.resolves, targets.contents)
    declared_anchors, hashes = gather_hashes(log, table, entries)
    truncated = from_log.truncated
    if resolved.truncated is not None:
        of_entries = translate_codes(entries, resolved.truncated, False)
        truncated = of_entries if truncated is None else of_entries | truncated
    return ResultSources(
        anchors=anchors,
        upheld_anchors=upheld_anchors,
        sources=sources,
        declared_anchors=declared_anchors,
        hashes=hashes,
        unresolved=unresolved | translate_codes(entries, lost, False),
        truncated=truncated,
    )
