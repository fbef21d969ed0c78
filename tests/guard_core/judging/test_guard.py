"""The decision for one result set: the specification's answers to the byte, an independent oracle, and each added
field."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guard_core
from guard_core.errors import NoResultsError, SourceGuardError
from guard_core.judging.guard import STANDARD_RETRIEVAL, SyntheticSourceGuard
from guard_core.model import (
    Anchor,
    Applicability,
    AuthenticityClass,
    Basis,
    Conflict,
    CountUnit,
    Decision,
    Finding,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisPolicy,
    SynthesisVerdict,
)

HUMAN, D1, D2, UNKNOWN = AuthenticityClass
judge = SyntheticSourceGuard.evaluate_results
REFERENCE = [
    json.loads(line)
    for line in (Path(__file__).parent / "reference" / "reference_vectors.jsonl").read_text().splitlines()
]


def plain(classes: list[AuthenticityClass], signature: str | None = "s") -> tuple[SearchResult, ...]:
    """Results with the specification's four fields only."""
    return tuple(SearchResult(f"r{i}", c, None, signature) for i, c in enumerate(classes))


def test_all_reference_answers_to_the_byte() -> None:
    assert len(REFERENCE) == 600
    for case in REFERENCE:
        results = tuple(
            SearchResult(
                r["result_id"], AuthenticityClass[r["authenticity"]], r["human_anchor_hash"], r["source_signature"]
            )
            for r in case["results"]
        )
        policy = SynthesisPolicy(case["policy"]["min_human_grounding_ratio"], case["policy"]["allow_depth_1_synthetic"])
        manifest = judge(results, policy)
        answer = (manifest.verdict.name, manifest.directive, manifest.manifest_digest)
        assert answer == tuple(case["expected"][k] for k in ("verdict", "directive", "manifest_digest"))


def oracle(results: tuple[SearchResult, ...], minimum: float, allow: bool) -> tuple[str, str, str]:
    """The specification's rule once more, by another road: exact fractions and strings put together by hand."""
    unsigned = [r.result_id for r in results if r.source_signature in (None, "")]
    if unsigned:
        return (
            "UNVERIFIED_SOURCES",
            f"HALT: Result {unsigned[0]} lacks source signature.",
            _sha("NO_SIG:" + unsigned[0]),
        )
    n = len(results)
    names = [r.authenticity.name for r in results]
    human, deep, one = (names.count(w) for w in ("HUMAN_AUTHORED", "SYNTHETIC_DEPTH_2_PLUS", "SYNTHETIC_DEPTH_1"))
    percent, two = f"{100 * human / n:.2f}%", f"{human / n:.2f}"
    if Fraction(human, n) >= Fraction(round(minimum * 10_000), 10_000):
        body = f'{{"human": "{human}", "ratio": "{two}", "total": "{n}"}}'
        return "HUMAN_GROUNDED", f"PROCEED: {percent} human grounding.", _sha(body)
    if allow and not deep:
        body = f'{{"depth_1": "{one}", "depth_2_plus": "0", "human": "{human}", "total": "{n}"}}'
        words = f"PROCEED: Human grounding {percent} below threshold, but only depth-1 synthetic."
        return "SYNTHETIC_DEPTH_1_ACCEPTABLE", words, _sha(body)
    words = f"HALT: Only {percent} human grounding, {deep} depth-2+ synthetic. Re-query with human filter."
    return "SYNTHETIC_DEPTH_EXCESSIVE", words, _sha("SYNTHETIC:" + two)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@given(
    st.lists(
        st.builds(
            SearchResult,
            st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            st.sampled_from(AuthenticityClass),
            st.none() | st.just("sha256:ab"),
            st.sampled_from((None, "", "s", "signature", "signature", "signature")),
        ),
        min_size=1,
        max_size=12,
    ).map(tuple),
    st.integers(0, 10_000),
    st.booleans(),
)
def test_equal_to_an_independent_oracle(results: tuple[SearchResult, ...], points: int, allow: bool) -> None:
    minimum = points / 10_000
    manifest = judge(results, SynthesisPolicy(minimum, allow))
    assert (manifest.verdict.name, manifest.directive, manifest.manifest_digest) == oracle(results, minimum, allow)


