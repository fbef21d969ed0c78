"""From declared anchor hashes to the human sources that they stand for.

Flows in: lists of hashes, and tables of which digest is whose.  Flows out: lists of sources with weights that sum to
1, and which hashes stand for nothing.
Rules kept here: an anchor is the digest of a text, in either spelling (R17); it resolves to the human document with
that content and to nothing else; human documents of equal content are one source, named by the smallest id by bytes;
a content that is also the content of a synthetic document is nobody's (R32).
Not here: which documents are human (``guard_core.provenance.evidence``), sources found by following parents.
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
from guard_core.provenance.entries import Known

MOST_SOURCES = 64
"""How many human sources of a document count: as many as a claim may name.  Without a bound a document that descends
from all others would make every one of its descendants as large as the corpus."""


def digest_form(hashes: Strings) -> Strings:
    """Anchor hashes in the form of content digests: ``sha256:`` and lower-case hex.  What is no digest matches none."""
    lower = pc.ascii_lower(pc.ascii_trim_whitespace(hashes))
    prefix, nothing = pa.scalar("sha256:", lower.type), pa.scalar("", lower.type)
    return pc.if_else(pc.starts_with(lower, "sha256:"), lower, pc.binary_join_element_wise(prefix, lower, nothing))


def digest_of_name(name: str) -> str:
    """One anchor hash in that form; a name that is no UTF-8 text is in no log and stays as it is."""
    try:
        return str(digest_form(pa.array([name], pa.large_string()))[0].as_py())
    except UnicodeEncodeError:
        return name


@dataclass(frozen=True, slots=True, eq=False)
class ProvedSources:
    """The human sources that catalogue and claims prove; sources are codes into ``Known.sources``.

    ``independent`` marks the entries that are human and name no parents; ``own`` is, for those, the source that they
    are, -1 for all others; ``of_content`` is the human entry that each content digest stands for, -1 for none;
    ``decided`` marks the contents of documents with a class, of which a log has nothing more to say.
    """

    independent: NDArray[np.bool_]
    own: NDArray[np.int32]
    of_content: NDArray[np.int32]
    decided: NDArray[np.bool_]


def proved_sources(known: Known, classes: NDArray[np.uint8], derived: NDArray[np.bool_]) -> ProvedSources:
    """Which entries are independent human sources, and under which name.

    ``classes`` are those of the entries, chains followed; ``derived`` marks those that name parents.  A content that
    an independent document and an edit of it have in common stands for the independent one.
    """
    entries = known.entries
    independent = (classes == HUMAN) & ~derived
    owner = find_owners(entries.contents).astype(np.int32)
    contents = entries.contents.codes
    counts = ~known.overruled
    holder = np.full(len(entries.content_digests), -1, np.int32)
    human = independent[owner] & counts
    _keep_first(holder, contents[human], owner[human], known)
    own = np.where(independent, known.names, -1)
    single = np.flatnonzero(independent & (count_items(entries.contents) == 1))
    shared = translate_codes(holder, known.names)[contents[entries.contents.offsets[single]]]
    own[single] = np.where(shared >= 0, shared, own[single])

    edits = (classes == HUMAN)[owner] & counts & (holder[contents] < 0) if derived.any() else np.zeros(0, bool)
    if edits.any():
        _keep_first(holder, contents[edits], owner[edits], known)
    synthetic = (classes[owner] == DEPTH_1) | (classes[owner] == DEPTH_2_PLUS)
    holder[contents[synthetic & counts]] = -1
    decided = np.zeros(len(holder), bool)
    decided[contents[(entries.classes[owner] != UNKNOWN) & counts]] = True
    return ProvedSources(independent, own, holder, decided)


def _keep_first(holder: NDArray[np.int32], contents: NDArray[np.int32], owner: NDArray[np.int32], known: Known) -> None:
    """``holder[content]`` becomes the one of its owners with the smallest id."""
    if known.signed:
        assign_smallest_ids(holder, contents, owner, known.entries.document_ids)
    else:  # documents are sorted by id: written from the last to the first, the smallest id stays
        holder[contents[::-1]] = owner[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """Lists of sources, for every hash in the lists that were given whether it stands for a source, and which lists are
    not whole (``None``: all are)."""

    sources: Ragged
    found: NDArray[np.bool_]
    cut: NDArray[np.bool_] | None = None


def resolve(lists: Ragged, source_of: NDArray[np.int32], names: Strings | None) -> Resolved:
    """Resolve lists of hash codes by ``source_of`` (hash code -> code into ``names``, -1 for none).

    In each list a source stands once, sources stand in the order of their ids' bytes, and weights sum to 1: equal
    ones where the hashes' weights are equal, else the sum of the weights of the hashes that stand for the source,
    over that of all that resolve.  Of more than ``MOST_SOURCES`` those with the greatest shares are kept, of equal ones
    the first.  Without ``names`` sources stand in the order of their codes, and all are kept.
    """
    sources = source_of[lists.codes] if len(lists.codes) else lists.codes
    found: NDArray[np.bool_] = sources >= 0
    lengths = count_items(lists)
    if not found.any():
        return Resolved(Ragged.empty(len(lengths)), found)
    rows = find_owners(lists)[found]
    sources = sources[found]
    if len(rows) == 1 or np.all(rows[1:] > rows[:-1]):  # no list keeps two: the usual case
        return Resolved(Ragged(_offsets(rows, len(lengths)), sources), found)

    weights = None if lists.weights is None else lists.weights[found]
    ranks = sources if names is None else rank_by_bytes(names, sources)[sources]
    order = np.lexsort((ranks, rows))
    rows, sources = rows[order], sources[order]
    starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(sources, prepend=-1) != 0))
    kept_rows, kept_sources = rows[starts], sources[starts]
    if weights is not None:
        weights = _shares(rows, kept_rows, starts, weights[order], len(lengths))
    lists = Ragged(_offsets(kept_rows, len(lengths)), kept_sources, weights)
    sizes = count_items(lists)
    if names is None or sizes.max() <= MOST_SOURCES:
        return Resolved(lists, found)
    return Resolved(_cut(lists, sizes), found, sizes > MOST_SOURCES)


def _cut(lists: Ragged, sizes: NDArray[np.int64]) -> Ragged:
    """The ``MOST_SOURCES`` of each list that have the greatest shares; the shares sum to 1 again."""
    shares = np.ones(len(lists.codes)) if lists.weights is None else lists.weights
    owner = find_owners(lists)
    order = np.lexsort((-shares, owner))  # keeps the order of equal shares
    kept = np.sort(order[number_items(sizes) < MOST_SOURCES])
    sums = np.bincount(owner[kept], shares[kept], minlength=len(sizes))
    weights = None if lists.weights is None else shares[kept] / sums[owner[kept]]
    return Ragged(_offsets(owner[kept], len(sizes)), lists.codes[kept], weights)


def _shares(
    rows: NDArray[np.int64],
    kept_rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    weights: NDArray[np.float64],
    count: int,
) -> NDArray[np.float64] | None:
    """The share of each kept source in its list; ``None`` where every list is of equal shares."""
    heads = np.flatnonzero(np.diff(rows, prepend=-1))
    equal = np.zeros(count, bool)
    greatest = np.maximum.reduceat(weights, heads)
    equal[rows[heads]] = np.minimum.reduceat(weights, heads) == greatest
    # Parts of the greatest weight of the list: sums of weights as they are given could overflow.
    scaled = weights / np.repeat(np.where(greatest > 0.0, greatest, 1.0), np.diff(heads, append=len(rows)))
    summed = np.where(equal[kept_rows], 1.0, np.add.reduceat(scaled, starts))
    shares: NDArray[np.float64] = summed / np.bincount(kept_rows, summed, minlength=count)[kept_rows]
    return None if equal[kept_rows].all() else shares


def _offsets(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    return add_up_lengths(np.bincount(rows, minlength=count))
