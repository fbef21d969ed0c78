"""Sums over anchors where no row has one: the short way gives what counting gives."""

from __future__ import annotations

import numpy as np
import pytest

from guard_core.ingest.log import Ragged
from guard_core.masses import anchor_sums


@pytest.mark.parametrize("sizes", [[], [0], [3], [2, 0, 1, 40]])
def test_no_anchor_anywhere(sizes: list[int]) -> None:
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    rows, retrievals, longest = len(owner), len(sizes), max(sizes, default=0)
    none_rows, none = anchor_sums(Ragged.empty(rows), slice(None), owner, retrievals, longest)
    # One more retrieval, with an anchor, makes the others go the long way.
    offsets = np.append(np.zeros(rows + 1, np.int64), 1)
    anchors = Ragged(offsets, np.zeros(1, np.int32))
    owner = np.append(owner, np.int32(retrievals))
    some_rows, some = anchor_sums(anchors, slice(None), owner, retrievals + 1, max(longest, 1))
    for name in ("anchored", "terms", "top", "effective"):
        ours, theirs = getattr(none, name), getattr(some, name)[:-1]
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(none_rows, some_rows[:-1])
