"""The neutral filter and its forms: the shapes that engines document, and what real engines make of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core import AuthenticityClass, IndexFields, SourceFilter
from guard_core.class_words import ClassWord, find_class
from guard_core.errors import SearchError
from guard_core.search.source_filter import CLASS_WORDS
from tests.support.scripted_searches import D1, HUMAN

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

WORDS = ["HUMAN_AUTHORED", "human", "human-authored"]
FOR_HUMANS = SourceFilter()
FOR_VERIFIED = SourceFilter(verified=True)
ELSEWHERE = IndexFields("metadata.origin", "metadata.proof", "yes", {**CLASS_WORDS, HUMAN: ("person",)})


def test_a_filter_without_a_class_is_none() -> None:
    with pytest.raises(SearchError, match="at least one class"):
        SourceFilter(())


def test_a_filter_is_a_value() -> None:
    assert SourceFilter((HUMAN,)) == SourceFilter()
    assert len({FOR_HUMANS, SourceFilter((HUMAN,)), FOR_VERIFIED}) == 2


def test_words_in_an_index_are_words_of_a_log() -> None:
    understood = {AuthenticityClass.HUMAN_AUTHORED: ClassWord.HUMAN, D1: ClassWord.SYNTHETIC_DEPTH_1}
    for authenticity, meant in understood.items():
        assert {find_class(word.lower()) for word in CLASS_WORDS[authenticity]} == {meant}


@given(st.lists(st.sampled_from(AuthenticityClass), min_size=1))
def test_every_word_of_every_class_is_listed_once(classes: list[AuthenticityClass]) -> None:
    words = SourceFilter(tuple(classes)).words()
    assert len(words) == len(set(words))
    assert set(words) == {word for authenticity in classes for word in CLASS_WORDS[authenticity]}


class TestShapes:
    """To the letter, as the engines' documents have them."""

    def test_elasticsearch_and_opensearch(self) -> None:
        assert FOR_HUMANS.elasticsearch() == {"bool": {"filter": [{"terms": {"authenticity": WORDS}}]}}
        assert FOR_VERIFIED.elasticsearch() == {
            "bool": {"filter": [{"terms": {"authenticity": WORDS}}, {"term": {"verified": True}}]}
        }
        assert FOR_VERIFIED.elasticsearch(ELSEWHERE) == {
            "bool": {"filter": [{"terms": {"metadata.origin": ["person"]}}, {"term": {"metadata.proof": "yes"}}]}
        }

    def test_qdrant(self) -> None:
        assert FOR_HUMANS.qdrant() == {"must": [{"key": "authenticity", "match": {"any": WORDS}}]}
        assert FOR_VERIFIED.qdrant(ELSEWHERE) == {
            "must": [
                {"key": "metadata.origin", "match": {"any": ["person"]}},
                {"key": "metadata.proof", "match": {"value": "yes"}},
            ]
        }

    def test_chroma(self) -> None:
        assert FOR_HUMANS.chroma() == {"authenticity": {"$in": WORDS}}
        assert FOR_VERIFIED.chroma() == {"$and": [{"authenticity": {"$in": WORDS}}, {"verified": {"$eq": True}}]}

    def test_llamaindex(self) -> None:
        assert FOR_HUMANS.llamaindex() == {"filters": [{"key": "authenticity", "value": WORDS, "operator": "in"}]}
        assert FOR_VERIFIED.llamaindex(ELSEWHERE) == {
            "filters": [
                {"key": "metadata.origin", "value": ["person"], "operator": "in"},
                {"key": "metadata.proof", "value": "yes", "operator": "=="},
            ]
        }
        with pytest.raises(SearchError, match="no booleans"):
            FOR_VERIFIED.llamaindex()


POINTS = (
    ("human", True),
    ("HUMAN_AUTHORED", False),
    ("human-authored", True),
    ("model", True),
    ("SYNTHETIC_DEPTH_1", True),
    (None, True),
    ("nobody human", True),
)


class TestQdrant:
    """The real engine, in memory: the farther a point in the list, the nearer it is to the query."""

    @pytest.fixture
    def client(self) -> Iterator[QdrantClient]:
        pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
        from qdrant_client import QdrantClient, models

        client = QdrantClient(":memory:")
        size = models.VectorParams(size=2, distance=models.Distance.DOT)
        client.create_collection("documents", vectors_config=size)
        points = [
            models.PointStruct(id=i, vector=[float(i), 1.0], payload={"authenticity": word, "verified": verified})
            for i, (word, verified) in enumerate(POINTS)
        ]
        client.upsert("documents", points)
        yield client
        client.close()

    @pytest.mark.parametrize(
        ("wanted", "nearest"),
        [
            (None, [6, 5]),
            (FOR_HUMANS, [2, 1]),
            (FOR_VERIFIED, [2, 0]),
            (SourceFilter((HUMAN, D1)), [4, 2]),
            (SourceFilter((AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS,)), []),
        ],
    )
    def test_it_finds_the_nearest_of_those_let_in(
        self, client: QdrantClient, wanted: SourceFilter | None, nearest: list[int]
    ) -> None:
        from qdrant_client import models

        only = None if wanted is None else models.Filter.model_validate(wanted.qdrant())
        found = client.query_points("documents", query=[1.0, 0.0], query_filter=only, limit=2)
        assert [point.id for point in found.points] == nearest
