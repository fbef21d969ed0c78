"""Coverage: on how many human sources how many results rest, and which sources are retrieved together.

Flows in: ``Statistics`` and a reading of the evidence.  Flows out: ``Coverage``: anchor families by results, and how
often the strongest occur in one retrieval; the members of one family; list entries against independent sources; the
retrievals with the strongest coverage illusion.
Rules kept here: every judged result is counted once, split among its sources by weight: resolved families, families
that are only declared, and results without any anchor add up to the judged results (R32, R66); sums do not depend on
the order of the log; nothing here holds a value a retrieval, so a million of them cost no more to keep than ten.
Not here: clusters and their picture (``co_retrieval.py``), sentences and tables (the dashboard).

An anchor family is what rests on one human source.  A family is *unresolved* where results name an anchor hash and none
of their hashes leads to a human source: the log says so, and nothing vouches for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.columns import Ragged, number_items, pair_codes, sort_distinct
from guard_core.judging.masses import whole_masses
from guard_core.judging.metrics import EFFECTIVE_DECIMALS
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief

STRONGEST = 200
"""Families whose common retrievals are counted."""

_SHIFTS = 48
"""With more families in one retrieval, pairs are counted by a product of matrices instead of by shifting."""

_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Families:
    """Anchor families, the strongest first; equal ones by name.

    ``codes`` index ``Evidence.sources`` where ``resolved``, else ``Evidence.hashes``.  ``mass`` is the number of
    results, each split among its sources by weight; ``results``, ``retrievals`` and ``documents`` count whatever has a
    part in the family.  ``unanchored`` results name no anchor at all: ``mass.sum() + unanchored == judged``.
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
        """Share of all judged results that rest on the families up to each one."""
        shares: NDArray[np.float64] = np.cumsum(self.mass) / max(self.judged, 1)
        return shares


@dataclass(frozen=True, slots=True)
class Coverage:
    """``together[i, j]``: retrievals in which the families ``i`` and ``j`` both occur, for the first ``len(together)``
    families; on the diagonal those in which family ``i`` occurs."""

    families: Families
    together: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Parts:
    """What every judged result has in a family: ``place`` among the judged rows, ``family`` (a source, or the number of
    sources plus a hash) and ``weight``."""

    place: NDArray[np.int32]
    family: NDArray[np.int32]
    weight: NDArray[np.float64]
    unanchored: int


def count_coverage(statistics: Statistics, belief: Belief, strongest: int = STRONGEST) -> Coverage:
    """Families of all judged results under a reading, and the common retrievals of the ``strongest`` of them."""
    parts = _parts(statistics, belief)
    evidence = statistics.evidence
    sources = len(evidence.sources)
    documents = evidence.log.document_ids.codes[statistics.rows]
    present, inverse = np.unique(parts.family, return_inverse=True)
    summed = np.bincount(inverse, weights=parts.weight, minlength=len(present)).astype(np.float64)
    mass = np.round(summed, EFFECTIVE_DECIMALS)
    resolved = present < sources
    codes = np.where(resolved, present, present - sources).astype(np.int32)
    names = _names(evidence.sources, evidence.hashes, codes, resolved)
    rank = np.empty(len(names), np.int64)
    rank[pc.sort_indices(names).to_numpy(zero_copy_only=False)] = np.arange(len(names))
    order = np.lexsort((~resolved, rank, -mass))
    place_of = np.empty(len(order), np.int32)
    place_of[order] = np.arange(len(order), dtype=np.int32)
    family = place_of[inverse]
    owners = sort_distinct(pair_codes(statistics.owner[parts.place], family))
    held = sort_distinct(pair_codes(documents[parts.place], family))
    size = len(order)
    found = Families(
        codes[order],
        resolved[order],
        tuple(names.take(pa.array(order)).to_pylist()),
        mass[order],
        np.bincount(family, minlength=size).astype(np.int64),
        np.bincount(owners & 0xFFFFFFFF, minlength=size).astype(np.int64),
        np.bincount(held & 0xFFFFFFFF, minlength=size).astype(np.int64),
        statistics.judged_results,
        parts.unanchored,
    )
    return Coverage(found, _together(owners, min(strongest, size)))


@dataclass(frozen=True, slots=True)
class FamilyMembers:
    """One family: its documents (codes of the log's document ids) with their results, the strongest first; its
    retrievals (positions among those kept), in the log's order; and its results (``places`` among the judged rows)."""

    documents: NDArray[np.int32]
    results: NDArray[np.int64]
    retrievals: NDArray[np.int64]
    places: NDArray[np.int64]


def list_family_members(statistics: Statistics, belief: Belief, code: int, resolved: bool) -> FamilyMembers:
    """The documents and retrievals of one family."""
    parts = _parts(statistics, belief)
    wanted = code if resolved else code + len(statistics.evidence.sources)
    places = parts.place[parts.family == wanted]
    codes = statistics.evidence.log.document_ids.codes[statistics.rows][places]
    documents, results = np.unique(codes, return_counts=True)
    names = statistics.evidence.log.document_ids.values.take(pa.array(documents))
    rank = np.empty(len(names), np.int64)
    rank[pc.sort_indices(names).to_numpy(zero_copy_only=False)] = np.arange(len(names))
    order = np.lexsort((rank, -results))
    retrievals = np.unique(statistics.owner[places]).astype(np.int64)
    return FamilyMembers(
        documents[order], results[order].astype(np.int64), retrievals, np.sort(places).astype(np.int64)
    )


