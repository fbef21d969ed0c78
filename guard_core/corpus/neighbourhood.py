"""Find what surrounds one document: its ancestors up to its sources, and its descendants, as a picture holds them.

Flows in: ``DerivationGraph`` and a document.  Flows out: ``Neighbourhood``.
Rules kept here: links are followed without recursion, so that a chain or a fan of a million takes about a second; a
picture is bounded, and what it leaves out is counted; what it holds depends on the graph and the results of documents,
never on the order of rows.
Not here: the graph (``derivation.py``), the facts of a document (``document_record.py``), drawing (the dashboard).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, locate_items
from guard_core.corpus.derivation import Bases, DerivationGraph

STEPS, A_STEP, FARTHEST = 4, 7, 7
"""What a picture holds: steps in each direction, documents a step, and sources beyond these."""

_WIDE = 256
"""With as many documents, a step is one operation on columns instead of a loop."""


@dataclass(frozen=True, slots=True)
class DerivationLink:
    """Hold a link: ``child`` derives from ``parent``, or has its content as an anchor (see ``DerivationGraph``)."""

    parent: int
    child: int
    parent_bases: Bases
    anchor_bases: Bases
    counts: bool


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Hold the ancestors and descendants of one document.

    ``ancestors`` and ``descendants`` count all there are, the document left out; ``sources`` those ancestors that have
    no parents.  ``steps`` are the documents of a picture with their steps from the document (below 0 for ancestors),
    ``links`` those between them; ``beyond`` are those that are linked to the document only through documents that are
    left out; ``hidden`` counts the links of each of ``steps`` to parents, and to children, that are left out.
    ``on_cycle``: the document descends from itself.
    """

    document: int
    ancestors: int
    descendants: int
    sources: int
    steps: tuple[tuple[int, int], ...]
    links: tuple[DerivationLink, ...]
    beyond: tuple[int, ...]
    hidden: tuple[tuple[int, int], ...]
    on_cycle: bool

    @property
    def left_out(self) -> tuple[int, int]:
        """The numbers of ancestors and descendants that the picture leaves out."""
        up = sum(step < 0 for _, step in self.steps)
        return self.ancestors - up, self.descendants - (len(self.steps) - 1 - up)


def find_neighbourhood(graph: DerivationGraph, document: int) -> Neighbourhood:
    """Find the ancestors and descendants of a document, as far as a picture holds them.

    Each step of the picture holds documents that are linked to those of the step before, first those that lead on, then
    those with the most results; where ancestors are left out, some of the sources beyond them are added.
    """
    up, down = _follow_links(graph.parents, document), _follow_links(graph.children, document)
    starts = graph.parents.offsets
    ends = up[starts[up + 1] == starts[up]]
    above = _choose_nearest(graph, graph.parents, document, {document})
    drawn = {document: 0} | dict.fromkeys(above, -1)
    far = [number for number in _choose_strongest(graph, ends, FARTHEST + len(drawn)) if number not in drawn][:FARTHEST]
    drawn |= dict.fromkeys(far, -1)
    both: list[int] = np.intersect1d(up, down, assume_unique=True).tolist()  # on a cycle with it: drawn as ancestors
    drawn |= dict.fromkeys(_choose_nearest(graph, graph.children, document, {*drawn, *both}), 1)
    links = _list_links(graph, sorted(drawn))
    steps, beyond = _assign_steps(document, drawn, links)
    own = graph.parents.codes[starts[document] : starts[document + 1]]
    ordered = sorted(steps.items(), key=lambda item: (item[1], item[0]))
    shown = Counter(link.child for link in links), Counter(link.parent for link in links)
    return Neighbourhood(
        document=document,
        ancestors=len(up),
        descendants=len(down) - len(both),
        sources=len(ends),
        steps=tuple(ordered),
        links=tuple(links),
        beyond=beyond,
        hidden=tuple(
            (
                _count_links(graph.parents, number) - shown[0][number],
                _count_links(graph.children, number) - shown[1][number],
            )
            for number, _ in ordered
        ),
        on_cycle=bool(both or (own == document).any()),
    )


