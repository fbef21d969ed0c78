"""Resolve anchor hashes to the human sources that they stand for.

Flows in: lists of hashes, and tables of which digest is whose.  Flows out: lists of sources with weights that sum to
1, and which hashes resolve to nothing.
Rules kept here: an anchor is the digest of a text, in either spelling (R17); it resolves to the human document with
that content and to nothing else; human documents of equal content are one source, named by the smallest id by bytes;
a content that is also the content of a synthetic document resolves to nothing (R32).
Not here: which documents are human (``parents/``), sources found by following parents (``sources/``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.columns import (
    Ragged,
    Strings,
    add_up_lengths,
    assign_smallest_ids,
    count_items,
    find_owners,
    number_items,
    rank_by_bytes,
    translate_codes,
)
from guard_core.provenance.entry_index import EntryIndex

MOST_SOURCES = 64
"""How many human sources of a document count: as many as a claim may name.  Without a bound, each descendant of a
document that descends from all others would have as many sources as the corpus has."""


def normalise_hashes(hashes: Strings) -> Strings:
    """Return anchor hashes in the form of content digests: ``sha256:`` and lower-case hex.

    A text that is no hash matches no digest afterwards.
    """
    lower = pc.ascii_lower(pc.ascii_trim_whitespace(hashes))
    prefix, nothing = pa.scalar("sha256:", lower.type), pa.scalar("", lower.type)
    return pc.if_else(pc.starts_with(lower, "sha256:"), lower, pc.binary_join_element_wise(prefix, lower, nothing))


def normalise_hash(name: str) -> str:
    """Return one anchor hash in that form; text that is not valid Unicode is in no log and stays as it is."""
    try:
        return str(normalise_hashes(pa.array([name], pa.large_string()))[0].as_py())
    except UnicodeEncodeError:
        return name


@dataclass(frozen=True, slots=True, eq=False)
class UpheldSources:
    """Hold the human sources that catalogue and claims prove, -1 for none.

    ``independent`` marks the entries that are human and name no parents; ``entry_sources`` are the sources that these
    are (codes into ``EntryIndex.documents``); ``content_entries`` is the human entry that each content digest stands
    for; ``classified_contents`` marks the contents of documents with a class, of which the log's labels count nothing.
    """

    independent: NDArray[np.bool_]
    entry_sources: NDArray[np.int32]
    content_entries: NDArray[np.int32]
    classified_contents: NDArray[np.bool_]


def find_upheld_sources(index: EntryIndex, classes: NDArray[np.uint8], derived: NDArray[np.bool_]) -> UpheldSources:
    """Find the entries that are independent human sources.

    ``classes`` are those of the entries, parents followed; ``derived`` marks the entries that name parents.  A content
    that an independent document and an edit of it have in common stands for the independent one.
    """
    entries = index.entries
    independent = (classes == HUMAN) & ~derived
    owner = find_owners(entries.contents).astype(np.int32)
    contents = entries.contents.codes
    counts = ~index.overruled_contents
    holders = np.full(len(entries.content_digests), -1, np.int32)
    human = independent[owner] & counts
    _assign_first(holders, contents[human], owner[human], index)
    sources = np.where(independent, index.entry_documents, -1)
    single = np.flatnonzero(independent & (count_items(entries.contents) == 1))
    shared = translate_codes(holders, index.entry_documents)[contents[entries.contents.offsets[single]]]
    sources[single] = np.where(shared >= 0, shared, sources[single])

    edits = (classes == HUMAN)[owner] & counts & (holders[contents] < 0) if derived.any() else np.zeros(0, bool)
    if edits.any():
        _assign_first(holders, contents[edits], owner[edits], index)
    synthetic = (classes[owner] == DEPTH_1) | (classes[owner] == DEPTH_2_PLUS)
    holders[contents[synthetic & counts]] = -1
    classified = np.zeros(len(holders), bool)
    classified[contents[(entries.classes[owner] != UNKNOWN) & counts]] = True
    return UpheldSources(independent, sources, holders, classified)


def _assign_first(
    holders: NDArray[np.int32], contents: NDArray[np.int32], owner: NDArray[np.int32], index: EntryIndex
) -> None:
    """Assign to ``holders[content]`` the owner of this content with the smallest id."""
    if index.signed_count:
        assign_smallest_ids(holders, contents, owner, index.entries.document_ids)
    else:  # documents are sorted by id: written from the last to the first, the smallest id stays
        holders[contents[::-1]] = owner[::-1]


def name_documents(index: EntryIndex, upheld: UpheldSources) -> NDArray[np.int32]:
    """Return the source that each document of the log is if it is one: that of its entry, else the document itself."""
    sources = translate_codes(index.strongest, upheld.entry_sources)
    return np.where(sources >= 0, sources, index.log_documents)


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedAnchors:
    """Hold lists of sources, which hashes of the lists that were given ``resolve``, and which lists are ``truncated``
    (``None``: none is)."""

    sources: Ragged
    resolves: NDArray[np.bool_]
    truncated: NDArray[np.bool_] | None = None


def resolve_anchors(lists: Ragged, source_of: NDArray[np.int32], names: Strings | None) -> ResolvedAnchors:
    """Resolve lists of hash codes by ``source_of`` (hash code -> code into ``names``, -1 for none).

    In each list a source stands once, sources are in the order of their ids' bytes, and weights sum to 1: equal
    ones where the hashes' weights are equal, else the sum of the weights of the hashes that stand for the source,
    over that of all that resolve.  Of more than ``MOST_SOURCES`` those with the greatest shares are kept, of equal ones
    the first.  Without ``names`` sources are in the order of their codes, and all are kept.
    """
    sources = source_of[lists.codes] if len(lists.codes) else lists.codes
    resolves: NDArray[np.bool_] = sources >= 0
    count = len(lists.offsets) - 1
    if not resolves.any():
        return ResolvedAnchors(Ragged.empty(count), resolves)
    rows = find_owners(lists)[resolves]
    sources = sources[resolves]
    if len(rows) == 1 or np.all(rows[1:] > rows[:-1]):  # no list keeps two: the usual case
        return ResolvedAnchors(Ragged(_sum_offsets(rows, count), sources), resolves)

    weights = None if lists.weights is None else lists.weights[resolves]
    ranks = sources if names is None else rank_by_bytes(names, sources)[sources]
    order = np.lexsort((ranks, rows))
    rows, sources = rows[order], sources[order]
    starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(sources, prepend=-1) != 0))
    kept_rows, kept_sources = rows[starts], sources[starts]
    if weights is not None:
        weights = _sum_shares(rows, kept_rows, starts, weights[order], count)
    resolved = Ragged(_sum_offsets(kept_rows, count), kept_sources, weights)
    sizes = count_items(resolved)
    if names is None or sizes.max() <= MOST_SOURCES:
        return ResolvedAnchors(resolved, resolves)
    return ResolvedAnchors(_truncate_lists(resolved, sizes), resolves, sizes > MOST_SOURCES)


def _truncate_lists(lists: Ragged, sizes: NDArray[np.int64]) -> Ragged:
    """Keep the ``MOST_SOURCES`` of each list that have the greatest shares; these sum to 1 again."""
    shares = np.ones(len(lists.codes)) if lists.weights is None else lists.weights
    owner = find_owners(lists)
    order = np.lexsort((-shares, owner))  # keeps the order of equal shares
    kept = np.sort(order[number_items(sizes) < MOST_SOURCES])
    sums = np.bincount(owner[kept], shares[kept], minlength=len(sizes))
    weights = None if lists.weights is None else shares[kept] / sums[owner[kept]]
    return Ragged(_sum_offsets(owner[kept], len(sizes)), lists.codes[kept], weights)


def _sum_shares(
    rows: NDArray[np.int64],
    kept_rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    weights: NDArray[np.float64],
    count: int,
) -> NDArray[np.float64] | None:
    """Return the share of each kept source in its list; ``None`` where every list is of equal shares."""
    heads = np.flatnonzero(np.diff(rows, prepend=-1))
    equal = np.zeros(count, bool)
    greatest = np.maximum.reduceat(weights, heads)
    equal[rows[heads]] = np.minimum.reduceat(weights, heads) == greatest
    # Parts of the greatest weight of the list: sums of weights as they are given could overflow.
    scaled = weights / np.repeat(np.where(greatest > 0.0, greatest, 1.0), np.diff(heads, append=len(rows)))
    summed = np.where(equal[kept_rows], 1.0, np.add.reduceat(scaled, starts))
    shares: NDArray[np.float64] = summed / np.bincount(kept_rows, summed, minlength=count)[kept_rows]
    return None if equal[kept_rows].all() else shares


def _sum_offsets(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the offsets of ``count`` lists of which each row in ``rows`` is one item's."""
    return add_up_lengths(np.bincount(rows, minlength=count))
