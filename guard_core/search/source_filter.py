"""Say which documents a re-query asks for, as plain data and in the words of search engines.

Flows in: classes, and whether the source has to be verified.  Flows out: ``SourceFilter``, and its forms for
Elasticsearch, OpenSearch, Qdrant, Chroma and LlamaIndex, as the dictionaries that their clients take.
Rules kept here: a filter says what the index has to *hold*, so that it is applied before the nearest or best documents
are chosen (a pre-filter), never to a list that was already cut; words in an index are matched exactly, so every
spelling of a class is listed.
Not here: what a result is really worth (``items.py``); a filter trusts the index, the guard does not
(``requery.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from guard_core.errors import SearchError
from guard_core.model import AuthenticityClass

CLASS_WORDS: Mapping[AuthenticityClass, tuple[str, ...]] = MappingProxyType(
    {
        AuthenticityClass.HUMAN_AUTHORED: ("HUMAN_AUTHORED", "human", "human-authored"),
        AuthenticityClass.SYNTHETIC_DEPTH_1: ("SYNTHETIC_DEPTH_1",),
        AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS: ("SYNTHETIC_DEPTH_2_PLUS",),
        AuthenticityClass.UNKNOWN: ("UNKNOWN",),
    }
)
"""The words that an index may hold for a class, unless its owner names others (R16)."""


@dataclass(frozen=True, slots=True)
class IndexFields:
    """Where an index keeps what a filter asks for.

    ``authenticity`` is a field of exact words (``keyword`` in Elasticsearch and OpenSearch); ``verified`` a field that
    holds ``verified_value`` where the document's claim is known to hold.  Nested payloads are named with dots where
    the engine does so (``metadata.authenticity``).  ``words`` are the words for each class.
    """

    authenticity: str = "authenticity"
    verified: str = "verified"
    verified_value: bool | str = True
    words: Mapping[AuthenticityClass, tuple[str, ...]] = field(default_factory=lambda: CLASS_WORDS)


USUAL_FIELDS = IndexFields()


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """Documents of one of ``classes``; with ``verified`` only those that pass the policy's signature gate.

    Raises ``SearchError`` without any class: that would be no filter.
    """

    classes: tuple[AuthenticityClass, ...] = (AuthenticityClass.HUMAN_AUTHORED,)
    verified: bool = False

    def __post_init__(self) -> None:
        if not self.classes:
            raise SearchError("a filter names at least one class")

    def words(self, fields: IndexFields = USUAL_FIELDS) -> list[str]:
        """Return the words that the index may hold for the classes, each once."""
        return list(dict.fromkeys(word for wanted in self.classes for word in fields.words[wanted]))

    def elasticsearch(self, fields: IndexFields = USUAL_FIELDS) -> dict[str, object]:
        """Return a query of Elasticsearch and OpenSearch.

        For a text search it goes under ``bool.filter``; for a vector search **inside** the ``knn`` clause, under
        ``filter``: beside it, it would only be applied to the neighbours already chosen.
        """
        conditions: list[object] = [{"terms": {fields.authenticity: self.words(fields)}}]
        if self.verified:
            conditions.append({"term": {fields.verified: fields.verified_value}})
        return {"bool": {"filter": conditions}}

    def qdrant(self, fields: IndexFields = USUAL_FIELDS) -> dict[str, object]:
        """Return a filter of Qdrant; its Python client takes ``models.Filter.model_validate(...)`` of it."""
        conditions: list[object] = [{"key": fields.authenticity, "match": {"any": self.words(fields)}}]
        if self.verified:
            conditions.append({"key": fields.verified, "match": {"value": fields.verified_value}})
        return {"must": conditions}

    def chroma(self, fields: IndexFields = USUAL_FIELDS) -> dict[str, object]:
        """Return the ``where`` of Chroma, which takes ``$and`` for two conditions and refuses it for one."""
        of_class: dict[str, object] = {fields.authenticity: {"$in": self.words(fields)}}
        if not self.verified:
            return of_class
        return {"$and": [of_class, {fields.verified: {"$eq": fields.verified_value}}]}

    def llamaindex(self, fields: IndexFields = USUAL_FIELDS) -> dict[str, object]:
        """Return filters of LlamaIndex; its retrievers take ``MetadataFilters.model_validate(...)`` of it.

        They hold no booleans: raises ``SearchError`` where ``fields`` has no text for ``verified_value``.
        """
        filters: list[object] = [{"key": fields.authenticity, "value": self.words(fields), "operator": "in"}]
        if self.verified and isinstance(fields.verified_value, bool):
            raise SearchError("LlamaIndex's filters hold no booleans; name a text (IndexFields.verified_value)")
        if self.verified:
            filters.append({"key": fields.verified, "value": fields.verified_value, "operator": "=="})
        return {"filters": filters}
