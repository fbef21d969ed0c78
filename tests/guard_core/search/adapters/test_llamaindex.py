"""The LlamaIndex postprocessor, on LlamaIndex's own index in memory.  Nothing is fetched: the suite refuses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from guard_core import IndexFields, SourceFilter, SynthesisPolicy
from guard_core.errors import HaltedSearchError
from guard_core.search.adapters import MARK
from tests.support.scripted_searches import run_coroutine

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

if TYPE_CHECKING:
    from llama_index.core import VectorStoreIndex
    from llama_index.core.schema import NodeWithScore, QueryBundle

    from guard_core.search.adapters.llamaindex import GuardedPostprocessor

POLICY = SynthesisPolicy(0.5, True)
FIELDS = IndexFields(verified_value="yes")
TEXTS = [(f"m{i}", "model", "yes") for i in range(6)] + [("h0", "human", "no"), ("h1", "human-authored", "yes")]


@pytest.fixture
def index() -> VectorStoreIndex:
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import TextNode

    nodes = [
        TextNode(
            id_=name,
            text=f"about {name}",
            metadata={"authenticity": origin, "verified": verified, "signature": "s", "page": 1},
        )
        for name, origin, verified in TEXTS
    ]
    return VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))


def retrieve(index: VectorStoreIndex, query: str, wanted: SourceFilter | None) -> list[NodeWithScore]:
    from llama_index.core.vector_stores import MetadataFilters

    filters = None if wanted is None else MetadataFilters.model_validate(wanted.llamaindex(FIELDS))
    return index.as_retriever(similarity_top_k=4, filters=filters).retrieve(query)


Asked = list[tuple[object, SourceFilter]]
"""The queries and filters that a re-query was called with."""


def guarded(index: VectorStoreIndex, asked: Asked, **fields: object) -> GuardedPostprocessor:
    from guard_core.search.adapters.llamaindex import GuardedPostprocessor

    def requery(query: QueryBundle | None, wanted: SourceFilter) -> list[NodeWithScore]:
        text = None if query is None else query.query_str
        asked.append((text, wanted))
        return retrieve(index, text or "anything", wanted)

    return GuardedPostprocessor(**{"requery": requery, "policy": POLICY, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(("wanted", "names"), [(SourceFilter(), {"h0", "h1"}), (SourceFilter(verified=True), {"h1"})])
def test_the_index_understands_the_filter(index: VectorStoreIndex, wanted: SourceFilter, names: set[str]) -> None:
    assert {hit.node_id for hit in retrieve(index, "what", wanted)} == names


def test_it_asks_again_for_human_documents(index: VectorStoreIndex) -> None:
    asked: Asked = []
    first = retrieve(index, "what", None)
    assert {hit.node.metadata["authenticity"] for hit in first} == {"model"}
    found = guarded(index, asked).postprocess_nodes(first, query_str="what")
    assert asked == [("what", SourceFilter())]
    assert {hit.node_id for hit in found} == {"h0", "h1"}
    for hit in found:
        assert hit.score is not None
        assert hit.node.metadata["page"] == 1
        assert hit.node.metadata[MARK]["authenticity"] == "HUMAN_AUTHORED"
        assert hit.node.metadata[MARK]["requery"] == "enough_sources"


def test_prompts_and_embeddings_do_not_hold_the_mark(index: VectorStoreIndex) -> None:
    from llama_index.core.schema import MetadataMode

    found = guarded(index, []).postprocess_nodes(retrieve(index, "what", None), query_str="what")
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        assert MARK not in found[0].get_content(metadata_mode=mode)
        assert "page: 1" in found[0].get_content(metadata_mode=mode)


def test_nodes_of_the_caller_stay_as_they_are(index: VectorStoreIndex) -> None:
    first = retrieve(index, "what", SourceFilter())
    found = guarded(index, []).postprocess_nodes(first, query_str="what")
    assert [hit.node_id for hit in found] == [hit.node_id for hit in first]
    assert all(MARK in hit.node.metadata for hit in found)
    assert all(MARK not in hit.node.metadata for hit in first)
    assert all(MARK not in hit.node.excluded_llm_metadata_keys for hit in first)


def test_a_halt_is_raised_or_empty(index: VectorStoreIndex) -> None:
    first = retrieve(index, "what", None)
    with pytest.raises(HaltedSearchError, match="filled 2 of 10 places; 5 are needed"):
        guarded(index, [], asked_for=10).postprocess_nodes(first, query_str="what")
    assert guarded(index, [], asked_for=10, empty_on_halt=True).postprocess_nodes(first, query_str="what") == []


def test_a_creative_task_gets_what_was_found(index: VectorStoreIndex) -> None:
    asked: Asked = []
    found = guarded(index, asked, creative_task=True).postprocess_nodes(retrieve(index, "what", None))
    assert (len(found), asked) == (4, [])


def test_a_call_without_a_query_says_so(index: VectorStoreIndex) -> None:
    asked: Asked = []
    guarded(index, asked).postprocess_nodes(retrieve(index, "what", None))
    assert asked == [(None, SourceFilter())]


def test_nothing_retrieved_is_nothing(index: VectorStoreIndex) -> None:
    assert guarded(index, []).postprocess_nodes([], query_str="what") == []


def test_the_source_of_a_node_is_its_document_unless_the_metadata_name_one() -> None:
    from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

    from guard_core.search.adapters.llamaindex import describe_node
    from guard_core.search.hits import HitReader

    def node(name: str, **metadata: str) -> NodeWithScore:
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="page")}
        return NodeWithScore(node=TextNode(id_=name, text="t", metadata=metadata, relationships=source))

    got = HitReader(describe_node)([node("a"), node("b", doc_id="book"), node("c", result_id="x", text="y")])
    assert [(r.result_id, r.document_id) for r in got.results] == [("a", "page"), ("b", "book"), ("c", "page")]


def test_it_works_where_it_is_awaited(index: VectorStoreIndex) -> None:
    first = retrieve(index, "what", None)
    found = run_coroutine(lambda: guarded(index, []).apostprocess_nodes(first, query_str="what"))
    assert {hit.node_id for hit in found} == {"h0", "h1"}
