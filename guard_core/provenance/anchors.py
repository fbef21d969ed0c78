"""From declared anchor hashes to the human sources that they stand for.

Flows in: lists of hashes, and tables of which digest is whose.  Flows out: lists of sources with weights that sum to
1, and which hashes stand for nothing.
Rules kept here: an anchor is the digest of a text, in either spelling (R17); it resolves to the human document with
that content and to nothing else; human documents of equal content are one source, named by the smallest id by bytes;
a content that is also the content of a synthetic document is nobody's (R32).
Not here: which documents are human (``guard_core.evidence``), sources found by following parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.log import Ragged
from guard_core.provenance.classes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.provenance.columns import Strings, byte_ranks, keep_smallest, lengths_of, owners_of, recoded
from guard_core.provenance.known import Known


def digest_form(hashes: Strings) -> Strings:
    """Anchor hashes in the form of content digests: ``sha256:`` and lower-case hex.  What is no digest matches none."""
    lower = pc.ascii_lower(pc.ascii_trim_whitespace(hashes))
    prefix, nothing = pa.scalar("sha256:", lower.type), pa.scalar("", lower.type)
    return pc.if_else(pc.starts_with(lower, "sha256:"), lower, pc.binary_join_element_wise(prefix, lower, nothing))


@dataclass(frozen=True, slots=True, eq=False)
class ProvedSources:
    """The human sources that catalogue and claims prove; sources are codes into ``Known.sources``.

    ``independent`` marks the entries that are human and name no parents; ``own`` is, for those, the source that they
    are, -1 for all others; ``of_content`` is the source of each content digest, -1 if nobody's; ``decided`` marks the
    contents of documents with a class, of which a log has nothing more to say.
    """

    independent: NDArray[np.bool_]
    own: NDArray[np.int32]
    of_content: NDArray[np.int32]
    decided: NDArray[np.bool_]


def proved_sources(known: Known) -> ProvedSources:
    """Which entries are independent human sources, and under which name."""
    entries = known.entries
    independent = (entries.classes == HUMAN) & (lengths_of(entries.parents) == 0)
    owner = owners_of(entries.contents).astype(np.int32)
    contents = entries.contents.codes
    counts = ~known.overruled
    human = independent[owner] & counts
    holder = np.full(len(entries.content_digests), -1, np.int32)
    if known.signed:
        keep_smallest(holder, contents[human], owner[human], entries.document_ids)
    else:  # documents are sorted by id: written from the last to the first, the smallest id stays
        holder[contents[human][::-1]] = owner[human][::-1]
    of_content = recoded(holder, known.names)

    own = np.where(independent, known.names, -1)
    single = np.flatnonzero(independent & (lengths_of(entries.contents) == 1))
    shared = of_content[contents[entries.contents.offsets[single]]]
    own[single] = np.where(shared >= 0, shared, own[single])
    synthetic = (entries.classes[owner] == DEPTH_1) | (entries.classes[owner] == DEPTH_2_PLUS)
    of_content[contents[synthetic & counts]] = -1
    decided = np.zeros(len(of_content), bool)
    decided[contents[(entries.classes[owner] != UNKNOWN) & counts]] = True
    return ProvedSources(independent, own, of_content, decided)


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """Lists of sources, and for every hash in the lists that were given whether it stands for a source."""

    sources: Ragged
    found: NDArray[np.bool_]


def resolve(lists: Ragged, source_of: NDArray[np.int32], names: Strings) -> Resolved:
    """Resolve lists of hash codes by ``source_of`` (hash code -> code into ``names``, -1 for none).

    In each list a source stands once, sources stand in the order of their ids' bytes, and weights sum to 1: equal
    ones where the hashes' weights are equal, else the sum of the weights of the hashes that stand for the source,
    over that of all that resolve.
    """
    sources = source_of[lists.codes] if len(lists.codes) else lists.codes
    found: NDArray[np.bool_] = sources >= 0
    lengths = lengths_of(lists)
    if not found.any():
        return Resolved(Ragged.empty(len(lengths)), found)
    rows = owners_of(lists)[found]
    sources = sources[found]
    if len(rows) == 1 or np.all(rows[1:] > rows[:-1]):  # no list keeps two: the usual case
        return Resolved(Ragged(_offsets(rows, len(lengths)), sources), found)

    weights = None if lists.weights is None else lists.weights[found]
    ranks = byte_ranks(names, sources)[sources]
    order = np.lexsort((ranks, rows))
    rows, sources = rows[order], sources[order]
    starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(sources, prepend=-1) != 0))
    kept_rows, kept_sources = rows[starts], sources[starts]
    if weights is not None:
        weights = _shares(rows, kept_rows, starts, weights[order], len(lengths))
    return Resolved(Ragged(_offsets(kept_rows, len(lengths)), kept_sources, weights), found)


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
    equal[rows[heads]] = np.minimum.reduceat(weights, heads) == np.maximum.reduceat(weights, heads)
    summed = np.where(equal[kept_rows], 1.0, np.add.reduceat(weights, starts))
    shares: NDArray[np.float64] = summed / np.bincount(kept_rows, summed, minlength=count)[kept_rows]
    return None if equal[kept_rows].all() else shares


def _offsets(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=count))])
