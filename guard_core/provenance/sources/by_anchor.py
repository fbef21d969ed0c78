"""On which human sources each result rests, with the log's labels believed and without them.

Flows in: a log, the class believed for each result, what catalogue and claims know, and which entry counts for which
result.  Flows out: ``Grounding``.
Rules kept here: a human document without parents is its own source; the anchors of the strongest basis that names any
count, and the hashes of every basis are kept as given (R66); without the log's labels only catalogue and claims count,
and only documents that these prove human are sources (R32); a human result that names its own content names no one
else.
Not here: which hash is whose (``anchors.py``, ``declared.py``), logs in which anybody names a parent (``descent.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.codes import HUMAN
from guard_core.columns import (
    Ragged,
    Strings,
    add_up_lengths,
    append_lists,
    compose_lists,
    count_items,
    filter_items,
    find_owners,
    find_positions,
    mark_contained,
    pair_codes,
    sort_distinct,
    translate_codes,
    unite_texts,
)
from guard_core.ingest.log import Log
from guard_core.provenance.anchors import ProvedSources, digest_form, proved_sources, resolve
from guard_core.provenance.entries import Entries, Known
from guard_core.provenance.sources.declared import DeclaredSources, declared_sources


@dataclass(frozen=True, slots=True, eq=False)
class Grounding:
    """For each of ``m`` results its human sources (codes into ``sources``, weights sum to 1) when the log's labels
    are believed (``anchors``) and when not (``upheld``), the hashes named for it (codes into ``hashes``), whether one
    of these is unresolved, and whether more sources were found than count (``cut``, ``None``: nowhere)."""

    anchors: Ragged
    upheld: Ragged
    sources: Strings
    named: Ragged
    hashes: Strings
    unresolved: NDArray[np.bool_]
    cut: NDArray[np.bool_] | None = None


def ground(
    log: Log, classes: NDArray[np.uint8], proved: NDArray[np.bool_], known: Known | None, entries: NDArray[np.int32]
) -> Grounding:
    """The sources of every result of a log in which nobody names a parent.

    ``classes`` are the believed ones, ``proved`` marks those that do not rest on the log's word, and ``entries`` are
    the entries of ``known`` that count, -1 for none.
    """
    if known is not None:
        return _with_knowledge(log, classes, proved, known, entries)
    sources = log.document_ids.values
    declared = declared_sources(log, classes, np.zeros(len(classes), bool))
    texts = find_positions(digest_form(log.anchor_hashes), log.text_digests.values)
    resolved = resolve(log.anchors, translate_codes(texts, declared.of_text), sources)
    anchors = _own_or(classes == HUMAN, own_codes(log, declared), resolved.sources)
    unresolved = unresolved_rows(log, classes, resolved.found)
    return Grounding(
        anchors, Ragged.empty(len(classes)), sources, log.anchors, log.anchor_hashes, unresolved, resolved.cut
    )


def own_codes(log: Log, declared: DeclaredSources) -> NDArray[np.int32]:
    """For each result the document code that names it as a source."""
    own = np.where(declared.own >= 0, declared.own, np.arange(len(declared.own), dtype=np.int32))
    codes: NDArray[np.int32] = own[log.document_ids.codes]
    return codes


def _own_or(own_rows: NDArray[np.bool_], own: NDArray[np.int32], others: Ragged) -> Ragged:
    """A list of one for ``own_rows``, the lists of ``others`` elsewhere."""
    single = Ragged(add_up_lengths(own_rows), own[own_rows])
    if not len(others.codes):
        return single
    mine, rest = np.flatnonzero(own_rows), np.flatnonzero(~own_rows)
    return compose_lists(len(own_rows), [(mine, single, mine), (rest, others, rest)])


def _with_knowledge(
    log: Log, classes: NDArray[np.uint8], proved: NDArray[np.bool_], known: Known, entries: NDArray[np.int32]
) -> Grounding:
    table, sources = known.entries, known.sources
    own = proved_sources(known, table.classes, np.zeros(table.count, bool))
    declared = declared_sources(log, classes, np.zeros(len(classes), bool))
    name_of = names_of_documents(known, own)
    proved_names = translate_codes(own.of_content, known.names)

    contents = find_positions(digest_form(table.anchor_hashes), table.content_digests)
    upheld_of = translate_codes(contents, proved_names)
    of_text = translate_codes(declared.of_text, name_of)
    believed_of = believed_targets(table.anchor_hashes, contents, own, upheld_of, log, of_text)
    upheld = _own_or(own.independent, own.own, resolve(table.anchors, upheld_of, sources).sources)
    resolved = resolve(table.anchors, believed_of, sources)
    same = np.array_equal(upheld_of, believed_of)
    believed = upheld if same else _own_or(own.independent, own.own, resolved.sources)

    upheld_rows = np.flatnonzero(proved)
    upheld_anchors = compose_lists(len(entries), [(upheld_rows, upheld, entries[upheld_rows])])

    log_contents = find_positions(digest_form(log.anchor_hashes), table.content_digests)
    log_of = believed_targets(
        log.anchor_hashes, log_contents, own, translate_codes(log_contents, proved_names), log, of_text
    )
    from_log = resolve(log.anchors, log_of, sources)
    own_rows = (classes == HUMAN) & ~proved
    names = own.independent | (count_items(table.anchors) > 0)
    by_entry = translate_codes(entries, names, False) & ~own_rows
    by_log = ~by_entry & (own_rows | (count_items(from_log.sources) > 0))
    if same and np.array_equal(by_entry, proved) and not by_log.any():
        anchors = upheld_anchors
    else:
        rest = _own_or(own_rows, name_of[own_codes(log, declared)], from_log.sources)
        chosen, others = np.flatnonzero(by_entry), np.flatnonzero(~by_entry)
        anchors = compose_lists(len(entries), [(chosen, believed, entries[chosen]), (others, rest, others)])

    unresolved = unresolved_rows(log, classes, from_log.found)
    unresolved |= translate_codes(entries, unresolved_entries(table, table.classes, resolved.found, contents), False)
    named, hashes = named_hashes(log, table, entries)
    cut = from_log.cut
    if resolved.cut is not None:
        of_entries = translate_codes(entries, resolved.cut, False)
        cut = of_entries if cut is None else of_entries | cut
    return Grounding(anchors, upheld_anchors, sources, named, hashes, unresolved, cut)


def names_of_documents(known: Known, own: ProvedSources) -> NDArray[np.int32]:
    """Under which name each document of the log is a source: that of catalogue or claims if they know it as one, else
    its own."""
    name = translate_codes(known.of_document, own.own)
    return np.where(name >= 0, name, known.log_names)


def believed_targets(
    hashes: Strings,
    contents: NDArray[np.int32],
    own: ProvedSources,
    proved: NDArray[np.int32],
    log: Log,
    of_text: NDArray[np.int32],
) -> NDArray[np.int32]:
    """What each hash stands for when the log is believed: what catalogue and claims know (``proved``), else, where they
    know no document with the content, a text of the log (``of_text``)."""
    found = proved.copy()
    open_hashes = np.flatnonzero((found < 0) & ~translate_codes(contents, own.decided, False))
    if len(open_hashes) and len(of_text):
        texts = find_positions(digest_form(hashes.take(pa.array(open_hashes))), log.text_digests.values)
        found[open_hashes] = translate_codes(texts, of_text)
    return found


def unresolved_entries(
    table: Entries, classes: NDArray[np.uint8], found: NDArray[np.bool_], contents: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Which entries, of these classes, name a hash that stands for no source, their own content set aside where they
    are human."""
    marked = np.zeros(table.count, bool)
    owner = find_owners(table.anchors)[~found]
    content = contents[table.anchors.codes[~found]]
    itself = np.flatnonzero((classes[owner] == HUMAN) & (content >= 0))
    held = pair_codes(find_owners(table.contents), table.contents.codes)  # ascending by construction
    itself = itself[mark_contained(pair_codes(owner[itself], content[itself]), held)]
    marked[np.delete(owner, itself)] = True
    return marked


