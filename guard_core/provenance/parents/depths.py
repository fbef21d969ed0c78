"""What parents prove of class and depth.

Flows in: what is stated of every node of a graph of documents, and its parents.  Flows out: ``Proved``, what the
parents of every node prove, and ``settle``, what class and depth are then.
Rules kept here: the deepest parent decides; a model or a hybrid adds 1 to it, a human edit nothing, and it is hybrid if
a parent is synthetic (R28); a stated depth stands unless parents prove a greater one (R29); parents of unknown depth
prove a least depth (R67); who is on a cycle or descends from one has no depth (R31).
Not here: which parents a document has (``lineage.py``), whose sources it rests on (``inheritance.py``).

For a node with parents, of a step ``g`` (1 for model and hybrid, 0 otherwise):

* ``deepest + g`` is its depth as far as the depths of its parents are known, ``least + g`` what they prove at least;
* the depth is the greater of the stated one and ``deepest + g``; without a stated one it is ``deepest + g`` if the
  depth of every parent is known, and else unknown;
* a depth below ``least + g`` cannot be right, so that it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.class_words import ClassWord
from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN, UNKNOWN_DEPTH
from guard_core.columns import Ragged, locate_items
from guard_core.provenance.classes import VAGUE
from guard_core.provenance.parents.layers import Layers

_MOST = np.iinfo(np.int32).max
"""Greater depths are counted while chains are followed, and cut to this where they are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """What is stated of documents, columns of equal length: ``ClassReading``, and ``words`` (``ClassWord``)."""

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    says: NDArray[np.uint8]
    words: NDArray[np.int8]

    def taken(self, rows: NDArray[np.intp] | NDArray[np.int32]) -> Stated:
        """The stated columns of these rows."""
        return Stated(self.classes[rows], self.depths[rows], self.says[rows], self.words[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Proved:
    """What the parents of documents prove, columns of equal length.

    ``deepest`` is the greatest known depth of a parent, ``least`` the greatest depth that a parent has at least, -1 for
    none; ``open`` marks documents with a parent of unknown depth, ``looped`` those that are on a cycle or descend from
    one, and ``tainted`` those of them that descend from synthetic content too.
    """

    deepest: NDArray[np.int64]
    least: NDArray[np.int64]
    open: NDArray[np.bool_]
    looped: NDArray[np.bool_]
    tainted: NDArray[np.bool_]

    @staticmethod
    def nothing(count: int) -> Proved:
        """Of documents without parents."""
        none = np.full(count, -1, np.int64)
        return Proved(none, none.copy(), np.zeros(count, bool), np.zeros(count, bool), np.zeros(count, bool))

    def taken(self, rows: NDArray[np.intp] | NDArray[np.int32]) -> Proved:
        """The columns of these rows."""
        return Proved(self.deepest[rows], self.least[rows], self.open[rows], self.looped[rows], self.tainted[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Class and depth of documents once their parents are heard: ``says`` as in ``ClassReading``; ``at_least`` where
    parents prove a least depth of a document of unknown depth, else -1; ``bounds`` are what their own descendants may
    build on: the depth, else the least one that is certain, -1 for none."""

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    says: NDArray[np.uint8]
    at_least: NDArray[np.int32]
    bounds: NDArray[np.int64]


def _steps(words: NDArray[np.int8]) -> NDArray[np.int64]:
    """What a document adds to the depth of its parents."""
    steps: NDArray[np.int64] = ((words != ClassWord.HUMAN) & (words != ClassWord.NONE)).astype(np.int64)
    return steps


def _floors(stated: Stated) -> NDArray[np.int64]:
    """The least depth of synthetic content whose depth is unknown, by its class alone."""
    vague = np.where(stated.says == DEPTH_2_PLUS, 2, 1)
    floors: NDArray[np.int64] = np.where((stated.classes == HUMAN) | (stated.classes == UNKNOWN), -1, vague)
    return floors


def settle(stated: Stated, proved: Proved) -> Settled:
    """Class and depth of each document, from what is stated of it and what its parents prove."""
    steps, floors = _steps(stated.words), _floors(stated)
    depths, bounds = _depths(stated.depths.astype(np.int64), steps, floors, proved.deepest, proved.least, proved.open)
    depths[proved.looped] = UNKNOWN_DEPTH
    synthetic = (stated.classes == DEPTH_1) | (stated.classes == DEPTH_2_PLUS)
    human = stated.classes == HUMAN
    synthetic |= human & (depths != 0) & ~proved.looped
    synthetic |= human & proved.looped & proved.tainted
    classes = np.where(synthetic, np.where(depths == 1, np.uint8(DEPTH_1), np.uint8(DEPTH_2_PLUS)), stated.classes)
    classes[human & proved.looped & ~proved.tainted] = UNKNOWN
    at_least = np.where((depths < 0) & (proved.least >= 0) & ~proved.looped, proved.least + steps, -1)
    open_depth = synthetic & (depths < 0) & (stated.says != DEPTH_2_PLUS) & (at_least < 2)
    return Settled(
        classes,
        np.minimum(depths, _MOST).astype(np.int32),
        np.where(open_depth, np.uint8(VAGUE), classes),
        np.minimum(at_least, _MOST).astype(np.int32),
        bounds,
    )


def too_shallow(stated: Stated, stated_depths: NDArray[np.int32], proved: Proved) -> NDArray[np.bool_]:
    """Where a depth is stated (``stated_depths``, or by the class itself) that is below what parents prove."""
    given = np.where(stated.classes == HUMAN, stated_depths, stated.depths)
    least = np.where(proved.least >= 0, proved.least + _steps(stated.words), -1)
    result: NDArray[np.bool_] = (given >= 0) & (given < least) & ~proved.looped
    return result


def _depths(
    stated: NDArray[np.int64],
    steps: NDArray[np.int64],
    floors: NDArray[np.int64],
    deepest: NDArray[np.int64],
    least: NDArray[np.int64],
    open_parent: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Depths, -1 where unknown, and bounds (``Settled``)."""
    known = np.where(deepest >= 0, deepest + steps, -1)
    certain = np.where(least >= 0, least + steps, -1)
    computed = np.where((floors >= 0) & ~open_parent & (known >= floors), known, -1)
    depths = np.where(stated >= 0, np.maximum(stated, known), computed)
    depths[depths < certain] = UNKNOWN_DEPTH
    return depths, np.where(depths >= 0, depths, np.maximum(certain, floors))


def _depth(stated: int, step: int, floor: int, deepest: int, least: int, open_parent: bool) -> tuple[int, int]:
    """``_depths`` of a single document."""
    known = deepest + step if deepest >= 0 else -1
    certain = least + step if least >= 0 else -1
    computed = known if floor >= 0 and not open_parent and known >= floor else -1
    depth = max(stated, known) if stated >= 0 else computed
    if depth < certain:
        depth = -1
    return depth, depth if depth >= 0 else max(certain, floor)


def follow(
    parents: Ragged,
    layers: Layers,
    stated: Stated,
    lost: NDArray[np.bool_],
    certain: NDArray[np.int64] | None = None,
) -> Proved:
    """What the parents of every node prove, all chains followed; nothing is ``tainted`` yet.

    ``lost`` marks nodes with a parent that is known nowhere; ``certain`` are the bounds of the first nodes, which have
    been settled before.
    """
    count = len(stated.classes)
    proved = Proved.nothing(count)
    proved.open[:] = lost
    proved.looped[:] = layers.looped
    steps, floors = _steps(stated.words), _floors(stated)
    own = stated.depths.astype(np.int64)
    depths = own.copy()
    bounds = np.where(depths >= 0, depths, floors)
    if certain is not None:
        bounds[: len(certain)] = certain
    for run in layers.runs:
        nodes = layers.order[run.start : run.stop]
        if not run.layer:
            _walk(parents, nodes, (own, steps, floors), (depths, bounds), proved)
            continue
        places, lengths = locate_items(parents, nodes)
        starts = np.cumsum(lengths) - lengths
        of_parents = depths[parents.codes[places]]
        proved.deepest[nodes] = np.maximum.reduceat(of_parents, starts)
        proved.open[nodes] |= np.minimum.reduceat(of_parents, starts) < 0
        proved.least[nodes] = np.maximum.reduceat(bounds[parents.codes[places]], starts)
        depths[nodes], bounds[nodes] = _depths(
            own[nodes], steps[nodes], floors[nodes], proved.deepest[nodes], proved.least[nodes], proved.open[nodes]
        )
    return proved


def _walk(
    parents: Ragged,
    nodes: NDArray[np.int32],
    given: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    found: tuple[NDArray[np.int64], NDArray[np.int64]],
    proved: Proved,
) -> None:
    """The same, node by node."""
    offsets, codes = parents.offsets.data, parents.codes.data
    stated, steps, floors = (column.data for column in given)
    depths, bounds = (column.data for column in found)
    deepest_of, least_of, open_of = proved.deepest.data, proved.least.data, proved.open.data
    for node in nodes.tolist():
        deepest = least = -1
        open_parent = open_of[node]
        for place in range(offsets[node], offsets[node + 1]):
            parent = codes[place]
            depth = depths[parent]
            if depth < 0:
                open_parent = True
            elif depth > deepest:
                deepest = depth
            least = max(least, bounds[parent])
        deepest_of[node], least_of[node], open_of[node] = deepest, least, open_parent
        depths[node], bounds[node] = _depth(stated[node], steps[node], floors[node], deepest, least, open_parent)


def descending(parents: Ragged, layers: Layers, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which looped nodes descend from one that is ``marked``; of nodes that are not looped the marks must have been
    handed down already."""
    found = np.zeros(len(marked), bool)
    nodes = np.flatnonzero(layers.looped).astype(np.int32)
    places, lengths = locate_items(parents, nodes)
    found[np.repeat(nodes, lengths)[marked[parents.codes[places]]]] = True
    waiting: list[int] = np.flatnonzero(found).tolist()
    offsets, codes = layers.children.offsets.data, layers.children.codes.data
    looped, reached = layers.looped.data, found.data
    while waiting:
        node = waiting.pop()
        for place in range(offsets[node], offsets[node + 1]):
            child = codes[place]
            if looped[child] and not reached[child]:
                reached[child] = True
                waiting.append(child)
    return found
