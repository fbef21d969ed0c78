"""Notices are listed in a fixed order, and a code without a count is none."""

from __future__ import annotations

from guard_core.ingest.assembly.notices import make_notices


def test_codes_keep_their_order() -> None:
    found = list(make_notices({"zebra": 1, "time_unknown": 2, "empty_text": 0, "exact_repeat": 1}))
    assert [notice.code for notice in found] == ["exact_repeat", "time_unknown", "zebra"]