@pytest.mark.parametrize("n", range(1, 41))
def test_the_boundary_is_exact_for_every_minimum_of_four_decimals(n: int) -> None:
    for human in range(n + 1):
        results = plain([HUMAN] * human + [D2] * (n - human))
        exact = Fraction(human, n)
        for points in {0, 10_000, *(int(exact * 10_000) + d for d in (-1, 0, 1, 2))} & set(range(10_001)):
            verdict = judge(results, SynthesisPolicy(points / 10_000, False)).verdict
            assert (verdict is SynthesisVerdict.HUMAN_GROUNDED) == (exact >= Fraction(points, 10_000))


def test_an_empty_tuple_raises_the_specifications_error_in_our_tree() -> None:
    with pytest.raises(ValueError, match=r"^No results to evaluate\.$") as caught:
        judge((), SynthesisPolicy(0.5, True))
    assert isinstance(caught.value, NoResultsError)
    assert isinstance(caught.value, SourceGuardError)


@pytest.mark.parametrize("minimum", [float("nan"), float("inf"), 2.0, -1.0])
def test_a_policy_built_directly_is_as_free_as_the_specifications(minimum: float) -> None:
    manifest = judge(plain([HUMAN, D2]), SynthesisPolicy(minimum, False))
    assert (manifest.verdict is SynthesisVerdict.HUMAN_GROUNDED) == (minimum < 0)
    assert manifest.margin is None


def test_the_specifications_names_come_from_the_package() -> None:
    for name in (
        "AuthenticityClass",
        "SynthesisVerdict",
        "SearchResult",
        "SynthesisPolicy",
        "SynthesisManifest",
        "SyntheticSourceGuard",
    ):
        assert name in guard_core.__all__
        assert hasattr(guard_core, name)
    assert [c.name for c in AuthenticityClass] == [
        "HUMAN_AUTHORED",
        "SYNTHETIC_DEPTH_1",
        "SYNTHETIC_DEPTH_2_PLUS",
        "UNKNOWN",
    ]
    assert [c.value for c in SynthesisVerdict] == [1, 2, 3, 4]


def catalogued(name: str, authenticity: AuthenticityClass, **fields: object) -> SearchResult:
    """A result whose class the catalogue gives."""
    given: dict[str, object] = {"basis": Basis.CATALOGUE, "catalogued": True, **fields}
    return SearchResult(name, authenticity, None, "s", **given)  # type: ignore[arg-type]  # fields of the test's choice


class TestSignatureGate:
    """Gate 1 under each value of ``signatures``."""

    RESULTS = (catalogued("a", HUMAN), SearchResult("b", HUMAN, None, "s"))

    def test_present_takes_any_signature(self) -> None:
        assert judge(self.RESULTS, SynthesisPolicy(0.5, True)).verdict is SynthesisVerdict.HUMAN_GROUNDED

    def test_verified_names_the_first_result_that_is_not(self) -> None:
        manifest = judge(self.RESULTS, SynthesisPolicy(0.5, True, SignatureGate.VERIFIED))
        assert manifest.verdict is SynthesisVerdict.UNVERIFIED_SOURCES
        assert manifest.directive == "HALT: Result a has no verified source signature (UNCHECKED)."
        assert manifest.verdict_if_signatures_waived is SynthesisVerdict.HUMAN_GROUNDED
        assert manifest.human == 1, "the declared class of b does not count"

    def test_catalogued_takes_the_catalogues_word(self) -> None:
        manifest = judge(self.RESULTS, SynthesisPolicy(0.5, True, SignatureGate.CATALOGUED))
        assert manifest.directive == "HALT: Result b has neither a verified source signature nor a catalogue entry."
        only = judge(self.RESULTS[:1], SynthesisPolicy(0.5, True, SignatureGate.CATALOGUED))
        assert only.verdict is SynthesisVerdict.HUMAN_GROUNDED

    def test_ignored_waives_the_gate_and_believes_the_labels(self) -> None:
        manifest = judge(plain([HUMAN, D1], signature=None), SynthesisPolicy(0.5, True, SignatureGate.IGNORED))
        assert manifest.verdict is SynthesisVerdict.HUMAN_GROUNDED

    def test_a_checked_signature_that_is_not_valid_counts_as_absent(self) -> None:
        expired = SearchResult("a", HUMAN, None, "s", signature=SignatureStatus.EXPIRED)
        manifest = judge((expired,), SynthesisPolicy(0.5, True))
        assert manifest.verdict is SynthesisVerdict.UNVERIFIED_SOURCES
        assert manifest.directive == "HALT: Result a has no verified source signature (EXPIRED)."
        assert Finding.SOURCE_ATTRIBUTION_LOSS in manifest.findings


