"""Chains of parents: shapes that are build_large_catalogue, each within seconds."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from guard_core.class_words import ClassWord
from guard_core.columns import Ragged
from guard_core.ingest.batch import RowBatch
from guard_core.model import Anchor, Conflict, SearchResult
from guard_core.provenance.anchors import MOST_SOURCES
from guard_core.provenance.catalogue import Catalogue, build_catalogue
from guard_core.provenance.evidence import build_evidence
from guard_core.provenance.parents.layers import build_layers, find_cycle_members
from tests.support.catalogues_and_logs import FILE, Entry, Row, digest, make_catalogue, make_log

HUMAN, MODEL = ClassWord.HUMAN, ClassWord.MODEL


def build_large_catalogue(names: list[str], words: Sequence[int], parent_lists: list[list[str] | None]) -> Catalogue:
    columns = {
        "document_id": pa.array(names),
        "authenticity": pa.array(words, pa.int8()),
        "derived_from": pa.array(parent_lists, pa.list_(pa.string())),
    }
    return build_catalogue(FILE, [RowBatch(len(names), np.arange(len(names)), columns)])


def build_within(catalogue: Catalogue, document: str, seconds: float) -> SearchResult:
    start = time.perf_counter()
    result = build_evidence(make_log([[Row(document)]]), catalogue).results(0)[0]
    assert time.perf_counter() - start < seconds
    return result


@pytest.mark.parametrize("size", [5_000, 200_000])
def test_a_chain(size: int) -> None:
    names = [f"n{i}" for i in range(size)]
    words = [HUMAN, *[MODEL] * (size - 1)]
    result = build_within(build_large_catalogue(names, words, [None, *([name] for name in names[:-1])]), names[-1], 10)
    assert (result.depth, result.anchors) == (size - 1, (Anchor("n0"),))


def test_a_fan_of_many_parents() -> None:
    names = [f"h{i:06d}" for i in range(100_000)]
    catalogue = build_large_catalogue(
        [*names, "m", "n"], [*[HUMAN] * len(names), MODEL, MODEL], [*[None] * len(names), [*names], ["m"]]
    )
    evidence = build_evidence(make_log([[Row("n")]]), catalogue)
    (result,) = evidence.results(0)
    assert result.depth == 2
    assert result.anchors == tuple(Anchor(name, 1 / MOST_SOURCES) for name in names[:MOST_SOURCES])
    assert [(n.code, n.count) for n in evidence.notices] == [("sources_not_listed", 1)]


def test_given_anchors_are_bounded_alike() -> None:
    names = [f"h{i:03d}" for i in range(100)]
    named = tuple((digest(name), 2.0 if name == "h099" else 1.0) for name in names)
    sources = [Entry(name, HUMAN, content=name) for name in names]
    for more in ([], [Entry("x", MODEL, parents=("m",))]):  # with and without a chain somewhere
        evidence = build_evidence(
            make_log([[Row("m")]]), make_catalogue([*sources, Entry("m", MODEL, 1, named), *more])
        )
        found = evidence.results(0)[0].anchors or ()
        assert [a.source for a in found] == [*names[: MOST_SOURCES - 1], "h099"]
        assert [round(a.weight, 9) for a in found] == [round(1 / 65, 9)] * (MOST_SOURCES - 1) + [round(2 / 65, 9)]
        assert [(n.code, n.count) for n in evidence.notices] == [("sources_not_listed", 1)]
    rows = [*(Row(name, HUMAN, text=name) for name in names), Row("m", MODEL, 1, anchors=named)]
    logged = build_evidence(make_log([rows]))
    assert len(logged.results(0)[-1].anchors or ()) == MOST_SOURCES
    assert [(n.code, n.count) for n in logged.notices] == [("sources_not_listed", 1)]


def test_diamonds() -> None:
    names = ["g", "h"]
    lists: list[list[str] | None] = [None, None]
    below = ["g", "h"]
    for level in range(40):
        pair = [f"{level}l", f"{level}r"]
        names += pair
        lists += [below, below]
        below = pair
    result = build_within(build_large_catalogue(names, [HUMAN, HUMAN, *[MODEL] * 80], lists), "39r", 1)
    assert (result.depth, result.anchors) == (40, (Anchor("g", 0.5), Anchor("h", 0.5)))


def test_a_ladder_in_which_every_step_has_a_source_of_its_own() -> None:
    size = 3_000
    names = [f"s{i:05d}" for i in range(size)]
    sources = [f"h{i:05d}" for i in range(size)]
    lists: list[list[str] | None] = [[sources[0]], *([names[i - 1], sources[i]] for i in range(1, size))]
    catalogue = build_large_catalogue([*sources, *names], [*[HUMAN] * size, *[MODEL] * size], [*[None] * size, *lists])
    result = build_within(catalogue, names[-1], 10)
    assert result.depth == size
    assert result.anchors is not None
    assert len(result.anchors) == MOST_SOURCES
    assert max(a.weight for a in result.anchors) == pytest.approx(0.5, abs=1e-6)


def test_a_cycle_of_many() -> None:
    names = [f"n{i}" for i in range(20_000)]
    result = build_within(
        build_large_catalogue(names, [MODEL] * len(names), [[names[i - 1]] for i in range(len(names))]), "n7", 10
    )
    assert result.conflicts == (Conflict.DERIVATION_CYCLE,)


def test_layers_and_cycles_of_random_graphs_whatever_way_they_are_walked() -> None:
    random = np.random.default_rng(3)
    for count, edges in ((5, 6), (40, 50), (400, 420), (3_000, 4_000), (3_000, 2_000)):
        owner, parent = random.integers(0, count, (2, edges))
        downwards = random.random() < 0.5
        if downwards:
            owner, parent = np.maximum(owner, parent), np.minimum(owner, parent)
        pairs = np.unique(owner * count + parent)
        offsets = np.append(0, np.cumsum(np.bincount(pairs // count, minlength=count))).astype(np.int64)
        parents = Ragged(offsets, (pairs % count).astype(np.int32))
        layers = build_layers(parents)
        done = np.zeros(count, bool)
        done[(np.diff(offsets) == 0)] = True
        for run in layers.runs:
            nodes = layers.order[run.start : run.stop].tolist()
            for node in nodes:
                assert done[parents.codes[offsets[node] : offsets[node + 1]]].all()
                done[node] = not run.layer
            done[nodes] = True
        assert np.array_equal(~done, layers.cyclic)
        reach = {n: _ancestors(n, parents) for n in np.flatnonzero(layers.cyclic).tolist()}
        assert find_cycle_members(parents, layers).tolist() == [n for n, above in reach.items() if n in above]


def _ancestors(node: int, parents: Ragged) -> set[int]:
    found: set[int] = set()
    waiting = [node]
    while waiting:
        here = waiting.pop()
        for parent in parents.codes[parents.offsets[here] : parents.offsets[here + 1]].tolist():
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found