def _count_links(lists: Ragged, row: int) -> int:
    return int(lists.offsets[row + 1] - lists.offsets[row])


def _follow_links(lists: Ragged, start: int) -> NDArray[np.int64]:
    """Return everything that lists lead to, the nearest first; the start itself left out."""
    seen = np.zeros(len(lists.offsets) - 1, bool)
    seen[start] = True
    offsets, codes, marks = lists.offsets.data, lists.codes.data, seen.data
    order: list[int] = []
    current = [start]
    while current:
        following: list[int] = []
        if len(current) < _WIDE:
            for node in current:
                for place in range(offsets[node], offsets[node + 1]):
                    code = codes[place]
                    if not marks[code]:
                        marks[code] = True
                        following.append(code)
        else:
            places, _ = locate_items(lists, np.array(current, np.int32))
            fresh = np.unique(lists.codes[places])
            fresh = fresh[~seen[fresh]]
            seen[fresh] = True
            following = fresh.tolist()
        order += following
        current = following
    return np.array(order, np.int64)


def _choose_nearest(graph: DerivationGraph, lists: Ragged, document: int, drawn: set[int]) -> list[int]:
    """Return the documents of the first steps that a picture holds; ``drawn`` are in it already."""
    kept: list[int] = []
    held, current = set(drawn), [document]
    for _ in range(STEPS):
        places, _ = locate_items(lists, np.array(current, np.int32))
        found = np.unique(lists.codes[places]).astype(np.int64)
        found = found[[number not in held for number in found.tolist()]] if len(found) else found
        leads_on = lists.offsets[found + 1] > lists.offsets[found]
        first = _choose_strongest(graph, found[leads_on], A_STEP)
        current = [*first, *_choose_strongest(graph, found[~leads_on], A_STEP)][:A_STEP]
        held.update(current)
        kept += current
        if not current:
            break
    return kept


def _choose_strongest(graph: DerivationGraph, documents: NDArray[np.int64], limit: int) -> list[int]:
    """Return the documents with the most results, then by number."""
    order = np.lexsort((documents, -graph.results[documents]))
    strongest: list[int] = documents[order[:limit]].tolist()
    return strongest


def _list_links(graph: DerivationGraph, drawn: Sequence[int]) -> list[DerivationLink]:
    """Return the links between the documents of a picture."""
    inside = set(drawn)
    links = []
    for child in drawn:
        for place in range(int(graph.parents.offsets[child]), int(graph.parents.offsets[child + 1])):
            parent = int(graph.parents.codes[place])
            if parent in inside:
                bases = Bases(int(graph.parent_bases[place])), Bases(int(graph.anchor_bases[place]))
                links.append(DerivationLink(parent, child, *bases, bool(graph.counts[place])))
    return links


def _assign_steps(
    document: int, drawn: dict[int, int], links: Sequence[DerivationLink]
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Return the step of each document, and the documents without a path to the middle one.

    Steps are counted along the longest path, so that links lead from one step to a later one; along the shortest where
    links form a cycle.
    """
    steps = {document: 0}
    for side in (-1, 1):
        paths = [(link.child, link.parent) if side < 0 else (link.parent, link.child) for link in links]
        paths = [(near, far) for near, far in paths if drawn[far] == side and drawn[near] in (0, side)]
        found = _measure_paths(paths, document, len(drawn), longest=True) or _measure_paths(paths, document, len(drawn))
        steps |= {number: side * step for number, step in (found or {}).items()}
    farthest = min(steps.values())
    beyond = tuple(sorted(number for number in drawn if number not in steps))
    steps |= dict.fromkeys(beyond, farthest - 2)
    return steps, beyond


def _measure_paths(
    paths: Sequence[tuple[int, int]], start: int, rounds: int, *, longest: bool = False
) -> dict[int, int] | None:
    """Return how far each document is from the start; ``None`` where the longest path has no end."""
    found = {start: 0}
    for _ in range(rounds + 1):
        changed = False
        for near, far in paths:
            if near in found:
                step = found[near] + 1
                if far not in found or (found[far] < step if longest else found[far] > step):
                    found[far], changed = step, True
        if not changed:
            return found
    return None