class TestDepthOneRoute:
    """What closes the route, and what the margin says of it."""

    def test_an_unknown_result_passes_unless_it_may_not(self) -> None:
        results = plain([HUMAN, D1, D1, UNKNOWN])
        assert judge(results, SynthesisPolicy(0.5, True)).verdict is SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE
        strict = judge(results, SynthesisPolicy(0.5, True, allow_unknown=False))
        assert strict.verdict is SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE
        assert strict.margin == 1

    def test_an_unanchored_result_closes_it_where_anchors_are_asked_for(self) -> None:
        anchored = catalogued("a", D1, anchors=(Anchor("h"),), upheld_anchors=(Anchor("h"),))
        policy = SynthesisPolicy(0.5, True, require_anchor=True)
        assert judge((anchored,), policy).verdict is SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE
        assert judge((anchored, catalogued("b", D1)), policy).verdict is SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE


class TestCounting:
    """``count`` and ``top_k``."""

    def test_documents_count_once_and_as_their_less_trusted_entry(self) -> None:
        twice = (
            SearchResult("a1", HUMAN, None, "s", document_id="a"),
            SearchResult("a2", D1, None, "s", document_id="a"),
            SearchResult("b1", HUMAN, None, "s", document_id="b"),
        )
        manifest = judge(twice, SynthesisPolicy(0.5, True, count=CountUnit.DOCUMENTS))
        assert (manifest.human, manifest.total) == (1, 2)
        assert Finding.DUPLICATE_DOCUMENTS in manifest.findings

    def test_an_unknown_entry_does_not_open_the_route_for_a_deep_document(self) -> None:
        laundered = (
            SearchResult("a1", D2, None, "s", document_id="a"),
            SearchResult("a2", UNKNOWN, None, "s", document_id="a"),
        )
        manifest = judge(laundered, SynthesisPolicy(0.5, True, count=CountUnit.DOCUMENTS))
        assert manifest.verdict is SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE

    def test_only_the_first_k_are_seen(self) -> None:
        results = (*plain([HUMAN, D1, HUMAN]), SearchResult("late", HUMAN, None, None))
        assert judge(results, SynthesisPolicy(0.5, True)).verdict is SynthesisVerdict.UNVERIFIED_SOURCES
        assert judge(results, SynthesisPolicy(0.5, True, top_k=3)).total == 3


