"""The human sources that documents inherit along their parents.

Flows in: a graph in which every node has weighted links to those that it inherits from, and the source that each
independent human node is.  Flows out: ``SourceSets``, and the set of each node.
Rules kept here: a document rests on the sources of what it derives from; shares are multiplied along a path and added
where paths meet; who inherits from a cycle inherits nothing; at most ``MOST_SOURCES`` of a document are kept, those
with the greatest shares, of equal ones those with the smallest ids, and their shares sum to 1 again.  No path is walked
twice: equal sets are held once, and a node that inherits from one set only shares it.
Not here: which links count (``descent.py``).

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
from guard_core.provenance.entry_choice import list_keys
from guard_core.provenance.parents.layers import Layers, layers_of

_PIECE = 1 << 21
"""How many items are merged at a time; bounds the memory."""


@dataclass(slots=True, eq=False)
class SourceSets:
    """Sets of sources with shares that sum to 1, told by number.

    Items are codes of sources in the order of their ids' bytes, ascending in each set; the first ``sources`` sets hold
    one source each.
    """

    sources: int
    _offsets: NDArray[np.int64] = field(init=False)
    _codes: NDArray[np.int32] = field(init=False)
    _shares: NDArray[np.float64] = field(init=False)
    _count: int = field(init=False)
    _cut: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._offsets = np.arange(self.sources + 1, dtype=np.int64)
        self._codes = np.arange(self.sources, dtype=np.int32)
        self._shares = np.ones(self.sources)
        self._count = self.sources

    def lists(self) -> Ragged:
        """All sets, in the order of their numbers."""
        used = int(self._offsets[self._count])
        shares = self._shares[:used]
        equal = bool(np.all(shares == 1.0))
        return Ragged(self._offsets[: self._count + 1], self._codes[:used], None if equal else shares)

    def cut(self) -> NDArray[np.bool_]:
        """Which sets are not whole."""
        marks = np.zeros(self._count, bool)
        marks[sorted(self._cut)] = True
        return marks

    def add(self, lengths: NDArray[np.int64], codes: NDArray[np.int32], shares: NDArray[np.float64]) -> int:
        """Add sets; gives the number of the first."""
        first, used = self._count, int(self._offsets[self._count])
        count, size = first + len(lengths), used + len(codes)
        self._offsets = _grown(self._offsets, count + 1)
        self._codes, self._shares = _grown(self._codes, size), _grown(self._shares, size)
        self._offsets[first + 1 : count + 1] = used + np.cumsum(lengths)
        self._codes[used:size], self._shares[used:size] = codes, shares
        self._count = count
        return first

    def items(self, number: int) -> list[tuple[int, float]]:
        """The items of one set."""
        start, stop = int(self._offsets[number]), int(self._offsets[number + 1])
        return list(zip(self._codes[start:stop].tolist(), self._shares[start:stop].tolist(), strict=True))

    def mixed(
        self, owners: NDArray[np.int64], numbers: NDArray[np.int32], weights: NDArray[np.float64], count: int
    ) -> NDArray[np.int32]:
        """For each of ``count`` owners the number of the set that mixes those given for it, -1 if there are none.

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
        owners, numbers, weights = _added(owners[chosen], numbers[chosen], weights[chosen])
        heads = np.flatnonzero(np.diff(owners, prepend=-1))
        ends = np.append(heads[1:], len(owners))
        pieces = np.cumsum(self._offsets[numbers + 1] - self._offsets[numbers])[ends - 1] // _PIECE
        cuts = np.flatnonzero(np.diff(pieces)) + 1  # a piece holds whole owners, one at least
        for start, stop in pairwise([0, *heads[cuts].tolist(), len(owners)]):
            self._mix(owners[start:stop], numbers[start:stop], weights[start:stop], result)
        return result

    def _mix(
        self,
        owners: NDArray[np.int64],
        numbers: NDArray[np.int32],
        weights: NDArray[np.float64],
        result: NDArray[np.int32],
    ) -> None:
        """Make the sets of these owners, each out of several."""
        places, lengths = locate_items(Ragged(self._offsets, self._codes), numbers)
        owner, code, share = _added(
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
        alike = _alike(Ragged(np.append(first, len(owner)), code, share))
        fresh = alike == np.arange(len(alike))
        number = self.add(sizes[fresh], code[np.repeat(fresh, sizes)], share[np.repeat(fresh, sizes)])
        numbers_of = number + np.cumsum(fresh) - 1
        result[owner[first]] = numbers_of[alike]
        self._cut.update(numbers_of[alike[too_many]].tolist())

    def mixed_one(self, parts: list[tuple[int, float]]) -> int:
        """The same for one owner, as a plain loop: ``parts`` are at least two numbers of sets with their weights."""
        together: dict[int, list[float]] = {}
        for number, weight in parts:
            for code, share in self.items(number):
                together.setdefault(code, []).append(weight * share)
        sums = [(code, sum(sorted(shares))) for code, shares in together.items()]
        if len(sums) > MOST_SOURCES:
            sums = sorted(sums, key=lambda item: (-item[1], item[0]))[:MOST_SOURCES]
            self._cut.add(self._count)
        sums.sort()
        total = sum(share for _, share in sums)
        codes = np.array([code for code, _ in sums], np.int32)
        return self.add(np.array([len(sums)]), codes, np.array([share / total for _, share in sums]))


def _grown(column: NDArray[Number], size: int) -> NDArray[Number]:
    """The column, with room for ``size`` items."""
    if size <= len(column):
        return column
    larger = np.empty(max(size, 2 * len(column)), column.dtype)
    larger[: len(column)] = column
    return larger


def _added(
    owners: NDArray[np.int64], codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Each code of an owner once, in ascending order, with the sum of its weights."""
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


def _alike(lists: Ragged) -> NDArray[np.int64]:
    """For each list the first that is equal to it, itself if there is none before."""
    _, first, inverse = np.unique(list_keys(lists), return_index=True, return_inverse=True)
    candidate = first[inverse]
    lengths = count_items(lists)
    own = np.arange(len(lengths))
    twins = np.flatnonzero((candidate != own) & (lengths == lengths[candidate])).astype(np.int32)
    result = own.copy()
    if not len(twins):
        return result
    mine, sizes = locate_items(lists, twins)
    theirs, _ = locate_items(lists, candidate[twins].astype(np.int32))
    assert lists.weights is not None
    equal = (lists.codes[mine] == lists.codes[theirs]) & (lists.weights[mine] == lists.weights[theirs])
    whole = np.logical_and.reduceat(equal, np.cumsum(sizes) - sizes)
    result[twins[whole]] = candidate[twins[whole]]
    return result


def inherit(links: Ragged, numbers: NDArray[np.int32], sets: SourceSets, layers: Layers | None = None) -> None:
    """Give every node its set: ``numbers`` holds those of the nodes that are sources or were settled before, -1
    elsewhere, and is filled in.  ``layers`` are those of ``links`` if they are known."""
    layers = layers or layers_of(links)
    for run in layers.runs:
        nodes = layers.order[run.start : run.stop]
        if not run.layer:
            _walk(links, nodes, numbers, sets)
            continue
        places, lengths = locate_items(links, nodes)
        owners = np.repeat(np.arange(len(nodes)), lengths)
        given = numbers[links.codes[places]]
        kept = given >= 0
        weights = np.ones(len(given)) if links.weights is None else links.weights[places]
        numbers[nodes] = sets.mixed(owners[kept], given[kept], weights[kept], len(nodes))


def _walk(links: Ragged, nodes: NDArray[np.int32], numbers: NDArray[np.int32], sets: SourceSets) -> None:
    """The same, node by node."""
    offsets, codes, held = links.offsets.data, links.codes.data, numbers.data
    weights = None if links.weights is None else links.weights.data
    for node in nodes.tolist():
        start, stop = offsets[node], offsets[node + 1]
        if stop - start == 1:
            held[node] = held[codes[start]]
            continue
        parts: dict[int, list[float]] = {}
        for place in range(start, stop):
            number = held[codes[place]]
            if number >= 0:
                parts.setdefault(number, []).append(1.0 if weights is None else weights[place])
        if len(parts) == 1:
            held[node] = next(iter(parts))
        elif parts:
            held[node] = sets.mixed_one([(number, sum(sorted(given))) for number, given in parts.items()])
