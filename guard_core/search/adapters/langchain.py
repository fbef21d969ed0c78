"""Judge what a LangChain retriever finds, and search once more among human documents where the rule asks for it.

Flows in: a search of yours, as a function of query and filter.  Flows out: LangChain documents, each with its judgement
under ``source_guard`` in its metadata.
Rules kept here: a document's ``id`` is the result id, its metadata are read as the columns of a log; a search that
halts raises ``HaltedSearchError``, unless ``empty_on_halt`` is set.
Not here: the judgement (``guard_core.search.requery``), LangChain itself (``pip install "source-guard[langchain]"``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as fault:
    raise ImportError('this adapter needs langchain-core: pip install "source-guard[langchain]"') from fault

from guard_core.model import SynthesisPolicy
from guard_core.search.adapters import MARK, let_through, mark
from guard_core.search.hits import HitReader
from guard_core.search.requery import guarded_search
from guard_core.search.source_filter import SourceFilter


def describe_document(document: Document) -> dict[str, object]:
    """Return a document as a result of a log."""
    return {**document.metadata, "result_id": document.id, "text": document.page_content}


class GuardedRetriever(BaseRetriever):
    """``search`` gives the documents for a query: all for ``None``, else those that the filter lets in.

    ``read`` says with which catalogue and trust store documents are judged; ``asked_for`` how many a search asks for.
    """

    search: Callable[[str, SourceFilter | None], Sequence[Document]]
    policy: SynthesisPolicy
    read: HitReader[Document] = HitReader(describe_document)
    asked_for: int | None = None
    creative_task: bool = False
    empty_on_halt: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        guarded = guarded_search(
            lambda wanted: self.search(query, wanted),
            self.policy,
            read=self.read,
            asked_for=self.asked_for,
            creative_task=self.creative_task,
        )
        return [
            document.model_copy(update={"metadata": {**document.metadata, MARK: mark(guarded, result)}})
            for document, result in let_through(guarded, empty_on_halt=self.empty_on_halt)
        ]
