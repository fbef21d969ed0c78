"""Order the nodes of a graph so that parents come first, and find those on cycles.

Flows in: for every node the list of its parents, as columns.  Flows out: ``Layers``, and the members of cycles.
Rules kept here: no recursion; what comes out depends on the graph, never on how its nodes are numbered or listed; a
wide layer costs a few column operations, a narrow one a few steps of a plain loop, so that neither a forest of a
million documents nor a chain of a million takes more than seconds.
Not here: what a document inherits from its parents (``depths.py``, ``sources/shares.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, add_up_lengths, count_items, filter_items, find_owners, locate_items

_NARROW = 64
"""Layers of fewer nodes are walked node by node: about where both ways cost the same."""

_WIDE = 256
"""A walk stops where a layer gets as wide as this."""


@dataclass(frozen=True, slots=True)
class LayerRun:
    """Hold a stretch of ``Layers.order``: a ``layer``, in which no node is a parent of another, or any nodes, parents
    first."""

    start: int
    stop: int
    layer: bool


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Hold an order of the nodes that have parents, parents first.

    ``order`` are the nodes that do not descend from a cycle, those without parents left out; ``runs`` cover it.
    ``cyclic`` marks the nodes on a cycle and those that descend from one.  ``children`` are the links reversed.
    """

    order: NDArray[np.int32]
    runs: tuple[LayerRun, ...]
    cyclic: NDArray[np.bool_]
    children: Ragged


def reverse_links(parents: Ragged) -> Ragged:
    """Return the children of every node, given its parents."""
    count = len(parents.offsets) - 1
    order = np.argsort(parents.codes, kind="stable")
    sizes = np.bincount(parents.codes, minlength=count)
    return Ragged(add_up_lengths(sizes), find_owners(parents)[order].astype(np.int32))


def build_layers(parents: Ragged) -> Layers:
    """Order the nodes of a graph in layers, given their parents."""
    waiting = count_items(parents)
    children = reverse_links(parents)
    roots = np.flatnonzero(waiting == 0).astype(np.int32)
    order = np.empty(len(waiting) - len(roots), np.int32)
    runs: list[LayerRun] = []
    done = 0
    layer = _release_children(children, roots, waiting)
    while len(layer):
        start = done
        if len(layer) < _NARROW:
            done, layer = _walk_layers(children, layer, waiting, order, done)
            runs.append(LayerRun(start, done, layer=False))
        else:
            done += len(layer)
            order[start:done] = layer
            runs.append(LayerRun(start, done, layer=True))
            layer = _release_children(children, layer, waiting)
    return Layers(order[:done], tuple(runs), waiting > 0, children)


def _release_children(children: Ragged, layer: NDArray[np.int32], waiting: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the nodes that wait for no further parent once ``layer`` is done."""
    places, _ = locate_items(children, layer)
    reached = np.sort(children.codes[places])
    first = np.flatnonzero(np.diff(reached, prepend=-1))
    nodes = reached[first]
    waiting[nodes] -= np.diff(np.append(first, len(reached)))
    released: NDArray[np.int32] = nodes[waiting[nodes] == 0]
    return released


def _walk_layers(
    children: Ragged, layer: NDArray[np.int32], waiting: NDArray[np.int64], order: NDArray[np.int32], done: int
) -> tuple[int, NDArray[np.int32]]:
    """Go on node by node until a layer is wide or none is left; return the new length of ``order``, and that layer."""
    # Items of memory views are plain numbers, which is several times as fast as items of arrays.
    offsets, codes, left, out = children.offsets.data, children.codes.data, waiting.data, order.data
    current: list[int] = layer.tolist()
    while current and len(current) < _WIDE:
        following: list[int] = []
        for node in current:
            out[done] = node
            done += 1
            for place in range(offsets[node], offsets[node + 1]):
                child = codes[place]
                left[child] -= 1
                if not left[child]:
                    following.append(child)
        current = following
    return done, np.array(current, np.int32)


def find_cycle_members(parents: Ragged, layers: Layers) -> NDArray[np.int32]:
    """Return the nodes that descend from themselves, in ascending order."""
    if not layers.cyclic.any():
        return np.zeros(0, np.int32)
    # Nodes that lead to no cycle are removed from below; the others are on cycles or between them.
    inner = layers.cyclic[find_owners(layers.children)] & layers.cyclic[layers.children.codes]
    core = build_layers(filter_items(layers.children, inner)).cyclic
    nodes = np.flatnonzero(core)
    number = np.full(len(core), -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    places, lengths = locate_items(parents, nodes.astype(np.int32))
    targets = number[parents.codes[places]]
    owners = np.repeat(np.arange(len(nodes)), lengths)[targets >= 0]
    targets = targets[targets >= 0]
    offsets = add_up_lengths(np.bincount(owners, minlength=len(nodes)))
    component = _find_components(offsets.tolist(), targets.tolist())
    sizes = np.bincount(component, minlength=1)
    itself = np.zeros(len(nodes), bool)
    itself[owners[owners == targets]] = True
    return nodes[itself | (sizes[component] > 1)].astype(np.int32)


def _find_components(offsets: list[int], targets: list[int]) -> NDArray[np.int64]:
    """Return the strongly connected component of every node (Tarjan 1972), by a stack instead of recursion."""
    count = len(offsets) - 1
    found, lowest, component = [-1] * count, [0] * count, [-1] * count
    place = offsets[:-1]
    open_nodes: list[int] = []
    visited = components = 0
    for root in range(count):
        if found[root] >= 0:
            continue
        path = [root]
        found[root] = lowest[root] = visited
        visited += 1
        open_nodes.append(root)
        while path:
            node = path[-1]
            if place[node] < offsets[node + 1]:
                target = targets[place[node]]
                place[node] += 1
                if found[target] < 0:
                    found[target] = lowest[target] = visited
                    visited += 1
                    open_nodes.append(target)
                    path.append(target)
                elif component[target] < 0:
                    lowest[node] = min(lowest[node], found[target])
                continue
            path.pop()
            if path:
                lowest[path[-1]] = min(lowest[path[-1]], lowest[node])
            if lowest[node] == found[node]:
                while True:
                    member = open_nodes.pop()
                    component[member] = components
                    if member == node:
                        break
                components += 1
    return np.array(component, np.int64)
