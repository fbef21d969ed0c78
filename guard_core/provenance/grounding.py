"""On which human sources each result rests, with the log's labels believed and without them.

Flows in: a log, the class believed for each result, what catalogue and claims know, and which entry counts for which
result.  Flows out: ``Grounding``.
Rules kept here: a human document without parents is its own source; the anchors of the strongest basis that names any
count, and the hashes of every basis are kept as given (R66); without the log's labels only catalogue and claims count,
and only documents that these prove human are sources (R32); a human result that names its own content names no one
else.
Not here: which hash is whose (``anchors.py``, ``declared.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.ingest.log import Log, Ragged
from guard_core.provenance.anchors import ProvedSources, Resolved, digest_form, proved_sources, resolve
from guard_core.provenance.classes import HUMAN
from guard_core.provenance.columns import (
    Strings,
    appended,
    compose,
    contained,
    lengths_of,
    owners_of,
    paired,
    positions,
    recoded,
    selected,
    sorted_distinct,
    united,
)
from guard_core.provenance.declared import DeclaredSources, declared_sources, has_parents
from guard_core.provenance.known import Entries, Known


@dataclass(frozen=True, slots=True, eq=False)
class Grounding:
    """For each of ``m`` results its human sources (codes into ``sources``, weights sum to 1) when the log's labels
    are believed (``anchors``) and when not (``upheld``), the hashes named for it (codes into ``hashes``), and whether
    a hash is unresolved."""

    anchors: Ragged
    upheld: Ragged
    sources: Strings
    named: Ragged
    hashes: Strings
    unresolved: NDArray[np.bool_]


def ground(
    log: Log, classes: NDArray[np.uint8], proved: NDArray[np.bool_], known: Known | None, entries: NDArray[np.int32]
) -> Grounding:
    """The sources of every result.

    ``classes`` are the believed ones, ``proved`` marks those that do not rest on the log's word, and ``entries`` are
    the entries of ``known`` that count, -1 for none.
    """
    edited = has_parents(log)
    if known is None:
        sources = log.document_ids.values
        declared = declared_sources(log, classes, edited)
        texts = positions(digest_form(log.anchor_hashes), log.text_digests.values)
        own_rows = (classes == HUMAN) & ~edited
        resolved = resolve(log.anchors, recoded(texts, declared.of_text), sources)
        anchors = _own_or(own_rows, _own_codes(log, declared), resolved.sources)
        unresolved = _unresolved_rows(log, classes, resolved)
        return Grounding(anchors, Ragged.empty(len(classes)), sources, log.anchors, log.anchor_hashes, unresolved)
    return _with_knowledge(log, classes, proved, edited, known, entries)


def _own_codes(log: Log, declared: DeclaredSources) -> NDArray[np.int32]:
    """For each result the document code that names it as a source."""
    own = np.where(declared.own >= 0, declared.own, np.arange(len(declared.own), dtype=np.int32))
    codes: NDArray[np.int32] = own[log.document_ids.codes]
    return codes


def _own_or(own_rows: NDArray[np.bool_], own: NDArray[np.int32], others: Ragged) -> Ragged:
    """A list of one for ``own_rows``, the lists of ``others`` elsewhere."""
    single = Ragged(np.concatenate([np.zeros(1, np.int64), np.cumsum(own_rows)]), own[own_rows])
    if not len(others.codes):
        return single
    mine, rest = np.flatnonzero(own_rows), np.flatnonzero(~own_rows)
    return compose(len(own_rows), [(mine, single, mine), (rest, others, rest)])


def _with_knowledge(
    log: Log,
    classes: NDArray[np.uint8],
    proved: NDArray[np.bool_],
    edited: NDArray[np.bool_],
    known: Known,
    entries: NDArray[np.int32],
) -> Grounding:
    table, sources = known.entries, known.sources
    own = proved_sources(known)
    edited = np.where(proved, recoded(entries, lengths_of(table.parents) > 0, False), edited)
    declared = declared_sources(log, classes, edited)
    # A document of the log as a source: the name that catalogue or claims know it by, else its own.
    known_name = recoded(known.of_document, own.own)
    name_of = np.where(known_name >= 0, known_name, known.log_names)
    of_text = recoded(declared.of_text, name_of)

    own_hashes, log_hashes = digest_form(table.anchor_hashes), digest_form(log.anchor_hashes)
    contents = positions(own_hashes, table.content_digests)
    upheld_of = recoded(contents, own.of_content)
    believed_of = _believed(own_hashes, contents, own, log, of_text)
    upheld = _entry_sources(own, resolve(table.anchors, upheld_of, sources))
    resolved = resolve(table.anchors, believed_of, sources)
    same = np.array_equal(upheld_of, believed_of)
    believed = upheld if same else _entry_sources(own, resolved)

    upheld_rows = np.flatnonzero(proved)
    upheld_anchors = compose(len(entries), [(upheld_rows, upheld, entries[upheld_rows])])

    log_contents = positions(log_hashes, table.content_digests)
    from_log = resolve(log.anchors, _believed(log_hashes, log_contents, own, log, of_text), sources)
    own_rows = (classes == HUMAN) & ~edited & ~proved
    names = own.independent | (lengths_of(table.anchors) > 0)
    by_entry = recoded(entries, names, False) & ~own_rows
    by_log = ~by_entry & (own_rows | (lengths_of(from_log.sources) > 0))
    if same and np.array_equal(by_entry, proved) and not by_log.any():
        anchors = upheld_anchors
    else:
        rest = _own_or(own_rows, name_of[_own_codes(log, declared)], from_log.sources)
        chosen, others = np.flatnonzero(by_entry), np.flatnonzero(~by_entry)
        anchors = compose(len(entries), [(chosen, believed, entries[chosen]), (others, rest, others)])

    unresolved = _unresolved_rows(log, classes, from_log)
    unresolved |= recoded(entries, _unresolved_entries(table, resolved, contents), False)
    named, hashes = _named(log, table, entries)
    return Grounding(anchors, upheld_anchors, sources, named, hashes, unresolved)


def _believed(
    hashes: Strings, contents: NDArray[np.int32], known: ProvedSources, log: Log, of_text: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The source of each hash: that of catalogue and claims where they know the content, else a text
    of the log."""
    found = recoded(contents, known.of_content)
    open_hashes = np.flatnonzero((found < 0) & ~recoded(contents, known.decided, False))
    if len(open_hashes) and len(of_text):
        texts = positions(hashes.take(pa.array(open_hashes)), log.text_digests.values)
        found[open_hashes] = recoded(texts, of_text)
    return found


