"""How tables are set, and what a line of exposure says."""

from __future__ import annotations

from guard_core.output.people.layout import count_and_share, ratio_text, wrapped


def test_counts_stand_with_their_share() -> None:
    assert count_and_share(1, 4) == "1 (25.0 %)"
    assert count_and_share(0, 0) == "0 (not applicable)"
    assert (ratio_text(None), ratio_text(0.5)) == ("not applicable", "0.500")


def test_lines_are_broken_at_spaces() -> None:
    assert list(wrapped("Label", ["one two three", "four"], 24)) == [
        "Label         one two",
        "                three",
        "              four",
    ]
