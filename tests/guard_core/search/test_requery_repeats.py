"""A document that a re-query lists again and again: places are filled by what the policy counts."""

from __future__ import annotations

from guard_core import AuthenticityClass, Decision, SearchResult, SynthesisPolicy, guarded_search
from guard_core.model import CountUnit
from guard_core.search.requery_outcome import RequeryOutcome
from guard_core.search.source_filter import SourceFilter

MACHINES = [SearchResult(f"m{i}", AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS, None, "s") for i in range(9)]
HUMAN = SearchResult("a", AuthenticityClass.HUMAN_AUTHORED, None, "s")


def search(wanted: SourceFilter | None) -> list[SearchResult]:
    """Machine text, and among human documents one of them nine times."""
    return MACHINES if wanted is None else [HUMAN] * 9


def test_one_document_fills_one_place_where_documents_are_counted() -> None:
    found = guarded_search(search, SynthesisPolicy(0.5, False, count=CountUnit.DOCUMENTS))
    assert found.requery is not None
    assert found.requery.outcome is RequeryOutcome.SHORT
    assert (found.requery.appraisal.returned, found.decision, found.accepted) == (1, Decision.HALT, ())


def test_each_entry_fills_a_place_where_results_are_counted() -> None:
    found = guarded_search(search, SynthesisPolicy(0.5, False))
    assert found.requery is not None
    assert (found.requery.appraisal.returned, found.decision) == (9, Decision.PROCEED)