def unresolved_rows(log: Log, classes: NDArray[np.uint8], found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which results name, in the log, a hash that stands for no source, their own content set aside where they are
    human."""
    marked = np.zeros(len(classes), bool)
    lost = np.flatnonzero(~found)
    if not len(lost):
        return marked
    owner = find_owners(log.anchors)[lost]
    human = classes[owner] == HUMAN
    marked[owner[~human]] = True
    owner, lost = owner[human], lost[human]
    named = np.zeros(len(log.anchor_hashes), bool)
    named[log.anchors.codes[lost]] = True
    used, hashes = np.flatnonzero(named), (np.cumsum(named) - 1)[log.anchors.codes[lost]]
    digests = digest_form(log.anchor_hashes.take(pa.array(used)))
    text, stated = log.text_digests.codes[owner], log.content_digests.codes[owner]
    same_text = (text >= 0) & (find_positions(digests, log.text_digests.values)[hashes] == text)
    same_stated = (text < 0) & (stated >= 0) & (find_positions(digests, log.content_digests.values)[hashes] == stated)
    marked[owner[~(same_text | same_stated)]] = True
    return marked


def named_hashes(log: Log, table: Entries, entries: NDArray[np.int32]) -> tuple[Ragged, Strings]:
    """The hashes named for each result: the entry's first, then those of the log that the entry does not name."""
    lists = table.named
    used = np.flatnonzero(translate_codes(entries, count_items(lists) > 0, False))
    first = compose_lists(len(entries), [(used, Ragged(lists.offsets, lists.codes), entries[used])])
    if not len(log.anchors.codes):
        return first, table.anchor_hashes
    renamed, hashes = unite_texts(table.anchor_hashes, log.anchor_hashes)
    own = renamed[log.anchors.codes]
    owner = entries.repeat(count_items(log.anchors))
    single = np.full(table.count, -1, np.int32)
    filled = count_items(lists) > 0
    single[filled] = lists.codes[lists.offsets[:-1][filled]]
    repeated = translate_codes(owner, single) == own
    doubtful = np.flatnonzero(~repeated & translate_codes(owner, count_items(lists) > 1, False))
    if len(doubtful):
        held = sort_distinct(pair_codes(find_owners(lists), lists.codes))
        repeated[doubtful] = mark_contained(pair_codes(owner[doubtful], own[doubtful]), held)
    return append_lists(first, filter_items(Ragged(log.anchors.offsets, own), ~repeated)), hashes
