"""Sums over anchors: the short way where no row has one, lists of any length, masses of all rows together."""

from __future__ import annotations

import numpy as np
import pytest

from guard_core.columns import Ragged
from guard_core.judging.masses import MASS_SHIFT_LIMIT, SHIFT_LIMIT, sum_anchors, sum_masses
from guard_core.judging.metrics import effective_number


@pytest.mark.parametrize("sizes", [[], [0], [3], [2, 0, 1, 40]])
def test_no_anchor_anywhere(sizes: list[int]) -> None:
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    rows, retrievals, longest = len(owner), len(sizes), max(sizes, default=0)
    none_rows, none = sum_anchors(Ragged.empty(rows), slice(None), owner, retrievals, longest)
    # One more retrieval, with an anchor, makes the others go the long way.
    offsets = np.append(np.zeros(rows + 1, np.int64), 1)
    anchors = Ragged(offsets, np.zeros(1, np.int32))
    owner = np.append(owner, np.int32(retrievals))
    some_rows, some = sum_anchors(anchors, slice(None), owner, retrievals + 1, max(longest, 1))
    for name in ("anchored", "terms", "top", "effective"):
        ours, theirs = getattr(none, name), getattr(some, name)[:-1]
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(none_rows, some_rows[:-1])


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("sizes", [[4, 0, 3], [1], [SHIFT_LIMIT + 9, 2, MASS_SHIFT_LIMIT + 5], [6] * 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_masses_are_what_loops_add_up(sizes: list[int], most: int, weighted: bool) -> None:
    random = np.random.default_rng(len(sizes) + most)
    lists = [random.choice(5, random.integers(0, most + 1), replace=False) for _ in range(sum(sizes))]
    shares = [(given := random.integers(1, 6, len(codes))) / max(given.sum(), 1) for codes in lists]
    if not weighted:
        shares = [np.full(len(codes), 1 / max(len(codes), 1)) for codes in lists]
    offsets = np.append(0, np.cumsum([len(codes) for codes in lists])).astype(np.int64)
    flat = np.concatenate(lists).astype(np.int32)
    anchors = Ragged(offsets, flat, np.concatenate(shares) if weighted else None)
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    chosen = np.flatnonzero(random.random(len(lists)) < 0.7)
    for rows in (np.arange(len(lists)), chosen, chosen[: len(chosen) // 3]):
        masses = np.zeros((len(sizes), 5))
        for row in rows.tolist():
            for code, share in zip(lists[row], shares[row], strict=True):
                masses[owner[row], code] += share
        longest = int(np.bincount(owner[rows]).max(initial=0))
        which, sums = sum_anchors(anchors, rows, owner[rows], len(sizes), longest)
        assert which.tolist() == [len(lists[row]) > 0 for row in rows]
        expected = [effective_number(each) for each in masses]
        assert [None if np.isnan(each) else each for each in sums.effective] == pytest.approx(expected)
        np.testing.assert_allclose(sums.top, masses.max(axis=1))
        np.testing.assert_allclose(sum_masses(anchors, rows, 5), masses.sum(axis=0))
    np.testing.assert_allclose(sum_masses(anchors, slice(None), 5), sum_masses(anchors, np.arange(len(lists)), 5))
