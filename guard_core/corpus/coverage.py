"""Count how many results rest on how many human sources, and which sources are retrieved together.

Flows in: ``Statistics`` and a belief.  Flows out: ``Coverage``: anchor families by results, and how often the strongest
occur in one retrieval; the members of one family; list entries against independent sources; the retrievals with the
strongest coverage illusion.
Rules kept here: every judged result is counted once, split among its sources by weight: resolved families, families
that are only declared, and results without any anchor add up to the judged results (R32, R66); sums do not depend on
the order of the log; nothing here holds a value a retrieval, so a million of them cost no more to keep than ten.
Not here: clusters and their picture (``clusters.py``), sentences and tables (the dashboard).

An anchor family is what descends from one human source.  A family is *unresolved* where results have an anchor hash and
none of their hashes resolves to a human source: the log declares it, and nothing upholds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.columns import Ragged, Strings, number_items, pair_codes, sort_distinct, split_pairs
from guard_core.judging.masses import count_effective, sum_masses
from guard_core.judging.metrics import EFFECTIVE_DECIMALS
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief

STRONGEST = 200
"""How many families have their common retrievals counted."""

_MOST_SHIFTS = 48
"""With more families in one retrieval, pairs are counted by a product of matrices instead of by shifting."""

_CHUNK = 8192
"""How many retrievals go into one product of matrices."""


@dataclass(frozen=True, slots=True)
class Families:
    """Hold the anchor families, the strongest first; equal ones by name.

    ``codes`` index ``Evidence.sources`` where ``resolved``, else ``Evidence.hashes``.  ``mass`` is the number of
    results, each split among its sources by weight; ``results``, ``retrievals`` and ``documents`` count all that have a
    part in the family.  ``unanchored`` results have no anchor at all: ``mass.sum() + unanchored == judged``.
    """

    codes: NDArray[np.int32]
    resolved: NDArray[np.bool_]
    names: tuple[str, ...]
    mass: NDArray[np.float64]
    results: NDArray[np.int64]
    retrievals: NDArray[np.int64]
    documents: NDArray[np.int64]
    judged: int
    unanchored: int

    @property
    def cumulative(self) -> NDArray[np.float64]:
        """The share of all judged results that belong to the families up to each one."""
        shares: NDArray[np.float64] = np.cumsum(self.mass) / max(self.judged, 1)
        return shares


@dataclass(frozen=True, slots=True)
class Coverage:
    """Hold the families, and in ``together[i, j]`` the number of retrievals in which both ``i`` and ``j`` occur.

    ``together`` is for the first ``len(together)`` families; its diagonal counts those in which family ``i`` occurs.
    """

    families: Families
    together: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Hold the parts of judged results in families: ``place`` among the judged rows, ``family`` and ``weight``.

    A family is a source, or the number of sources plus a hash.
    """

    place: NDArray[np.int32]
    family: NDArray[np.int32]
    weight: NDArray[np.float64]
    unanchored: int


def count_coverage(statistics: Statistics, belief: Belief, strongest: int = STRONGEST) -> Coverage:
    """Count the families of all judged results, and the common retrievals of the ``strongest`` of them."""
    parts = _list_parts(statistics, belief)
    evidence = statistics.evidence
    sources = len(evidence.sources)
    documents = evidence.log.document_ids.codes[statistics.rows]
    present, inverse = np.unique(parts.family, return_inverse=True)
    summed = np.bincount(inverse, weights=parts.weight, minlength=len(present)).astype(np.float64)
    mass = np.round(summed, EFFECTIVE_DECIMALS)
    resolved = present < sources
    codes = np.where(resolved, present, present - sources).astype(np.int32)
    names = _name_families(evidence.sources, evidence.hashes, codes, resolved)
    order = np.lexsort((~resolved, _rank_texts(names), -mass))
    place_of = np.empty(len(order), np.int32)
    place_of[order] = np.arange(len(order), dtype=np.int32)
    family = place_of[inverse]
    in_retrievals = sort_distinct(pair_codes(statistics.owner[parts.place], family))
    in_documents = sort_distinct(pair_codes(documents[parts.place], family))
    size = len(order)
    families = Families(
        codes=codes[order],
        resolved=resolved[order],
        names=tuple(names.take(pa.array(order)).to_pylist()),
        mass=mass[order],
        results=np.bincount(family, minlength=size).astype(np.int64),
        retrievals=np.bincount(split_pairs(in_retrievals)[1], minlength=size).astype(np.int64),
        documents=np.bincount(split_pairs(in_documents)[1], minlength=size).astype(np.int64),
        judged=statistics.judged_results,
        unanchored=parts.unanchored,
    )
    return Coverage(families, _count_together(in_retrievals, min(strongest, size)))


