"""A guarded search: when it searches again, what the second set is worth, and what a search may do wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import guard_core
from guard_core import (
    Decision,
    Finding,
    RequeryOutcome,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SourceFilter,
    SynthesisPolicy,
    SynthesisVerdict,
    SyntheticSourceGuard,
    guarded_search,
)
from guard_core.errors import PolicyError, SearchError
from guard_core.model import Applicability, Basis
from guard_core.search.requery import CREATIVE, NOTHING_FOUND, ReadHits
from tests.support.scripted_searches import (
    D1,
    D2,
    HUMAN,
    REFERENCE,
    Scripted,
    get_outcome,
    make_humans,
    make_machines,
    make_result,
    search_guarded,
)

THREE_SOURCES = SynthesisPolicy(0.5, True, min_effective_anchors=3.0)
FOR_HUMANS = SourceFilter((HUMAN,))
FOR_VERIFIED = SourceFilter((HUMAN,), verified=True)


class TestWhenItSearchesAgain:
    """Which first sets ask for a second, and for what."""

    def test_a_grounded_set_is_enough(self) -> None:
        guarded, asked = search_guarded([*make_humans(3), *make_machines(2)])
        assert asked == [None]
        assert (guarded.decision, guarded.requery) == (Decision.PROCEED, None)
        assert guarded.directive == "PROCEED: 60.00% human grounding."
        assert [hit.result_id for hit, _ in guarded.accepted] == [f"human-{i}" for i in range(3)] + [
            "machine-0",
            "machine-1",
        ]

    def test_an_over_synthetic_set_asks_for_human_authored_documents(self) -> None:
        guarded, asked = search_guarded([*make_humans(1), *make_machines(4)], make_humans(5))
        assert asked == [None, FOR_HUMANS]
        assert guarded.decision is Decision.PROCEED
        assert guarded.directive == (
            "PROCEED: Re-query for human-authored documents: 5 of 5 places filled, from 5.0 independent human sources."
        )
        assert guarded.accepted == tuple((r, r) for r in make_humans(5))

    def test_an_unverified_set_asks_for_verified_documents(self) -> None:
        guarded, asked = search_guarded([SearchResult("a", HUMAN, None, None), *make_machines(1)], make_humans(2))
        assert asked == [None, FOR_VERIFIED]
        assert guarded.decision is Decision.PROCEED
        assert guarded.directive.startswith("PROCEED: Re-query for verified human-authored documents: 2 of 2 places")

    def test_a_halting_finding_is_no_reason_to_search_again(self) -> None:
        policy = SynthesisPolicy(0.5, True, halt_on=(Finding.FEW_RESULTS,))
        guarded, asked = search_guarded(make_humans(1), make_humans(5), policy)
        assert asked == [None]
        assert (guarded.decision, guarded.directive) == (Decision.HALT, "HALT: Only 1 results were judged.")
        assert guarded.accepted == ()

    def test_nothing_found_is_nothing_to_judge_and_nothing_to_repeat(self) -> None:
        guarded, asked = search_guarded([], make_humans(5))
        assert asked == [None]
        assert (guarded.decision, guarded.first.manifest, guarded.requery) == (None, None, None)
        assert guarded.directive == NOTHING_FOUND
        assert guarded.accepted == ()

    def test_human_documents_without_signatures_need_no_re_query(self) -> None:
        unsigned = [SearchResult("a", HUMAN, None, None, basis=Basis.CATALOGUE, catalogued=True)]
        guarded, asked = search_guarded(unsigned, make_humans(5))
        assert asked == [None]
        assert guarded.first.manifest is not None
        assert guarded.first.manifest.verdict is SynthesisVerdict.UNVERIFIED_SOURCES
        assert guarded.first.manifest.applicability is Applicability.HUMAN_ONLY
        assert guarded.decision is Decision.PROCEED

    def test_human_documents_that_a_finding_halts_need_none_either(self) -> None:
        policy = SynthesisPolicy(0.5, True, halt_on=(Finding.FEW_RESULTS,))
        unsigned = [SearchResult("a", HUMAN, None, None, basis=Basis.CATALOGUE, catalogued=True)]
        guarded, asked = search_guarded(unsigned, make_humans(5), policy)
        assert (asked, guarded.decision) == ([None], Decision.HALT)

    @pytest.mark.parametrize("first", [make_machines(4), [SearchResult("a", D2, None, None)]])
    def test_a_creative_task_goes_on_with_what_it_found(self, first: list[SearchResult]) -> None:
        search: Scripted[SearchResult] = Scripted(first, make_humans(5))
        guarded = guarded_search(search, REFERENCE, creative_task=True)
        assert search.asked == [None]
        assert (guarded.decision, guarded.directive) == (Decision.PROCEED, CREATIVE)
        assert guarded.first.manifest is not None
        assert guarded.first.manifest.applicability is Applicability.CREATIVE_TASK
        assert len(guarded.accepted) == len(first)


class TestWhatTheSecondSetIsWorth:
    """Independent human sources and filled places; a ratio of 1 says nothing of a filtered set."""

    def test_enough_is_as_many_as_would_ground_the_list_that_was_asked_for(self) -> None:
        for returned in range(1, 11):
            guarded, _ = search_guarded(make_machines(10), make_humans(returned))
            assert get_outcome(guarded) is (RequeryOutcome.ENOUGH_SOURCES if returned >= 5 else RequeryOutcome.SHORT)
            assert guarded.requery is not None
            assert guarded.requery.appraisal.fill == returned / 10
        assert search_guarded(make_machines(10), make_humans(4))[0].directive == (
            "HALT: Re-query for human-authored documents filled 4 of 10 places; 5 are needed."
        )

    def test_places_are_those_that_were_asked_for_not_those_that_were_found(self) -> None:
        assert get_outcome(search_guarded(make_machines(2), make_humans(2))[0]) is RequeryOutcome.ENOUGH_SOURCES
        assert get_outcome(search_guarded(make_machines(2), make_humans(2), asked_for=10)[0]) is RequeryOutcome.SHORT
        more = search_guarded(make_machines(2), make_humans(5), asked_for=2)[0].requery
        assert more is not None
        assert more.appraisal.fill == 1.0

    def test_one_source_in_many_pieces_is_not_enough(self) -> None:
        pieces = [make_result(f"piece-{i}", document_id="page") for i in range(10)]
        guarded, _ = search_guarded(make_machines(10), pieces, THREE_SOURCES)
        assert get_outcome(guarded) is RequeryOutcome.FEW_SOURCES
        assert guarded.directive == (
            "HALT: Re-query for human-authored documents: 10 results rest on 1 independent human source."
        )
        assert guarded.requery is not None
        assert guarded.requery.searched is not None
        assert guarded.requery.searched.manifest is not None
        assert guarded.requery.searched.manifest.authenticity_diversity_metric == 1.0

    def test_as_many_sources_as_results_are_enough_of_them(self) -> None:
        assert (
            get_outcome(search_guarded(make_machines(4), make_humans(2), THREE_SOURCES)[0])
            is RequeryOutcome.ENOUGH_SOURCES
        )

    def test_human_documents_without_an_independent_source_rest_on_nothing(self) -> None:
        edited = [make_result(f"edit-{i}", anchors=()) for i in range(4)]
        guarded, _ = search_guarded(make_machines(4), edited)
        assert get_outcome(guarded) is RequeryOutcome.FEW_SOURCES
        assert guarded.directive.endswith("4 results rest on no human source.")

    def test_an_empty_second_set_halts(self) -> None:
        guarded, asked = search_guarded(make_machines(4), [])
        assert asked == [None, FOR_HUMANS]
        assert get_outcome(guarded) is RequeryOutcome.EMPTY
        assert (guarded.decision, guarded.accepted) == (Decision.HALT, ())
        assert guarded.directive == "HALT: Re-query found no human-authored document."

    def test_an_unsigned_result_halts_the_second_set_as_it_does_the_first(self) -> None:
        guarded, asked = search_guarded(make_machines(4), [*make_humans(3), SearchResult("bare", HUMAN, None, None)])
        assert len(asked) == 2, "never a third search"
        assert get_outcome(guarded) is RequeryOutcome.STILL_HALTS
        assert guarded.directive == (
            "HALT: Re-query for human-authored documents halts as well. Result bare lacks source signature."
        )

    def test_a_policy_that_no_set_can_meet_is_met_by_none(self) -> None:
        guarded, _ = search_guarded(make_machines(4), make_humans(4), SynthesisPolicy(2.0, False))
        assert get_outcome(guarded) is RequeryOutcome.STILL_HALTS
        guarded, _ = search_guarded(make_machines(4), make_humans(4), SynthesisPolicy(2.0, True))
        assert get_outcome(guarded) is RequeryOutcome.SHORT
        assert guarded.directive.endswith("filled 4 of 4 places; no number would do.")

    def test_top_k_bounds_places_and_what_is_accepted(self) -> None:
        policy = SynthesisPolicy(0.5, True, top_k=4)
        guarded, _ = search_guarded(make_machines(10), make_humans(7), policy)
        assert guarded.requery is not None
        assert (guarded.requery.appraisal.places, guarded.requery.appraisal.returned) == (4, 4)
        assert [hit.result_id for hit, _ in guarded.accepted] == [f"human-{i}" for i in range(4)]


class TestAFilterThatWasIgnored:
    """A second set that holds anything that was not asked for is not trusted."""

    def test_the_same_list_again_is_named_and_halts(self) -> None:
        first = [*make_humans(1), *make_machines(4)]
        guarded, _ = search_guarded(first, first)
        assert get_outcome(guarded) is RequeryOutcome.FILTER_IGNORED
        assert guarded.requery is not None
        assert guarded.requery.appraisal.strays == ("machine-0", "machine-1", "machine-2", "machine-3")
        assert (guarded.decision, guarded.accepted) == (Decision.HALT, ())
        assert guarded.directive == (
            "HALT: Re-query for human-authored documents returned 4 results of another kind, machine-0 first."
        )

    def test_one_stray_spoils_a_set_that_would_be_grounded(self) -> None:
        mixed = [*make_humans(9), make_result("stray", D1)]
        assert SyntheticSourceGuard.evaluate_results(tuple(mixed), REFERENCE).decision is Decision.PROCEED
        guarded, _ = search_guarded(make_machines(10), mixed)
        assert get_outcome(guarded) is RequeryOutcome.FILTER_IGNORED
        assert guarded.directive.endswith("returned 1 result of another kind, stray first.")

    def test_a_stray_behind_the_judged_ones_counts_as_well(self) -> None:
        policy = SynthesisPolicy(0.5, True, top_k=4)
        assert (
            get_outcome(search_guarded(make_machines(4), [*make_humans(4), *make_machines(1)], policy)[0])
            is RequeryOutcome.FILTER_IGNORED
        )

    def test_what_the_index_calls_human_is_judged_by_the_evidence(self) -> None:
        policy = SynthesisPolicy(0.5, True, signatures=SignatureGate.CATALOGUED)
        known = [make_result(f"k{i}", D2, basis=Basis.CATALOGUE, catalogued=True) for i in range(3)]
        labelled = [make_result("only-its-own-word", HUMAN, catalogued=True)]
        guarded, _ = search_guarded(known, labelled, policy)
        assert get_outcome(guarded) is RequeryOutcome.FILTER_IGNORED

    def test_who_asks_for_verified_documents_does_not_get_others(self) -> None:
        policy = SynthesisPolicy(0.5, True, signatures=SignatureGate.VERIFIED)
        vouched = {"basis": Basis.CATALOGUE, "catalogued": True}
        valid = {"basis": Basis.SIGNED, "signature": SignatureStatus.VALID}
        first = [make_result("a", D2, **vouched)]
        guarded, asked = search_guarded(first, [make_result("b", HUMAN, **vouched)], policy)
        assert asked == [None, FOR_VERIFIED]
        assert get_outcome(guarded) is RequeryOutcome.FILTER_IGNORED
        assert (
            get_outcome(search_guarded(first, [make_result("b", HUMAN, **valid)], policy)[0])
            is RequeryOutcome.ENOUGH_SOURCES
        )


class TestSearchesThatMisbehave:
    """What a search may do wrong."""

    def test_what_the_first_search_raises_passes_through(self) -> None:
        with pytest.raises(ConnectionError, match="down"):
            search_guarded(ConnectionError("down"))

    def test_what_the_re_query_raises_is_kept_and_halts(self) -> None:
        fault = TimeoutError("secret host name")
        guarded, asked = search_guarded(make_machines(3), fault)
        assert len(asked) == 2
        assert guarded.requery is not None
        assert guarded.requery.failure is fault
        assert guarded.requery.searched is None
        assert get_outcome(guarded) is RequeryOutcome.FAILED
        assert (guarded.decision, guarded.accepted) == (Decision.HALT, ())
        assert guarded.directive == "HALT: Re-query for human-authored documents failed (TimeoutError)."
        assert "secret" not in "".join(guarded.trail)
        assert len(guarded.trail) == 2

    def test_an_interrupt_is_no_failure_of_the_search(self) -> None:
        with pytest.raises(KeyboardInterrupt):
            search_guarded(make_machines(3), KeyboardInterrupt())

    @pytest.mark.parametrize("found", [None, "text", b"bytes", 7, {"a": 1}, (r for r in make_humans(2)), set()])
    def test_what_is_no_list_is_refused_and_halts_a_re_query(self, found: object) -> None:
        with pytest.raises(SearchError, match=rf"^the search gave a {type(found).__name__}, not a list of hits$"):
            search_guarded(found)
        guarded, _ = search_guarded(make_machines(3), found)
        assert guarded.requery is not None
        assert isinstance(guarded.requery.failure, SearchError)
        assert (guarded.decision, len(guarded.trail)) == (Decision.HALT, 2)

    def test_a_second_set_that_cannot_be_read_loses_nothing_of_the_first(self) -> None:
        def read(hits: Sequence[SearchResult]) -> ReadHits:
            if hits[0].authenticity is HUMAN:
                raise KeyError("page")
            return ReadHits(tuple(hits), tuple(range(len(hits))))

        search: Scripted[SearchResult] = Scripted(make_machines(3), make_humans(3))
        guarded = guarded_search(search, REFERENCE, read=read)
        assert guarded.requery is not None
        assert isinstance(guarded.requery.failure, KeyError)
        assert guarded.first.manifest is not None
        assert guarded.decision is Decision.HALT

    def test_hits_that_are_no_results_need_a_reader(self) -> None:
        with pytest.raises(SearchError, match=r"^a hit is a dict, not a SearchResult; say how to read it"):
            search_guarded([{"id": "a"}])
        search: Scripted[str] = Scripted(["a"], ["b", "c"])
        guarded = guarded_search(search, REFERENCE, read=lambda hits: ReadHits(tuple(map(make_result, hits)), (0,)))
        assert guarded.accepted == (("a", make_result("a")),)

    def test_hits_that_could_not_be_read_are_not_accepted(self) -> None:
        def read(hits: object) -> ReadHits:
            return ReadHits((make_result("b"), make_result("d")), (1, 3), rejected=2)

        search: Scripted[str] = Scripted(["A", "B", "C", "D"])
        guarded = guarded_search(search, REFERENCE, read=read)
        assert [hit for hit, _ in guarded.accepted] == ["B", "D"]
        assert guarded.first.manifest is not None
        assert Finding.RESULTS_REJECTED in guarded.first.manifest.findings
        strict = SynthesisPolicy(0.5, True, halt_on=(Finding.RESULTS_REJECTED,))
        assert guarded_search(search, strict, read=read).decision is Decision.HALT

    def test_a_list_of_which_nothing_can_be_read_is_nothing_to_judge(self) -> None:
        search: Scripted[str] = Scripted(["A"])
        guarded = guarded_search(search, REFERENCE, read=lambda hits: ReadHits((), (), len(hits)))
        assert (guarded.decision, guarded.first.read.rejected) == (None, 1)

    def test_calls_that_make_no_sense_are_refused(self) -> None:
        with pytest.raises(SearchError, match="asked_for"):
            search_guarded(make_humans(1), asked_for=0)
        with pytest.raises(PolicyError, match="top_k"):
            search_guarded(make_humans(1), policy=SynthesisPolicy(0.5, True, top_k=0))

    def test_a_tuple_is_a_list_too(self) -> None:
        assert search_guarded(tuple(make_humans(2)))[0].decision is Decision.PROCEED


def test_the_names_come_from_the_package() -> None:
    names = {"guarded_search", "GuardedSearch", "Requery", "RequeryOutcome", "SourceFilter", "IndexFields"}
    assert names <= set(guard_core.__all__)
