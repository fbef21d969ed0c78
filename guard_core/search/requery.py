"""Judge a search, and repeat it once among human documents where the rule asks for that.

Flows in: a search function that takes a filter, and a policy.  Flows out: ``GuardedSearch``: both sets of hits, both
manifests, and one decision, linked by digests.
Rules kept here:

1. The first set is judged as it came; its manifest is that of ``SyntheticSourceGuard`` for it.
2. SYNTHETIC_DEPTH_EXCESSIVE asks for human-authored documents, UNVERIFIED_SOURCES for verified ones, as a pre-filter of
   the same search; never more than one re-query.  A creative task, a set that is human anyway and a set without
   results ask for none.
3. The second set is *filtered*: that it is human says nothing, so its ratio is not what counts.  It has to pass the
   policy, to rest on enough independent human sources, and to fill enough of the places that were asked for.
4. A second set that holds anything that was not asked for is not trusted at all, however good the rest of it is.
5. No set stands in for the other in silence: both are kept, and ``accepted`` says which one a caller may use.

Not here: what a result is (``hits.py`` reads one from metadata, catalogue and claims), the rule (``guard.py``), what
counts as enough (``requery_outcome.py``), records and digests (``search_record.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast, overload

from guard_core.errors import SearchError
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.model import (
    Applicability,
    AuthenticityClass,
    Decision,
    SearchResult,
    SynthesisManifest,
    SynthesisPolicy,
    SynthesisVerdict,
)
from guard_core.search.requery_outcome import Appraisal, RequeryOutcome, appraise, state_outcome
from guard_core.search.search_record import compute_digest, make_decision_record, make_search_record
from guard_core.search.source_filter import SourceFilter

Hit = TypeVar("Hit")

NOTHING_FOUND = "No results: nothing to judge."
CREATIVE = "PROCEED: the caller says that the task is creative; the rule does not apply."

_FILTERS = {
    SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE: SourceFilter((AuthenticityClass.HUMAN_AUTHORED,)),
    SynthesisVerdict.UNVERIFIED_SOURCES: SourceFilter((AuthenticityClass.HUMAN_AUTHORED,), verified=True),
}


@dataclass(frozen=True, slots=True)
class ReadHits:
    """The results that were read from hits.

    ``positions`` says for each result which hit it was read from, ascending; ``rejected`` hits could not be read.
    """

    results: tuple[SearchResult, ...]
    positions: tuple[int, ...]
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class JudgedSearch(Generic[Hit]):
    """One call of the search function, and the judgement of what it gave.

    ``hits`` are as they came; ``judged`` of the ``results`` were judged (the policy's ``top_k``); ``manifest`` is
    ``None`` where there was nothing to judge.  ``record`` is one line of canonical JSON: all that the judgement rests
    on, and the judgement; a re-query's names the digest of the record before it.
    """

    wanted: SourceFilter | None
    hits: tuple[Hit, ...]
    read: ReadHits
    judged: int
    manifest: SynthesisManifest | None
    record: str

    @property
    def digest(self) -> str:
        """The digest of the record: ``sha256:<hex>``."""
        return compute_digest(self.record)

    @property
    def accepted(self) -> tuple[tuple[Hit, SearchResult], ...]:
        """The hits that were judged, each with its result; not those that could not be read or come after
        ``top_k``."""
        pairs = zip(self.read.positions, self.read.results, strict=True)
        return tuple((self.hits[place], result) for place, result in pairs)[: self.judged]


@dataclass(frozen=True, slots=True)
class Requery(Generic[Hit]):
    """The second search, and what it is worth.

    ``searched`` is ``None`` and ``failure`` the exception where the search, or the reading of what it gave, raised;
    everything else is in the ``appraisal``.
    """

    wanted: SourceFilter
    searched: JudgedSearch[Hit] | None
    appraisal: Appraisal
    failure: Exception | None = None

    @property
    def outcome(self) -> RequeryOutcome:
        """In one word."""
        return self.appraisal.outcome


@dataclass(frozen=True, slots=True)
class GuardedSearch(Generic[Hit]):
    """A guarded search: what was found first, the re-query if there was one, and what to do.

    ``decision`` is ``None`` where nothing was found: there is nothing to go on with and nothing to stop for.
    ``directive`` says why in a line.
    """

    first: JudgedSearch[Hit]
    requery: Requery[Hit] | None
    decision: Decision | None
    directive: str

    @property
    def accepted(self) -> tuple[tuple[Hit, SearchResult], ...]:
        """What a caller may use: judged hits with their results, of the first set if that proceeds, of the second if
        the re-query earned it; nothing on HALT."""
        if self.decision is not Decision.PROCEED:
            return ()
        used = self.first if self.requery is None else self.requery.searched
        return () if used is None else used.accepted

    @property
    def trail(self) -> tuple[str, ...]:
        """The records, one JSON line each: the first search, the re-query, the decision; each names the digests of
        those before it."""
        second = None if self.requery is None else self.requery.searched
        searches = [self.first.record] + ([] if second is None else [second.record])
        return (
            *searches,
            make_decision_record(
                [compute_digest(line) for line in searches],
                self.decision,
                self.directive,
                None if self.requery is None else self.requery.appraisal,
            ),
        )


Search = Callable[[SourceFilter | None], Sequence[Hit]]
"""A search for one query: all documents for ``None``, else only those that the filter lets in."""

Reader = Callable[[Sequence[Hit]], ReadHits]
"""What makes results of hits; ``guard_core.search.hits.HitReader`` is one."""


@overload
def guarded_search(
    search: Search[SearchResult],
    policy: SynthesisPolicy,
    *,
    asked_for: int | None = None,
    creative_task: bool = False,
) -> GuardedSearch[SearchResult]: ...


@overload
def guarded_search(
    search: Search[Hit],
    policy: SynthesisPolicy,
    *,
    read: Reader[Hit],
    asked_for: int | None = None,
    creative_task: bool = False,
) -> GuardedSearch[Hit]: ...


def guarded_search(
    search: Search[Hit],
    policy: SynthesisPolicy,
    *,
    read: Reader[Hit] | None = None,
    asked_for: int | None = None,
    creative_task: bool = False,
) -> GuardedSearch[Hit]:
    """Search, judge, and where the rule asks for it search once more among human documents.

    ``search`` gives a list in ranked order; ``read`` makes results of it, and may be left out where it gives
    ``SearchResult`` objects.  ``asked_for`` is how many hits the search was asked for; left out, the first set is taken
    to be as long as was asked for.  ``creative_task`` says that the task is explicitly creative.

    What the first search raises passes through.  What the re-query or the reading of it raises is kept
    (``Requery.failure``), and the decision is HALT: the first set and its record are never lost.  Raises
    ``SearchError`` for an ``asked_for`` below 1 and for a first search that gives no list of hits, ``PolicyError`` as
    the guard does.
    """
    if asked_for is not None and asked_for < 1:
        raise SearchError("asked_for: out of range; a whole number from 1, or None")
    reader = read or cast("Reader[Hit]", _keep_results)

    def judge(found: object, wanted: SourceFilter | None, before: str | None) -> JudgedSearch[Hit]:
        return _judge_found(found, wanted, before, reader, policy, asked_for, creative_task)

    first = judge(search(None), None, None)
    manifest = first.manifest
    if manifest is None:
        return GuardedSearch(first, None, None, NOTHING_FOUND)
    if creative_task:
        return GuardedSearch(first, None, Decision.PROCEED, CREATIVE)
    wanted = _FILTERS.get(manifest.verdict)
    stands = manifest.decision is Decision.PROCEED or manifest.applicability is Applicability.HUMAN_ONLY
    if stands or wanted is None:
        return GuardedSearch(first, None, manifest.decision, manifest.directive)

    places = len(first.hits) if asked_for is None else asked_for
    requery: Requery[Hit]
    try:
        second = judge(search(wanted), wanted, first.digest)
    except Exception as failure:  # noqa: BLE001  # whatever it is, the first set still halts; it is kept and named
        requery = Requery(wanted, None, appraise(None, None, wanted, policy, places), failure)
    else:
        requery = Requery(wanted, second, appraise(second.read.results, second.manifest, wanted, policy, places))
    earned = requery.outcome is RequeryOutcome.ENOUGH_SOURCES
    directive = state_outcome(requery.appraisal, wanted, requery.failure)
    return GuardedSearch(first, requery, Decision.PROCEED if earned else Decision.HALT, directive)


def _judge_found(
    found: object,
    wanted: SourceFilter | None,
    before: str | None,
    read: Reader[Hit],
    policy: SynthesisPolicy,
    asked_for: int | None,
    creative_task: bool,
) -> JudgedSearch[Hit]:
    """Judge what a search gave; ``before`` is the digest of the record that it follows."""
    if not isinstance(found, Sequence) or isinstance(found, (str, bytes, bytearray)):
        raise SearchError(f"the search gave a {type(found).__name__}, not a list of hits")
    hits = cast("tuple[Hit, ...]", tuple(found))
    got = read(hits)
    manifest = None
    if got.results:
        manifest = SyntheticSourceGuard.evaluate_results(
            got.results, policy, creative_task=creative_task, rejected_results=got.rejected
        )
    judged = len(got.results) if policy.top_k is None else min(len(got.results), policy.top_k)
    record = make_search_record(
        got.results, got.rejected, manifest, policy, wanted, before, asked_for=asked_for, creative_task=creative_task
    )
    return JudgedSearch(wanted, hits, got, judged, manifest, record)


def _keep_results(hits: Sequence[object]) -> ReadHits:
    """Keep hits that are results already."""
    results = tuple(hit for hit in hits if isinstance(hit, SearchResult))
    if len(results) < len(hits):
        strange = next(type(hit).__name__ for hit in hits if not isinstance(hit, SearchResult))
        raise SearchError(f"a hit is a {strange}, not a SearchResult; say how to read it (read=...)")
    return ReadHits(results, tuple(range(len(results))))