@dataclass(frozen=True, slots=True)
class FamilyMembers:
    """Hold one family: its documents (codes of the log's document ids) with their results, the strongest first; its
    retrievals (positions among those kept), in the log's order; and its results (``places`` among the judged rows)."""

    documents: NDArray[np.int32]
    results: NDArray[np.int64]
    retrievals: NDArray[np.int64]
    places: NDArray[np.int64]


def list_family_members(statistics: Statistics, belief: Belief, code: int, resolved: bool) -> FamilyMembers:
    """List the documents, retrievals and results of one family."""
    parts = _list_parts(statistics, belief)
    wanted = code if resolved else code + len(statistics.evidence.sources)
    places = parts.place[parts.family == wanted]
    codes = statistics.evidence.log.document_ids.codes[statistics.rows][places]
    documents, results = np.unique(codes, return_counts=True)
    names = statistics.evidence.log.document_ids.values.take(pa.array(documents))
    order = np.lexsort((_rank_texts(names), -results))
    return FamilyMembers(
        documents=documents[order],
        results=results[order].astype(np.int64),
        retrievals=np.unique(statistics.owner[places]).astype(np.int64),
        places=np.sort(places).astype(np.int64),
    )


def count_group_sources(
    statistics: Statistics, belief: Belief, groups: NDArray[np.int64], count: int
) -> tuple[float | None, ...]:
    """Count the independent human sources of the results of each of ``count`` groups of retrievals.

    ``groups`` is the group of each kept retrieval, -1 for none.  A count is ``None`` where nothing is anchored.
    """
    evidence = statistics.evidence
    anchors = evidence.under(belief).anchors
    small = groups.astype(np.int16) if count < np.iinfo(np.int16).max else groups  # which sorts without comparing
    group = small[statistics.owner]
    order = np.argsort(group, kind="stable")  # so that rows stay in ascending order
    ends = np.searchsorted(group[order], np.arange(count + 1))
    rows = np.arange(evidence.log.result_count) if isinstance(statistics.rows, slice) else statistics.rows
    masses = (
        sum_masses(anchors, rows[order[first:last]], len(evidence.sources)) for first, last in pairwise(ends.tolist())
    )
    return tuple(count_effective(each, float(each.sum())) for each in masses)


@dataclass(frozen=True, slots=True)
class Density:
    """Hold the number of retrievals by list entries and independent human sources.

    ``counts[i, j]``: ``i`` sources, ``j`` entries, both in steps of ``step``; row 0 holds those without any known
    source; row ``i`` holds what rounds to ``(i - 1) * step + 1`` up to ``i * step``; column ``j`` the lists of
    ``j * step + 1`` up to ``(j + 1) * step`` entries.
    """

    step: int
    counts: NDArray[np.int64]


