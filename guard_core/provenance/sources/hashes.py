"""Find what anchor hashes stand for, and mark those that stand for nothing.

Flows in: the hashes that catalogue, claims and log declare, and the human documents that each content stands for.
Flows out: ``HashTargets``, marks of entries and results with an unresolved hash, the hashes of each result.
Rules kept here: catalogue and claims go before the texts of the log; hashes are kept as given, those of the strongest
basis first (R66); a human document that declares its own content declares nobody else.
Not here: which documents are human sources (``anchors.py``, ``declared.py``), the sources of results.
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
from guard_core.provenance.anchors import normalise_hashes
from guard_core.provenance.entries import DocumentEntries


@dataclass(frozen=True, slots=True, eq=False)
class HashTargets:
    """Hold what anchor hashes stand for, -1 for nothing.

    ``contents`` is the content digest of entries that each hash of entries is.  ``upheld`` and ``declared`` are the
    targets of the hashes of entries, without and with the log's labels; ``log`` those of the log's hashes, with them.
    """

    contents: NDArray[np.int32]
    upheld: NDArray[np.int32]
    declared: NDArray[np.int32]
    log: NDArray[np.int32]


def find_targets(
    log: Log,
    table: DocumentEntries,
    classified_contents: NDArray[np.bool_],
    content_targets: NDArray[np.int32],
    text_targets: NDArray[np.int32],
) -> HashTargets:
    """Find the targets of all hashes, given those of the contents of entries and of the texts of the log.

    ``classified_contents`` marks contents of which the log's labels count nothing (``UpheldSources``).
    """

    def add_texts(hashes: Strings, contents: NDArray[np.int32], upheld: NDArray[np.int32]) -> NDArray[np.int32]:
        found = upheld.copy()
        open_hashes = np.flatnonzero((found < 0) & ~translate_codes(contents, classified_contents, False))
        if len(open_hashes) and len(text_targets):
            texts = find_positions(normalise_hashes(hashes.take(pa.array(open_hashes))), log.text_digests.values)
            found[open_hashes] = translate_codes(texts, text_targets)
        return found

    contents = find_positions(normalise_hashes(table.anchor_hashes), table.content_digests)
    upheld = translate_codes(contents, content_targets)
    log_contents = find_positions(normalise_hashes(log.anchor_hashes), table.content_digests)
    return HashTargets(
        contents=contents,
        upheld=upheld,
        declared=add_texts(table.anchor_hashes, contents, upheld),
        log=add_texts(log.anchor_hashes, log_contents, translate_codes(log_contents, content_targets)),
    )


def mark_unresolved_entries(
    table: DocumentEntries, classes: NDArray[np.uint8], resolves: NDArray[np.bool_], contents: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Mark the entries with a hash that does not resolve, the own content of human ones set aside.

    ``resolves`` is for each item of ``table.anchors``; ``contents`` as in ``HashTargets``.
    """
    marked = np.zeros(table.count, bool)
    owner = find_owners(table.anchors)[~resolves]
    content = contents[table.anchors.codes[~resolves]]
    candidates = np.flatnonzero((classes[owner] == HUMAN) & (content >= 0))
    held = pair_codes(find_owners(table.contents), table.contents.codes)  # ascending by construction
    own_content = candidates[mark_contained(pair_codes(owner[candidates], content[candidates]), held)]
    marked[np.delete(owner, own_content)] = True
    return marked


def mark_unresolved_results(log: Log, classes: NDArray[np.uint8], resolves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the results with a hash of the log that does not resolve, the own content of human ones set aside."""
    marked = np.zeros(len(classes), bool)
    lost = np.flatnonzero(~resolves)
    if not len(lost):
        return marked
    owner = find_owners(log.anchors)[lost]
    human = classes[owner] == HUMAN
    marked[owner[~human]] = True
    owner, lost = owner[human], lost[human]
    is_used = np.zeros(len(log.anchor_hashes), bool)
    is_used[log.anchors.codes[lost]] = True
    used, hashes = np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[log.anchors.codes[lost]]
    digests = normalise_hashes(log.anchor_hashes.take(pa.array(used)))
    text, given = log.text_digests.codes[owner], log.content_digests.codes[owner]
    same_text = (text >= 0) & (find_positions(digests, log.text_digests.values)[hashes] == text)
    same_given = (text < 0) & (given >= 0) & (find_positions(digests, log.content_digests.values)[hashes] == given)
    marked[owner[~(same_text | same_given)]] = True
    return marked


def gather_hashes(log: Log, table: DocumentEntries, entries: NDArray[np.int32]) -> tuple[Ragged, Strings]:
    """Return the hashes declared for each result: its entry's first, then those that only the log gives."""
    lists = table.declared_anchors
    has_hashes = count_items(lists) > 0
    used = np.flatnonzero(translate_codes(entries, has_hashes, False))
    first = compose_lists(len(entries), [(used, Ragged(lists.offsets, lists.codes), entries[used])])
    if not len(log.anchors.codes):
        return first, table.anchor_hashes
    renamed, hashes = unite_texts(table.anchor_hashes, log.anchor_hashes)
    codes = renamed[log.anchors.codes]
    owner = entries.repeat(count_items(log.anchors))
    single = np.full(table.count, -1, np.int32)
    single[has_hashes] = lists.codes[lists.offsets[:-1][has_hashes]]
    repeated = translate_codes(owner, single) == codes
    doubtful = np.flatnonzero(~repeated & translate_codes(owner, count_items(lists) > 1, False))
    if len(doubtful):
        held = sort_distinct(pair_codes(find_owners(lists), lists.codes))
        repeated[doubtful] = mark_contained(pair_codes(owner[doubtful], codes[doubtful]), held)
    return append_lists(first, filter_items(Ragged(log.anchors.offsets, codes), ~repeated)), hashes
