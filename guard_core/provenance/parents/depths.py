"""Derive the class and depth of documents from those of their parents.

Flows in: the class and depth of every node of a graph of documents, and its parents.  Flows out: ``ParentDepths``, what
the parents of every node prove, and ``DerivedClasses``, the class and depth that follow.
Rules kept here: the deepest parent decides; a model or a hybrid adds 1 to it, a human edit nothing, and it is hybrid if
a parent is synthetic (R28); a given depth holds unless parents prove a greater one (R29); parents of unknown depth
prove a least depth (R67); a document on a cycle, or that descends from one, has no depth (R31).
Not here: which parents a document has (``parent_graph.py``), which sources it descends from (``sources/shares.py``).

For a node with parents, of a step ``g`` (1 for model and hybrid, 0 otherwise):

* ``deepest + g`` is its depth as far as the depths of its parents are known, ``least + g`` what they prove at least;
* the depth is the greater of the given one and ``deepest + g``; without a given one it is ``deepest + g`` if the
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

_DEEPEST = np.iinfo(np.int32).max
"""The greatest depth that columns keep; greater ones are counted while parents are followed."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassColumns:
    """Hold class, depth and class word of documents before parents are followed; ``stated`` as in ``StatedClasses``."""

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    stated: NDArray[np.uint8]
    words: NDArray[np.int8]

    def select(self, rows: NDArray[np.intp] | NDArray[np.int32]) -> ClassColumns:
        """Return the columns of these rows."""
        return ClassColumns(self.classes[rows], self.depths[rows], self.stated[rows], self.words[rows])


