"""The delimiter of a table is the one that its header line shows."""

from __future__ import annotations

import pytest

from guard_core.ingest.tables.header import find_delimiter


@pytest.mark.parametrize(("header", "delimiter"), [("a,b;c\td", "\t"), ("a,b;c", ";"), ('"a;b",c', ","), ("a", None)])
def test_delimiters(header: str, delimiter: str | None) -> None:
    assert find_delimiter(header) == delimiter
