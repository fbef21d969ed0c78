"""What stands around one document: its chain up to its sources and down to what derives from it, as a picture holds it.

Flows in: ``Derivation`` and a document.  Flows out: ``Kin``.
Rules kept here: links are followed without recursion, so that a chain or a fan of a million takes about a second; a
picture is bounded, and what it leaves out is counted; what it holds depends on the graph and the results of documents,
never on the order of rows.
Not here: the graph (``derivation.py``), what is known of a document (``document_record.py``), drawing (the dashboard).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, locate_items
from guard_core.corpus.derivation import Derivation, Said

STEPS, A_STEP, FARTHEST = 4, 7, 7
"""What a picture holds in each direction: so many steps, so many documents a step; and so many sources beyond them."""

_WIDE = 256
"""From so many documents on, a step is one operation on columns instead of a loop."""


@dataclass(frozen=True, slots=True)
class Link:
    """``child`` derives from ``parent``, or names its content as an anchor; bits as in ``Derivation``."""

    parent: int
    child: int
    derived: Said
    anchored: Said
    counts: bool


@dataclass(frozen=True, slots=True)
class Kin:
    """What stands around one document.

    ``ancestors`` and ``descendants`` count all there are, itself left out; ``sources`` those ancestors that come from
    nobody.  ``steps`` are the documents that a picture holds with their steps from the document (below 0 upwards),
    ``links`` what leads from one of them to another; ``beyond`` those of them that it is linked to only through
    documents that are left out; ``hidden`` how many links of each of ``steps`` lead up, and down, to documents that are
    left out.  ``looped``: the document descends from itself.
    """

    document: int
    ancestors: int
    descendants: int
    sources: int
    steps: tuple[tuple[int, int], ...]
    links: tuple[Link, ...]
    beyond: tuple[int, ...]
    hidden: tuple[tuple[int, int], ...]
    looped: bool

    @property
    def left_out(self) -> tuple[int, int]:
        """Ancestors and descendants that the picture does not hold."""
        up = sum(step < 0 for _, step in self.steps)
        return self.ancestors - up, self.descendants - (len(self.steps) - 1 - up)


def kin_of(graph: Derivation, document: int) -> Kin:
    """What stands around a document, as far as a picture holds it.

    Each step of the picture holds documents that are linked to those of the step before, first those that lead on, then
    those with the most results; where documents are left out upwards, some of the sources beyond them come too.
    """
    up, down = _reached(graph.parents, document), _reached(graph.children, document)
    starts = graph.parents.offsets
    ends = up[starts[up + 1] == starts[up]]
    above = _nearest(graph, graph.parents, document, {document})
    drawn = {document: 0} | dict.fromkeys(above, -1)
    far = [number for number in _strongest(graph, ends, FARTHEST + len(drawn)) if number not in drawn][:FARTHEST]
    drawn |= dict.fromkeys(far, -1)
    both: list[int] = np.intersect1d(up, down, assume_unique=True).tolist()  # on a circle with it: they stand above
    drawn |= dict.fromkeys(_nearest(graph, graph.children, document, {*drawn, *both}), 1)
    links = _between(graph, sorted(drawn))
    steps, beyond = _layered(document, drawn, links)
    own = graph.parents.codes[starts[document] : starts[document + 1]]
    ordered = sorted(steps.items(), key=lambda item: (item[1], item[0]))
    shown = Counter(link.child for link in links), Counter(link.parent for link in links)
    return Kin(
        document=document,
        ancestors=len(up),
        descendants=len(down) - len(both),
        sources=len(ends),
        steps=tuple(ordered),
        links=tuple(links),
        beyond=beyond,
        hidden=tuple(
            (_length(graph.parents, number) - shown[0][number], _length(graph.children, number) - shown[1][number])
            for number, _ in ordered
        ),
        looped=bool(both or (own == document).any()),
    )


def _length(lists: Ragged, row: int) -> int:
    return int(lists.offsets[row + 1] - lists.offsets[row])


def _reached(lists: Ragged, start: int) -> NDArray[np.int64]:
    """Everything that lists lead to, the nearest first; the start itself left out."""
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


def _nearest(graph: Derivation, lists: Ragged, document: int, drawn: set[int]) -> list[int]:
    """The documents of the first steps that a picture holds; ``drawn`` are in it already."""
    kept: list[int] = []
    held, current = set(drawn), [document]
    for _ in range(STEPS):
        places, _ = locate_items(lists, np.array(current, np.int32))
        found = np.unique(lists.codes[places]).astype(np.int64)
        found = found[[number not in held for number in found.tolist()]] if len(found) else found
        leads_on = lists.offsets[found + 1] > lists.offsets[found]
        first = _strongest(graph, found[leads_on], A_STEP)
        current = [*first, *_strongest(graph, found[~leads_on], A_STEP)][:A_STEP]
        held.update(current)
        kept += current
        if not current:
            break
    return kept


def _strongest(graph: Derivation, documents: NDArray[np.int64], limit: int) -> list[int]:
    """The documents with the most results first, then by number."""
    order = np.lexsort((documents, -graph.results[documents]))
    strongest: list[int] = documents[order[:limit]].tolist()
    return strongest


def _between(graph: Derivation, drawn: Sequence[int]) -> list[Link]:
    """The links between the documents of a picture."""
    inside = set(drawn)
    links = []
    for child in drawn:
        for place in range(int(graph.parents.offsets[child]), int(graph.parents.offsets[child + 1])):
            parent = int(graph.parents.codes[place])
            if parent in inside:
                said = Said(int(graph.derived[place])), Said(int(graph.anchored[place]))
                links.append(Link(parent, child, *said, bool(graph.counts[place])))
    return links


def _layered(document: int, drawn: dict[int, int], links: Sequence[Link]) -> tuple[dict[int, int], tuple[int, ...]]:
    """Steps along the longest way to the document, so that links lead from one step to a later one (along the shortest
    where links run in a circle); and the documents without a way in the picture."""
    steps = {document: 0}
    for side in (-1, 1):
        ways = [(link.child, link.parent) if side < 0 else (link.parent, link.child) for link in links]
        ways = [(near, far) for near, far in ways if drawn[far] == side and drawn[near] in (0, side)]
        found = _distances(ways, document, len(drawn), longest=True) or _distances(ways, document, len(drawn))
        steps |= {number: side * step for number, step in (found or {}).items()}
    farthest = min(steps.values())
    beyond = tuple(sorted(number for number in drawn if number not in steps))
    steps |= dict.fromkeys(beyond, farthest - 2)
    return steps, beyond


def _distances(
    ways: Sequence[tuple[int, int]], start: int, rounds: int, *, longest: bool = False
) -> dict[int, int] | None:
    """How far each document is from the start; ``None`` where the longest way has no end."""
    found = {start: 0}
    for _ in range(rounds + 1):
        changed = False
        for near, far in ways:
            if near in found:
                step = found[near] + 1
                if far not in found or (found[far] < step if longest else found[far] > step):
                    found[far], changed = step, True
        if not changed:
            return found
    return None
