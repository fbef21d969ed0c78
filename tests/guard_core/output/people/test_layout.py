"""How tables are set, and what a line of exposure says."""

from __future__ import annotations

import pytest

from guard_core.corpus.exposure import RankExposure
from guard_core.output.people.layout import count_and_share, ratio_text, wrapped
from guard_core.output.people.sentences import exposure_sentence


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


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        (
            RankExposure(5, 4, 2, 10, (4, 3, 2, 1), 0, (6, 2, 2, 0)),
            "first 5: 50.0 % of 10 results, +10.0 points, 1.25 times",
        ),
        (
            RankExposure(5, 4, 2, 10, (9, 0, 1, 0), 3, (8, 1, 1, 0)),
            "first 5: 10.0 % of 10 results, -10.0 points, 0.50 times",
        ),
        (RankExposure(5, 4, 2, 10, (9, 0, 1, 0), 0, (8, 0, 0, 2)), "first 5: 10.0 % of 10 results, +10.0 points"),
        (RankExposure(5, 4, 2, 10, (9, 0, 1, 0), 10, (0, 0, 0, 0)), "first 5: 10.0 % of 10 results"),
    ],
)
def test_exposure_is_told_with_its_denominators(at: RankExposure, sentence: str) -> None:
    assert exposure_sentence(at) == f"{sentence}; reached by 2 of 4"


def test_exposure_of_nothing() -> None:
    assert exposure_sentence(RankExposure(1, 0, 0, 0, (0, 0, 0, 0), 0, (1, 1, 0, 0))) == "first 1: no results"
