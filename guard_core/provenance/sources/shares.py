"""Hand down the human sources of documents along their parents, with shares.

Flows in: a graph in which every node has weighted links to those that it inherits from, and the source that each
independent human node is.  Flows out: ``SourceShares``, and the set of each node.
Rules kept here: a document descends from the sources of what it inherits from; shares are multiplied along a path and
added where paths meet; a node that inherits from a cycle inherits nothing; at most ``MOST_SOURCES`` of a document are
kept, those with the greatest shares, of equal ones those with the smallest ids, and their shares sum to 1 again.  No
path is walked twice: equal sets are sets_of once, and a node that inherits from one set only shares it.
Not here: which links count (``by_parent.py``).

Sums are taken in an order that depends on the shares alone, so that they are the same to the last bit however documents
are numbered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Number, Ragged, count_items, locate_items, number_items, pair_codes
from guard_core.provenance.anchors import MOST_SOURCES
from guard_core.provenance.entry_choice import hash_lists
from guard_core.provenance.parents.layers import Layers, build_layers

_ITEMS_AT_A_TIME = 1 << 21
"""Items that are merged at a time, which bounds the memory."""


@dataclass(slots=True, eq=False)
class SourceShares:
    """Hold sets of sources, numbered; the shares of each set sum to 1.

    Items are codes of sources in the order of their ids' bytes, ascending in each set; the first ``sources`` sets hold
    one source each.
    """

    sources: int
    _offsets: NDArray[np.int64] = field(init=False)
    _codes: NDArray[np.int32] = field(init=False)
    _shares: NDArray[np.float64] = field(init=False)
    _count: int = field(init=False)
    _truncated: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._offsets = np.arange(self.sources + 1, dtype=np.int64)
        self._codes = np.arange(self.sources, dtype=np.int32)
        self._shares = np.ones(self.sources)
        self._count = self.sources

    def list_sets(self) -> Ragged:
        """Return all sets, in the order of their numbers."""
        used = int(self._offsets[self._count])
        shares = self._shares[:used]
        equal = bool(np.all(shares == 1.0))
        return Ragged(self._offsets[: self._count + 1], self._codes[:used], None if equal else shares)

    def mark_truncated(self) -> NDArray[np.bool_]:
        """Mark the sets of more than ``MOST_SOURCES`` sources, which are not whole."""
        marks = np.zeros(self._count, bool)
        marks[sorted(self._truncated)] = True
        return marks

    def add(self, lengths: NDArray[np.int64], codes: NDArray[np.int32], shares: NDArray[np.float64]) -> int:
        """Add sets, and return the number of the first."""
        first, used = self._count, int(self._offsets[self._count])
        count, size = first + len(lengths), used + len(codes)
        self._offsets = _grow(self._offsets, count + 1)
        self._codes, self._shares = _grow(self._codes, size), _grow(self._shares, size)
        self._offsets[first + 1 : count + 1] = used + np.cumsum(lengths)
        self._codes[used:size], self._shares[used:size] = codes, shares
        self._count = count
        return first

    def list_items(self, number: int) -> list[tuple[int, float]]:
        """Return the sources of one set with their shares."""
        start, stop = int(self._offsets[number]), int(self._offsets[number + 1])
        return list(zip(self._codes[start:stop].tolist(), self._shares[start:stop].tolist(), strict=True))

    def mix(
        self, owners: NDArray[np.int64], numbers: NDArray[np.int32], weights: NDArray[np.float64], count: int
    ) -> NDArray[np.int32]:
        """Return, for each of ``count`` owners, the set that mixes those given for it, -1 if there are none.

        ``owners`` ascend; ``weights`` are those of the sets of one owner against each other.
        """
        result = np.full(count, -1, np.int32)
        if not len(owners):
            return result
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        lowest, highest = np.minimum.reduceat(numbers, first), np.maximum.reduceat(numbers, first)
        result[owners[first]] = lowest
        several = np.zeros(count, bool)
        several[owners[first[lowest != highest]]] = True
        chosen = np.flatnonzero(several[owners])
        if not len(chosen):
            return result
        owners, numbers, weights = _sum_weights(owners[chosen], numbers[chosen], weights[chosen])
        heads = np.flatnonzero(np.diff(owners, prepend=-1))
        ends = np.append(heads[1:], len(owners))
        pieces = np.cumsum(self._offsets[numbers + 1] - self._offsets[numbers])[ends - 1] // _ITEMS_AT_A_TIME
        cuts = np.flatnonzero(np.diff(pieces)) + 1  # a piece holds whole owners, one at least
        for start, stop in pairwise([0, *heads[cuts].tolist(), len(owners)]):
            self._add_mixtures(owners[start:stop], numbers[start:stop], weights[start:stop], result)
        return result

    def _add_mixtures(
        self,
        owners: NDArray[np.int64],
        numbers: NDArray[np.int32],
        weights: NDArray[np.float64],
        result: NDArray[np.int32],
    ) -> None:
        """Add the sets of these owners, each out of several, and enter their numbers in ``result``."""
        places, lengths = locate_items(Ragged(self._offsets, self._codes), numbers)
        owner, code, share = _sum_weights(
            np.repeat(owners, lengths), self._codes[places], np.repeat(weights, lengths) * self._shares[places]
        )
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        sizes = np.diff(np.append(first, len(owner)))
        too_many = np.flatnonzero(sizes > MOST_SOURCES)
        if len(too_many):
            crowded = np.flatnonzero(np.repeat(sizes > MOST_SOURCES, sizes))
            order = crowded[np.lexsort((code[crowded], -share[crowded], owner[crowded]))]
            kept = np.ones(len(owner), bool)
            kept[order[number_items(sizes[too_many]) >= MOST_SOURCES]] = False
            owner, code, share = owner[kept], code[kept], share[kept]
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            sizes = np.minimum(sizes, MOST_SOURCES)
        share /= np.repeat(np.add.reduceat(share, first), sizes)
        same = _find_equal_lists(Ragged(np.append(first, len(owner)), code, share))
        fresh = same == np.arange(len(same))
        number = self.add(sizes[fresh], code[np.repeat(fresh, sizes)], share[np.repeat(fresh, sizes)])
        set_numbers = number + np.cumsum(fresh) - 1
        result[owner[first]] = set_numbers[same]
        self._truncated.update(set_numbers[same[too_many]].tolist())

    def mix_one(self, parts: list[tuple[int, float]]) -> int:
        """Do what ``mix`` does for one owner, by a plain loop; ``parts`` are at least two sets with their weights."""
        together: dict[int, list[float]] = {}
        for number, weight in parts:
            for code, share in self.list_items(number):
                together.setdefault(code, []).append(weight * share)
        sums = [(code, sum(sorted(shares))) for code, shares in together.items()]
        if len(sums) > MOST_SOURCES:
            sums = sorted(sums, key=lambda item: (-item[1], item[0]))[:MOST_SOURCES]
            self._truncated.add(self._count)
        sums.sort()
        total = sum(share for _, share in sums)
        codes = np.array([code for code, _ in sums], np.int32)
        return self.add(np.array([len(sums)]), codes, np.array([share / total for _, share in sums]))


def _grow(column: NDArray[Number], size: int) -> NDArray[Number]:
    """Return the column with room for ``size`` items."""
    if size <= len(column):
        return column
    larger = np.empty(max(size, 2 * len(column)), column.dtype)
    larger[: len(column)] = column
    return larger


def _sum_weights(
    owners: NDArray[np.int64], codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return each code of an owner once, in ascending order, with the sum of its weights."""
    key = pair_codes(owners, codes)
    order = np.argsort(key, kind="stable")
    key = key[order]
    fresh = np.diff(key, prepend=-1) != 0
    several = np.flatnonzero(~fresh | np.append(~fresh[1:], False))  # only they have a sum, and an order to take it in
    if len(several):
        order[several] = order[several][np.lexsort((weights[order[several]], key[several]))]
    first = np.flatnonzero(fresh)
    if not len(first):
        return owners, codes, weights
    return owners[order[first]], codes[order[first]], np.add.reduceat(weights[order], first)