def _entry_sources(own: ProvedSources, resolved: Resolved) -> Ragged:
    """The sources of each entry."""
    return _own_or(own.independent, own.own, resolved.sources)


def _unresolved_entries(table: Entries, resolved: Resolved, contents: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which entries name a hash that stands for no source, their own content set aside where they are human."""
    marked = np.zeros(table.count, bool)
    owner = owners_of(table.anchors)[~resolved.found]
    content = contents[table.anchors.codes[~resolved.found]]
    itself = np.flatnonzero((table.classes[owner] == HUMAN) & (content >= 0))
    held = paired(owners_of(table.contents), table.contents.codes)  # ascending by construction
    itself = itself[contained(paired(owner[itself], content[itself]), held)]
    marked[np.delete(owner, itself)] = True
    return marked


def _unresolved_rows(log: Log, classes: NDArray[np.uint8], resolved: Resolved) -> NDArray[np.bool_]:
    """Which results name, in the log, a hash that stands for no source, their own content set aside where they are
    human."""
    marked = np.zeros(len(classes), bool)
    lost = np.flatnonzero(~resolved.found)
    if not len(lost):
        return marked
    owner = owners_of(log.anchors)[lost]
    human = classes[owner] == HUMAN
    marked[owner[~human]] = True
    owner, lost = owner[human], lost[human]
    named = np.zeros(len(log.anchor_hashes), bool)
    named[log.anchors.codes[lost]] = True
    used, hashes = np.flatnonzero(named), (np.cumsum(named) - 1)[log.anchors.codes[lost]]
    digests = digest_form(log.anchor_hashes.take(pa.array(used)))
    text, stated = log.text_digests.codes[owner], log.content_digests.codes[owner]
    same_text = (text >= 0) & (positions(digests, log.text_digests.values)[hashes] == text)
    same_stated = (text < 0) & (stated >= 0) & (positions(digests, log.content_digests.values)[hashes] == stated)
    marked[owner[~(same_text | same_stated)]] = True
    return marked


def _named(log: Log, table: Entries, entries: NDArray[np.int32]) -> tuple[Ragged, Strings]:
    """The hashes named for each result: the entry's first, then those of the log that the entry does not name."""
    lists = table.named
    used = np.flatnonzero(recoded(entries, lengths_of(lists) > 0, False))
    first = compose(len(entries), [(used, Ragged(lists.offsets, lists.codes), entries[used])])
    if not len(log.anchors.codes):
        return first, table.anchor_hashes
    renamed, hashes = united(table.anchor_hashes, log.anchor_hashes)
    own = renamed[log.anchors.codes]
    owner = entries.repeat(lengths_of(log.anchors))
    single = np.full(table.count, -1, np.int32)
    filled = lengths_of(lists) > 0
    single[filled] = lists.codes[lists.offsets[:-1][filled]]
    repeated = recoded(owner, single) == own
    doubtful = np.flatnonzero(~repeated & recoded(owner, lengths_of(lists) > 1, False))
    if len(doubtful):
        held = sorted_distinct(paired(owners_of(lists), lists.codes))
        repeated[doubtful] = contained(paired(owner[doubtful], own[doubtful]), held)
    return appended(first, selected(Ragged(log.anchors.offsets, own), ~repeated)), hashes
