"""The formulas, against golden values that other libraries computed, and at their edges."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.judging.metrics import (
    coverage_illusion_index,
    effective_number,
    hill_number,
    inflation_factor,
    macro_ratio,
    rank_weighted_ratio,
    ratio,
    required_human,
    same_anchor_probability,
    top_anchor_share,
)

masses = st.lists(st.floats(0.01, 50), min_size=1, max_size=12)


def test_hill_numbers_and_shares_equal_scikit_bio(shared: Path) -> None:
    golden = json.loads((shared / "datasets" / "golden_metrics.json").read_text())
    assert len(golden["diversity"]) == 12
    for case in golden["diversity"]:
        counts = case["counts"]
        for order, name in ((0, "hill_q0"), (1, "hill_q1"), (2, "hill_q2"), (math.inf, "hill_inf")):
            assert hill_number(counts, order) == pytest.approx(case[name], rel=1e-12)
        assert effective_number(counts) == pytest.approx(case["hill_q1"], abs=1e-8)
        assert top_anchor_share(counts, sum(counts)) == pytest.approx(case["berger_parker"], rel=1e-12)
        effective = effective_number(counts)
        assert effective is not None
        assert effective / sum(counts) == pytest.approx(case["independence_D1_over_n"], abs=1e-8)
        if sum(counts) > 1:
            pairs = sum(c * (c - 1) for c in counts) / (sum(counts) * (sum(counts) - 1))
            assert same_anchor_probability(counts, sum(counts), sum(counts)) == pytest.approx(pairs)


def test_hill_numbers_of_fractional_masses_equal_scikit_bio(shared: Path) -> None:
    golden = json.loads((shared / "datasets" / "golden_metrics.json").read_text())
    for case in golden["fractional"]:
        for order, name in ((0, "hill_q0"), (1, "hill_q1"), (2, "hill_q2"), (math.inf, "hill_inf")):
            assert hill_number(case["mass"], order) == pytest.approx(case[name], rel=1e-12)


@given(masses)
def test_hill_numbers_fall_with_their_order(values: list[float]) -> None:
    numbers = [hill_number(values, order) or 0.0 for order in (0, 1, 2, math.inf)]
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(numbers))
    assert numbers[-1] >= 1.0 - 1e-9


@given(masses, st.randoms())
def test_the_effective_number_does_not_depend_on_order(values: list[float], random: object) -> None:
    shuffled = sorted(values, key=lambda _: random.random())  # type: ignore[attr-defined]  # hypothesis gives a Random
    assert effective_number(shuffled) == effective_number(values)


def test_equal_masses_give_a_whole_number() -> None:
    assert [effective_number([1] * n) for n in range(1, 12)] == [float(n) for n in range(1, 12)]


def test_nothing_is_never_a_number() -> None:
    assert ratio(0, 0) is None
    assert effective_number([]) is None
    assert effective_number([0.0]) is None
    assert hill_number([], 1) is None
    assert rank_weighted_ratio([]) is None
    assert macro_ratio([]) is None
    assert top_anchor_share([], 0) is None
    assert same_anchor_probability([1], 1, 1) is None
    assert coverage_illusion_index(None, 5) is None
    assert coverage_illusion_index(1.0, 1) is None
    assert inflation_factor(None, 3) is None


def test_the_coverage_illusion_index_runs_from_distinct_to_one_source() -> None:
    assert coverage_illusion_index(10.0, 10) == 0.0
    assert coverage_illusion_index(1.0, 10) == 1.0
    assert coverage_illusion_index(12.0, 10) == 0.0, "several anchors a result are clipped"
    assert inflation_factor(5.0, 10) == 2.0


def test_the_top_share_is_over_results_not_over_anchored_ones() -> None:
    assert top_anchor_share([2, 1], 10) == 0.2
    assert top_anchor_share([], 10) == 0.0


def test_rank_weighting_prefers_the_top() -> None:
    first, last = rank_weighted_ratio([True, False, False]), rank_weighted_ratio([False, False, True])
    assert first is not None
    assert last is not None
    assert first > 1 / 3 > last
    assert rank_weighted_ratio([True] * 5) == 1.0


@given(st.integers(1, 60), st.integers(0, 10_000))
def test_the_required_number_is_where_the_rule_turns(total: int, points: int) -> None:
    minimum = points / 10_000
    needed = required_human(total, minimum)
    assert needed is not None
    assert needed / total >= minimum or needed == 0
    assert needed == 0 or (needed - 1) / total < minimum


def test_a_minimum_that_no_set_meets_has_no_required_number() -> None:
    assert required_human(5, 1.1) is None
    assert required_human(5, math.nan) is None
    assert required_human(5, -3.0) == 0
