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
    ratio,
    same_anchor_probability,
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
        assert 1 / (hill_number(counts, math.inf) or 0) == pytest.approx(case["berger_parker"], rel=1e-12)
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
    assert same_anchor_probability([1], 1, 1) is None
    assert coverage_illusion_index(None, 5) is None
    assert coverage_illusion_index(1.0, 1) is None
    assert inflation_factor(None, 3) is None


def test_the_coverage_illusion_index_runs_from_distinct_to_one_source() -> None:
    assert coverage_illusion_index(10.0, 10) == 0.0
    assert coverage_illusion_index(1.0, 10) == 1.0
    assert coverage_illusion_index(12.0, 10) == 0.0, "several anchors a result are clipped"
    assert inflation_factor(5.0, 10) == 2.0
