"""On which human sources each result rests, with the log's labels believed and without them.

Flows in: a log, the class believed for each result and, if there is one, the catalogue and its join.  Flows out:
``Grounding``.
Rules kept here: a human document without parents is its own source; the anchors of the strongest basis that names any
count, and the hashes of every basis are kept as given (R66); without the log's labels only catalogue entries count,
and only the catalogue's human documents are sources (R32); a human result that names its own content names no one
else.
Not here: which hash is whose (``anchors.py``, ``declared.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.ingest.log import Log, Ragged
from guard_core.provenance.anchors import CatalogueSources, Resolved, catalogue_sources, digest_form, resolve
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.classes import HUMAN, UNKNOWN
from guard_core.provenance.columns import (
    Strings,
    appended,
    compose,
    contained,
    joined,
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
from guard_core.provenance.join import Join


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


def ground(log: Log, classes: NDArray[np.uint8], catalogue: Catalogue | None, join: Join | None) -> Grounding:
    """The sources of every result; ``classes`` are the believed ones."""
    edited = has_parents(log)
    if catalogue is None or join is None:
        sources = log.document_ids.values
        declared = declared_sources(log, classes, edited)
        texts = positions(digest_form(log.anchor_hashes), log.text_digests.values)
        own_rows = (classes == HUMAN) & ~edited
        resolved = resolve(log.anchors, recoded(texts, declared.of_text), sources)
        anchors = _own_or(own_rows, _own_codes(log, declared), resolved.sources)
        unresolved = _unresolved_rows(log, classes, resolved)
        return Grounding(anchors, Ragged.empty(len(classes)), sources, log.anchors, log.anchor_hashes, unresolved)
    return _with_catalogue(log, classes, edited, catalogue, join)


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


def _with_catalogue(
    log: Log, classes: NDArray[np.uint8], edited: NDArray[np.bool_], catalogue: Catalogue, join: Join
) -> Grounding:
    entries, count = join.entries, catalogue.documents
    known = catalogue_sources(catalogue)
    catalogued = recoded(entries, catalogue.classes, UNKNOWN) != UNKNOWN
    edited = np.where(catalogued, recoded(entries, lengths_of(catalogue.parents) > 0, False), edited)
    sources = joined(catalogue.document_ids, log.document_ids.values)
    declared = declared_sources(log, classes, edited)

    # A document code of the log as a source: the catalogue's name for it, else its own, after all of the catalogue.
    codes = np.arange(count, count + len(join.of_document), dtype=np.int32)
    entry = np.where(known.own >= 0, known.own, np.arange(count, dtype=np.int32))
    name_of = np.where(join.of_document >= 0, recoded(join.of_document, entry), codes)
    of_text = recoded(declared.of_text, name_of)

    own_hashes, log_hashes = digest_form(catalogue.anchor_hashes), digest_form(log.anchor_hashes)
    contents = positions(own_hashes, catalogue.content_digests)
    upheld_of = recoded(contents, known.of_content)
    believed_of = _believed(own_hashes, contents, known, log, of_text)
    upheld = _entry_sources(catalogue, known, resolve(catalogue.anchors, upheld_of, sources))
    resolved = resolve(catalogue.anchors, believed_of, sources)
    same = np.array_equal(upheld_of, believed_of)
    believed = upheld if same else _entry_sources(catalogue, known, resolved)

    proved = np.flatnonzero(catalogued)
    upheld_anchors = compose(len(entries), [(proved, upheld, entries[proved])])

    log_contents = positions(log_hashes, catalogue.content_digests)
    from_log = resolve(log.anchors, _believed(log_hashes, log_contents, known, log, of_text), sources)
    own_rows = (classes == HUMAN) & ~edited & ~catalogued
    names = known.independent | (lengths_of(catalogue.anchors) > 0)
    by_entry = recoded(entries, names, False) & ~own_rows
    by_log = ~by_entry & (own_rows | (lengths_of(from_log.sources) > 0))
    if same and np.array_equal(by_entry, catalogued) and not by_log.any():
        anchors = upheld_anchors
    else:
        rest = _own_or(own_rows, name_of[_own_codes(log, declared)], from_log.sources)
        chosen, others = np.flatnonzero(by_entry), np.flatnonzero(~by_entry)
        anchors = compose(len(entries), [(chosen, believed, entries[chosen]), (others, rest, others)])

    unresolved = _unresolved_rows(log, classes, from_log)
    unresolved |= recoded(entries, _unresolved_entries(catalogue, resolved, contents), False)
    named, hashes = _named(log, catalogue, entries)
    return Grounding(anchors, upheld_anchors, sources, named, hashes, unresolved)


def _believed(
    hashes: Strings, contents: NDArray[np.int32], known: CatalogueSources, log: Log, of_text: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The source of each hash: the catalogue's where it knows the content, else a text of the log."""
    found = recoded(contents, known.of_content)
    open_hashes = np.flatnonzero((found < 0) & ~recoded(contents, known.decided, False))
    if len(open_hashes) and len(of_text):
        texts = positions(hashes.take(pa.array(open_hashes)), log.text_digests.values)
        found[open_hashes] = recoded(texts, of_text)
    return found