def count_density(statistics: Statistics, belief: Belief, steps: int = 20) -> Density:
    """Count retrievals by list entries and independent sources, in at most ``steps`` columns."""
    profiles = statistics.profiles
    counted = (profiles.entries > 0) & ~profiles.creative & (statistics.multiplicity > 0)
    entries = profiles.entries[counted].astype(np.int64)
    if not len(entries):
        return Density(1, np.zeros((1, 0), np.int64))
    step = -(-int(entries.max()) // steps)
    sources = np.floor(np.nan_to_num(profiles.effective[belief][counted], nan=0.0) + 0.5).astype(np.int64)
    row, column = -(-sources // step), (entries - 1) // step
    shape = int(row.max()) + 1, int(column.max()) + 1
    weight = statistics.multiplicity[counted]
    flat = np.bincount(row * shape[1] + column, weights=weight, minlength=shape[0] * shape[1])
    return Density(step, flat.reshape(shape).astype(np.int64))


def find_illusions(statistics: Statistics, belief: Belief, limit: int) -> NDArray[np.int64]:
    """Find the retrievals (positions) with the most entries for each independent human source, the strongest first.

    Only counted retrievals with a source and more entries than sources are listed; equal ones by more entries, then in
    the log's order.
    """
    profiles = statistics.profiles
    effective = profiles.effective[belief]
    counted = (profiles.entries > 0) & ~profiles.creative & (statistics.multiplicity > 0) & ~np.isnan(effective)
    chosen = np.flatnonzero(counted & (profiles.entries > np.nan_to_num(effective) + 1e-9))
    strength = np.round(profiles.entries[chosen] / effective[chosen], EFFECTIVE_DECIMALS)
    keys = np.stack((-strength, -profiles.entries[chosen].astype(np.float64)))
    _, level = np.unique(keys, axis=1, return_inverse=True)
    weight = np.bincount(level.ravel(), weights=statistics.multiplicity[chosen])
    enough = int(np.searchsorted(np.cumsum(weight), limit)) + 1
    levels = np.full(profiles.size, profiles.size, np.int64)
    levels[chosen] = level.ravel()
    at = levels[statistics.profile_of]
    positions = np.flatnonzero(at < min(enough, profiles.size))
    return positions[np.argsort(at[positions], kind="stable")][:limit]


def _list_parts(statistics: Statistics, belief: Belief) -> _Parts:
    """Return the sources of all judged results, and the declared hashes of those without any."""
    evidence = statistics.evidence
    resolved = evidence.under(belief).anchors
    place, entry, lengths = _expand_lists(resolved, statistics.rows)
    weight = 1.0 / lengths[place] if resolved.weights is None else resolved.weights[entry]
    declared = evidence.declared_anchors
    if not len(declared.codes):
        return _Parts(place, resolved.codes[entry], weight, int(np.count_nonzero(lengths == 0)))
    open_places, open_entry, open_lengths = _expand_lists(declared, statistics.rows, lengths == 0)
    hashes = declared.codes[open_entry] + np.int32(len(evidence.sources))
    unanchored = int(np.count_nonzero((lengths == 0) & (open_lengths == 0)))
    return _Parts(
        np.concatenate((place, open_places)),
        np.concatenate((resolved.codes[entry], hashes.astype(np.int32))),
        np.concatenate((weight, 1.0 / open_lengths[open_places])),
        unanchored,
    )


def _expand_lists(
    lists: Ragged, rows: NDArray[np.int64] | slice, keep: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each item of the lists of ``rows`` (of those to ``keep``), its row and its index; and the
    length of every row's list."""
    lengths = np.diff(lists.offsets)[rows]
    if keep is not None:
        lengths = np.where(keep, lengths, 0)
    place = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    entry = np.repeat(lists.offsets[:-1][rows], lengths) + number_items(lengths)
    return place, entry, lengths


def _name_families(
    sources: pa.Array, hashes: pa.Array, codes: NDArray[np.int32], resolved: NDArray[np.bool_]
) -> pa.LargeStringArray:
    kind = pa.large_string()
    first = sources.take(pa.array(codes[resolved])).cast(kind)
    second = hashes.take(pa.array(codes[~resolved])).cast(kind)
    # Families are in the order of their numbers, and those of sources are below those of hashes.
    return pa.concat_arrays([first, second])


def _rank_texts(texts: Strings) -> NDArray[np.int64]:
    """Return the rank of each text by bytes."""
    ranks = np.empty(len(texts), np.int64)
    ranks[pc.sort_indices(texts).to_numpy(zero_copy_only=False)] = np.arange(len(texts))
    return ranks


def _count_together(owners: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Count the common retrievals of the first ``size`` families, from sorted distinct pairs (retrieval, family)."""
    owners = owners[(owners & 0xFFFFFFFF) < size]
    family = (owners & 0xFFFFFFFF).astype(np.int64)
    retrieval = owners >> 32
    counts = np.diag(np.bincount(family, minlength=size)).astype(np.int64)
    if not len(family):
        return counts
    runs = np.diff(np.flatnonzero(np.concatenate(([True], np.diff(retrieval) != 0, [True]))))
    if int(runs.max()) > _MOST_SHIFTS:
        return _multiply_incidences(np.repeat(np.arange(len(runs)), runs), family, len(runs), size)
    flat = np.zeros(size * size, np.int64)
    for shift in range(1, int(runs.max())):
        same = np.flatnonzero(retrieval[shift:] == retrieval[:-shift])
        flat += np.bincount(family[same] * size + family[same + shift], minlength=size * size)
    upper = flat.reshape(size, size)
    return upper + upper.T + counts


def _multiply_incidences(row: NDArray[np.int64], family: NDArray[np.int64], rows: int, size: int) -> NDArray[np.int64]:
    """Count by products of incidence matrices, a chunk of retrievals at a time; exact, as counts are small."""
    total = np.zeros((size, size), np.int64)
    edges = np.searchsorted(row, np.arange(0, rows + _CHUNK, _CHUNK))
    for chunk, (first, last) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        incidence = np.zeros((_CHUNK, size), np.float32)
        incidence[row[first:last] - chunk * _CHUNK, family[first:last]] = 1.0
        total += (incidence.T @ incidence).astype(np.int64)
    return total