class TestFindings:
    """Each finding, and what halts."""

    def test_a_deep_tail_behind_humans(self) -> None:
        deep = catalogued("t", D2, depth=50)
        policy = SynthesisPolicy(0.5, True, max_depth_in_grounded=1)
        manifest = judge((catalogued("h", HUMAN), deep), policy)
        assert Finding.HALLUCINATION_AMPLIFICATION in manifest.findings
        assert manifest.max_depth == 50
        assert manifest.decision is Decision.PROCEED
        halting = SynthesisPolicy(0.5, True, max_depth_in_grounded=1, halt_on=(Finding.HALLUCINATION_AMPLIFICATION,))
        halted = judge((catalogued("h", HUMAN), deep), halting)
        assert halted.decision is Decision.HALT
        assert halted.directive == "HALT: The grounded set holds synthetic content of depth 50."
        assert halted.verdict is SynthesisVerdict.HUMAN_GROUNDED

    def test_a_synthetic_result_of_unknown_depth_is_deeper_than_any_limit(self) -> None:
        policy = SynthesisPolicy(0.5, True, max_depth_in_grounded=100)
        results = (catalogued("h", HUMAN), catalogued("t", D2), catalogued("u", HUMAN))
        assert Finding.HALLUCINATION_AMPLIFICATION in judge(results, policy).findings
        unknown = (catalogued("h", HUMAN), SearchResult("u", UNKNOWN, None, "s"))
        assert Finding.HALLUCINATION_AMPLIFICATION not in judge(unknown, policy).findings

    def test_ten_results_from_one_page(self) -> None:
        page = tuple(catalogued(f"c{i}", HUMAN, document_id="page") for i in range(10))
        policy = SynthesisPolicy(0.5, True, min_effective_anchors=3, halt_on=(Finding.COVERAGE_ILLUSION,))
        manifest = judge(page, policy)
        assert manifest.effective_anchors == 1.0
        assert manifest.applicability is Applicability.HUMAN_ONLY
        assert manifest.decision is Decision.HALT
        assert manifest.directive == "HALT: 10 results rest on 1 independent human source."

    def test_as_many_sources_as_results_is_no_illusion(self) -> None:
        two = (catalogued("a", HUMAN), catalogued("b", HUMAN))
        manifest = judge(two, SynthesisPolicy(0.5, True, min_effective_anchors=3))
        assert manifest.effective_anchors == 2.0
        assert Finding.COVERAGE_ILLUSION not in manifest.findings

    def test_a_label_alone_does_not_trace_a_result(self) -> None:
        assert Finding.SOURCE_ATTRIBUTION_LOSS in judge(plain([HUMAN]), SynthesisPolicy(0.5, True)).findings
        assert (
            Finding.SOURCE_ATTRIBUTION_LOSS not in judge((catalogued("a", HUMAN),), SynthesisPolicy(0.5, True)).findings
        )

    def test_plain_notices(self) -> None:
        results = (
            catalogued("a", HUMAN, rank=1, conflicts=(Conflict.CLASS_CONFLICT, Conflict.DEPTH_CONFLICT)),
            catalogued("b", HUMAN, rank=1),
        )
        manifest = judge(results, SynthesisPolicy(0.5, True), rejected_results=2)
        assert manifest.findings == (
            Finding.SOURCE_ATTRIBUTION_LOSS,
            Finding.CLASS_CONFLICT,
            Finding.DEPTH_CONFLICT,
            Finding.RANK_REPEATED,
            Finding.FEW_RESULTS,
            Finding.RESULTS_REJECTED,
        )

    @pytest.mark.parametrize("finding", Finding)
    def test_every_finding_that_halts_says_why_in_one_line(self, finding: Finding) -> None:
        results = (
            catalogued("h", HUMAN, rank=1),
            catalogued("h", HUMAN, rank=1, conflicts=(Conflict.CLASS_CONFLICT, Conflict.DEPTH_CONFLICT)),
            catalogued("t", D2, document_id="t"),
        )[: 2 if finding is Finding.FEW_RESULTS else 3]
        policy = SynthesisPolicy(0.5, True, min_effective_anchors=3, max_depth_in_grounded=1, halt_on=(finding,))
        manifest = judge(results, policy, rejected_results=1)
        assert finding in manifest.findings
        assert manifest.decision is Decision.HALT
        assert manifest.directive.startswith("HALT: ")
        assert "\n" not in manifest.directive


class TestApplicability:
    """When the rule applies, and what follows."""

    def test_human_only_proceeds_whatever_the_verdict(self) -> None:
        unsigned = SearchResult("a", HUMAN, None, None, basis=Basis.CATALOGUE, catalogued=True)
        manifest = judge((unsigned,), SynthesisPolicy(0.5, True))
        assert manifest.verdict is SynthesisVerdict.UNVERIFIED_SOURCES
        assert manifest.applicability is Applicability.HUMAN_ONLY
        assert manifest.decision is Decision.PROCEED
        assert manifest.directive == STANDARD_RETRIEVAL

    def test_declared_humans_are_not_human_only(self) -> None:
        assert judge(plain([HUMAN]), SynthesisPolicy(0.5, True)).applicability is Applicability.APPLIES

    def test_a_creative_task_is_only_ever_said_by_the_caller(self) -> None:
        manifest = judge(plain([D2]), SynthesisPolicy(0.5, True), creative_task=True)
        assert manifest.applicability is Applicability.CREATIVE_TASK
        assert manifest.verdict is SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE
