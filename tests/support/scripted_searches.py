"""Make results for guarded searches, and a search that keeps what it was asked for.

Flows in: short words for classes.  Flows out: ``SearchResult`` objects, ``Scripted``, and what came of a
guarded search.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from guard_core import (
    AuthenticityClass,
    GuardedSearch,
    RequeryOutcome,
    SearchResult,
    SourceFilter,
    SynthesisPolicy,
    guarded_search,
)

HUMAN, D1, D2, UNKNOWN = AuthenticityClass

REFERENCE = SynthesisPolicy(0.5, True)

Hit = TypeVar("Hit")
Answer = TypeVar("Answer")


def run_coroutine(asked: Callable[[], Coroutine[object, object, Answer]]) -> Answer:
    """Run a coroutine in a thread of its own, since this one may have a loop, as beside a browser."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(asked())).result()


def make_result(name: str, authenticity: AuthenticityClass = HUMAN, **fields: object) -> SearchResult:
    """Return a result with a signature that nobody checked, as the specification has it."""
    return SearchResult(name, authenticity, None, "signature", **fields)  # type: ignore[arg-type]  # the test's choice


def make_humans(count: int, start: int = 0) -> list[SearchResult]:
    """Return human results, each its own source."""
    return [make_result(f"human-{i}") for i in range(start, start + count)]


def make_machines(count: int) -> list[SearchResult]:
    """Return results that machines wrote about what machines wrote."""
    return [make_result(f"machine-{i}", D2) for i in range(count)]


@dataclass
class Scripted(Generic[Hit]):
    """Hold a search that gives ``first`` without a filter and ``second`` (or raises it) with one."""

    first: object
    second: object = ()
    asked: list[SourceFilter | None] = field(default_factory=list)

    def __call__(self, wanted: SourceFilter | None) -> Sequence[Hit]:
        self.asked.append(wanted)
        found = self.first if wanted is None else self.second
        if isinstance(found, BaseException):
            raise found
        return found  # type: ignore[return-value]  # a test may have a search give anything


def search_guarded(
    first: object, second: object = (), policy: SynthesisPolicy = REFERENCE, asked_for: int | None = None
) -> tuple[GuardedSearch[SearchResult], list[SourceFilter | None]]:
    """Return a guarded search, and what its search was asked for."""
    search: Scripted[SearchResult] = Scripted(first, second)
    return guarded_search(search, policy, asked_for=asked_for), search.asked


def get_outcome(guarded: GuardedSearch[SearchResult]) -> RequeryOutcome:
    """Return what became of the re-query that there has to be."""
    assert guarded.requery is not None
    return guarded.requery.outcome
