"""Count repeats and sum the masses of anchors inside retrievals, for all retrievals at once.

Flows in: one key or anchor list per row, rows of one retrieval standing together.  Flows out: per-row repeat counts;
per-retrieval sums of ``m ln m``, anchored rows and greatest masses; the masses of all rows together.
Rules kept here: no Python loop over rows or retrievals; sums run in row order, which is canonical, so that the same log
gives the same bits on every machine; results equal ``guard_core.judging.metrics`` after its rounding.
Not here: which rows are judged (``statistics.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, locate_items, number_items
from guard_core.judging.metrics import exponentiate_entropy

SHIFT_LIMIT = 32
"""Lists up to this length are compared by shifting, which beats sorting; longer ones by sorting."""

MASS_SHIFT_LIMIT = 48
"""The same for lists of anchors, where sorting costs more."""


def count_repeats(keys: NDArray[np.int32], owner: NDArray[np.int32], longest: int) -> NDArray[np.int32]:
    """Count how often the key of each row stands in its own retrieval (1 where it is alone).

    ``owner`` is the retrieval of each row, ``longest`` the greatest number of rows of one retrieval.
    """
    if longest > SHIFT_LIMIT:
        combined = (owner.astype(np.int64) << 32) | keys.view(np.uint32).astype(np.int64)
        _, inverse, counts = np.unique(combined, return_inverse=True, return_counts=True)
        shared: NDArray[np.int32] = counts.astype(np.int32)[inverse]
        return shared
    total = np.ones(len(keys), np.int32)
    for shift in range(1, longest):
        equal = _find_equal(keys, owner, shift)
        if equal.size:
            total[equal] += 1
            total[equal + shift] += 1
    return total


def _find_equal(keys: NDArray[np.int32], owner: NDArray[np.int32], shift: int) -> NDArray[np.intp]:
    """Find the places whose key stands again ``shift`` places on, in the same retrieval."""
    places = np.flatnonzero(keys[shift:] == keys[:-shift])
    equal: NDArray[np.intp] = places[owner[places + shift] == owner[places]]
    return equal


def find_greatest(
    values: NDArray[np.int32], starts: NDArray[np.int64], filled: NDArray[np.bool_], empty: int
) -> NDArray[np.int32]:
    """Find the greatest value of each retrieval; ``empty`` for those without rows.

    ``starts`` are the first rows of all retrievals, ``filled`` says which have rows.
    """
    out = np.full(len(starts), empty, np.int32)
    if values.size:
        out[filled] = np.maximum.reduceat(values, starts[filled])
    return out


@dataclass(frozen=True, slots=True)
class AnchorSums:
    """Anchors of every retrieval: how many rows are ``anchored``, the sum of ``m ln m`` over its masses (``terms``) and
    the greatest mass (``top``)."""

    anchored: NDArray[np.int32]
    terms: NDArray[np.float64]
    top: NDArray[np.float64]

    @property
    def effective(self) -> NDArray[np.float64]:
        """Effective anchors per retrieval, rounded as in ``metrics``; NaN where nothing is anchored."""
        out = np.full(len(self.anchored), np.nan)
        some = self.anchored > 0
        out[some] = exponentiate_entropy(self.terms[some], self.anchored[some].astype(np.float64))
        return out


def sum_anchors(
    anchors: Ragged, rows: NDArray[np.int64] | slice, owner: NDArray[np.int32], retrievals: int, longest: int
) -> tuple[NDArray[np.bool_], AnchorSums]:
    """Return which of the chosen ``rows`` are anchored, and sums over their anchors for each retrieval.

    ``owner`` is the retrieval of each row, from 0 to ``retrievals`` - 1.
    """
    begins, ends = anchors.offsets[:-1][rows], anchors.offsets[1:][rows]
    anchored_rows = ends > begins
    number = int(np.count_nonzero(anchored_rows))
    if not number:  # as without a catalogue, once the log's own word does not count
        nothing = np.zeros(retrievals)
        return anchored_rows, AnchorSums(np.zeros(retrievals, np.int32), nothing, nothing)
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    anchored = np.zeros(retrievals, np.int32)
    if number == len(owner):
        anchored[owner[firsts]] = np.diff(np.append(firsts, number))
    else:
        anchored[owner[firsts]] = np.add.reduceat(anchored_rows, firsts, dtype=np.int32)
    everything = len(begins) == len(anchors.offsets) - 1
    if (everything and number < len(anchors.codes)) or (not everything and int((ends - begins).max()) > 1):
        lengths = (ends - begins).astype(np.int32)
        return anchored_rows, _sum_several(anchors, begins, lengths, anchored, owner, firsts)
    if everything and number == len(begins):
        codes = anchors.codes
    else:  # a row without one gets a code of its own, so that it repeats nothing
        codes = -1 - np.arange(len(begins), dtype=np.int32)
        codes[anchored_rows] = anchors.codes[begins[anchored_rows]]
    return anchored_rows, _sum_single(codes, anchored, owner, firsts, longest)


def sum_masses(anchors: Ragged, rows: NDArray[np.int64] | slice, sources: int) -> NDArray[np.float64]:
    """Sum the mass of each of ``sources`` over all the chosen rows together."""
    if not len(anchors.codes):
        return np.zeros(sources)
    lengths = np.diff(anchors.offsets)
    if int(lengths.max()) <= 1:
        return _count_sources(anchors, lengths, rows, sources).astype(np.float64)
    chosen = lengths[rows]
    entry = slice(None) if isinstance(rows, slice) else locate_items(anchors, rows)[0]
    weight = np.repeat(1.0 / np.maximum(chosen, 1), chosen) if anchors.weights is None else anchors.weights[entry]
    return np.bincount(anchors.codes[entry], weights=weight, minlength=sources).astype(np.float64)


def count_effective(masses: NDArray[np.float64], total: float) -> float | None:
    """Return the effective number of anchors of masses that sum to ``total``; ``None`` if it is 0."""
    if not total:
        return None
    present = np.sort(masses[masses > 0.0])
    return float(exponentiate_entropy(float((present * np.log(present)).sum()), total))


def _count_sources(
    anchors: Ragged, lengths: NDArray[np.int64], rows: NDArray[np.int64] | slice, sources: int
) -> NDArray[np.int64]:
    """Count the rows of each source, where a row has at most one anchor.

    Where most rows are chosen, those that are not are taken from the count of all.
    """
    if isinstance(rows, slice):
        return np.bincount(anchors.codes, minlength=sources)
    if 2 * len(rows) > len(lengths):
        left = np.ones(len(lengths), bool)
        left[rows] = False
        everything = np.bincount(anchors.codes, minlength=sources)
        counts: NDArray[np.int64] = everything - _count_sources(anchors, lengths, np.flatnonzero(left), sources)
        return counts
    anchored = rows[lengths[rows] > 0]
    return np.bincount(anchors.codes[anchors.offsets[anchored]], minlength=sources)


def _sum_single(
    codes: NDArray[np.int32],
    anchored: NDArray[np.int32],
    owner: NDArray[np.int32],
    firsts: NDArray[np.intp],
    longest: int,
) -> AnchorSums:
    """Sum anchors of at most one a row: a mass is a count c, and the sum of m ln m is the sum over rows of ln c."""
    counts = count_repeats(codes, owner, longest)
    some = np.flatnonzero(counts > 1)  # the others have a logarithm of 0
    logarithms = np.log(np.maximum(np.arange(int(counts.max(initial=1)) + 1), 1))
    terms = np.bincount(owner[some], weights=logarithms[counts[some]], minlength=len(anchored)).astype(np.float64)
    top = np.zeros(len(anchored))
    top[owner[firsts]] = np.maximum.reduceat(counts, firsts)
    top[anchored == 0] = 0.0
    return AnchorSums(anchored, terms, top)


def _sum_several(
    anchors: Ragged,
    begins: NDArray[np.int64],
    lengths: NDArray[np.int32],
    anchored: NDArray[np.int32],
    owner: NDArray[np.int32],
    firsts: NDArray[np.intp],
) -> AnchorSums:
    """Sum anchors where a row may have several.

    A mass m is shared by the entries that make it up, so the sum of m ln m over masses is the sum of w ln m over
    entries: no mass has to be singled out.
    """
    entry_owner = np.repeat(owner, lengths)
    codes, weight = anchors.codes, anchors.weights
    if len(entry_owner) < len(codes):  # not of all rows
        entry = np.repeat(begins, lengths) + number_items(lengths.astype(np.int64))
        codes, weight = codes[entry], None if weight is None else weight[entry]
    if weight is None:
        weight = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
    size = np.add.reduceat(lengths, firsts, dtype=np.int64)
    mass = _share_masses(codes, entry_owner, weight, int(size.max()))
    some = np.flatnonzero((mass != 1.0) & (mass > 0.0))  # the others have a logarithm, or a weight, of 0
    shares = weight[some] * np.log(mass[some])
    terms = np.bincount(entry_owner[some], weights=shares, minlength=len(anchored)).astype(np.float64)
    top, held = np.zeros(len(anchored)), size > 0
    top[owner[firsts[held]]] = np.maximum.reduceat(mass, (np.cumsum(size) - size)[held])
    return AnchorSums(anchored, terms, top)


def _share_masses(
    codes: NDArray[np.int32], owner: NDArray[np.int32], weight: NDArray[np.float64], longest: int
) -> NDArray[np.float64]:
    """Return for each entry the mass of its anchor in its retrieval: the summed weights of all entries of both."""
    if longest > MASS_SHIFT_LIMIT:
        key = (owner.astype(np.int64) << 32) | codes
        order = np.argsort(key, kind="stable")
        run = np.cumsum(np.diff(key[order], prepend=key[order[:1]]) != 0)
        mass = np.empty(len(key))
        mass[order] = np.bincount(run, weights=weight[order])[run]
        return mass
    mass = weight.copy()
    for shift in range(1, longest):
        equal = _find_equal(codes, owner, shift)
        if equal.size:
            mass[equal] += weight[equal + shift]
            mass[equal + shift] += weight[equal]
    return mass
