"""What holds for every guarded search: at most two searches, the guard's own manifests, links that recompute, and no
decision that a second set did not earn."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from guard_core import (
    AuthenticityClass,
    Decision,
    Finding,
    GuardedSearch,
    RequeryOutcome,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisPolicy,
    SyntheticSourceGuard,
    guarded_search,
)
from guard_core.model import Anchor, Basis, CountUnit
from guard_core.search.search_record import compute_digest
from tests.support.scripted_searches import (
    D1,
    D2,
    HUMAN,
    UNKNOWN,
    Scripted,
    get_outcome,
    make_humans,
    make_machines,
    search_guarded,
)

RESULTS = st.builds(
    SearchResult,
    st.sampled_from("abcdefgh"),
    st.sampled_from((HUMAN, HUMAN, HUMAN, D1, D2, UNKNOWN)),
    st.none(),
    st.sampled_from(("s", "s", "s", "s", "s", None)),
    document_id=st.none() | st.sampled_from("ab"),
    basis=st.sampled_from((None, Basis.SIGNED, Basis.CATALOGUE, Basis.DECLARED)),
    signature=st.sampled_from((None, SignatureStatus.VALID, SignatureStatus.VALID, SignatureStatus.EXPIRED)),
    catalogued=st.booleans(),
    anchors=st.none() | st.just(()) | st.just((Anchor("x"),)),
)
POLICIES = st.builds(
    SynthesisPolicy,
    st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0, 2.0)),
    st.booleans(),
    st.sampled_from(SignatureGate),
    allow_unknown=st.booleans(),
    count=st.sampled_from(CountUnit),
    top_k=st.none() | st.integers(1, 6),
    min_effective_anchors=st.sampled_from((0.0, 2.0, 3.0)),
    halt_on=st.sampled_from(((), (Finding.FEW_RESULTS,), (Finding.COVERAGE_ILLUSION,))),
)
SETS = st.lists(RESULTS, max_size=8)
HUMAN_SETS = st.lists(RESULTS.filter(lambda r: r.authenticity is HUMAN), max_size=8)


@given(SETS, SETS | HUMAN_SETS, POLICIES, st.none() | st.integers(1, 10), st.booleans())
def test_laws(
    first: list[SearchResult],
    second: list[SearchResult],
    policy: SynthesisPolicy,
    asked_for: int | None,
    creative: bool,
) -> None:
    search: Scripted[SearchResult] = Scripted(first, second)
    guarded = guarded_search(search, policy, asked_for=asked_for, creative_task=creative)

    assert search.asked[:1] == [None]
    assert len(search.asked) == (1 if guarded.requery is None else 2), "never more than one re-query"
    assert all(wanted is not None for wanted in search.asked[1:])

    alone = SyntheticSourceGuard.evaluate_results(tuple(first), policy, creative_task=creative) if first else None
    assert guarded.first.manifest == alone, "the first manifest is the guard's own"
    assert guarded.first.hits == tuple(first), "both sets are kept, in order"
    if guarded.requery is None:
        assert guarded.decision is (None if alone is None else Decision.PROCEED if creative else alone.decision)
    else:
        assert alone is not None
        assert alone.decision is Decision.HALT
        assert guarded.requery.searched is not None
        again = guarded.requery.searched
        assert again.hits == tuple(second)
        assert again.manifest == (SyntheticSourceGuard.evaluate_results(tuple(second), policy) if second else None)
        proceeds_on_its_merits(guarded, policy)
    assert bool(guarded.accepted) == (guarded.decision is Decision.PROCEED)
    assert guarded.directive.startswith("No results" if guarded.decision is None else guarded.decision.value + ": ")
    links_hold(guarded)


def proceeds_on_its_merits(guarded: GuardedSearch[SearchResult], policy: SynthesisPolicy) -> None:
    """A re-query that lets the caller go on is better than the first set, whatever it is asked."""
    assert guarded.requery is not None
    assert (guarded.decision is Decision.PROCEED) == (guarded.requery.outcome is RequeryOutcome.ENOUGH_SOURCES)
    if guarded.decision is not Decision.PROCEED:
        return
    before, again = guarded.first.manifest, guarded.requery.searched
    assert before is not None
    assert again is not None
    assert again.manifest is not None
    assert again.manifest.decision is Decision.PROCEED
    assert again.manifest.human == again.manifest.total
    assert again.manifest.human / again.manifest.total >= before.human / before.total
    assert all(result.authenticity is HUMAN for result in again.read.results)
    assert again.manifest.effective_anchors is not None
    assert guarded.requery.appraisal.fill >= min(1.0, policy.min_human_grounding_ratio)
    assert Finding.COVERAGE_ILLUSION not in again.manifest.findings


def links_hold(guarded: GuardedSearch[SearchResult]) -> None:
    """Each record names the digests before it, and can be judged again from itself alone."""
    lines = [json.loads(line) for line in guarded.trail]
    digests = [compute_digest(line) for line in guarded.trail]
    assert lines[-1]["searches"] == digests[:-1]
    assert digests[0] == guarded.first.digest
    assert lines[0]["requery_of"] is None
    assert [line["requery_of"] for line in lines[1:-1]] == digests[: len(lines) - 2]
    for line in lines[:-1]:
        if line["manifest"] is None:
            continue
        results = tuple(result_of(plain) for plain in line["results"])
        policy = SynthesisPolicy(
            **{
                **line["policy"],
                "signatures": SignatureGate(line["policy"]["signatures"]),
                "count": CountUnit(line["policy"]["count"]),
                "halt_on": tuple(Finding(word) for word in line["policy"]["halt_on"]),
            }
        )
        manifest = SyntheticSourceGuard.evaluate_results(
            results, policy, creative_task=line["creative_task"], rejected_results=line["rejected"]
        )
        assert manifest.manifest_digest == line["manifest"]["manifest_digest"]
        assert manifest.verdict.name == line["manifest"]["verdict"]
        assert manifest.directive == line["manifest"]["directive"]


def result_of(plain: dict[str, object]) -> SearchResult:
    """A result as a record has it, read back."""
    anchors = {
        name: None if plain[name] is None else tuple(Anchor(**a) for a in plain[name])  # type: ignore[attr-defined]
        for name in ("anchors", "upheld_anchors")
    }
    typed = {
        "authenticity": AuthenticityClass[str(plain["authenticity"])],
        "basis": None if plain["basis"] is None else Basis(plain["basis"]),
        "signature": None if plain["signature"] is None else SignatureStatus(plain["signature"]),
        "conflicts": (),
    }
    return SearchResult(**{**plain, **typed, **anchors})  # type: ignore[arg-type]  # typed one by one above


@given(st.permutations([*make_humans(4), *make_machines(1)]), st.permutations(make_humans(5)))
def test_the_order_of_results_changes_no_decision(first: list[SearchResult], second: list[SearchResult]) -> None:
    policy = SynthesisPolicy(0.9, False)
    guarded, _ = search_guarded(first, second, policy)
    assert get_outcome(guarded) is RequeryOutcome.ENOUGH_SOURCES
    assert [hit for hit, _ in guarded.accepted] == second, "in the order of the search"


@given(SETS, HUMAN_SETS, POLICIES, st.lists(RESULTS.filter(lambda r: r.authenticity is not HUMAN), min_size=1))
def test_results_that_were_not_asked_for_never_better_a_decision(
    first: list[SearchResult], second: list[SearchResult], policy: SynthesisPolicy, strays: list[SearchResult]
) -> None:
    with_strays, _ = search_guarded(first, [*second, *strays], policy)
    if with_strays.requery is not None:
        assert with_strays.decision is Decision.HALT
        assert with_strays.requery.outcome is RequeryOutcome.FILTER_IGNORED


@given(SETS, SETS, POLICIES)
def test_the_same_search_gives_the_same_bytes(
    first: list[SearchResult], second: list[SearchResult], policy: SynthesisPolicy
) -> None:
    once, again = search_guarded(first, second, policy)[0], search_guarded(list(first), list(second), policy)[0]
    assert once.trail == again.trail
    assert all(line.isascii() and "\n" not in line for line in once.trail)
