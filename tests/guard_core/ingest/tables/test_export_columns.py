"""Test the columns of the exports: their guard against formulas, and that no added name is read as evidence."""

from __future__ import annotations

import pytest

from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.tables.export_columns import EXPORT_COLUMNS, guard_text


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@a", "\ta", "\ra", "'a", "a", "", "a=1", "''"])
def test_the_formula_guard_comes_off_again(cell: str) -> None:
    assert guard_text(cell).removeprefix("'") == cell
    assert guard_text(cell)[:1] not in ("=", "+", "-", "@", "\t", "\r")


def test_added_columns_have_no_accepted_name() -> None:
    accepted = {name for names in SPELLINGS.values() for name in names}
    assert not accepted & set(EXPORT_COLUMNS)
