"""Guard searches inside other people's frameworks: one module for each, imported by nobody but its users.

Flows in: a framework's own documents.  Flows out: the same documents, judged and marked, or none.
Rules kept here: an adapter adds no rule of its own; it searches with ``guarded_search``, reads with ``HitReader``,
marks what is let through (``mark``) and says HALT aloud (``let_through``); without its framework it says what to
install.
Not here: the frameworks.  ``langchain`` and ``llamaindex`` are extras of the distribution.
"""

from __future__ import annotations

from typing import TypeVar

from guard_core.errors import HaltedSearchError
from guard_core.model import Basis, Decision, SearchResult
from guard_core.search.requery import GuardedSearch

Hit = TypeVar("Hit")

MARK = "source_guard"
"""The member of a document's metadata that says how it was judged; whatever stood there before is replaced."""


def let_through(guarded: GuardedSearch[Hit], *, empty_on_halt: bool) -> tuple[tuple[Hit, SearchResult], ...]:
    """Return the hits that may be used, each with its result.

    On HALT raises ``HaltedSearchError``, or gives none if ``empty_on_halt`` says so: a list cannot say why it is empty.
    Where the re-query failed, its exception is the cause of the one raised.
    """
    if guarded.decision is Decision.HALT and not empty_on_halt:
        failure = None if guarded.requery is None else guarded.requery.failure
        raise HaltedSearchError(guarded.directive, guarded.trail) from failure
    return guarded.accepted


def mark(guarded: GuardedSearch[Hit], result: SearchResult) -> dict[str, str | None]:
    """Return what is known of one result, and why its list was let through, as plain words for metadata."""
    used = guarded.first if guarded.requery is None else guarded.requery.searched
    return {
        "authenticity": result.authenticity.name,
        "basis": (result.basis or Basis.DECLARED).value,
        "verdict": None if guarded.first.manifest is None else guarded.first.manifest.verdict.name,
        "requery": None if guarded.requery is None else guarded.requery.outcome.value,
        "directive": guarded.directive,
        "record": None if used is None else used.digest,
    }
