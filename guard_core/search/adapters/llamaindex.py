"""Judge the nodes that LlamaIndex retrieved, and ask once more among human documents where the rule asks for it.

Flows in: nodes with scores, and a retrieval of yours that takes a filter (``wanted.llamaindex()`` renders it).  Flows
out: the nodes that may be used, each with its judgement under ``source_guard`` in its metadata, for people: prompts and
embeddings leave it out.
Rules kept here: the node is the result, its metadata are columns of a log; a search that halts raises.
Not here: the judgement (``guard_core.search.requery``), LlamaIndex itself (``pip install "source-guard[llamaindex]"``).
"""

from __future__ import annotations

from collections.abc import Callable

try:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, QueryBundle
except ImportError as fault:
    raise ImportError('this adapter needs llama-index-core: pip install "source-guard[llamaindex]"') from fault

from guard_core.model import SynthesisPolicy
from guard_core.search.adapters import MARK, let_through, mark
from guard_core.search.hits import HitReader
from guard_core.search.requery import guarded_search
from guard_core.search.source_filter import SourceFilter


def describe_node(hit: NodeWithScore) -> dict[str, object]:
    """Return a node as a result of a log; its source node is the document, unless the metadata name one."""
    named = {"parent_id": hit.node.ref_doc_id, **hit.node.metadata}
    return {**named, "result_id": hit.node_id, "text": hit.get_content()}


class GuardedPostprocessor(BaseNodePostprocessor):
    """``requery`` retrieves for the same query with a filter; the other fields are those of ``GuardedRetriever``."""

    requery: Callable[[QueryBundle | None, SourceFilter], list[NodeWithScore]]
    policy: SynthesisPolicy
    read: HitReader[NodeWithScore] = HitReader(describe_node)
    asked_for: int | None = None
    creative_task: bool = False
    empty_on_halt: bool = False

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        guarded = guarded_search(
            lambda wanted: nodes if wanted is None else self.requery(query_bundle, wanted),
            self.policy,
            read=self.read,
            asked_for=self.asked_for,
            creative_task=self.creative_task,
        )
        marked = []
        for hit, result in let_through(guarded, empty_on_halt=self.empty_on_halt):
            node = hit.node.model_copy(update={"metadata": {**hit.node.metadata, MARK: mark(guarded, result)}})
            node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, MARK]
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, MARK]
            marked.append(NodeWithScore(node=node, score=hit.score))
        return marked
