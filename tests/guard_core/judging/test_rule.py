"""The parts of the rule: numbers and arrays give the same, and nothing that the rule knows is without its words."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.judging.rule import (
    ClaimMarks,
    apply_gate,
    closes_depth_1,
    decide_verdict,
    is_untraced,
    may_proceed,
    passes_gate,
    required_human,
)
from guard_core.model import SignatureGate, SynthesisPolicy
from guard_core.output.people.sentences import UNVERIFIED_ADVICE
from tests.support.random_retrievals import policies

BOTH = (False, True)
MARKS = list(itertools.product(BOTH, repeat=4))


def test_every_gate_has_its_words() -> None:
    assert set(UNVERIFIED_ADVICE) == set(SignatureGate)


@pytest.mark.parametrize("gate", SignatureGate)
def test_the_gate_and_tracing_are_the_same_for_one_result_and_for_many(gate: SignatureGate) -> None:
    each = [ClaimMarks(*marks) for marks in MARKS]
    together = ClaimMarks(*np.array(MARKS).T)
    assert passes_gate(gate, together).tolist() == [passes_gate(gate, claims) for claims in each]
    for unknown, contradicted, synthetic, anchored in MARKS:
        alone = [
            is_untraced(claims, unknown=unknown, contradicted=contradicted, synthetic=synthetic, anchored=anchored)
            for claims in each
        ]
        unknowns, others, synthetics, anchoreds = (
            np.full(len(MARKS), mark) for mark in (unknown, contradicted, synthetic, anchored)
        )
        found = is_untraced(together, unknown=unknowns, contradicted=others, synthetic=synthetics, anchored=anchoreds)
        assert found.tolist() == alone


@given(policies, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9))
def test_the_verdict_is_the_same_for_one_retrieval_and_for_many(
    policy: SynthesisPolicy, lists: list[tuple[int, int, int]]
) -> None:
    human, others, closers = np.array(lists).T
    codes = decide_verdict(policy, human=human, total=human + others, closers=closers)
    alone = [decide_verdict(policy, human=h, total=h + o, closers=c) for h, o, c in lists]
    assert codes.tolist() == [int(code) for code in alone]
    for passes, applicability, halted in itertools.product(BOTH, range(3), BOTH):
        gated = apply_gate(codes, np.full(len(codes), passes))
        assert gated.tolist() == [int(apply_gate(int(code), passes)) for code in alone]
        decided = may_proceed(gated, np.full(len(codes), applicability, np.uint8), np.full(len(codes), halted))
        assert decided.tolist() == [bool(may_proceed(int(code), applicability, halted)) for code in gated]


@given(policies)
def test_the_depth_1_route_is_the_same_for_one_item_and_for_many(policy: SynthesisPolicy) -> None:
    kinds = list(itertools.product(BOTH, repeat=3))
    deep, unknown, unanchored = np.array(kinds).T
    alone = [closes_depth_1(policy, deep=d, unknown=u, unanchored=a) for d, u, a in kinds]
    assert closes_depth_1(policy, deep=deep, unknown=unknown, unanchored=unanchored).tolist() == alone


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
