"""How tables are set, and what a line of exposure says."""

from __future__ import annotations

from guard_core.output.people.layout import format_part, format_ratio, wrap_lines


def test_counts_stand_with_their_share() -> None:
    assert format_part(1, 4) == "1 (25.0 %)"
    assert format_part(0, 0) == "0 (not applicable)"
    assert (format_ratio(None), format_ratio(0.5)) == ("not applicable", "0.500")


def test_lines_are_broken_at_spaces() -> None:
    assert list(wrap_lines("Label", ["one two three", "four"], 24)) == [
        "Label         one two",
        "                three",
        "              four",
    ]
