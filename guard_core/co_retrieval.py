"""Clusters of anchors that are retrieved together, and where to draw them.

Flows in: ``Coverage``.  Flows out: ``Clusters``: links between the strongest families, the cluster of each, and a place
on a map.
Rules kept here: a fixed seed and a fixed order of nodes and links, so that the same log gives the same map; a link's
strength is the share of common retrievals (the cosine of the two sets), so that an anchor is not near to everything
because it is everywhere; clusters are numbered by their mass.
Not here: counting (``coverage.py``), drawing (the dashboard).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.coverage import Coverage

SEED = 20_261
LINKS_OF_ONE = 6
"""The strongest links of each family that are kept: the map stays sparse however dense the log is."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """A map of ``n`` families (the first ``n`` of the coverage).

    ``cluster`` numbers the cluster of each, 0 the one with the most results; ``links`` are pairs of families (k, 2),
    ``common`` the retrievals in which both occur; ``places`` are positions (n, 2) within -1 to 1.
    """

    cluster: NDArray[np.int32]
    links: NDArray[np.int32]
    common: NDArray[np.int64]
    places: NDArray[np.float64]

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max(initial=-1)) + 1


def clusters(covered: Coverage) -> Clusters:
    """Find the clusters of the strongest families, and lay them out."""
    together = covered.together
    size = len(together)
    if not size:
        nothing = np.empty((0, 2), np.int32)
        return Clusters(np.empty(0, np.int32), nothing, np.empty(0, np.int64), np.empty((0, 2)))
    links = _links(together)
    common = together[links[:, 0], links[:, 1]]
    retrievals = np.diag(together)
    strength = common / np.sqrt(retrievals[links[:, 0]] * retrievals[links[:, 1]])
    groups, places = _communities(size, links, strength)
    cluster = np.zeros(size, np.int32)
    mass = covered.families.mass
    ranked = sorted(groups, key=lambda group: (-round(float(mass[group].sum()), 9), group[0]))
    for number, group in enumerate(ranked):
        cluster[group] = number
    return Clusters(cluster, links, common, places)


def _links(together: NDArray[np.int64]) -> NDArray[np.int32]:
    """For each family its strongest links, each link once, in the order of its ends."""
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


def _communities(
    size: int, links: NDArray[np.int32], strength: NDArray[np.float64]
) -> tuple[list[list[int]], NDArray[np.float64]]:
    """Communities (sorted lists of nodes) and places, the same in every run."""
    # Loading the graph library takes a while, which only those wait for who look at the map.
    import networkx as nx  # noqa: PLC0415

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(size))
    weighted = zip(links[:, 0].tolist(), links[:, 1].tolist(), strength.tolist(), strict=True)
    graph.add_weighted_edges_from(weighted)
    found = nx.community.louvain_communities(graph, weight="weight", seed=SEED)
    groups = sorted(sorted(group) for group in found)
    if size == 1:
        return groups, np.zeros((1, 2))
    start = {node: (float(np.cos(node * 2.4)), float(np.sin(node * 2.4))) for node in graph}
    placed = nx.spring_layout(
        graph, pos=start, k=2.2 / np.sqrt(size), iterations=90, weight="weight", seed=SEED, method="force"
    )
    places = np.array([placed[node] for node in range(size)], np.float64)
    return groups, places / max(float(np.abs(places).max()), 1e-9)
