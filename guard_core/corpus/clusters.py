"""Find clusters of anchor families that are retrieved together, and lay them out on a map.

Flows in: ``Coverage``.  Flows out: ``Clusters``: links between the strongest families, the cluster of each, and its
place on a map.
Rules kept here: a fixed seed and a fixed order of nodes and links, so that the same log gives the same map; a link's
strength is the share of common retrievals (the cosine of the two sets), so that an anchor is not near to everything
because it is everywhere; clusters are numbered by their mass.
Not here: counting (``coverage.py``), drawing (the dashboard).

A cluster is laid out as a flower: its strongest family in the middle, the others around it.  Clusters stand where a
spring layout of the graph of clusters puts them, pushed apart until none covers another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.corpus.coverage import Coverage

SEED = 20_261
LINKS_OF_ONE = 6
"""How many links of each family are kept, the strongest: the map stays sparse however dense the log is."""

SMALLEST, LARGEST, GAP = 16.0, 54.0, 14.0
"""Diameters of discs and the gap between clusters, in the unit of places (pixels on a screen of usual width)."""

WIDE, TURNS, GOLDEN = 1.7, 400, 2.399963
"""How much wider than high a map is; how often clusters are pushed apart; the golden angle, at which no two spokes of a
spiral meet."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Hold a map of ``n`` families (the first ``n`` of the coverage).

    ``cluster`` numbers the cluster of each, 0 the one with the most results; ``links`` are pairs of families (k, 2),
    ``common`` the retrievals in which both occur; ``places`` are the middles (n, 2) of discs whose diameters are
    ``sizes``, in one unit; no two discs of different clusters overlap.
    """

    cluster: NDArray[np.int32]
    links: NDArray[np.int32]
    common: NDArray[np.int64]
    places: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def count(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1


def find_clusters(covered: Coverage) -> Clusters:
    """Find the clusters of the strongest families, and lay them out."""
    together = covered.together
    size = len(together)
    mass = covered.families.mass[:size]
    links = _find_links(together)
    common = together[links[:, 0], links[:, 1]]
    retrievals = np.diag(together)
    strength = common / np.sqrt(retrievals[links[:, 0]] * retrievals[links[:, 1]])
    ranked = sorted(
        _find_communities(size, links, strength), key=lambda group: (-round(float(mass[group].sum()), 9), group[0])
    )
    cluster = np.zeros(size, np.int32)
    for number, group in enumerate(ranked):
        cluster[group] = number
    sizes = SMALLEST + (LARGEST - SMALLEST) * np.sqrt(mass / max(float(mass.max(initial=0.0)), 1e-9))
    return Clusters(cluster, links, common, _place_families(ranked, cluster, links, strength, sizes), sizes)


def _find_links(together: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the strongest links of each family, each link once, in the order of its ends."""
    size = len(together)
    retrievals = np.diag(together).astype(np.float64)
    strength = together / np.sqrt(np.outer(retrievals, retrievals))
    np.fill_diagonal(strength, 0.0)
    nearest = np.argsort(-strength, axis=1, kind="stable")[:, :LINKS_OF_ONE]
    first = np.repeat(np.arange(size), nearest.shape[1])
    second = nearest.ravel()
    linked = strength[first, second] > 0
    low, high = np.minimum(first, second)[linked], np.maximum(first, second)[linked]
    pairs = np.unique(low * size + high)
    return np.stack((pairs // size, pairs % size), axis=1).astype(np.int32)


def _find_communities(size: int, links: NDArray[np.int32], strength: NDArray[np.float64]) -> list[list[int]]:
    """Return communities as sorted lists of nodes, the same in every run."""
    if not size:
        return []
    # Loading the graph library takes a while: only for those who look at the map.
    import networkx as nx  # noqa: PLC0415

    graph = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from(zip(links[:, 0].tolist(), links[:, 1].tolist(), strength.tolist(), strict=True))
    return sorted(sorted(group) for group in nx.community.louvain_communities(graph, weight="weight", seed=SEED))


def _place_families(
    groups: list[list[int]],
    cluster: NDArray[np.int32],
    links: NDArray[np.int32],
    strength: NDArray[np.float64],
    sizes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the place of each family."""
    places = np.zeros((len(cluster), 2))
    radii = np.zeros(len(groups))
    for number, group in enumerate(groups):
        places[group] = _place_members(sizes[group])
        radii[number] = float((np.hypot(*places[group].T) + sizes[group] / 2).max())
    middles = _push_apart(_place_clusters(cluster, links, strength, radii), radii + GAP / 2)
    placed: NDArray[np.float64] = places + middles[cluster] if len(groups) else places
    return placed


def _place_members(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the places of discs around the first, each a golden angle further, on a spiral wide enough for them."""
    step = np.arange(len(sizes), dtype=np.float64)
    widest = float(sizes[1:].max(initial=0.0))
    inner = float(sizes[0]) / 2 + widest / 2 if len(sizes) > 1 else 0.0
    radius = np.where(step > 0, np.sqrt(inner**2 + np.maximum(step - 1, 0) * (0.95 * widest) ** 2), 0.0)
    return np.stack((radius * np.cos(step * GOLDEN), radius * np.sin(step * GOLDEN)), axis=1)


def _place_clusters(
    cluster: NDArray[np.int32], links: NDArray[np.int32], strength: NDArray[np.float64], radii: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where clusters begin: near to those that they are linked with, else on a spiral."""
    number = len(radii)
    reach = float(np.sqrt((radii**2).sum())) or 1.0
    step = np.arange(number, dtype=np.float64)
    spiral: NDArray[np.float64] = np.sqrt(step / max(number, 1))[:, None] * np.stack(
        (np.cos(step * GOLDEN), np.sin(step * GOLDEN)), axis=1
    )
    ends = cluster[links]
    outside = ends[:, 0] != ends[:, 1]
    if number < 3 or not outside.any():
        spread: NDArray[np.float64] = spiral * reach
        return spread
    import networkx as nx  # noqa: PLC0415  # see above

    graph = nx.Graph()
    graph.add_nodes_from(range(number))
    for (first, second), weight in zip(ends[outside].tolist(), strength[outside].tolist(), strict=True):
        before = graph.get_edge_data(first, second, {"weight": 0.0})["weight"]
        graph.add_edge(first, second, weight=before + weight)
    start = {node: tuple(spiral[node]) for node in graph}
    laid = nx.spring_layout(graph, pos=start, iterations=60, seed=SEED, method="force")
    places: NDArray[np.float64] = np.array([laid[node] for node in range(number)], np.float64) * reach
    return places


def _push_apart(middles: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middles of circles that are drawn to the centre and pushed apart until none covers another."""
    middles = middles * (WIDE, 1.0)
    needed = radii[:, None] + radii[None, :]
    np.fill_diagonal(needed, 0.0)
    for turn in range(TURNS):
        if turn < TURNS // 2:
            middles = middles * 0.985
        away = middles[:, None, :] - middles[None, :, :]
        distance = np.sqrt((away**2).sum(axis=2)) + 1e-9
        overlap = np.maximum(needed - distance, 0.0)
        middles = middles + (away / distance[:, :, None] * (overlap / 2)[:, :, None]).sum(axis=1) * 0.9
    apart: NDArray[np.float64] = middles
    return apart