def _find_equal_lists(lists: Ragged) -> NDArray[np.int64]:
    """Return, for each list, the first that is equal to it, itself if there is none before."""
    _, first, inverse = np.unique(hash_lists(lists), return_index=True, return_inverse=True)
    candidate = first[inverse]
    lengths = count_items(lists)
    own = np.arange(len(lengths))
    candidates = np.flatnonzero((candidate != own) & (lengths == lengths[candidate])).astype(np.int32)
    result = own.copy()
    if not len(candidates):
        return result
    mine, sizes = locate_items(lists, candidates)
    theirs, _ = locate_items(lists, candidate[candidates].astype(np.int32))
    assert lists.weights is not None
    equal = (lists.codes[mine] == lists.codes[theirs]) & (lists.weights[mine] == lists.weights[theirs])
    whole = np.logical_and.reduceat(equal, np.cumsum(sizes) - sizes)
    result[candidates[whole]] = candidate[candidates[whole]]
    return result


def inherit_shares(links: Ragged, numbers: NDArray[np.int32], sets: SourceShares, layers: Layers | None = None) -> None:
    """Give every node its set.

    ``numbers`` holds the sets of nodes that have one already, -1 elsewhere, and is filled in.  ``layers`` are those of
    ``links`` if they have been built before.
    """
    layers = layers or build_layers(links)
    for run in layers.runs:
        nodes = layers.order[run.start : run.stop]
        if not run.layer:
            _walk_nodes(links, nodes, numbers, sets)
            continue
        places, lengths = locate_items(links, nodes)
        owners = np.repeat(np.arange(len(nodes)), lengths)
        given = numbers[links.codes[places]]
        kept = given >= 0
        weights = np.ones(len(given)) if links.weights is None else links.weights[places]
        numbers[nodes] = sets.mix(owners[kept], given[kept], weights[kept], len(nodes))


def _walk_nodes(links: Ragged, nodes: NDArray[np.int32], numbers: NDArray[np.int32], sets: SourceShares) -> None:
    """Do what ``inherit_shares`` does, node by node."""
    offsets, codes, sets_of = links.offsets.data, links.codes.data, numbers.data
    weights = None if links.weights is None else links.weights.data
    for node in nodes.tolist():
        start, stop = offsets[node], offsets[node + 1]
        if stop - start == 1:
            sets_of[node] = sets_of[codes[start]]
            continue
        parts: dict[int, list[float]] = {}
        for place in range(start, stop):
            number = sets_of[codes[place]]
            if number >= 0:
                parts.setdefault(number, []).append(1.0 if weights is None else weights[place])
        if len(parts) == 1:
            sets_of[node] = next(iter(parts))
        elif parts:
            sets_of[node] = sets.mix_one([(number, sum(sorted(given))) for number, given in parts.items()])
