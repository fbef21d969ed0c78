"""What stands around a document: totals as a plain walk counts them, pictures that are bounded and connected."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.columns import Ragged
from guard_core.corpus.derivation import DerivationGraph
from guard_core.corpus.neighbourhood import A_STEP, FARTHEST, STEPS, Neighbourhood, find_neighbourhood
from guard_core.provenance.parents.layers import reverse_links


def graph_of(parents: list[list[int]], results: list[int] | None = None) -> DerivationGraph:
    """A graph by the parents of each document; every link is the catalogue's and counts."""
    lengths = np.fromiter((len(listed) for listed in parents), np.int64, len(parents))
    codes = np.fromiter((parent for listed in parents for parent in listed), np.int32, int(lengths.sum()))
    lists = Ragged(np.append(np.int64(0), np.cumsum(lengths)), codes)
    return DerivationGraph(
        ids=pa.array([f"d{n}" for n in range(len(parents))]),
        parents=lists,
        parent_bases=np.full(len(codes), 2, np.uint8),
        anchor_bases=np.zeros(len(codes), np.uint8),
        counts=np.ones(len(codes), bool),
        children=reverse_links(lists),
        results=np.array(results or [0] * len(parents), np.int64),
        log_documents=np.zeros(0, np.int32),
    )


def walked(parents: list[list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        for other in parents[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


GRAPHS = st.integers(1, 40).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, size - 1), max_size=4, unique=True), min_size=size, max_size=size
    )
)  # fmt: skip


@given(GRAPHS)
def test_totals_are_those_of_a_plain_walk(parents: list[list[int]]) -> None:
    graph = graph_of(parents)
    children: list[list[int]] = [[] for _ in parents]
    for child, listed in enumerate(parents):
        for parent in listed:
            children[parent].append(child)
    for document in range(min(len(parents), 4)):
        found = find_neighbourhood(graph, document)
        up, down = walked(parents, document), walked(children, document)
        assert found.on_cycle == (document in up)
        up, down = up - {document}, down - {document}
        assert found.ancestors == len(up)
        assert found.descendants == len(down - up)
        assert found.sources == sum(not parents[number] for number in up)
        check(found, up, down)


def check(found: Neighbourhood, up: set[int], down: set[int]) -> None:
    """The picture holds what it says, and its links lead from one step to a later one unless they run in a circle."""
    steps = dict(found.steps)
    assert steps[found.document] == 0
    assert {number for number, step in steps.items() if step < 0} <= up
    assert {number for number, step in steps.items() if step > 0} <= down
    assert min(found.left_out) >= 0
    for link in found.links:
        assert link.parent in steps
        assert link.child in steps
        if not up & down and not found.on_cycle and steps[link.parent] * steps[link.child] > 0 and acyclic(found):
            assert steps[link.parent] < steps[link.child] or link.parent in found.beyond or link.child in found.beyond


def acyclic(found: Neighbourhood) -> bool:
    names = {number: place for place, (number, _) in enumerate(found.steps)}
    lists: list[list[int]] = [[] for _ in names]
    for link in found.links:
        lists[names[link.child]].append(names[link.parent])
    return not any(place in walked(lists, place) for place in range(len(lists)))


def test_a_small_family_is_whole() -> None:
    found = find_neighbourhood(graph_of([[], [0], [1], [1, 0], [2, 3]]), 1)
    assert found.left_out == (0, 0)
    assert set(found.hidden) == {(0, 0)}
    assert dict(found.steps) == {0: -1, 1: 0, 2: 1, 3: 1, 4: 2}
    assert len(found.links) == 6
    assert not found.beyond


def test_the_longest_way_gives_the_step() -> None:
    """A diamond with a short cut: who is both parent and grandparent stands as far as a grandparent."""
    assert dict(find_neighbourhood(graph_of([[], [0], [0, 1]]), 2).steps) == {0: -2, 1: -1, 2: 0}


def test_of_a_long_chain_the_nearest_and_the_source_are_drawn() -> None:
    found = find_neighbourhood(graph_of([[], *([n] for n in range(99))]), 60)
    assert (found.ancestors, found.descendants, found.sources) == (60, 39, 1)
    assert found.left_out == (60 - STEPS - 1, 39 - STEPS)
    assert found.beyond == (0,)
    assert dict(found.steps)[0] == -STEPS - 2


def test_of_a_wide_family_those_with_results_and_those_that_lead_on_are_drawn() -> None:
    parents = [[], *([0] for _ in range(50)), [50]]
    results = [0, *range(50), 0]
    found = find_neighbourhood(graph_of(parents, results), 0)
    drawn = [number for number, step in found.steps if step == 1]
    assert len(drawn) == A_STEP
    assert set(drawn) == {50, *range(49, 49 - A_STEP + 1, -1)}
    assert dict(found.steps)[51] == 2
    assert found.left_out == (0, 51 - A_STEP - 1)
    assert found.hidden[0] == (0, 50 - A_STEP)


def test_sources_beyond_the_picture_are_bounded() -> None:
    size = 40
    parents = [[n + 1] for n in range(STEPS + 1)] + [list(range(STEPS + 2, STEPS + 2 + size))] + [[]] * size
    found = find_neighbourhood(graph_of(parents), 0)
    assert found.sources == size
    assert len(found.beyond) == FARTHEST


def test_circles_end() -> None:
    found = find_neighbourhood(graph_of([[1], [2], [0], [0], [3, 3]]), 0)
    assert found.on_cycle
    assert (found.ancestors, found.descendants) == (2, 2)
    assert find_neighbourhood(graph_of([[0]]), 0).on_cycle


@pytest.mark.parametrize("shape", ["chain", "fan", "diamonds"])
def test_a_million_documents_stay_quick(shape: str) -> None:
    size = 1_000_000
    codes = np.arange(size - 1, dtype=np.int32)
    offsets = np.append(np.int64(0), np.arange(size, dtype=np.int64))
    if shape == "fan":
        codes[:] = 0
    if shape == "diamonds":
        codes = np.repeat(codes, 2)
        codes[1::2] = np.maximum(codes[1::2] - 1, 0)
        offsets *= 2
    lists = Ragged(offsets, codes)
    none = np.zeros(len(codes), np.uint8)
    graph = DerivationGraph(
        pa.array(["d"]), lists, none, none, none.astype(bool), reverse_links(lists), np.zeros(size, np.int64),
        np.zeros(0, np.int32),
    )  # fmt: skip
    start = time.perf_counter()
    found = find_neighbourhood(graph, 0 if shape == "fan" else size // 2)
    assert time.perf_counter() - start < 15  # about a second; a tenfold margin for a busy machine
    assert found.ancestors + found.descendants == size - 1
