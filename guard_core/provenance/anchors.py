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
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.classes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.provenance.columns import Strings, byte_ranks, lengths_of, owners_of


def digest_form(hashes: Strings) -> Strings:
    """Anchor hashes in the form of content digests: ``sha256:`` and lower-case hex.  What is no digest matches none."""
    lower = pc.ascii_lower(pc.ascii_trim_whitespace(hashes))
    prefix, nothing = pa.scalar("sha256:", lower.type), pa.scalar("", lower.type)
    return pc.if_else(pc.starts_with(lower, "sha256:"), lower, pc.binary_join_element_wise(prefix, lower, nothing))


@dataclass(frozen=True, slots=True, eq=False)
class CatalogueSources:
    """The human sources that a catalogue proves by itself.

    ``independent`` marks its documents that are human and name no parents; ``own`` is, for those, the document that
    names their source, -1 for all others; ``of_content`` is the source of each of the catalogue's content digests, -1
    if nobody's; ``decided`` marks the contents of documents with a class, of which a log has nothing more to say.
    """

    independent: NDArray[np.bool_]
    own: NDArray[np.int32]
    of_content: NDArray[np.int32]
    decided: NDArray[np.bool_]


def catalogue_sources(catalogue: Catalogue) -> CatalogueSources:
    """Which documents of a catalogue are independent human sources, and under which name."""
    independent = (catalogue.classes == HUMAN) & (lengths_of(catalogue.parents) == 0)
    lengths = lengths_of(catalogue.contents)
    owner = owners_of(catalogue.contents).astype(np.int32)
    contents = catalogue.contents.codes
    human = independent[owner]
    of_content = np.full(len(catalogue.content_digests), -1, np.int32)
    # documents are sorted by id: written from the last to the first, the smallest id stays
    of_content[contents[human][::-1]] = owner[human][::-1]
    synthetic = (catalogue.classes[owner] == DEPTH_1) | (catalogue.classes[owner] == DEPTH_2_PLUS)

    own = np.where(independent, np.arange(len(independent)), -1).astype(np.int32)
    single = independent & (lengths == 1)
    own[single] = of_content[contents[catalogue.contents.offsets[:-1][single]]]
    of_content[contents[synthetic]] = -1
    decided = np.zeros(len(of_content), bool)
    decided[contents[catalogue.classes[owner] != UNKNOWN]] = True
    return CatalogueSources(independent, own, of_content, decided)


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