def count_group_sources(
    statistics: Statistics, belief: Belief, stretch: NDArray[np.int64], count: int
) -> tuple[float | None, ...]:
    """Independent human sources behind the judged results of each of ``count`` groups of retrievals; ``None`` where
    nothing is anchored.

    ``stretch`` is the group of each kept retrieval, -1 for none.
    """
    evidence = statistics.evidence
    anchors = evidence.under(belief).anchors
    small = stretch.astype(np.int16) if count < np.iinfo(np.int16).max else stretch  # which sorts without comparing
    group = small[statistics.owner]
    order = np.argsort(group, kind="stable")  # so that rows stay in ascending order
    ends = np.searchsorted(group[order], np.arange(count + 1))
    rows = np.arange(evidence.log.result_count) if isinstance(statistics.rows, slice) else statistics.rows
    return tuple(
        _effective(whole_masses(anchors, rows[order[first:last]], len(evidence.sources)))
        for first, last in pairwise(ends.tolist())
    )


def _effective(masses: NDArray[np.float64]) -> float | None:
    """The exponential of the entropy of the masses."""
    masses = masses[masses > 0]
    if not len(masses):
        return None
    total = masses.sum()
    return round(float(np.exp(np.log(total) - (masses * np.log(masses)).sum() / total)), EFFECTIVE_DECIMALS)


@dataclass(frozen=True, slots=True)
class Density:
    """Counted retrievals by list entries and independent human sources.

    ``counts[i, j]``: ``i`` sources, ``j`` entries, both in steps of ``step``; row 0 holds those without any known
    source; row ``i`` holds what rounds to ``(i - 1) * step + 1`` up to ``i * step``; column ``j`` the lists of
    ``j * step + 1`` up to ``(j + 1) * step`` entries.
    """

    step: int
    counts: NDArray[np.int64]


def count_density(statistics: Statistics, belief: Belief, steps: int = 20) -> Density:
    """How list entries and independent sources lie against each other, in at most ``steps`` columns."""
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
    """The retrievals (positions) with the most entries for each independent human source, the strongest first.

    Only counted retrievals with a known source and more entries than sources; equal ones by more entries, then in the
    log's order.
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


def _parts(statistics: Statistics, belief: Belief) -> _Parts:
    """Resolved sources, and for results without any the hashes that they name."""
    evidence = statistics.evidence
    resolved = evidence.under(belief).anchors
    place, entry, lengths = _expanded(resolved, statistics.rows)
    weight = 1.0 / lengths[place] if resolved.weights is None else resolved.weights[entry]
    named = evidence.declared_anchors
    if not len(named.codes):
        return _Parts(place, resolved.codes[entry], weight, int(np.count_nonzero(lengths == 0)))
    open_places, open_entry, open_lengths = _expanded(named, statistics.rows, lengths == 0)
    hashes = named.codes[open_entry] + np.int32(len(evidence.sources))
    unanchored = int(np.count_nonzero((lengths == 0) & (open_lengths == 0)))
    return _Parts(
        np.concatenate((place, open_places)),
        np.concatenate((resolved.codes[entry], hashes.astype(np.int32))),
        np.concatenate((weight, 1.0 / open_lengths[open_places])),
        unanchored,
    )


def _expanded(
    lists: Ragged, rows: NDArray[np.int64] | slice, keep: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The items of the lists of ``rows`` (of those that ``keep`` names): place among the rows, and index into the
    codes; and the length of every row's list."""
    lengths = np.diff(lists.offsets)[rows]
    if keep is not None:
        lengths = np.where(keep, lengths, 0)
    place = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    entry = np.repeat(lists.offsets[:-1][rows], lengths) + number_items(lengths)
    return place, entry, lengths


def _names(
    sources: pa.Array, hashes: pa.Array, codes: NDArray[np.int32], resolved: NDArray[np.bool_]
) -> pa.LargeStringArray:
    kind = pa.large_string()
    first = sources.take(pa.array(codes[resolved])).cast(kind)
    second = hashes.take(pa.array(codes[~resolved])).cast(kind)
    # Families come with the resolved ones first: their numbers are below those of the hashes.
    return pa.concat_arrays([first, second])


def _together(owners: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Common retrievals of the first ``size`` families, from sorted distinct pairs (retrieval, family)."""
    owners = owners[(owners & 0xFFFFFFFF) < size]
    family = (owners & 0xFFFFFFFF).astype(np.int64)
    retrieval = owners >> 32
    counts = np.diag(np.bincount(family, minlength=size)).astype(np.int64)
    if not len(family):
        return counts
    runs = np.diff(np.flatnonzero(np.concatenate(([True], np.diff(retrieval) != 0, [True]))))
    if int(runs.max()) > _SHIFTS:
        return _products(np.repeat(np.arange(len(runs)), runs), family, len(runs), size)
    flat = np.zeros(size * size, np.int64)
    for shift in range(1, int(runs.max())):
        same = np.flatnonzero(retrieval[shift:] == retrieval[:-shift])
        flat += np.bincount(family[same] * size + family[same + shift], minlength=size * size)
    upper = flat.reshape(size, size)
    return upper + upper.T + counts


def _products(row: NDArray[np.int64], family: NDArray[np.int64], rows: int, size: int) -> NDArray[np.int64]:
    """The same by products of incidence matrices, a chunk of retrievals at a time; exact, as counts are small."""
    total = np.zeros((size, size), np.int64)
    edges = np.searchsorted(row, np.arange(0, rows + _CHUNK, _CHUNK))
    for chunk, (first, last) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        incidence = np.zeros((_CHUNK, size), np.float32)
        incidence[row[first:last] - chunk * _CHUNK, family[first:last]] = 1.0
        total += (incidence.T @ incidence).astype(np.int64)
    return total
