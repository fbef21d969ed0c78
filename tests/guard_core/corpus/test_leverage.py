"""Laws of leverage: what a check would settle, asked of the scalar rule in every possible way.

Flows in: random logs of short lists, and the sample.  Flows out: comparisons with a plain oracle, which tries each open
document unchecked, human and deep synthetic.
Not here: the command line (``cli/test_leverage.py``).
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from guard_core.corpus.leverage import Leverage, find_leverage
from guard_core.errors import SourceGuardError
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.items import judge_result, result_passes_gate
from guard_core.judging.statistics import Statistics
from guard_core.model import (
    Anchor,
    AuthenticityClass,
    Basis,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisPolicy,
    SynthesisVerdict,
)
from tests.support.random_retrievals import Retrieval, make_evidence, policies, retrievals

LOGS = st.lists(retrievals(max_results=4), min_size=1, max_size=4)
HUMAN, DEEP = AuthenticityClass.HUMAN_AUTHORED, AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS
BETWEEN = (AuthenticityClass.SYNTHETIC_DEPTH_1,)
Lists = tuple[SearchResult, ...]


def gate_of(policy: SynthesisPolicy, waived: bool) -> SignatureGate:
    return SignatureGate.IGNORED if waived else policy.signatures


def unknown(result: SearchResult, policy: SynthesisPolicy) -> bool:
    return judge_result(result, policy.signatures).authenticity is AuthenticityClass.UNKNOWN


def checked(result: SearchResult, outcome: AuthenticityClass, anchored: bool = True) -> SearchResult:
    """The same with a valid claim on it that says ``outcome``."""
    anchors = (Anchor(result.document_id or ""),) if anchored and outcome is not DEEP else ()
    return dataclasses.replace(
        result,
        authenticity=outcome,
        basis=Basis.SIGNED,
        signature=SignatureStatus.VALID,
        source_signature="claim",
        depth=None,
        anchors=anchors,
        upheld_anchors=anchors,
    )


def verdict(results: Lists, policy: SynthesisPolicy, waived: bool) -> SynthesisVerdict | None:
    manifest = SyntheticSourceGuard.evaluate_results(results, policy)
    return manifest.verdict_if_signatures_waived if waived else manifest.verdict


def open_documents(results: Lists, policy: SynthesisPolicy, waived: bool) -> list[str]:
    gate = gate_of(policy, waived)
    return sorted({r.document_id or "" for r in results if unknown(r, policy) or not result_passes_gate(r, gate)})


def ways(results: Lists, documents: list[str], choices: tuple[AuthenticityClass | None, ...]) -> Iterator[Lists]:
    """The list with every choice for every document; ``None`` leaves it as it is."""
    for chosen in itertools.product(choices, repeat=len(documents)):
        said = dict(zip(documents, chosen, strict=True))
        yield tuple(r if (outcome := said.get(r.document_id or "")) is None else checked(r, outcome) for r in results)


def settled(results: Lists, policy: SynthesisPolicy, waived: bool) -> bool:
    """No check of any open documents, in any number and with any outcome, gives another verdict."""
    documents = open_documents(results, policy, waived)
    return len({verdict(way, policy, waived) for way in ways(results, documents, (None, HUMAN, *BETWEEN, DEEP))}) == 1


@dataclasses.dataclass
class LeverageCounts:
    """Hold leverage as counted by loops, by document id."""

    unsettled: Counter[str]
    settles: Counter[str]
    if_human: Counter[str]
    if_synthetic: Counter[str]
    opened: set[str]
    unsettled_retrievals: int = 0
    counted: int = 0


def count_leverage(log: list[Retrieval], policy: SynthesisPolicy, waived: bool) -> LeverageCounts:
    found = LeverageCounts(Counter(), Counter(), Counter(), Counter(), set())
    for retrieval in log:
        results = retrieval.results[: policy.top_k]
        if retrieval.creative or not results:
            continue
        found.counted += 1
        documents = open_documents(results, policy, waived)
        found.opened.update(documents)
        if settled(results, policy, waived):
            continue
        found.unsettled_retrievals += 1
        for document in documents:
            human, deep = (
                settled(next(ways(results, [document], (outcome,))), policy, waived) for outcome in (HUMAN, DEEP)
            )
            found.unsettled[document] += 1
            found.if_human[document] += human
            found.if_synthetic[document] += deep
            found.settles[document] += human and deep
    return found


def names(found: Leverage, statistics: Statistics) -> list[str]:
    return [str(statistics.evidence.log.document_ids.values[int(code)].as_py()) for code in found.documents]


@given(LOGS, policies, st.booleans())
def test_it_is_what_the_rule_says_when_asked_in_every_way(
    log: list[Retrieval], policy: SynthesisPolicy, waived: bool
) -> None:
    policy = dataclasses.replace(policy, halt_on=())
    expected = count_leverage(log, policy, waived)
    statistics = Statistics.from_evidence(make_evidence(log), policy.top_k)
    found = find_leverage(statistics, policy, waived=waived)
    ids = names(found, statistics)
    rows = zip(ids, found.unsettled, found.settles, found.if_human, found.if_synthetic, strict=True)
    assert {i: tuple(int(n) for n in numbers) for i, *numbers in rows} == {
        i: (n, expected.settles[i], expected.if_human[i], expected.if_synthetic[i])
        for i, n in expected.unsettled.items()
    }
    assert (found.counted, found.unsettled_retrievals) == (expected.counted, expected.unsettled_retrievals)
    assert found.open_documents == len(expected.opened)
    order = [
        (-s, -(h + d), -u, i.encode())
        for i, u, s, h, d in zip(ids, found.unsettled, found.settles, found.if_human, found.if_synthetic, strict=True)
    ]
    assert order == sorted(order)


@given(LOGS, policies, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_log_does_not_matter(
    log: list[Retrieval], policy: SynthesisPolicy, waived: bool, chance: random.Random
) -> None:
    found = []
    for each in (log, chance.sample(log, len(log))):
        statistics = Statistics.from_evidence(make_evidence(each), policy.top_k)
        one = find_leverage(statistics, policy, waived=waived)
        columns = (one.unsettled, one.settles, one.if_human, one.if_synthetic, one.unknown, one.unverified)
        found.append((names(one, statistics), [c.tolist() for c in columns], one.unsettled_retrievals))
    assert found[0] == found[1]


@given(LOGS, policies, st.booleans())
def test_a_document_says_why_it_is_open(log: list[Retrieval], policy: SynthesisPolicy, waived: bool) -> None:
    statistics = Statistics.from_evidence(make_evidence(log), policy.top_k)
    found = find_leverage(statistics, policy, waived=waived)
    assert (found.unknown | found.unverified).all()
    if waived:
        assert not found.unverified.any()
    if policy.signatures is SignatureGate.VERIFIED and not waived:
        assert found.unverified.all(), "what is not verified has no class but UNKNOWN, and does not pass"


@given(retrievals(max_results=4), policies)
def test_checking_everything_that_is_open_settles(retrieval: Retrieval, policy: SynthesisPolicy) -> None:
    assume(retrieval.results and not retrieval.creative)
    policy = dataclasses.replace(policy, top_k=None)
    documents = open_documents(retrieval.results, policy, False)
    done = [dataclasses.replace(retrieval, results=way) for way in ways(retrieval.results, documents, (HUMAN, DEEP))]
    found = find_leverage(Statistics.from_evidence(make_evidence(done)), policy)
    assert (found.unsettled_retrievals, found.open_documents) == (0, 0)
    assert found.counted == len(done)
    assert not len(found.documents)


def test_statistics_of_another_length_are_refused() -> None:
    policy = SynthesisPolicy(0.5, True, top_k=3)
    statistics = Statistics.from_evidence(make_evidence([]), 4)
    with pytest.raises(SourceGuardError, match="top_k = 4"):
        find_leverage(statistics, policy)


def test_nothing_to_judge_is_nothing_to_settle() -> None:
    found = find_leverage(Statistics.from_evidence(make_evidence([Retrieval(())])), SynthesisPolicy(0.5, True))
    assert (found.counted, found.unsettled_retrievals, found.open_documents) == (0, 0, 0)
    assert found.documents.dtype == np.int32
