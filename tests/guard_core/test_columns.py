"""Column operations against their one-line meanings."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from guard_core.columns import (
    Ragged,
    TextColumn,
    append_lists,
    compose_lists,
    encode_texts,
    filter_items,
    find_positions,
    rank_by_bytes,
    unite_texts,
)
from guard_core.provenance.anchors import normalise_hashes
from guard_core.provenance.digest import ColumnDigest
from tests.support.catalogues_and_logs import make_ragged

texts = st.lists(st.text(max_size=3), max_size=8)
nested = st.lists(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1.0, 0.5])), max_size=3), min_size=4, max_size=4
)


def members(lists: Ragged, values: pa.StringArray) -> list[list[str]]:
    ends = lists.offsets
    return [[values[c].as_py() for c in lists.codes[ends[i] : ends[i + 1]]] for i in range(len(ends) - 1)]


def plain(lists: list[list[tuple[str, float]]]) -> list[list[str]]:
    return [[text for text, _ in items] for items in lists]


@given(st.lists(st.none() | st.text(max_size=3), max_size=8), st.integers(0, 8))
def test_encode_texts(given_texts: list[str | None], split: int) -> None:
    parts = [pa.array(part, pa.large_string()) for part in (given_texts[:split], given_texts[split:])]
    column = encode_texts(pa.chunked_array(parts, pa.large_string()))
    assert [column.text(i) for i in range(len(given_texts))] == given_texts
    assert column.values.to_pylist() == sorted({t for t in given_texts if t is not None}, key=str.encode)


@given(texts.map(lambda t: list(dict.fromkeys(t))), texts.map(lambda t: list(dict.fromkeys(t))))
def test_find_positions_and_unite_texts(first: list[str], second: list[str]) -> None:
    ours, theirs = pa.array(first, pa.string()), pa.array(second, pa.large_string())
    assert find_positions(ours, theirs).tolist() == [second.index(t) if t in second else -1 for t in first]
    table, values = unite_texts(ours, theirs)
    assert values.to_pylist()[: len(first)] == first
    assert [values[code].as_py() for code in table] == second
    assert len(set(values.to_pylist())) == len(values)


@given(
    nested,
    nested,
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
)
def test_compose_takes_each_row_from_its_part(
    one: list[list[tuple[str, float]]], other: list[list[tuple[str, float]]], part: list[int], which: list[int]
) -> None:
    (first, names), (second, others) = make_ragged(one), make_ragged(other)
    table, values = unite_texts(names, others)
    second = Ragged(second.offsets, table[second.codes] if len(second.codes) else second.codes, second.weights)
    chosen = np.array(part)
    indices = np.array(which)
    parts = [(np.flatnonzero(chosen == n), column, indices[chosen == n]) for n, column in ((1, first), (2, second))]
    found = members(compose_lists(6, parts), values)
    sources: dict[int, list[list[str]]] = {0: [[]] * 4, 1: plain(one), 2: plain(other)}
    assert found == [sources[n][i] for n, i in zip(part, which, strict=True)]


@given(nested, nested, st.data())
def test_appended_and_selected(
    one: list[list[tuple[str, float]]], other: list[list[tuple[str, float]]], data: st.DataObject
) -> None:
    (first, names), (second, others) = make_ragged(one), make_ragged(other)
    table, values = unite_texts(names, others)
    second = Ragged(second.offsets, table[second.codes] if len(second.codes) else second.codes)
    keep = [data.draw(st.booleans()) for _ in second.codes]
    kept = iter(keep)
    expected = [[t for t, _ in items if next(kept)] for items in other]
    assert members(filter_items(second, np.array(keep, bool)), values) == expected
    assert members(append_lists(first, second), values) == [
        a + b for a, b in zip(plain(one), plain(other), strict=True)
    ]


@given(texts.map(lambda t: list(dict.fromkeys(t))).filter(bool), st.data())
def test_rank_by_bytes(values: list[str], data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1))
    ranks = rank_by_bytes(pa.array(values, pa.string()), np.array(codes, np.int32))[codes]
    by_rank = [values[code] for _, code in sorted(zip(ranks, codes, strict=True))]
    assert by_rank == sorted((values[code] for code in codes), key=str.encode)


def test_digest_form_reads_both_spellings() -> None:
    given_hashes = ["sha256:AB", "ab", " SHA256:ab ", "", "é"]
    for kind in (pa.string(), pa.large_string()):
        found = normalise_hashes(pa.array(given_hashes, kind)).to_pylist()
        assert found == ["sha256:ab", "sha256:ab", "sha256:ab", "sha256:", "sha256:é"]


@given(texts, texts)
def test_texts_are_told_apart_wherever_they_are_cut(one: list[str], other: list[str]) -> None:
    def digest_of(column: list[str]) -> str:
        digest = ColumnDigest("test")
        digest.text("column", encode_texts(pa.chunked_array([pa.array(column, pa.large_string())])))
        return digest.hexdigest()

    assert (digest_of(one) == digest_of(other)) == (one == other)


def test_a_digest_reads_slices_of_arrays_and_many_values() -> None:
    many = [f"value {i}" for i in range(70_000)]
    whole = pa.array(["other", *many])
    digests = []
    for values, shift in ((whole.slice(1), 0), (pa.array(many), 0), (whole, 1)):
        digest = ColumnDigest("test")
        digest.text("column", TextColumn(np.arange(len(many), dtype=np.int32) + np.int32(shift), values))
        digests.append(digest.hexdigest())
    assert len(set(digests)) == 1