@dataclass(frozen=True, slots=True, eq=False)
class ParentDepths:
    """Hold what the parents of documents prove, as columns of equal length.

    ``deepest`` is the greatest known depth of a parent, ``least`` the greatest depth that a parent has at least, -1 for
    none; ``has_unknown`` marks documents with a parent of unknown depth, ``cyclic`` those that are on a cycle or
    descend from one, and ``below_synthetic`` those of the latter that descend from synthetic content too.
    """

    deepest: NDArray[np.int64]
    least: NDArray[np.int64]
    has_unknown: NDArray[np.bool_]
    cyclic: NDArray[np.bool_]
    below_synthetic: NDArray[np.bool_]

    def select(self, rows: NDArray[np.intp] | NDArray[np.int32]) -> ParentDepths:
        """Return the columns of these rows."""
        return ParentDepths(
            self.deepest[rows],
            self.least[rows],
            self.has_unknown[rows],
            self.cyclic[rows],
            self.below_synthetic[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class DerivedClasses:
    """Hold the class and depth of documents after their parents are followed.

    ``stated`` is as in ``StatedClasses``; ``at_least`` is the depth that parents prove at least where the depth is
    unknown, else -1; ``bounds`` is what children may build on: the depth, else the least one that is certain, -1 for
    none.
    """

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    stated: NDArray[np.uint8]
    at_least: NDArray[np.int32]
    bounds: NDArray[np.int64]


def _count_steps(words: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return what each document adds to the depth of its parents."""
    steps: NDArray[np.int64] = ((words != ClassWord.HUMAN) & (words != ClassWord.NONE)).astype(np.int64)
    return steps


def _find_floors(given: ClassColumns) -> NDArray[np.int64]:
    """Return the least depth that the class alone allows where the depth is unknown, -1 for none."""
    synthetic = np.where(given.stated == DEPTH_2_PLUS, 2, 1)
    floors: NDArray[np.int64] = np.where((given.classes == HUMAN) | (given.classes == UNKNOWN), -1, synthetic)
    return floors


def derive_classes(given: ClassColumns, parents: ParentDepths) -> DerivedClasses:
    """Return the class and depth of each document, given its own and what its parents prove."""
    steps, floors = _count_steps(given.words), _find_floors(given)
    depths, bounds = _derive_depths(
        given.depths.astype(np.int64), steps, floors, parents.deepest, parents.least, parents.has_unknown
    )
    depths[parents.cyclic] = UNKNOWN_DEPTH
    synthetic = (given.classes == DEPTH_1) | (given.classes == DEPTH_2_PLUS)
    human = given.classes == HUMAN
    synthetic |= human & (depths != 0) & ~parents.cyclic
    synthetic |= human & parents.cyclic & parents.below_synthetic
    classes = np.where(synthetic, np.where(depths == 1, np.uint8(DEPTH_1), np.uint8(DEPTH_2_PLUS)), given.classes)
    classes[human & parents.cyclic & ~parents.below_synthetic] = UNKNOWN
    at_least = np.where((depths < 0) & (parents.least >= 0) & ~parents.cyclic, parents.least + steps, -1)
    vague = synthetic & (depths < 0) & (given.stated != DEPTH_2_PLUS) & (at_least < 2)
    return DerivedClasses(
        classes,
        np.minimum(depths, _DEEPEST).astype(np.int32),
        np.where(vague, np.uint8(VAGUE), classes),
        np.minimum(at_least, _DEEPEST).astype(np.int32),
        bounds,
    )


def mark_too_shallow(given: ClassColumns, given_depths: NDArray[np.int32], parents: ParentDepths) -> NDArray[np.bool_]:
    """Mark documents whose depth, given as such or by their class, is below what their parents prove."""
    depths = np.where(given.classes == HUMAN, given_depths, given.depths)
    least = np.where(parents.least >= 0, parents.least + _count_steps(given.words), -1)
    shallow: NDArray[np.bool_] = (depths >= 0) & (depths < least) & ~parents.cyclic
    return shallow


def _derive_depths(
    given: NDArray[np.int64],
    steps: NDArray[np.int64],
    floors: NDArray[np.int64],
    deepest: NDArray[np.int64],
    least: NDArray[np.int64],
    has_unknown: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return depths, -1 where unknown, and bounds (``DerivedClasses``)."""
    known = np.where(deepest >= 0, deepest + steps, -1)
    certain = np.where(least >= 0, least + steps, -1)
    computed = np.where((floors >= 0) & ~has_unknown & (known >= floors), known, -1)
    depths = np.where(given >= 0, np.maximum(given, known), computed)
    depths[depths < certain] = UNKNOWN_DEPTH
    return depths, np.where(depths >= 0, depths, np.maximum(certain, floors))


def _derive_depth(given: int, step: int, floor: int, deepest: int, least: int, has_unknown: bool) -> tuple[int, int]:
    """Do what ``_derive_depths`` does, for a single document."""
    known = deepest + step if deepest >= 0 else -1
    certain = least + step if least >= 0 else -1
    computed = known if floor >= 0 and not has_unknown and known >= floor else -1
    depth = max(given, known) if given >= 0 else computed
    if depth < certain:
        depth = -1
    return depth, depth if depth >= 0 else max(certain, floor)


def follow_parents(
    parents: Ragged,
    layers: Layers,
    given: ClassColumns,
    has_lost: NDArray[np.bool_],
    certain: NDArray[np.int64] | None = None,
) -> ParentDepths:
    """Return what the parents of every node prove; ``below_synthetic`` is left to ``mark_descendants``.

    ``has_lost`` marks nodes with a parent that nobody knows; ``certain`` are the bounds of the first nodes, where these
    have been derived before.
    """
    count = len(given.classes)
    none = np.full(count, -1, np.int64)
    found = ParentDepths(none, none.copy(), has_lost.copy(), layers.cyclic.copy(), np.zeros(count, bool))
    steps, floors = _count_steps(given.words), _find_floors(given)
    given_depths = given.depths.astype(np.int64)
    depths = given_depths.copy()
    bounds = np.where(depths >= 0, depths, floors)
    if certain is not None:
        bounds[: len(certain)] = certain
    for run in layers.runs:
        nodes = layers.order[run.start : run.stop]
        if not run.layer:
            _walk_nodes(parents, nodes, (given_depths, steps, floors), (depths, bounds), found)
            continue
        places, lengths = locate_items(parents, nodes)
        starts = np.cumsum(lengths) - lengths
        parent_depths = depths[parents.codes[places]]
        found.deepest[nodes] = np.maximum.reduceat(parent_depths, starts)
        found.has_unknown[nodes] |= np.minimum.reduceat(parent_depths, starts) < 0
        found.least[nodes] = np.maximum.reduceat(bounds[parents.codes[places]], starts)
        depths[nodes], bounds[nodes] = _derive_depths(
            given_depths[nodes],
            steps[nodes],
            floors[nodes],
            found.deepest[nodes],
            found.least[nodes],
            found.has_unknown[nodes],
        )
    return found


def _walk_nodes(
    parents: Ragged,
    nodes: NDArray[np.int32],
    given: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    derived: tuple[NDArray[np.int64], NDArray[np.int64]],
    found: ParentDepths,
) -> None:
    """Do what ``follow_parents`` does, node by node."""
    offsets, codes = parents.offsets.data, parents.codes.data
    given_depths, steps, floors = (column.data for column in given)
    depths, bounds = (column.data for column in derived)
    deepest_of, least_of, unknown_of = found.deepest.data, found.least.data, found.has_unknown.data
    for node in nodes.tolist():
        deepest = least = -1
        has_unknown = unknown_of[node]
        for place in range(offsets[node], offsets[node + 1]):
            parent = codes[place]
            depth = depths[parent]
            if depth < 0:
                has_unknown = True
            elif depth > deepest:
                deepest = depth
            least = max(least, bounds[parent])
        deepest_of[node], least_of[node], unknown_of[node] = deepest, least, has_unknown
        depths[node], bounds[node] = _derive_depth(
            given_depths[node], steps[node], floors[node], deepest, least, has_unknown
        )


def mark_descendants(parents: Ragged, layers: Layers, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the cyclic nodes that descend from a ``marked`` one.

    Descendants of a marked node that are not cyclic must be marked already.
    """
    found = np.zeros(len(marked), bool)
    nodes = np.flatnonzero(layers.cyclic).astype(np.int32)
    places, lengths = locate_items(parents, nodes)
    found[np.repeat(nodes, lengths)[marked[parents.codes[places]]]] = True
    waiting: list[int] = np.flatnonzero(found).tolist()
    offsets, codes = layers.children.offsets.data, layers.children.codes.data
    cyclic, reached = layers.cyclic.data, found.data
    while waiting:
        node = waiting.pop()
        for place in range(offsets[node], offsets[node + 1]):
            child = codes[place]
            if cyclic[child] and not reached[child]:
                reached[child] = True
                waiting.append(child)
    return found