def _entry_sources(catalogue: Catalogue, known: CatalogueSources, resolved: Resolved) -> Ragged:
    """The sources of each document of the catalogue."""
    return _own_or(known.independent, known.own, resolved.sources)


def _unresolved_entries(catalogue: Catalogue, resolved: Resolved, contents: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which entries name a hash that stands for no source, their own content set aside where they are human."""
    marked = np.zeros(catalogue.documents, bool)
    owner = owners_of(catalogue.anchors)[~resolved.found]
    content = contents[catalogue.anchors.codes[~resolved.found]]
    itself = np.flatnonzero((catalogue.classes[owner] == HUMAN) & (content >= 0))
    held = paired(owners_of(catalogue.contents), catalogue.contents.codes)  # ascending by construction
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
    used, hashes = np.unique(log.anchors.codes[lost], return_inverse=True)
    digests = digest_form(log.anchor_hashes.take(pa.array(used)))
    text, stated = log.text_digests.codes[owner], log.content_digests.codes[owner]
    same_text = (text >= 0) & (positions(digests, log.text_digests.values)[hashes] == text)
    same_stated = (text < 0) & (stated >= 0) & (positions(digests, log.content_digests.values)[hashes] == stated)
    marked[owner[~(same_text | same_stated)]] = True
    return marked


def _named(log: Log, catalogue: Catalogue, entries: NDArray[np.int32]) -> tuple[Ragged, Strings]:
    """The hashes named for each result: the entry's first, then those of the log that the entry does not name."""
    lists = catalogue.anchors
    used = np.flatnonzero(recoded(entries, lengths_of(lists) > 0, False))
    first = compose(len(entries), [(used, Ragged(lists.offsets, lists.codes), entries[used])])
    if not len(log.anchors.codes):
        return first, catalogue.anchor_hashes
    table, hashes = united(catalogue.anchor_hashes, log.anchor_hashes)
    own = table[log.anchors.codes]
    owner = entries.repeat(lengths_of(log.anchors))
    single = np.full(catalogue.documents, -1, np.int32)
    filled = lengths_of(lists) > 0
    single[filled] = lists.codes[lists.offsets[:-1][filled]]
    repeated = recoded(owner, single) == own
    doubtful = np.flatnonzero(~repeated & recoded(owner, lengths_of(lists) > 1, False))
    if len(doubtful):
        held = sorted_distinct(paired(owners_of(lists), lists.codes))
        repeated[doubtful] = contained(paired(owner[doubtful], own[doubtful]), held)
    return appended(first, selected(Ragged(log.anchors.offsets, own), ~repeated)), hashes
