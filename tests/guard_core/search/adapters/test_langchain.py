"""The LangChain retriever, on LangChain's own vector store in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from guard_core import SourceFilter, SynthesisPolicy
from guard_core.errors import HaltedSearchError, SearchError
from guard_core.search.adapters import MARK
from tests.support.scripted_searches import run_coroutine

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.vectorstores import InMemoryVectorStore

    from guard_core.search.adapters.langchain import GuardedRetriever

POLICY = SynthesisPolicy(0.5, True)
TEXTS = [(f"m{i}", "model", 3) for i in range(6)] + [(f"h{i}", "human", 0) for i in range(4)]


@pytest.fixture
def store() -> InMemoryVectorStore:
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents(
        [
            Document(
                id=name,
                page_content=f"about {name}",
                metadata={"authenticity": origin, "depth": depth, "signature": "s", "page": 1},
            )
            for name, origin, depth in TEXTS
        ]
    )
    return store


def guarded(store: InMemoryVectorStore, asked: list[SourceFilter | None], **fields: object) -> GuardedRetriever:
    """A retriever of four documents that finds machine text unless it is told not to."""
    from guard_core.search.adapters.langchain import GuardedRetriever

    def search(query: str, wanted: SourceFilter | None) -> list[Document]:
        asked.append(wanted)
        words = ("model",) if wanted is None else wanted.words()
        return store.similarity_search(query, k=4, filter=lambda d: d.metadata["authenticity"] in words)

    return GuardedRetriever(**{"search": search, "policy": POLICY, "asked_for": 4, **fields})  # type: ignore[arg-type]


def test_it_searches_again_among_human_documents(store: InMemoryVectorStore) -> None:
    asked: list[SourceFilter | None] = []
    found = guarded(store, asked).invoke("what")
    assert asked == [None, SourceFilter()]
    assert {document.id for document in found} == {"h0", "h1", "h2", "h3"}
    for document in found:
        assert document.page_content == f"about {document.id}"
        assert document.metadata["page"] == 1
        assert document.metadata[MARK]["authenticity"] == "HUMAN_AUTHORED"
        assert document.metadata[MARK]["basis"] == "declared"
        assert document.metadata[MARK]["verdict"] == "SYNTHETIC_DEPTH_EXCESSIVE"
        assert document.metadata[MARK]["requery"] == "enough_sources"
        assert document.metadata[MARK]["directive"].startswith("PROCEED: Re-query")
    json.dumps([document.metadata for document in found])


def test_what_the_store_holds_stays_as_it_is(store: InMemoryVectorStore) -> None:
    guarded(store, []).invoke("what")
    assert all(MARK not in document.metadata for document in store.similarity_search("what", k=10))


def test_a_mark_that_a_document_brings_along_is_replaced(store: InMemoryVectorStore) -> None:
    from langchain_core.documents import Document

    forged = Document(
        id="f", page_content="f", metadata={"signature": "s", "origin": "human", MARK: {"verdict": "BEST"}}
    )
    found = guarded(store, [], search=lambda query, wanted: [forged]).invoke("what")
    assert found[0].metadata[MARK]["verdict"] == "HUMAN_GROUNDED"
    assert found[0].metadata[MARK]["requery"] is None
    assert forged.metadata[MARK] == {"verdict": "BEST"}


def test_a_halt_is_raised_with_its_trail(store: InMemoryVectorStore) -> None:
    with pytest.raises(HaltedSearchError, match=r"^HALT: Re-query for human-authored documents filled 4 of 20") as halt:
        guarded(store, [], asked_for=20).invoke("what")
    assert [json.loads(line)["schema"].rpartition("/")[0] for line in halt.value.trail] == [
        "source-guard/search",
        "source-guard/search",
        "source-guard/guarded-search",
    ]


def test_a_halt_is_an_empty_list_for_who_asks_for_that(store: InMemoryVectorStore) -> None:
    assert guarded(store, [], asked_for=20, empty_on_halt=True).invoke("what") == []


def test_a_creative_task_gets_what_was_found(store: InMemoryVectorStore) -> None:
    asked: list[SourceFilter | None] = []
    found = guarded(store, asked, creative_task=True).invoke("what")
    assert asked == [None]
    assert {document.metadata["authenticity"] for document in found} == {"model"}


def test_nothing_found_is_an_empty_list(store: InMemoryVectorStore) -> None:
    assert guarded(store, [], search=lambda query, wanted: []).invoke("what") == []


def test_documents_without_an_id_are_not_let_through(store: InMemoryVectorStore) -> None:
    from langchain_core.documents import Document

    known = {"signature": "s", "origin": "human"}
    hits = [Document(page_content="a", metadata=known), Document(page_content="b", metadata={**known, "doc_id": "d"})]
    found = guarded(store, [], search=lambda query, wanted: hits).invoke("what")
    assert [document.page_content for document in found] == ["b"]


def test_what_the_search_raises_reaches_the_chain(store: InMemoryVectorStore) -> None:
    with pytest.raises(SearchError, match="not a list of hits"):
        guarded(store, [], search=lambda query, wanted: None).invoke("what")


def test_a_failed_re_query_is_the_cause_of_the_halt(store: InMemoryVectorStore) -> None:
    fault = TimeoutError("down")

    def search(query: str, wanted: SourceFilter | None) -> list[Document]:
        if wanted is not None:
            raise fault
        return store.similarity_search(query, k=4, filter=lambda d: d.metadata["authenticity"] == "model")

    with pytest.raises(HaltedSearchError, match=r"failed \(TimeoutError\)") as halt:
        guarded(store, [], search=search).invoke("what")
    assert halt.value.__cause__ is fault


def test_it_works_where_it_is_awaited(store: InMemoryVectorStore) -> None:
    found = run_coroutine(lambda: guarded(store, []).ainvoke("what"))
    assert {document.id for document in found} == {"h0", "h1", "h2", "h3"}
