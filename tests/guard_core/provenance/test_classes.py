"""One basis read: every class word at every depth (R16, R30)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.class_words import ClassWord
from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.provenance.classes import derive_classes, mark_class_conflicts, mark_depth_conflicts


def read(word: ClassWord, depth: int) -> tuple[int, int, bool]:
    reading = derive_classes(np.array([word], np.int8), np.array([depth], np.int32))
    return int(reading.classes[0]), int(reading.depths[0]), bool(reading.conflicts[0])


@pytest.mark.parametrize(
    ("word", "depth", "expected"),
    [
        (ClassWord.NONE, -1, (UNKNOWN, -1, False)),
        (ClassWord.NONE, 0, (UNKNOWN, -1, False)),
        (ClassWord.NONE, 3, (UNKNOWN, -1, False)),
        (ClassWord.HUMAN, -1, (HUMAN, 0, False)),
        (ClassWord.HUMAN, 0, (HUMAN, 0, False)),
        (ClassWord.HUMAN, 1, (DEPTH_1, 1, True)),
        (ClassWord.HUMAN, 7, (DEPTH_2_PLUS, 7, True)),
        (ClassWord.MODEL, -1, (DEPTH_2_PLUS, -1, False)),
        (ClassWord.MODEL, 0, (DEPTH_2_PLUS, -1, True)),
        (ClassWord.MODEL, 1, (DEPTH_1, 1, False)),
        (ClassWord.HYBRID, 0, (DEPTH_2_PLUS, -1, True)),
        (ClassWord.HYBRID, 50, (DEPTH_2_PLUS, 50, False)),
        (ClassWord.SYNTHETIC_DEPTH_1, -1, (DEPTH_1, 1, False)),
        (ClassWord.SYNTHETIC_DEPTH_1, 0, (DEPTH_1, 1, True)),
        (ClassWord.SYNTHETIC_DEPTH_1, 1, (DEPTH_1, 1, False)),
        (ClassWord.SYNTHETIC_DEPTH_1, 2, (DEPTH_2_PLUS, 2, True)),
        (ClassWord.SYNTHETIC_DEPTH_2_PLUS, -1, (DEPTH_2_PLUS, -1, False)),
        (ClassWord.SYNTHETIC_DEPTH_2_PLUS, 0, (DEPTH_2_PLUS, -1, True)),
        (ClassWord.SYNTHETIC_DEPTH_2_PLUS, 1, (DEPTH_2_PLUS, -1, True)),
        (ClassWord.SYNTHETIC_DEPTH_2_PLUS, 2, (DEPTH_2_PLUS, 2, False)),
        (ClassWord.MODEL, 2**31 - 1, (DEPTH_2_PLUS, 2**31 - 1, False)),
    ],
)
def test_words_and_depths(word: ClassWord, depth: int, expected: tuple[int, int, bool]) -> None:
    assert read(word, depth) == expected


@given(st.sampled_from(ClassWord), st.integers(-1, 5))
def test_no_word_and_depth_are_read_better_than_either(word: ClassWord, depth: int) -> None:
    read_class, read_depth, _ = read(word, depth)
    assert read_class >= read(word, -1)[0] or word in (ClassWord.MODEL, ClassWord.HYBRID)
    assert (read_class == HUMAN) == (word is ClassWord.HUMAN and depth <= 0)
    assert (read_class == DEPTH_1) <= (read_depth == 1)


@given(st.sampled_from(ClassWord), st.integers(-1, 3), st.sampled_from(ClassWord), st.integers(-1, 3))
def test_disagreement_is_mutual_and_never_with_oneself(one: ClassWord, at: int, other: ClassWord, there: int) -> None:
    both = derive_classes(np.array([one, other], np.int8), np.array([at, there], np.int32))
    turned = slice(None, None, -1)
    assert np.array_equal(
        mark_class_conflicts(both.stated, both.stated[turned]), mark_class_conflicts(both.stated[turned], both.stated)
    )
    assert not mark_class_conflicts(both.stated, both.stated).any()
    assert not mark_depth_conflicts(both.depths, both.depths).any()
